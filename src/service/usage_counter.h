// Counts who fetches what, in memory, and hands it to the catalog in batches.
//
// A loop has two maps of its own: counting takes a look-up in one of them. Write() takes them away
// one at a time, and holds a lock for one exchange of maps; whoever counts then uses the other, so
// that no request waits for it. Write() adds the maps up, folds what
// is too much, and makes batches with ids of their own, so that one whose answer was lost can be
// sent again. No request waits for the catalog: while it takes nothing, batches gather, and the
// oldest go when there are too many. A crash loses what was counted since the last Write().
//
// Bounds: kMostKeys keys between two writes: of what comes then, who fetched it is not kept, and
// with as many again not even what; kMostLabels labels of one principal a day, kMostOfStrangers of
// all who send no token, then "other", by this server's own count; kMostBatches wait.
// Threads: any; Write() by one at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/task.h"
#include "catalog/usage_catalog.h"
#include "domain/usage_record.h"

namespace koya {
class Clock;
class Logger;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

struct UsageRules {
  bool enabled = true;        // usage.enabled
  bool names_people = false;  // usage.people
};

// How much was counted, for metrics.
struct UsageNumbers {
  std::uint64_t counted = 0;  // fetches and archives
  std::uint64_t folded = 0;   // of those, without who, or without what
  std::uint64_t dropped = 0;  // of those, lost since the catalog took nothing for too long
  std::uint64_t waiting = 0;  // rows that the catalog has not taken yet
};

// As what a principal is kept: "service:build", "person:MARK", or where people are named "user:ada"
// and "token:ci"; "" for a stranger. A token of no account is a person's: who needs a name for a
// machine makes a service account. MARK stays the same for one account (by its id) or token.
std::string UsageNameOf(const auth::Principal& who, bool names_people);
std::string UsageMarkOf(std::string_view person);  // an account's id, or "token:NAME"

class UsageCounter {
 public:
  static constexpr std::size_t kMostKeys = 100'000;
  static constexpr std::size_t kMostLabels = 100;
  static constexpr std::size_t kMostOfStrangers = 5'000;
  static constexpr std::size_t kMostBatches = 200;
  static constexpr std::chrono::seconds kWriteEvery{60};

  // One is to be added once something was fetched. Null: nothing is to be counted.
  using Tally = std::shared_ptr<std::atomic<std::uint64_t>>;
  using Presenter = std::shared_ptr<const auth::Principal>;  // null: a stranger
  using Item = std::shared_ptr<const UsageItem>;
  enum class What { kDocument, kArchive };
  struct Fetch {
    What what = What::kDocument;
    const Item& item;
    const Presenter& who;
    std::string_view user_agent;
  };

  // Everything given must outlive this.
  UsageCounter(UsageCatalog& catalog, Logger& log, const Clock& clock, UsageRules rules);
  ~UsageCounter();
  UsageCounter(const UsageCounter&) = delete;
  UsageCounter& operator=(const UsageCounter&) = delete;

  bool on() const { return rules_.enabled; }
  // Where this fetch is counted. REQUIRES: fetch.item. Never waits.
  Tally Count(const Fetch& fetch);

  // To be called every kWriteEvery and when nobody is answered any more. As long as the catalog
  // takes.
  Awaitable<void> Write();

  UsageNumbers Numbers() const;

 private:
  struct Half;   // of what one thread counts
  struct Slot;   // of one thread
  struct Entry;  // of one key
  struct Key;
  using Place = std::pair<UsageDay, std::pair<UsageItem, UsageConsumer>>;

  Slot& SlotOfThread();
  Tally Enter(Half& half, const Key& key, const Fetch& fetch);
  // What was counted until now goes into sums_.
  void Gather();
  void GatherEntry(const Entry& entry);
  std::string LabelFor(UsageDay day, const std::string& principal, std::string label);
  void MakeBatches();
  Task<void> WriteBatches();

  UsageCatalog& catalog_;
  Logger& log_;
  const Clock& clock_;
  const UsageRules rules_;
  const std::uint64_t serial_;  // tells counters apart
  const Item other_;

  std::mutex slots_mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::atomic<std::size_t> keys_ = 0;  // since the last Write()
  std::atomic<std::uint64_t> counted_ = 0;
  std::atomic<std::uint64_t> folded_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<std::uint64_t> waiting_ = 0;

  // Write()'s own.
  std::vector<Entry> sending_;  // whose answers are still being sent
  std::map<Place, UsageCounts> sums_;
  // Labels by day and principal.
  std::map<std::pair<UsageDay, std::string>, std::set<std::string>> labels_;
  std::deque<UsageBatch> batches_;
  bool told_ = false;  // that the catalog takes nothing
};

}  // namespace koya::service
