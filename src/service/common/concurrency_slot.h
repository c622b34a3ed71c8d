// RAII slot that limits concurrency. Threads: any.
#pragma once

#include <atomic>
#include <cstddef>

namespace koya::service {

class ConcurrencySlot {
 public:
  // `taken` must outlive this.
  ConcurrencySlot(std::atomic<std::size_t>& taken, std::size_t most)
      : taken_(taken), got_(taken.fetch_add(1) < most) {}
  ~ConcurrencySlot() { taken_.fetch_sub(1); }
  ConcurrencySlot(const ConcurrencySlot&) = delete;
  ConcurrencySlot& operator=(const ConcurrencySlot&) = delete;

  // False: the limit is reached.
  bool got() const { return got_; }

 private:
  std::atomic<std::size_t>& taken_;
  bool got_;
};

}  // namespace koya::service
