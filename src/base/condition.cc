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

struct Condition::Impl {
  std::mutex mutex;
  // Each lives in its waiter's frame. They are started by the waiter's thread and woken by the
  // notifier's, so every use is under the lock.
  std::vector<asio::steady_timer*> waiters;
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
  asio::steady_timer timer(co_await asio::this_coro::executor);
  while (true) {
    {
      std::lock_guard lock(impl.mutex);
      if (holds()) co_return true;
      if (std::chrono::steady_clock::now() >= deadline) co_return false;
      timer.expires_at(deadline);
      impl.waiters.push_back(&timer);
    }
    ScopeGuard leave([&impl, waiting = &timer] {
      std::lock_guard lock(impl.mutex);
      std::erase(impl.waiters, waiting);
    });
    auto start = [&impl, waiting = &timer](auto handler) {
      std::lock_guard lock(impl.mutex);
      waiting->async_wait(std::move(handler));
    };
    constexpr auto kToken = asio::as_tuple(asio::use_awaitable);  // an early end is no failure
    co_await asio::async_initiate<decltype(kToken), void(boost::system::error_code)>(start, kToken);
  }
}

void Condition::NotifyAll() {
  std::lock_guard lock(impl_->mutex);
  // To a time that is past, so that a wait which has not begun yet ends as well.
  for (asio::steady_timer* waiter : impl_->waiters) {
    waiter->expires_at(asio::steady_timer::time_point::min());
    NoteHandOver();
  }
  impl_->waiters.clear();
}

}  // namespace koya
