// Counts the mirror's work in memory, and writes daily sums to the catalog (docs/adr/0071).
//
// Counting is one addition to a counter of its kind, and never waits; rules that stop something are
// counted under a lock, after queries to the catalog. Write() turns the counts
// since its last call into a batch with a unique id, so that a batch whose response was lost can be
// sent again. While the catalog accepts nothing, batches queue up; beyond kMostBatches the oldest
// are dropped. A crash loses the counts since the last Write().
//
// Threads: any; Write() by one at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "catalog/usage_catalog.h"
#include "service/mirror/gate.h"

namespace koya {
class Clock;
class Logger;
struct UpstreamModule;
struct UpstreamProvider;
}  // namespace koya

namespace koya::service {

struct MirrorContext;

// This server's totals since its start, for metrics.
struct MirrorNumbers {
  std::uint64_t sent = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t brought = 0;
  std::uint64_t fetched_bytes = 0;
  std::uint64_t let_through = 0;
  std::uint64_t turned_away = 0;
  std::uint64_t dropped = 0;  // lost part of the above: the catalog accepted nothing for too long
};

class MirrorCounter {
 public:
  static constexpr std::size_t kMostBatches = 200;
  // Rules that wait to be written; further ones are not counted.
  static constexpr std::size_t kMostRules = 4096;

  // The arguments must outlive this.
  MirrorCounter(MirrorCountCatalog& catalog, Logger& log, const Clock& clock);
  MirrorCounter(const MirrorCounter&) = delete;
  MirrorCounter& operator=(const MirrorCounter&) = delete;

  // Counts an archive of another registry that is being sent to a client.
  void NoteSent(std::uint64_t bytes) { Note(sent_, bytes); }
  // Counts a verified archive that was fetched from its registry.
  void RecordFetched(std::uint64_t bytes) { Note(fetched_, bytes); }
  // Counts a request that the policy allowed, or denied.
  void NoteAllowed() { Note(allowed_, 0); }
  void NoteDenied() { Note(denied_, 0); }
  // Counts rules of a revision of the policy: each stopped a request, or hid versions from a list.
  void CountStops(std::int64_t revision, const StoppingRules& rules);

  // Writes pending batches until the catalog fails. Call it every minute, and after the last
  // request has been answered.
  Awaitable<void> Write();

  MirrorNumbers Numbers() const;

 private:
  struct Amount {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  // Counts of days of one parity; they only grow. At most two days are unwritten.
  struct Bank {
    std::atomic<std::uint64_t> count = 0;
    std::atomic<std::uint64_t> bytes = 0;
    Amount written;  // Write()'s own
  };
  struct Cell {
    MirrorCountKind kind = MirrorCountKind::kSent;
    std::array<Bank, 2> banks{};
  };

  static Amount SumOf(const Cell& cell);
  void Note(Cell& cell, std::uint64_t bytes);
  void MakeBatch();
  std::vector<PolicyRuleCount> TakeStops();
  Task<void> WriteBatches();

  MirrorCountCatalog& catalog_;
  Logger& log_;
  const Clock& clock_;
  Cell sent_{.kind = MirrorCountKind::kSent};
  Cell fetched_{.kind = MirrorCountKind::kFetched};
  Cell allowed_{.kind = MirrorCountKind::kAllowed};
  Cell denied_{.kind = MirrorCountKind::kDenied};
  std::atomic<std::uint64_t> dropped_ = 0;
  std::mutex mutex_;
  std::map<std::pair<std::int64_t, std::string>, PolicyRuleCount> stops_;  // guarded by mutex_

  // Write()'s own.
  std::deque<MirrorCountBatch> batches_;
  bool told_ = false;  // logged that the catalog accepts nothing
};

// The checks of the gate for a client: they count a denial, and the rules that deny.
Status CheckSubjectFor(const MirrorContext& context, const SubjectGate& gate);
Status CheckVersionFor(const MirrorContext& context, const SubjectGate& gate,
                       const Version& version);
// The versions that a client sees; counts the rules that hide some.
GatedList JudgeListFor(const MirrorContext& context, const SubjectGate& gate,
                       const std::vector<std::string>& versions);

}  // namespace koya::service
