// Counts the mirror's work in memory, and writes daily sums to the catalog (docs/adr/0071).
//
// The set of counters is fixed at the start (two kinds of archive events, and the rules of the
// policy): counting is one addition to a counter of its own, and never waits. Write() turns the
// counts since its last call into batches with unique ids, so that a batch whose response was lost
// can be sent again. While the catalog accepts nothing, batches queue up; beyond kMostBatches the
// oldest are dropped. A crash loses the counts since the last Write().
//
// Threads: any; Write() by one at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/task.h"
#include "catalog/mirror_count_catalog.h"

namespace koya {
class Clock;
class Logger;
struct UpstreamModule;
struct UpstreamProvider;
}  // namespace koya

namespace koya::service {

struct MirrorContext;
class PullPolicy;
struct PullVerdict;

// The name under which a rule is counted: its text; a long one is cut, and ends with a mark of the
// whole text.
std::string MirrorRuleName(std::string_view rule);

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
  // The deciding rule of a request, to be stored with its result.
  using Decision = std::size_t;

  // `policy`: its rules are counted separately; decisions of another policy are counted without
  // their rule. All other arguments must outlive this.
  MirrorCounter(MirrorCountCatalog& catalog, Logger& log, const Clock& clock,
                const PullPolicy& policy);
  MirrorCounter(const MirrorCounter&) = delete;
  MirrorCounter& operator=(const MirrorCounter&) = delete;

  // Counts an archive of another registry that is being sent to a client.
  void NoteSent(std::uint64_t bytes) { Note(kSentCell, bytes); }
  // Counts a verified archive that was fetched from its registry.
  void RecordFetched(std::uint64_t bytes) { Note(kFetchedCell, bytes); }

  Decision DecisionOf(const PullVerdict& verdict) const;
  void NoteDecision(Decision decision) { Note(decision, 0); }

  // Writes pending batches until the catalog fails. Call it every minute, and after the last
  // request has been answered.
  Awaitable<void> Write();

  MirrorNumbers Numbers() const;

 private:
  static constexpr std::size_t kSentCell = 0;
  static constexpr std::size_t kFetchedCell = 1;

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
    std::string rule;
    std::array<Bank, 2> banks{};
  };

  void AddCell(MirrorCountKind kind, std::string rule);
  void Note(std::size_t cell, std::uint64_t bytes);
  void MakeBatches();
  Task<void> WriteBatches();

  MirrorCountCatalog& catalog_;
  Logger& log_;
  const Clock& clock_;
  std::deque<Cell> cells_;  // never changes after construction
  std::map<std::pair<MirrorCountKind, std::string>, std::size_t> places_;
  std::atomic<std::uint64_t> dropped_ = 0;

  // Write()'s own.
  std::deque<MirrorCountBatch> batches_;
  bool told_ = false;  // logged that the catalog accepts nothing
};

// PullPolicy::Check for a client; counts denials.
Status CheckForClient(const MirrorContext& context, const UpstreamProvider& provider);
Status CheckForClient(const MirrorContext& context, const UpstreamModule& module);

}  // namespace koya::service
