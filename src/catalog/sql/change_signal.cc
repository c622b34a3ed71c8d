#include "catalog/sql/change_signal.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mutex>
#include <utility>
#include <vector>

#include "base/file.h"

namespace koya::sql {
namespace asio = boost::asio;

struct ChangeSignal::Impl {
  std::mutex mutex;
  bool news = false;  // that nobody has waited for
  // Each lives in its waiter's frame. They are started by the waiter's thread and woken by the
  // notifier's, so every use is under the lock.
  std::vector<asio::steady_timer*> waiters;
};

ChangeSignal::ChangeSignal() : impl_(std::make_shared<Impl>()) {}
ChangeSignal::~ChangeSignal() = default;

Awaitable<void> ChangeSignal::Wait(std::chrono::milliseconds longest) {
  std::shared_ptr<Impl> impl = impl_;
  asio::steady_timer timer(co_await asio::this_coro::executor, longest);
  {
    std::lock_guard lock(impl->mutex);
    if (std::exchange(impl->news, false)) co_return;
    impl->waiters.push_back(&timer);
  }
  ScopeGuard leave([impl, waiting = &timer] {
    std::lock_guard lock(impl->mutex);
    std::erase(impl->waiters, waiting);
  });
  auto start = [impl, waiting = &timer](auto handler) {
    std::lock_guard lock(impl->mutex);
    waiting->async_wait(std::move(handler));
  };
  constexpr auto kToken = asio::as_tuple(asio::use_awaitable);  // an early end is no failure
  co_await asio::async_initiate<decltype(kToken), void(boost::system::error_code)>(start, kToken);
}

void ChangeSignal::Notify() {
  std::lock_guard lock(impl_->mutex);
  if (impl_->waiters.empty()) impl_->news = true;
  // To a time that is past, so that a wait which has not begun yet ends as well.
  for (asio::steady_timer* waiter : impl_->waiters) {
    waiter->expires_at(asio::steady_timer::time_point::min());
  }
  impl_->waiters.clear();
}

}  // namespace koya::sql
