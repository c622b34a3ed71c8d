#include "catalog/sql/engine/database.h"

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "base/condition.h"

namespace koya::sql {

struct ChangeSignal::Impl {
  Condition changed;
  std::uint64_t news = 0;    // how often there was some
  std::uint64_t waited = 0;  // how much of it had a waiter
};

ChangeSignal::ChangeSignal() : impl_(std::make_shared<Impl>()) {}
ChangeSignal::~ChangeSignal() = default;

Awaitable<void> ChangeSignal::Wait(std::chrono::milliseconds longest) {
  std::shared_ptr<Impl> impl = impl_;
  std::uint64_t known = 0;
  {
    std::lock_guard lock(impl->changed.mutex());
    known = impl->waited;
  }
  auto deadline = std::chrono::steady_clock::now() + longest;
  co_await impl->changed.WaitUntil([&impl, known] { return impl->news != known; }, deadline);
  std::lock_guard lock(impl->changed.mutex());
  impl->waited = impl->news;
}

void ChangeSignal::Notify() {
  {
    std::lock_guard lock(impl_->changed.mutex());
    ++impl_->news;
  }
  impl_->changed.NotifyAll();
}

namespace {

constexpr Statement kBeginSnapshot{"begin_snapshot", "{{begin snapshot}}"};
constexpr Statement kEndSnapshot{"end_snapshot", "ROLLBACK"};

}  // namespace

Database::Database(std::unique_ptr<Engine> engine, Pools pools)
    : lanes_(pools),
      engine_(std::move(engine)),
      read_pool_(*engine_, {Access::kRead, pools.readers, pools.read_timeout}),
      // What cannot be read cannot be written.
      write_pool_(*engine_,
                  {Access::kWrite, pools.writers, pools.write_timeout, &read_pool_.breaker()}),
      watchdog_([this](std::stop_token stop) { Watch(std::move(stop)); }) {}

Database::~Database() {
  read_pool_.Stop();
  write_pool_.Stop();
}

void Database::Watch(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    ConnectionPool::Time now = ConnectionPool::Time::clock::now();
    ConnectionPool::Time next = std::min(read_pool_.EndLate(now), write_pool_.EndLate(now));
    stopped_.wait_until(lock, stop, next, [] { return false; });
  }
}

Status Database::WriteNow(const std::function<Status(Session&)>& work) {
  Status outcome;
  Transaction unit = [&outcome, &work](Session& session) {
    outcome = work(session);
    return outcome.has_value();
  };
  Session session(*engine_, lanes_.write_timeout);
  TransactionResult ran = RunUnit(session, Access::kWrite, unit, {});
  RETURN_IF_ERROR(ran.status);
  return outcome;
}

Status Database::ReadSnapshot(const std::function<Status(Session&)>& work) {
  Status outcome;
  Transaction unit = [&outcome, &work](Session& session) {
    session.Run(kBeginSnapshot);
    outcome = work(session);
    session.Run(kEndSnapshot);
    return true;
  };
  Session session(*engine_, lanes_.write_timeout);
  TransactionResult ran = RunUnit(session, Access::kRead, unit, {});
  RETURN_IF_ERROR(ran.status);
  return outcome;
}

Task<void> Executor::Commit(Transaction work) {
  std::vector<Change> changes;
  bool commits = false;
  Transaction unit = [&](Session& session) {
    session.changes().clear();  // of a unit that failed
    session.set_keeps_ledger(keeps_ledger_);
    commits = work(session);
    changes = std::exchange(session.changes(), {});
    return commits;
  };
  Status ran = co_await database_.RunWrite(std::move(unit));
  if (ran && commits && !changes.empty()) {
    if (listener_) listener_(changes);
    signal_.Notify();
  }
  co_return ran;
}

}  // namespace koya::sql
