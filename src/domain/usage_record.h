// Records of fetches, and of what the mirror did: daily sums, never a row for each request. Fetched
// is not deployed: a cache may stand between a fetch and its users, and a plan fetches as an apply
// does.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/usage_agent.h"

namespace koya {

class ModuleAddress;
class ProviderAddress;
class Version;
struct UpstreamModule;
struct UpstreamProvider;

// Numbers in stored rows: never renumber.
enum class UsageKind : std::int64_t {
  kOther = 0,  // items beyond the limit
  kModule = 1,
  kProvider = 2,
  kMirroredModule = 3,
  kMirroredProvider = 4,
};

// A counted item: one version of a module or provider.
struct UsageItem {
  UsageKind kind = UsageKind::kOther;
  // Folded as for look-ups: "acme/vpc/aws", "acme/demo"; of another registry, after "HOST/".
  std::string address;
  std::string version;  // "": all of them
  // The local namespace whose owners may see names; "": none, as for another registry.
  std::string ns;

  static UsageItem Of(const ModuleAddress& address, const Version& version);
  static UsageItem Of(const ProviderAddress& address, const Version& version);
  static UsageItem Of(const UpstreamModule& module, const Version& version);
  static UsageItem Of(const UpstreamProvider& provider, const Version& version);
  // For queries only: nothing is counted with these.
  static UsageItem OfAll(const ModuleAddress& address);
  static UsageItem OfAll(const ProviderAddress& address);
  static UsageItem OfAll(const UpstreamModule& module);
  static UsageItem OfAll(const UpstreamProvider& provider);

  friend auto operator<=>(const UsageItem&, const UsageItem&) = default;
};

// The principal that fetched, and its client.
struct UsageConsumer {
  // "service:build"; a person as kPerson and a mark, or as "user:ada" or "token:ci" where people
  // are named (usage.people); "": anonymous, or a person whose data was erased.
  std::string principal;
  std::string label;  // their own name for themselves, not verified. "": none
  UsageClient client;
  friend auto operator<=>(const UsageConsumer&, const UsageConsumer&) = default;
};

// Precedes the mark of a person whose name is not stored.
inline constexpr std::string_view kPerson = "person:";
// The label for fetches after a principal has used as many labels as are stored.
inline constexpr std::string_view kOtherLabel = "other";

struct UsageCounts {
  std::uint64_t fetches = 0;   // documents that give the location of a version
  std::uint64_t archives = 0;  // archives that were sent completely
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

// What the mirror counts: archives sent, archives fetched for that, and requests that the policy
// allowed and denied, without names of callers or packages. Numbers in stored rows: never renumber.
enum class MirrorCountKind : std::int64_t {
  kSent = 1,     // archives of other registries that were sent to clients
  kFetched = 2,  // archives fetched from other registries, verified
  kAllowed = 3,  // requests that the policy allowed
  kDenied = 4,   // requests that the policy denied
};

struct MirrorCount {
  UsageDay day = 0;
  MirrorCountKind kind = MirrorCountKind::kSent;
  std::uint64_t count = 0;  // archives, or requests
  std::uint64_t bytes = 0;  // of archives
  friend bool operator==(const MirrorCount&, const MirrorCount&) = default;
};

// How often a rule of the policy on other registries' releases stopped something: requests that it
// denied, and lists of versions that were made without one.
struct PolicyRuleCount {
  std::int64_t revision = 0;  // of the policy; 0: none was set
  std::string rule;           // its name
  std::uint64_t held = 0;
  std::uint64_t refused = 0;
  friend bool operator==(const PolicyRuleCount&, const PolicyRuleCount&) = default;
};

// Of the versions of other registries that clients fetched recently: those that could be served if
// every registry were down.
struct MirrorReadiness {
  std::uint64_t fetched = 0;  // versions
  std::uint64_t held = 0;  // of them: the module's archive, or a package of the provider, is here
  friend bool operator==(const MirrorReadiness&, const MirrorReadiness&) = default;
};

}  // namespace koya
