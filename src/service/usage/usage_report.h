// Sums usage for reports: by version, consumer or client, the consumers that a withdrawal would
// break, and those that are behind. Pure: service/usage/usage.h selects the data, and checks who
// may see it.
//
// A consumer is a label, or else a service account, that fetched documents: archives count for
// their versions only, since clients fetch them without a token. People count as people. Fetches of
// bots are counted separately, and make no consumer. Reports show fetches, not actual use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "catalog/usage_catalog.h"
#include "domain/version.h"

namespace koya::service {

enum class UsageBy { kVersion, kConsumer, kClient };
// "version", "consumer", "client"; nullopt: another name.
std::optional<UsageBy> ParseUsageBy(std::string_view name);
std::string_view UsageByName(UsageBy by);

struct UsageLine {
  std::string version;    // by version; newest first
  std::string principal;  // by consumer; "people": those whose names are not stored; "": none
  std::string label;      // by consumer
  std::string client;     // by client
  UsageCounts counts;     // without bots, unless the client is one
  std::uint64_t bots = 0;
  std::uint64_t consumers = 0;
  std::uint64_t people = 0;
  UsageDay last_day = 0;
};

struct UsageReport {
  UsageCounts counts;  // without bots
  std::uint64_t bots = 0;
  std::uint64_t consumers = 0;
  std::uint64_t people = 0;
  bool named = false;    // consumers are shown with names
  bool partial = false;  // there were too many sums to add up
  std::vector<UsageLine> lines;
  std::vector<UsageDaySum> days;  // set by the caller
};

// With `named` false there are no lines by consumer.
UsageReport ReportUsage(const std::vector<UsageSum>& sums, UsageBy by, bool named);

struct UsageImpact {
  UsageReport report;             // of the version, by consumer
  std::uint64_t all_fetches = 0;  // of all versions
};
UsageImpact ReportImpact(const std::vector<UsageSum>& sums, const std::string& version, bool named);

// A consumer of one thing, and the versions that it fetched.
struct Consumer {
  struct Fetched {
    std::string version;
    UsageDay last_day = 0;
  };
  std::string principal;
  std::string label;
  std::vector<Fetched> versions;  // newest first, at least one
  std::uint64_t behind = 0;       // as LagLine::behind
};
// The consumers that ReportLag reports, furthest behind first. `versions`: those of the thing, in
// any order.
std::vector<Consumer> ReportConsumers(const std::vector<UsageSum>& sums,
                                      const std::vector<Version>& versions);

// A version and its publishing time.
struct DatedVersion {
  Version version;
  UnixSeconds published_at = 0;
};
using Releases = std::map<std::pair<UsageKind, std::string>, std::vector<DatedVersion>>;

struct LagLine {
  std::string principal;
  std::string label;
  UsageKind kind = UsageKind::kModule;
  std::string address;
  std::string version;       // the newest that the consumer fetched
  std::string latest;        // the newest release
  std::uint64_t behind = 0;  // releases between them, the latest included
  std::uint64_t days = 0;    // since the first release that the consumer lacks
};

struct Percentiles {
  std::uint64_t median = 0;
  std::uint64_t p90 = 0;
};

struct LagReport {
  std::vector<LagLine> lines;  // furthest behind first
  Percentiles behind;
  Percentiles days;
  bool partial = false;
};

// Lag of every consumer and thing. Consumers of prereleases are not behind, and prereleases put no
// consumer behind.
LagReport ReportLag(const std::vector<UsageSum>& sums, const Releases& releases, UnixSeconds now);

}  // namespace koya::service
