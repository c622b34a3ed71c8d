// Who fetches what, for those who ask: reads the sums, and decides who is told names.
//
// Owners of a namespace (a token with the scope admin, for it) and administrators are told them;
// others are told how many there are. Methods fail, besides what they name: as the catalog.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/page.h"
#include "service/usage_report.h"

namespace koya {
class Catalog;
}
namespace koya::auth {
struct Principal;
}

namespace koya::service {

// One thing, and how far back.
struct UsageQuestion {
  UsageKind kind = UsageKind::kModule;
  std::string address;      // as UsageItem::address
  std::string ns;           // whose owners are told names
  std::uint64_t days = 30;  // today is the first
};

// A thing that nobody has fetched for long.
struct UnusedThing {
  std::string address;
  std::string latest;
  UnixSeconds published_at = 0;  // of the latest
  std::uint64_t versions = 0;
  UsageDay last_day = 0;  // 0: never
};

// How often one thing was fetched, in days that end today.
struct DownloadSummary {
  static constexpr std::uint64_t kWeek = 7;
  static constexpr std::uint64_t kMonth = 30;
  static constexpr std::uint64_t kYear = 365;  // whole months, where days were folded

  std::uint64_t week = 0;
  std::uint64_t month = 0;
  std::uint64_t year = 0;
  std::uint64_t total = 0;  // since it is counted, what bots fetched too
  friend bool operator==(const DownloadSummary&, const DownloadSummary&) = default;
};

class Usage {
 public:
  static constexpr std::uint64_t kMostDays = 3650;
  // Things that one page looks at, and whose versions a report of who is behind reads.
  static constexpr std::uint64_t kMostThings = 1000;
  static constexpr std::size_t kMostMeasured = 200;

  // Everything given must outlive this.
  Usage(Catalog& catalog, const Clock& clock) : catalog_(catalog), clock_(clock) {}

  static bool MayName(const auth::Principal& by, const std::string& ns);

  // How often things were fetched, by their addresses as UsageItem has them, since they are
  // counted; what is not in the answer, never. 1000 at most. Everybody may know.
  Task<std::map<std::string, std::uint64_t>> Downloads(UsageKind kind,
                                                       std::vector<std::string> addresses);
  // The same of one version.
  Task<std::uint64_t> DownloadsOf(UsageItem item);

  // The first day that fetches are counted of; 0: none was. Everybody may know.
  Task<UsageDay> CountedSince();

  // Of one thing, without what bots fetched. Everybody may know.
  Task<std::uint64_t> FetchesOf(UsageQuestion question);
  // The same of several times at once, whatever question.days is; `total` as Downloads tells it.
  Task<DownloadSummary> Summarise(UsageQuestion question);

  Task<UsageReport> Report(auth::Principal by, UsageQuestion question, UsageBy lines);
  // Of one thing, whose versions these are. Everybody may know.
  Task<UsageStanding> Standing(UsageQuestion question, std::vector<Version> versions);
  Task<UsageImpact> Impact(auth::Principal by, UsageQuestion question, std::string version);
  // Of a namespace, for its owners: those of kMostMeasured things that are fetched most.
  // Fails: kForbidden; kInvalid without a namespace.
  Task<LagReport> Lag(auth::Principal by, std::string ns, std::uint64_t days);
  // Of a namespace for its owners, or of all for administrators ("" as `ns`): those among the
  // things of this page that were published before, and not fetched since. Fails: kForbidden.
  Task<Page<UnusedThing>> Unused(auth::Principal by, UsageKind kind, std::string ns,
                                 std::uint64_t days, std::uint64_t offset);
  // For administrators. A user's mark is forgotten with their name. Returns of how many rows.
  // Fails: kForbidden; kInvalid for what no principal is called.
  Task<std::uint64_t> Forget(auth::Principal by, std::string principal);

  // The first of so many days, of which today is the last.
  UsageDay Since(std::uint64_t days) const;

 private:
  Task<Releases> FindReleases(std::vector<std::pair<UsageKind, std::string>> things);
  Task<Page<UnusedThing>> ListThings(UsageKind kind, std::string ns, std::uint64_t offset);

  Catalog& catalog_;
  const Clock& clock_;
};

}  // namespace koya::service
