#include "base/offload.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <thread>

namespace koya {
namespace asio = boost::asio;

namespace {

std::atomic<std::uint64_t> hand_overs = 0;

}  // namespace

std::uint64_t HandOvers() { return hand_overs.load(std::memory_order_relaxed); }
void NoteHandOver() { hand_overs.fetch_add(1, std::memory_order_relaxed); }

struct WorkerPool::Impl {
  explicit Impl(std::size_t count) : threads(count), pool(count) {}
  std::size_t threads;
  asio::thread_pool pool;
};

WorkerPool::WorkerPool(std::size_t threads, int nice) {
  if (nice == 0) {
    impl_ = std::make_unique<Impl>(threads);
    return;
  }
  // A thread begins with the priority of whoever starts it, who may lower it and not raise it
  // again: so that is somebody who has nothing else to do. Where it is refused, it stays as it is.
  std::jthread starter([&] {
    (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice);
    impl_ = std::make_unique<Impl>(threads);
  });
}

WorkerPool::~WorkerPool() { impl_->pool.join(); }

void WorkerPool::Post(std::function<void()> work) {
  NoteHandOver();
  asio::post(impl_->pool, std::move(work));
}

std::size_t WorkerPool::threads() const { return impl_->threads; }

Awaitable<void> WorkerPool::Run(std::function<void()> work) {
  auto start = [this](auto handler, std::function<void()> task) {
    auto resume = asio::get_associated_executor(handler);
    // The executor must not run out of work while the pool thread is busy on its behalf.
    auto kept_alive = asio::prefer(resume, asio::execution::outstanding_work.tracked);
    NoteHandOver();
    asio::post(impl_->pool, [handler = std::move(handler), task = std::move(task),
                             kept_alive = std::move(kept_alive)]() mutable {
      std::exception_ptr failure;
      try {
        task();
      } catch (...) {
        failure = std::current_exception();
      }
      task = nullptr;  // what it captured belongs to the awaiting frame
      NoteHandOver();
      asio::post(kept_alive, [handler = std::move(handler), failure]() mutable {
        std::move(handler)(failure);
      });
    });
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(
      start, asio::use_awaitable, std::move(work));
}

}  // namespace koya
