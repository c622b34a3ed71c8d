// Reports who fetches which modules and providers, and decides which callers may see names.
//
// Owners of a namespace (with a token of scope admin for it) and administrators may see names;
// other callers get only numbers. Methods fail, besides the errors that they name: as the catalog.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/page.h"
#include "domain/usage_record.h"
#include "service/usage/usage_report.h"

namespace koya {
class Catalog;
class UsageCatalog;
struct UsageLeader;
}  // namespace koya

namespace koya::auth {
struct Principal;
}  // namespace koya::auth

namespace koya::service {

class Namespaces;

// A module or provider, and the period.
struct UsageQuestion {
  UsageKind kind = UsageKind::kModule;
  std::string address;      // as UsageItem::address
  std::string ns;           // the namespace whose owners may see names
  std::uint64_t days = 30;  // the last one is today
};

// A module or provider that was not fetched for a long time.
struct UnusedThing {
  std::string address;
  std::string latest;
  UnixSeconds published_at = 0;  // publishing time of `latest`
  std::uint64_t versions = 0;
  UsageDay last_day = 0;  // 0: never
};

// Number of fetches of a module or provider, in periods that end today.
struct DownloadSummary {
  static constexpr std::uint64_t kWeek = 7;
  static constexpr std::uint64_t kMonth = 30;
  static constexpr std::uint64_t kYear = 365;  // whole months, where days were folded

  std::uint64_t week = 0;
  std::uint64_t month = 0;
  std::uint64_t year = 0;
  std::uint64_t total = 0;  // since counting began, including bots
  friend bool operator==(const DownloadSummary&, const DownloadSummary&) = default;
};

struct UsedBy {
  UsageReport report;  // by version
  std::vector<Consumer> consumers;
};

class Usage {
 public:
  static constexpr std::uint64_t kMostDays = 3650;
  // Limits of things that one page examines, and whose versions a lag report reads.
  static constexpr std::uint64_t kMostThings = 1000;
  static constexpr std::size_t kMostMeasured = 200;

  // All arguments must outlive this.
  Usage(Catalog& catalog, const Clock& clock) : catalog_(catalog), clock_(clock) {}

  static bool MayName(const auth::Principal& by, const std::string& ns);

  // Number of fetches since counting began, by address as in UsageItem; an address that is not in
  // the result was never fetched. At most 1000 addresses. For all callers.
  Task<std::map<std::string, std::uint64_t>> Downloads(UsageKind kind,
                                                       std::vector<std::string> addresses);
  // The same for one version.
  Task<std::uint64_t> DownloadsOf(UsageItem item);

  // The first day with counted fetches; 0: none. For all callers.
  Task<UsageDay> CountedSince();

  // Fetches of one thing, without bots. For all callers.
  Task<std::uint64_t> FetchesOf(UsageQuestion question);
  // The same for several periods, ignoring question.days; `total` as in Downloads.
  Task<DownloadSummary> Summarise(UsageQuestion question);

  Task<UsageReport> Report(auth::Principal by, UsageQuestion question, UsageBy lines);
  // Report by version, and the consumers of one thing, whose versions are `versions`. For all
  // callers: if the report is not `named`, only the number of the consumers may be shown.
  Task<UsedBy> FindConsumers(auth::Principal by, UsageQuestion question,
                             std::vector<Version> versions);
  Task<UsageImpact> Impact(auth::Principal by, UsageQuestion question, std::string version);
  // Lag report of a namespace, for its owners: covers its kMostMeasured most fetched things. Fails:
  // kForbidden; kInvalid without a namespace.
  Task<LagReport> Lag(auth::Principal by, std::string ns, std::uint64_t days);
  // The things of this page that were published before the period and not fetched since; of a
  // namespace for its owners, or of all ("" as `ns`) for administrators. Fails: kForbidden.
  Task<Page<UnusedThing>> Unused(auth::Principal by, UsageKind kind, std::string ns,
                                 std::uint64_t days, std::uint64_t offset);
  // Anonymizes the statistics of a principal; for a user also those under their mark. For
  // administrators. Returns the number of rows changed. Fails: kForbidden; kInvalid for an invalid
  // name of a principal.
  Task<std::uint64_t> ForgetPrincipal(auth::Principal by, std::string principal);

  // First day of a period of `days` days that ends today.
  UsageDay Since(std::uint64_t days) const;

 private:
  Task<Releases> FindReleases(std::vector<std::pair<UsageKind, std::string>> things);
  Task<Page<UnusedThing>> ListThings(UsageKind kind, std::string ns, std::uint64_t offset);

  Catalog& catalog_;
  const Clock& clock_;
};

// Lists the modules and providers published here that were fetched most in recent days, restricted
// to those that the caller may read. For overview pages: queries the catalog once in a few minutes
// at most, whatever the number of callers.
// Threads: any.
class MostFetched {
 public:
  static constexpr UsageDay kDays = 30;
  static constexpr std::chrono::minutes kKept{5};

  // All arguments must outlive this.
  MostFetched(UsageCatalog& catalog, Namespaces& namespaces, const Clock& clock)
      : catalog_(catalog), namespaces_(namespaces), clock_(clock) {}

  // Modules and providers in descending order of fetches in the last kDays, at most `most`.
  // REQUIRES: `by` may read at all. Returns the cached list while the catalog is down. Fails: as
  // the catalog.
  Task<std::vector<UsageLeader>> ListMostFetched(auth::Principal by, std::size_t most);

 private:
  using Leaders = std::shared_ptr<const std::vector<UsageLeader>>;
  Task<Leaders> All();

  UsageCatalog& catalog_;
  Namespaces& namespaces_;
  const Clock& clock_;
  std::mutex mutex_;
  Leaders kept_;  // null until the first query
  UnixSeconds kept_at_ = 0;
};

}  // namespace koya::service
