#include "base/condition.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/offload.h"

namespace koya {
namespace asio = boost::asio;

// Lives in its waiter's frame. Its timer is started by the waiter's thread and ended by the
// notifier's, so every use is under the lock.
struct Condition::Waiter {
  asio::steady_timer timer;
  std::function<bool()> holds;
  bool held = false;

  // Waiters that may already have taken their item are not asked again.
  bool Ask() {
    if (!held) held = holds();
    return held;
  }
};

struct Condition::Impl {
  std::mutex mutex;
  std::vector<Waiter*> waiters;
};

Condition::Condition() : impl_(std::make_unique<Impl>()) {}
Condition::~Condition() = default;

std::mutex& Condition::mutex() { return impl_->mutex; }

Awaitable<void> Condition::Wait(std::function<bool()> holds) {
  co_await WaitUntil(std::move(holds), asio::steady_timer::time_point::max());
}

Awaitable<bool> Condition::WaitUntil(std::function<bool()> holds,
                                     std::chrono::steady_clock::time_point deadline) {
  Impl& impl = *impl_;
  Waiter waiter{asio::steady_timer(co_await asio::this_coro::executor), std::move(holds)};
  {
    std::lock_guard lock(impl.mutex);
    if (waiter.Ask()) co_return true;
    impl.waiters.push_back(&waiter);
  }
  ScopeGuard leave([&impl, &waiter] {
    std::lock_guard lock(impl.mutex);
    std::erase(impl.waiters, &waiter);
  });
  while (true) {
    {
      std::lock_guard lock(impl.mutex);
      const bool late = std::chrono::steady_clock::now() >= deadline;
      if (late) waiter.Ask();
      if (late || waiter.held) co_return waiter.held;
      waiter.timer.expires_at(deadline);
    }
    auto start = [&impl, &waiter](auto handler) {
      std::lock_guard lock(impl.mutex);
      waiter.timer.async_wait(std::move(handler));
    };
    constexpr auto kToken = asio::as_tuple(asio::use_awaitable);  // an early end is no failure
    co_await asio::async_initiate<decltype(kToken), void(boost::system::error_code)>(start, kToken);
  }
}

void Condition::NotifyAll() {
  std::lock_guard lock(impl_->mutex);
  std::erase_if(impl_->waiters, [](Waiter* waiter) {
    if (!waiter->Ask()) return false;
    // To a time that is past, so that a wait which has not begun yet ends as well.
    waiter->timer.expires_at(asio::steady_timer::time_point::min());
    NoteHandOver();
    return true;
  });
}

}  // namespace koya
