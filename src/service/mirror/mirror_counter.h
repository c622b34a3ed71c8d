// Counts what the mirror does, in memory, and hands it to the catalog as sums of a day
// (docs/adr/0071).
//
// What can be counted is known from the start (two sorts of archives, and the rules of the policy):
// counting is one addition to a number of its own, and never waits. Write() takes what was added
// since, and makes batches with ids of their own, so that one whose answer was lost can be sent
// again. While the catalog takes nothing, batches gather; the oldest go when there are too many. A
// crash loses what was counted since the last Write().
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

// As what a rule is counted: as it is written, and a long one cut, with a mark of the whole.
std::string MirrorRuleName(std::string_view rule);

// What this server has counted since it started, for metrics.
struct MirrorNumbers {
  std::uint64_t sent = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t brought = 0;
  std::uint64_t brought_bytes = 0;
  std::uint64_t let_through = 0;
  std::uint64_t turned_away = 0;
  std::uint64_t dropped = 0;  // of all these, lost since the catalog took nothing for too long
};

class MirrorCounter {
 public:
  static constexpr std::size_t kMostBatches = 200;
  // The deciding rule of a request, to be kept with what is answered to it.
  using Decision = std::size_t;

  // `policy`: whose rules are told apart; what another one decides is counted without its rule.
  // Everything else given must outlive this.
  MirrorCounter(MirrorCountCatalog& catalog, Logger& log, const Clock& clock,
                const PullPolicy& policy);
  MirrorCounter(const MirrorCounter&) = delete;
  MirrorCounter& operator=(const MirrorCounter&) = delete;

  // An archive of another registry is being given to a client.
  void NoteSent(std::uint64_t bytes) { Note(kSentCell, bytes); }
  // One came from its registry, and is the right one.
  void NoteBrought(std::uint64_t bytes) { Note(kBroughtCell, bytes); }

  Decision DecisionOf(const PullVerdict& verdict) const;
  void NoteDecision(Decision decision) { Note(decision, 0); }

  // To be called every minute and when nobody is answered any more. As long as the catalog takes.
  Awaitable<void> Write();

  MirrorNumbers Numbers() const;

 private:
  static constexpr std::size_t kSentCell = 0;
  static constexpr std::size_t kBroughtCell = 1;

  struct Amount {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  // What was counted on days of one parity: it only grows. Two days at most are not written.
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
  std::deque<Cell> cells_;  // the same ones for ever
  std::map<std::pair<MirrorCountKind, std::string>, std::size_t> places_;
  std::atomic<std::uint64_t> dropped_ = 0;

  // Write()'s own.
  std::deque<MirrorCountBatch> batches_;
  bool told_ = false;  // that the catalog takes nothing
};

// PullPolicy::Check for a client, whose refusal is counted.
Status CheckForClient(const MirrorContext& context, const UpstreamProvider& provider);
Status CheckForClient(const MirrorContext& context, const UpstreamModule& module);

}  // namespace koya::service
