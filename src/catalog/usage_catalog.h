// Who fetches what, counted by all servers together: sums of a day, and later of a month. Rows are
// numbers; what they stand for (items, principals, labels) is written once.
//
// A server counts in memory (service/usage_counter.h) and hands in batches. Statistics: nothing
// that is served depends on them, and nothing of them is announced as a change.
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

  std::string id;  // random: a batch that was taken is not taken again
  std::vector<UsageRow> rows;
};

// Of one version, one consumer, over all the days asked for.
struct UsageSum {
  UsageItem item;
  UsageConsumer by;
  UsageCounts counts;
  UsageDay last_day = 0;  // the first of its month where days were folded
  friend bool operator==(const UsageSum&, const UsageSum&) = default;
};

// What is asked for: of one thing, or of a namespace.
struct UsageFilter {
  static constexpr std::size_t kMostSums = 100'000;

  UsageKind kind = UsageKind::kModule;
  std::string address;  // as UsageItem::address; "": all of `ns`, whatever their kind
  std::string ns;       // as UsageItem::ns; read only without an address
  UsageDay since = 0;   // from that day on
};

// Of one thing, all versions, without what bots fetched.
struct UsageDaySum {
  UsageDay day = 0;  // the first of its month where days were folded
  UsageCounts counts;
  friend bool operator==(const UsageDaySum&, const UsageDaySum&) = default;
};

// The whole count of a version, or of a thing: from the first day on. It is no consumer's, and
// stays when a version is withdrawn.
struct UsageTotal {
  std::string address;
  UsageCounts counts;
  UsageDay last_day = 0;
  friend bool operator==(const UsageTotal&, const UsageTotal&) = default;
};

// Of one thing, all versions, without what bots fetched.
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
  // Adds the rows of a batch to those of their days. A batch whose id was taken within a day
  // changes nothing: whoever got no answer may send it again. Returns whether it was new.
  // Fails: kInvalid: more than kMostRows, or a text that cannot be stored.
  virtual Task<bool> AddUsage(UsageBatch batch) = 0;
  // At most kMostSums, those of most fetches first; whoever gets as many may have got not all.
  // A month, which knows no consumers, counts whole, also where `since` is in it.
  virtual Task<std::vector<UsageSum>> ListUsage(UsageFilter filter) = 0;
  // The days that something was counted on, in order. REQUIRES: filter.address.
  virtual Task<std::vector<UsageDaySum>> ListUsageDays(UsageFilter filter) = 0;
  // Of those of these addresses that were ever counted, all versions of each together. Fails:
  // kInvalid: more than 1000, or a text that cannot be stored.
  virtual Task<std::vector<UsageTotal>> ListUsageTotals(UsageKind kind,
                                                        std::vector<std::string> addresses) = 0;
  // What is published here and was fetched most since that day (days that were folded are left
  // out): by fetches, then by kind and address. At most kMostLeaders.
  virtual Task<std::vector<UsageLeader>> ListLeaders(UsageDay since, std::uint64_t limit) = 0;
  // The first day that is counted still, of any fetch; 0: nothing was.
  virtual Task<UsageDay> FindFirstUsageDay() = 0;
  // Of one version; nothing was counted: of no fetches. Only kind, address and version are read.
  virtual Task<UsageTotal> FindUsageTotal(UsageItem item) = 0;
  // Folds the oldest day before `day` into its month, without principals and labels, and forgets
  // batches of before yesterday. Returns whether there was one: then there may be more. When there
  // is none, names that no row can have any more go.
  virtual Task<bool> FoldUsageDay(UsageDay day) = 0;
  // Removes months that began before `day`.
  virtual Task<void> RemoveUsageBefore(UsageDay day) = 0;
  // What these principals fetched stays counted, as nobody's, without their labels. Returns of how
  // many rows. Fails: kInvalid.
  virtual Task<std::uint64_t> ForgetUsageOf(Actor by, std::vector<std::string> principals) = 0;
};

}  // namespace koya
