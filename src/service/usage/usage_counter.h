// Counts in memory who fetches what, and writes the counts to the catalog in batches.
//
// Each event loop has two maps of its own: counting takes a look-up in one of them. Write() takes
// the maps one at a time, and locks each only for a swap; the loop uses the other one meanwhile, so
// that no request waits for it. Write() adds the maps up, folds excess keys, and makes batches with
// unique ids, so that a batch whose response was lost can be sent again. No request waits for the
// catalog: while it cannot be written, batches accumulate, and the oldest are dropped when there
// are too many. A crash loses the counts since the last Write().
//
// Limits: kMostKeys keys between two writes: fetches beyond are counted without their principal,
// and beyond twice as many even without their item; kMostLabels labels of one principal a day,
// kMostAnonymous of all anonymous callers, then "other", by this server's own count; kMostBatches
// batches wait.
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

#include "base/clock.h"
#include "base/task.h"
#include "catalog/usage_catalog.h"
#include "domain/usage_record.h"

namespace koya {
class Clock;
class Logger;
class MirrorCountCatalog;
class UsageCatalog;
}  // namespace koya

namespace koya::auth {
struct Principal;
}  // namespace koya::auth

namespace koya::service {

class JobRuns;
class Leases;

struct UsageRules {
  bool enabled = true;        // usage.enabled
  bool names_people = false;  // usage.people
};

// Totals for metrics.
struct UsageNumbers {
  std::uint64_t counted = 0;  // fetches and archives
  std::uint64_t folded = 0;   // of those, without principal, or without item
  std::uint64_t dropped = 0;  // of those, lost: the catalog was down for too long
  std::uint64_t waiting = 0;  // rows that are not in the catalog yet
};

// Name under which a principal's usage is stored: "service:build", "person:MARK", or where people
// are named "user:ada" and "token:ci"; "": anonymous. A token without an account counts as a
// person: a machine that should have a name gets a service account. MARK is constant for an account
// (by its id) or token.
std::string UsageNameOf(const auth::Principal& who, bool names_people);
std::string UsageMarkOf(std::string_view person);  // an account's id, or "token:NAME"

class UsageCounter {
 public:
  static constexpr std::size_t kMostKeys = 100'000;
  static constexpr std::size_t kMostLabels = 100;
  static constexpr std::size_t kMostAnonymous = 5'000;
  static constexpr std::size_t kMostBatches = 200;
  static constexpr std::chrono::seconds kWriteEvery{60};

  // Counter to increment once a fetch is complete. Null: not counted.
  using Tally = std::shared_ptr<std::atomic<std::uint64_t>>;
  using Presenter = std::shared_ptr<const auth::Principal>;  // null: anonymous
  using Item = std::shared_ptr<const UsageItem>;
  enum class What { kDocument, kArchive };
  struct Fetch {
    What what = What::kDocument;
    const Item& item;
    const Presenter& who;
    std::string_view user_agent;
  };

  // All arguments must outlive this.
  UsageCounter(UsageCatalog& catalog, Logger& log, const Clock& clock, UsageRules rules);
  ~UsageCounter();
  UsageCounter(const UsageCounter&) = delete;
  UsageCounter& operator=(const UsageCounter&) = delete;

  bool on() const { return rules_.enabled; }
  // Returns the counter for this fetch. REQUIRES: fetch.item. Never waits.
  Tally Count(const Fetch& fetch);

  // Writes the counts. Call every kWriteEvery, and at shutdown after the last response. Takes as
  // long as the catalog takes.
  Awaitable<void> Write();

  UsageNumbers Numbers() const;

 private:
  struct Half;   // one of a thread's two maps
  struct Slot;   // both maps of a thread
  struct Entry;  // the count of one key
  struct Key;
  using Place = std::pair<UsageDay, std::pair<UsageItem, UsageConsumer>>;

  Slot& SlotOfThread();
  Tally Enter(Half& half, const Key& key, const Fetch& fetch);
  // Moves the counts so far into sums_.
  void Gather();
  void GatherEntry(const Entry& entry);
  std::string LabelFor(UsageDay day, const std::string& principal, std::string label);
  void MakeBatches();
  Task<void> WriteBatches();

  UsageCatalog& catalog_;
  Logger& log_;
  const Clock& clock_;
  const UsageRules rules_;
  const std::uint64_t serial_;  // distinguishes counters
  const Item other_;

  std::mutex slots_mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::atomic<std::size_t> keys_ = 0;  // since the last Write()
  std::atomic<std::uint64_t> counted_ = 0;
  std::atomic<std::uint64_t> folded_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<std::uint64_t> waiting_ = 0;

  // Used by Write() only.
  std::vector<Entry> sending_;  // responses in progress may still add to them
  std::map<Place, UsageCounts> sums_;
  // Labels by day and principal.
  std::map<std::pair<UsageDay, std::string>, std::set<std::string>> labels_;
  std::deque<UsageBatch> batches_;
  bool told_ = false;  // the log has said that the catalog cannot be written
};

// Settings usage.keep_….
struct UsageRetention {
  std::chrono::seconds detail = std::chrono::days(90);
  std::chrono::seconds totals = std::chrono::days(3 * 365);
};

// The statistics to maintain; both must outlive the UsageUpkeep.
struct UsageStatistics {
  UsageCatalog& usage;
  MirrorCountCatalog& mirror;  // has no names, and is removed together with the sums
};

// Removes old usage statistics in the background: names first, then the sums. One server at a time
// does it (service/common/leases.h); several would do no harm.
class UsageUpkeep {
 public:
  static constexpr const char* kLease = "usage";

  // All arguments must outlive this.
  // `runs`: where to record runs, as kLease; null: nowhere.
  UsageUpkeep(UsageStatistics kept, Leases& leases, Logger& log, UsageRetention retention,
              JobRuns* runs = nullptr)
      : kept_(kept), leases_(leases), log_(log), retention_(retention), runs_(runs) {}

  // Folds days into months, and removes old months, and days of the mirror of the same age. Call
  // every hour or so, even if counting is off. Logs a failure.
  Awaitable<void> Tidy(UnixSeconds now);

 private:
  Task<void> TidyAll(UnixSeconds now);

  const UsageStatistics kept_;
  Leases& leases_;
  Logger& log_;
  const UsageRetention retention_;
  JobRuns* const runs_;
};

}  // namespace koya::service
