#include "base/offload.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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
#include <optional>
#include <thread>

#include "base/traced_executor.h"

namespace koya {
namespace asio = boost::asio;

namespace {

std::atomic<std::uint64_t> hand_overs = 0;

// What sched_setattr(2) takes, first version: C libraries before glibc 2.41 do not declare it, and
// the kernel's own header contradicts theirs.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  // nanoseconds: of SCHED_OTHER, its slice
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};
constexpr std::uint64_t kLongestSlice = 100'000'000;

// Where it is refused, the thread stays as it is.
void StandBack(int nice) {
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice);
  // Since Linux 6.6 a thread runs on to the end of its slice (3 ms or so) even if a thread of
  // higher priority wakes meanwhile; since 6.12, unless that one's slice is shorter. Older ones
  // refuse.
  SchedulingAttributes attributes{.nice = nice, .runtime = kLongestSlice};
  (void)::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace

std::uint64_t HandOvers() { return hand_overs.load(std::memory_order_relaxed); }
void NoteHandOver() { hand_overs.fetch_add(1, std::memory_order_relaxed); }

struct WorkerPool::Impl {
  explicit Impl(std::size_t count) : threads(count), pool(count) {}
  std::size_t threads;
  std::atomic<std::size_t> waiting = 0;  // of RunFor
  // Hands results back for low-priority threads, which must not do it themselves: a loop is woken
  // under its lock, runs at once, and waits for that lock until the waking thread is scheduled
  // again.
  std::optional<asio::thread_pool> messenger;
  asio::thread_pool pool;  // last: its destruction uses the members above
};

WorkerPool::WorkerPool(std::size_t threads, int nice) {
  if (nice == 0) {
    impl_ = std::make_unique<Impl>(threads);
    return;
  }
  // A thread inherits the priority of its creator, which may lower its own and not raise it again:
  // so a thread without other work creates the pool.
  std::jthread starter([&] {
    StandBack(nice);
    impl_ = std::make_unique<Impl>(threads);
  });
  starter.join();
  impl_->messenger.emplace(1);
}

WorkerPool::~WorkerPool() {
  impl_->pool.join();
  if (impl_->messenger) impl_->messenger->join();
}

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
                             kept_alive = std::move(kept_alive), trace = TraceOf(resume),
                             &messenger = impl_->messenger]() mutable {
      std::exception_ptr failure;
      try {
        const TraceScope scope(std::move(trace));
        task();
      } catch (...) {
        failure = std::current_exception();
      }
      task = nullptr;  // its captures belong to the awaiting frame
      auto hand_back = [handler = std::move(handler), kept_alive = std::move(kept_alive),
                        failure]() mutable {
        NoteHandOver();
        asio::post(kept_alive, [handler = std::move(handler), failure]() mutable {
          std::move(handler)(failure);
        });
      };
      if (!messenger) return hand_back();
      NoteHandOver();
      asio::post(*messenger, std::move(hand_back));
    });
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(
      start, asio::use_awaitable, std::move(work));
}

Awaitable<bool> WorkerPool::RunFor(Asker asker, std::function<void()> work) {
  std::atomic<std::size_t>& waiting = impl_->waiting;
  if (waiting.fetch_add(1) >= kMostWaiting) {
    --waiting;
    co_return false;
  }
  bool ran = false;
  std::function<void()> begin = [&waiting, &asker, &work, &ran] {
    --waiting;
    if (std::chrono::steady_clock::now() >= asker.until) return;
    if (asker.has_left && asker.has_left()) return;
    ran = true;
    work();
  };
  co_await Run(std::move(begin));
  co_return ran;
}

}  // namespace koya
