// UsageCatalog stores who fetches what, counted by all servers together: sums of a day, and later
// of a month. Rows are numbers; what they refer to (items, principals, labels) is stored once.
//
// Each server counts in memory (service/usage/usage_counter.h) and adds batches. Statistics:
// nothing that is served depends on them, and they append no changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/usage_record.h"

namespace koya {

struct Actor;

struct UsageBatch {
  static constexpr std::size_t kMostRows = 1000;

  std::string id;  // random: a batch is added only once
  std::vector<UsageRow> rows;
};

// Sum of one version and one consumer, over all the requested days.
struct UsageSum {
  UsageItem item;
  UsageConsumer by;
  UsageCounts counts;
  UsageDay last_day = 0;  // the first of its month where days were folded
  friend bool operator==(const UsageSum&, const UsageSum&) = default;
};

// Selects one item, or a namespace.
struct UsageFilter {
  static constexpr std::size_t kMostSums = 100'000;

  UsageKind kind = UsageKind::kModule;
  std::string address;  // as UsageItem::address; "": all of `ns`, whatever their kind
  std::string ns;       // used only without an address
  UsageDay since = 0;   // from that day on
};

// Daily sum of one item: all versions, without fetches by bots.
struct UsageDaySum {
  UsageDay day = 0;  // the first of its month where days were folded
  UsageCounts counts;
  friend bool operator==(const UsageDaySum&, const UsageDaySum&) = default;
};

// Total of a version, or of an item, since the first day. It belongs to no consumer, and stays when
// a version is withdrawn.
struct UsageTotal {
  std::string address;
  UsageCounts counts;
  UsageDay last_day = 0;
  friend bool operator==(const UsageTotal&, const UsageTotal&) = default;
};

// Sum of one item: all versions, without fetches by bots.
struct UsageLeader {
  UsageKind kind = UsageKind::kModule;
  std::string address;
  std::string ns;  // as UsageItem::ns
  std::uint64_t fetches = 0;
  friend bool operator==(const UsageLeader&, const UsageLeader&) = default;
};

class UsageCatalog {
 public:
  static constexpr std::uint64_t kMostLeaders = 500;

  virtual ~UsageCatalog() = default;
  // Adds the rows of a batch to those of their days. A batch whose id was added within a day
  // changes nothing, so a caller that got no response may retry. Returns whether it was new.
  // Fails: kInvalid: more than kMostRows, or a text that cannot be stored.
  virtual Task<bool> AddUsage(UsageBatch batch) = 0;
  // At most kMostSums, those of most fetches first; a result of that many may be incomplete. A
  // month, which has no consumers, counts whole, also where `since` is in it.
  virtual Task<std::vector<UsageSum>> ListUsage(UsageFilter filter) = 0;
  // The days with counts, in order. REQUIRES: filter.address.
  virtual Task<std::vector<UsageDaySum>> ListUsageDays(UsageFilter filter) = 0;
  // Totals of those of these addresses that were ever counted, all versions of each together.
  // Fails: kInvalid: more than 1000, or a text that cannot be stored.
  virtual Task<std::vector<UsageTotal>> ListUsageTotals(UsageKind kind,
                                                        std::vector<std::string> addresses) = 0;
  // The items published here with the most fetches since that day (folded days are left out): by
  // fetches, then by kind and address. At most kMostLeaders.
  virtual Task<std::vector<UsageLeader>> ListLeaders(UsageDay since, std::uint64_t limit) = 0;
  // The first day that still has counts, of any fetch; 0: there is none.
  virtual Task<UsageDay> FindFirstUsageDay() = 0;
  // Total of one version; zero fetches when there are no counts. Only kind, address and version are
  // read.
  virtual Task<UsageTotal> FindUsageTotal(UsageItem item) = 0;
  // Folds the oldest day before `day` into its month, without principals and labels, and deletes
  // batches from before yesterday. Returns whether there was such a day: then there may be more.
  // When there is none, deletes names that no row can refer to any more.
  virtual Task<bool> FoldUsageDay(UsageDay day) = 0;
  // Removes months that began before `day`.
  virtual Task<void> RemoveUsageBefore(UsageDay day) = 0;
  // Anonymizes the fetches of these principals: they stay counted, without principals and labels.
  // Returns the number of rows. Fails: kInvalid.
  virtual Task<std::uint64_t> ForgetUsageOf(Actor by, std::vector<std::string> principals) = 0;
};

// MirrorCountCatalog stores daily sums of what the mirror did, in the same way: each server counts
// in memory (service/mirror/mirror_counter.h) and adds batches.
struct MirrorCountBatch {
  std::string id;  // random: a batch is added only once
  std::vector<MirrorCount> rows;
  std::vector<PolicyRuleCount> rules = {};
};

class MirrorCountCatalog {
 public:
  virtual ~MirrorCountCatalog() = default;
  // Adds the rows of a batch to those of their days, and its rules to those of their revisions. A
  // batch whose id was added within a day changes nothing, so a caller that got no response may
  // retry. Returns whether it was new. Fails: kInvalid: a text that cannot be stored.
  virtual Task<bool> AddMirrorCounts(MirrorCountBatch batch) = 0;
  // From `since` on, by day and then by kind.
  virtual Task<std::vector<MirrorCount>> ListMirrorDays(UsageDay since) = 0;
  // Covers versions of other registries that were fetched from `since` on (UsageCatalog).
  virtual Task<MirrorReadiness> CountReady(UsageDay since) = 0;
  virtual Task<void> RemoveMirrorCountsBefore(UsageDay day) = 0;
  // The rules that stopped something under this revision of the policy, by name.
  virtual Task<std::vector<PolicyRuleCount>> ListRuleCounts(std::int64_t revision) = 0;
};

// Bytes that one server has sent to one recipient and not reported yet.
struct SentBytes {
  std::string to;  // the recipient: a text of at most 200 bytes, one for each
  std::uint64_t bytes = 0;
};

// SentBytesCatalog stores how many bytes each recipient was sent on each day, counted by all
// servers together.
class SentBytesCatalog {
 public:
  // The most recipients stored of one day: each server counts later ones alone.
  static constexpr std::size_t kMostOfDay = 100'000;

  virtual ~SentBytesCatalog() = default;
  // Adds to the sums of `day` (since 1970-01-01, in UTC), and returns them in the same order, with
  // the additions of all other servers; at most 1,000, each named once. Recipients with nothing
  // added are not stored. Deletes sums of the days before yesterday, some with each call. Fails:
  // kInvalid: a text that cannot be stored.
  virtual Task<std::vector<std::uint64_t>> AddSentBytes(std::int64_t day,
                                                        std::vector<SentBytes> more) = 0;
};

}  // namespace koya
