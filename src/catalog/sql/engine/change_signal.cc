#include "catalog/sql/engine/change_signal.h"

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

}  // namespace koya::sql
