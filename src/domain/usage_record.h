// Who fetches what: sums a day, never a row for a request. Fetched is not deployed: a cache may
// stand between a fetch and those whom it serves, and a plan fetches as an apply does.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/usage_agent.h"

namespace koya {

class ModuleAddress;
class ProviderAddress;
struct UpstreamModule;
struct UpstreamProvider;
class Version;

// Numbers in stored rows: never renumber.
enum class UsageKind : std::int64_t {
  kOther = 0,  // what there was no room for
  kModule = 1,
  kProvider = 2,
  kMirroredModule = 3,
  kMirroredProvider = 4,
};

// What is counted: one version of one thing.
struct UsageItem {
  UsageKind kind = UsageKind::kOther;
  // As look-ups fold it: "acme/vpc/aws", "acme/demo"; of another registry, behind "HOST/".
  std::string address;
  std::string version;  // "": all of them
  // The namespace here whose owners may see names; "": nobody's, as of another registry.
  std::string ns;

  static UsageItem Of(const ModuleAddress& address, const Version& version);
  static UsageItem Of(const ProviderAddress& address, const Version& version);
  static UsageItem Of(const UpstreamModule& module, const Version& version);
  static UsageItem Of(const UpstreamProvider& provider, const Version& version);
  // For questions: nothing is counted so.
  static UsageItem OfAll(const ModuleAddress& address);
  static UsageItem OfAll(const ProviderAddress& address);
  static UsageItem OfAll(const UpstreamModule& module);
  static UsageItem OfAll(const UpstreamProvider& provider);

  friend auto operator<=>(const UsageItem&, const UsageItem&) = default;
};

// Who fetched it, and with what.
struct UsageConsumer {
  // "service:build"; a person as kPerson and a mark, or as "user:ada" or "token:ci" where people
  // are named (usage.people); "": a stranger, or somebody who was forgotten.
  std::string principal;
  std::string label;  // what they call themselves: a claim. "": nothing
  UsageClient client;
  friend auto operator<=>(const UsageConsumer&, const UsageConsumer&) = default;
};

// Before the mark of a person whose name is not kept.
inline constexpr std::string_view kPerson = "person:";
// The label of those that came after a principal had used as many as are kept.
inline constexpr std::string_view kOtherLabel = "other";

struct UsageCounts {
  std::uint64_t fetches = 0;   // documents that say where a version is
  std::uint64_t archives = 0;  // archives that were sent whole
  friend bool operator==(const UsageCounts&, const UsageCounts&) = default;
};

// Days since 1970-01-01 in UTC.
using UsageDay = std::int64_t;
inline constexpr std::int64_t kSecondsOfDay = 86'400;
// The first day of the month that `day` is in.
UsageDay MonthOf(UsageDay day);

// One row of a day.
struct UsageRow {
  UsageDay day = 0;
  UsageItem item;
  UsageConsumer by;
  UsageCounts counts;
  friend bool operator==(const UsageRow&, const UsageRow&) = default;
};

}  // namespace koya
