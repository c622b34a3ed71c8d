// One of so many at once, for as long as it exists. Threads: any may take one.
#pragma once

#include <atomic>
#include <cstddef>

namespace koya::service {

class Turn {
 public:
  // `taken` must outlive this.
  Turn(std::atomic<std::size_t>& taken, std::size_t most)
      : taken_(taken), got_(taken.fetch_add(1) < most) {}
  ~Turn() { taken_.fetch_sub(1); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // False: that many have theirs already.
  bool got() const { return got_; }

 private:
  std::atomic<std::size_t>& taken_;
  bool got_;
};

}  // namespace koya::service
