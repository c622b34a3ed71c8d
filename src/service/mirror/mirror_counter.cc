#include "service/mirror/mirror_counter.h"

#include "auth/token.h"
#include "domain/upstream_record.h"
#include "obs/log.h"
#include "service/mirror/context.h"

namespace koya::service {
namespace {

std::uint64_t SumOfBatch(const MirrorCountBatch& batch) {
  std::uint64_t sum = 0;
  for (const MirrorCount& row : batch.rows) sum += row.count;
  return sum;
}

}  // namespace

MirrorCounter::MirrorCounter(MirrorCountCatalog& catalog, Logger& log, const Clock& clock)
    : catalog_(catalog), log_(log), clock_(clock) {}

void MirrorCounter::Note(Cell& cell, std::uint64_t bytes) {
  const UsageDay day = clock_.Now() / kSecondsOfDay;
  Bank& bank = cell.banks[static_cast<std::size_t>(day & 1)];
  bank.count.fetch_add(1, std::memory_order_relaxed);
  if (bytes > 0) bank.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void MirrorCounter::CountStops(std::int64_t revision, const StoppingRules& rules) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [name, verdict] : rules) {
    const bool is_full = stops_.size() >= kMostRules && !stops_.contains({revision, name});
    if (is_full) continue;
    PolicyRuleCount& count = stops_[{revision, name}];
    ++(verdict == policy::Verdict::kHold ? count.held : count.refused);
  }
}

// While batches queue up, rules are summed up here: there are few.
std::vector<PolicyRuleCount> MirrorCounter::TakeStops() {
  std::vector<PolicyRuleCount> taken;
  if (!batches_.empty()) return taken;
  const std::scoped_lock lock(mutex_);
  for (auto& [key, count] : stops_) {
    taken.push_back({key.first, key.second, count.held, count.refused});
  }
  stops_.clear();
  return taken;
}

void MirrorCounter::MakeBatch() {
  const UsageDay today = clock_.Now() / kSecondsOfDay;
  // One that waits may have been taken: nothing is added to it.
  MirrorCountBatch batch{.id = auth::RandomId(), .rows = {}, .rules = TakeStops()};
  for (Cell* cell : {&sent_, &fetched_, &allowed_, &denied_}) {
    for (const UsageDay day : {today - 1, today}) {
      Bank& bank = cell->banks[static_cast<std::size_t>(day & 1)];
      const Amount now{bank.count.load(std::memory_order_relaxed),
                       bank.bytes.load(std::memory_order_relaxed)};
      const Amount written = std::exchange(bank.written, now);
      if (now.count == written.count && now.bytes == written.bytes) continue;
      batch.rows.push_back({.day = day,
                            .kind = cell->kind,
                            .count = now.count - written.count,
                            .bytes = now.bytes - written.bytes});
    }
  }
  if (!batch.rows.empty() || !batch.rules.empty()) batches_.push_back(std::move(batch));
  if (batches_.size() > kMostBatches) {
    dropped_.fetch_add(SumOfBatch(batches_.front()), std::memory_order_relaxed);
    batches_.pop_front();
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
  MakeBatch();
  Status written = co_await WriteBatches();
  if (!written && !told_) {
    log_.Failure("mirror activity cannot be saved; retrying every minute", written.error());
  }
  told_ = !written;
}

MirrorCounter::Amount MirrorCounter::SumOf(const Cell& cell) {
  Amount sum;
  for (const Bank& bank : cell.banks) {
    sum.count += bank.count.load(std::memory_order_relaxed);
    sum.bytes += bank.bytes.load(std::memory_order_relaxed);
  }
  return sum;
}

MirrorNumbers MirrorCounter::Numbers() const {
  const Amount sent = SumOf(sent_);
  const Amount fetched = SumOf(fetched_);
  return {.sent = sent.count,
          .sent_bytes = sent.bytes,
          .brought = fetched.count,
          .fetched_bytes = fetched.bytes,
          .let_through = SumOf(allowed_).count,
          .turned_away = SumOf(denied_).count,
          .dropped = dropped_};
}

namespace {

void CountDenial(const MirrorContext& context, const SubjectGate& gate,
                 const StoppingRules& rules) {
  if (context.counter == nullptr) return;
  context.counter->NoteDenied();
  context.counter->CountStops(gate.revision(), rules);
}

}  // namespace

Status CheckSubjectFor(const MirrorContext& context, const SubjectGate& gate) {
  Status checked = gate.CheckSubject();
  if (checked) return checked;
  StoppingRules rules;
  if (const policy::Rule* denial = gate.address().FindDenial(gate.now())) {
    rules[denial->name] = policy::Verdict::kRefuse;
  }
  CountDenial(context, gate, rules);
  return checked;
}

Status CheckVersionFor(const MirrorContext& context, const SubjectGate& gate,
                       const Version& version) {
  Status checked = gate.Check(version);
  if (checked) return checked;
  StoppingRules rules;
  AddStoppingRules(gate.Judge(version), rules);
  CountDenial(context, gate, rules);
  return checked;
}

GatedList JudgeListFor(const MirrorContext& context, const SubjectGate& gate,
                       const std::vector<std::string>& versions) {
  GatedList list = JudgeList(gate, versions);
  if (context.counter != nullptr) context.counter->CountStops(gate.revision(), list.stopping);
  return list;
}

}  // namespace koya::service
