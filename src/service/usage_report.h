// Sums of what was fetched, as people ask for them: by version, consumer or client, who would break
// by a withdrawal, and who is behind. Pure: what is read, and whom it may be told, is decided
// elsewhere (service/usage.h).
//
// A consumer is a label, or else a service account, that fetched documents: archives stand with
// their versions alone, since clients fetch them without a token. People count as people. What bots
// fetch is told apart, and makes nobody a consumer. It is said what was fetched, never what is in
// use.
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
// "version", "consumer", "client"; nullopt: none of them.
std::optional<UsageBy> ParseUsageBy(std::string_view name);
std::string_view UsageByName(UsageBy by);

struct UsageLine {
  std::string version;    // by version: the newest first
  std::string principal;  // by consumer; "people": those whose names are not kept; "": nobody's
  std::string label;      // the same
  std::string client;     // by client
  UsageCounts counts;     // without bots, but for a client that is one
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
  bool named = false;    // whether consumers are told by name
  bool partial = false;  // there were too many sums to be added up
  std::vector<UsageLine> lines;
  std::vector<UsageDaySum> days;  // set by who has read them
};

// With `named` false there are no lines by consumer.
UsageReport ReportUsage(const std::vector<UsageSum>& sums, UsageBy by, bool named);

struct UsageImpact {
  UsageReport report;             // of the version, by consumer
  std::uint64_t all_fetches = 0;  // of all versions
};
UsageImpact ReportImpact(const std::vector<UsageSum>& sums, const std::string& version, bool named);

// How many consumers of one thing have nothing near the newest release: of the releases above the
// newest that they fetched there are two minor versions or more.
struct UsageStanding {
  std::uint64_t consumers = 0;  // that fetched a version
  std::uint64_t behind = 0;     // of them
  friend bool operator==(const UsageStanding&, const UsageStanding&) = default;
};
// `versions`: as there are, in any order; prereleases are no step.
UsageStanding ReportStanding(const std::vector<UsageSum>& sums,
                             const std::vector<Version>& versions);

// A thing's versions with the times of their publishing.
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
  std::string version;       // the newest that it fetched
  std::string latest;        // the newest there is
  std::uint64_t behind = 0;  // releases between them, the latest included
  std::uint64_t days = 0;    // since the first release that it lacks
};

struct Spread {
  std::uint64_t median = 0;
  std::uint64_t p90 = 0;
};

struct LagReport {
  std::vector<LagLine> lines;  // the furthest behind first
  Spread behind;
  Spread days;
  bool partial = false;
};

// Of every consumer and thing. Prereleases are behind nothing, and nobody is behind them.
LagReport ReportLag(const std::vector<UsageSum>& sums, const Releases& releases, UnixSeconds now);

}  // namespace koya::service
