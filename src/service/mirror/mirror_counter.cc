#include "service/mirror/mirror_counter.h"

#include <fmt/format.h>

#include <span>

#include "auth/token.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "domain/upstream_record.h"
#include "obs/log.h"
#include "service/mirror/context.h"
#include "service/mirror/pull_policy.h"

namespace koya::service {
namespace {

MirrorCountKind CountKindOf(const PullVerdict& verdict) {
  switch (verdict.kind) {
    case PullVerdict::Kind::kDenied:
      return MirrorCountKind::kDenied;
    case PullVerdict::Kind::kNotListed:
      return MirrorCountKind::kNotListed;
    case PullVerdict::Kind::kAllowed:
      break;
  }
  return verdict.rule.empty() ? MirrorCountKind::kUnrestricted : MirrorCountKind::kAllowed;
}

std::uint64_t SumOfBatch(const MirrorCountBatch& batch) {
  std::uint64_t sum = 0;
  for (const MirrorCount& row : batch.rows) sum += row.count;
  return sum;
}

template <class Thing>
Status CheckThing(const MirrorContext& context, const Thing& thing) {
  Status checked = context.policy.Check(thing);
  if (!checked && context.counter != nullptr) {
    context.counter->NoteDecision(context.counter->DecisionOf(context.policy.EvaluateRules(thing)));
  }
  return checked;
}

}  // namespace

std::string MirrorRuleName(std::string_view rule) {
  constexpr std::size_t kLongest = 300;
  constexpr std::size_t kBytesOfMark = 8;
  if (rule.size() <= kLongest) return std::string(rule);
  // Not within a character.
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(rule[end]) & 0xC0) == 0x80) --end;
  const Sha256Bytes digest = Sha256(std::string(rule));
  return fmt::format("{}… {}", rule.substr(0, end),
                     HexEncode(std::span(digest).first(kBytesOfMark)));
}

MirrorCounter::MirrorCounter(MirrorCountCatalog& catalog, Logger& log, const Clock& clock,
                             const PullPolicy& policy)
    : catalog_(catalog), log_(log), clock_(clock) {
  AddCell(MirrorCountKind::kSent, "");
  AddCell(MirrorCountKind::kFetched, "");
  for (MirrorCountKind kind : {MirrorCountKind::kUnrestricted, MirrorCountKind::kNotListed,
                               MirrorCountKind::kAllowed, MirrorCountKind::kDenied}) {
    AddCell(kind, "");
  }
  for (const PullPattern& rule : policy.allow()) AddCell(MirrorCountKind::kAllowed, rule.text());
  for (const PullPattern& rule : policy.deny()) AddCell(MirrorCountKind::kDenied, rule.text());
}

// The same rule twice is one.
void MirrorCounter::AddCell(MirrorCountKind kind, std::string rule) {
  auto [place, is_new] = places_.try_emplace({kind, rule}, cells_.size());
  if (!is_new) return;
  Cell& cell = cells_.emplace_back();
  cell.kind = kind;
  cell.rule = MirrorRuleName(rule);
}

MirrorCounter::Decision MirrorCounter::DecisionOf(const PullVerdict& verdict) const {
  const MirrorCountKind kind = CountKindOf(verdict);
  auto place = places_.find({kind, verdict.rule});
  if (place == places_.end()) place = places_.find({kind, ""});
  return place->second;
}

void MirrorCounter::Note(std::size_t cell, std::uint64_t bytes) {
  const UsageDay day = clock_.Now() / kSecondsOfDay;
  Bank& bank = cells_[cell].banks[static_cast<std::size_t>(day & 1)];
  bank.count.fetch_add(1, std::memory_order_relaxed);
  if (bytes > 0) bank.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void MirrorCounter::MakeBatches() {
  const UsageDay today = clock_.Now() / kSecondsOfDay;
  // One that waits may have been taken: nothing is added to it.
  std::size_t room = 0;
  for (Cell& cell : cells_) {
    for (const UsageDay day : {today - 1, today}) {
      Bank& bank = cell.banks[static_cast<std::size_t>(day & 1)];
      const Amount now{bank.count.load(std::memory_order_relaxed),
                       bank.bytes.load(std::memory_order_relaxed)};
      const Amount written = std::exchange(bank.written, now);
      if (now.count == written.count && now.bytes == written.bytes) continue;
      if (room == 0) {
        batches_.push_back({.id = auth::RandomId(), .rows = {}});
        room = MirrorCountBatch::kMostRows;
      }
      batches_.back().rows.push_back({.day = day,
                                      .kind = cell.kind,
                                      .rule = cell.rule,
                                      .count = now.count - written.count,
                                      .bytes = now.bytes - written.bytes});
      --room;
    }
  }
  for (; batches_.size() > kMostBatches; batches_.pop_front()) {
    dropped_.fetch_add(SumOfBatch(batches_.front()), std::memory_order_relaxed);
  }
}

Task<void> MirrorCounter::WriteBatches() {
  while (!batches_.empty()) {
    Result<bool> taken = co_await catalog_.AddMirrorCounts(batches_.front());
    if (!taken && taken.error().kind != ErrorKind::kInvalid) {
      co_return Failure(std::move(taken).error());
    }
    if (!taken) {
      // It would never be taken.
      dropped_.fetch_add(SumOfBatch(batches_.front()), std::memory_order_relaxed);
      log_.Failure("a minute of mirror activity is not counted", taken.error());
    }
    batches_.pop_front();
  }
  co_return Status();
}

Awaitable<void> MirrorCounter::Write() {
  MakeBatches();
  Status written = co_await WriteBatches();
  if (!written && !told_) {
    log_.Failure("mirror activity cannot be saved; retrying every minute", written.error());
  }
  told_ = !written;
}

MirrorNumbers MirrorCounter::Numbers() const {
  MirrorNumbers numbers{.dropped = dropped_};
  for (const Cell& cell : cells_) {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    for (const Bank& bank : cell.banks) {
      count += bank.count.load(std::memory_order_relaxed);
      bytes += bank.bytes.load(std::memory_order_relaxed);
    }
    if (cell.kind == MirrorCountKind::kSent) {
      numbers.sent = count;
      numbers.sent_bytes = bytes;
    } else if (cell.kind == MirrorCountKind::kFetched) {
      numbers.brought = count;
      numbers.fetched_bytes = bytes;
    } else {
      (IsRefusal(cell.kind) ? numbers.turned_away : numbers.let_through) += count;
    }
  }
  return numbers;
}

Status CheckForClient(const MirrorContext& context, const UpstreamProvider& provider) {
  return CheckThing(context, provider);
}

Status CheckForClient(const MirrorContext& context, const UpstreamModule& module) {
  return CheckThing(context, module);
}

}  // namespace koya::service
