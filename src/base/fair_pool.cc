#include "base/fair_pool.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/condition.h"
#include "base/file.h"
#include "base/offload.h"
#include "base/traced_executor.h"

namespace koya {
namespace asio = boost::asio;

namespace {

constexpr unsigned kRetryAfter = 10;  // seconds

Failure Busy(const std::string& who, std::string_view why) {
  Error error{ErrorKind::kUnavailable,
              fmt::format("too many requests are waiting for {} ({}); retry in {} seconds", who,
                          why, kRetryAfter),
              {}};
  error.retry_after = kRetryAfter;
  return Failure(std::move(error));
}

struct Claims {
  std::size_t taken = 0;
  std::size_t waiting = 0;
};

}  // namespace

struct FairPool::Impl {
  Impl(std::size_t threads, std::size_t each) : most(threads), most_each(each) {}

  // All under changed.mutex().
  bool MayEnter(const std::string& who) const {
    if (taken + 1 >= most) return false;
    auto own = claims.find(who);
    std::size_t after = (own == claims.end() ? 0 : own->second.taken) + 1;
    return after <= most_each && after <= most - taken - 1;
  }
  void Take(const std::string& who) {
    ++claims[who].taken;
    ++taken;
    EnsureThreads();
  }
  // One more than are blocked: it lets others enter, and goes on with who need not block.
  void EnsureThreads() {
    while (made < most && made < taken + 1) {
      try {
        threads.emplace_back([this] { loop.run(); });
        ++made;
      } catch (const std::system_error&) {
        return;  // out of threads: the existing ones will do
      }
    }
  }
  void Forget(const std::string& who) {
    auto own = claims.find(who);
    if (own->second.taken == 0 && own->second.waiting == 0) claims.erase(own);
  }

  const std::size_t most;
  const std::size_t most_each;
  Condition changed;
  std::map<std::string, Claims> claims;
  std::size_t taken = 0;
  std::size_t waiting = 0;
  std::stop_source stop;
  asio::io_context loop;
  asio::executor_work_guard<asio::io_context::executor_type> open{loop.get_executor()};
  std::size_t made = 0;               // of these, those that are being ended included
  std::vector<std::jthread> threads;  // last: they end before what they use goes
};

FairPool::FairPool(std::size_t most_threads, std::size_t most_each)
    : impl_(std::make_unique<Impl>(most_threads, most_each)) {}

FairPool::~FairPool() {
  impl_->open.reset();
  // Work that is still running may enter, and be given another thread.
  std::vector<std::jthread> ending;
  do {
    ending.clear();
    std::lock_guard lock(impl_->changed.mutex());
    ending.swap(impl_->threads);
  } while (!ending.empty());
}

void FairPool::Spawn(Awaitable<void> work) {
  {
    std::lock_guard lock(impl_->changed.mutex());
    impl_->EnsureThreads();
  }
  NoteHandOver();
  // What throws all the same has broken its promise: it ends, and its owner is not told.
  asio::any_io_executor executor = impl_->loop.get_executor();
  if (TracePtr trace = CurrentTrace()) {
    executor = TracedExecutor(std::move(executor), std::move(trace));
  }
  asio::co_spawn(executor, std::move(work), [](const std::exception_ptr& /*broken*/) {});
}

Task<FairPool::Slot> FairPool::Enter(std::string who,
                                     std::chrono::steady_clock::time_point deadline) {
  Impl& impl = *impl_;
  bool stopped = false;
  {
    std::lock_guard lock(impl.changed.mutex());
    Claims& own = impl.claims[who];
    if (own.waiting >= kMostWaiting || impl.waiting >= kMostWaitingInAll) {
      impl.Forget(who);  // who has no claim is not remembered, however many names are refused
      co_return Busy(who, "the queue is full");
    }
    ++own.waiting;
    ++impl.waiting;
  }
  std::function<bool()> admitted = [&impl, &who, &stopped] {
    stopped = impl.stop.stop_requested();
    if (stopped) return true;
    if (!impl.MayEnter(who)) return false;
    impl.Take(who);
    return true;
  };
  bool in_time = co_await impl.changed.WaitUntil(std::move(admitted), deadline);
  {
    std::lock_guard lock(impl.changed.mutex());
    --impl.claims[who].waiting;
    --impl.waiting;
    impl.Forget(who);
  }
  if (stopped) {
    co_return FailUnavailable("the server is stopping; retry in a moment");
  }
  if (!in_time) co_return Busy(who, "no thread was free in time");
  co_return Slot(*this, std::move(who));
}

FairPool::Slot& FairPool::Slot::operator=(Slot&& other) noexcept {
  if (this != &other) {
    Release();
    pool_ = std::exchange(other.pool_, nullptr);
    who_ = std::move(other.who_);
  }
  return *this;
}

void FairPool::Slot::Release() {
  if (pool_ == nullptr) return;
  Impl& impl = *std::exchange(pool_, nullptr)->impl_;
  {
    std::lock_guard lock(impl.changed.mutex());
    --impl.claims[who_].taken;
    --impl.taken;
    impl.Forget(who_);
  }
  impl.changed.NotifyAll();
}

void FairPool::Stop() {
  impl_->stop.request_stop();
  // A waiter that checked before the request and has not begun to wait holds the lock until then.
  {
    std::lock_guard lock(impl_->changed.mutex());
  }
  impl_->changed.NotifyAll();
}

std::stop_token FairPool::stopping() const { return impl_->stop.get_token(); }

std::size_t FairPool::known() const {
  std::lock_guard lock(impl_->changed.mutex());
  return impl_->claims.size();
}

std::size_t FairPool::taken() const {
  std::lock_guard lock(impl_->changed.mutex());
  return impl_->taken;
}

std::size_t FairPool::waiting() const {
  std::lock_guard lock(impl_->changed.mutex());
  return impl_->waiting;
}

}  // namespace koya
