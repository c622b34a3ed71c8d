// Registers this server's running fetches, so that other servers of its cluster can read along.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "blobs/fill.h"
#include "domain/digest.h"

namespace koya::peers {

// Threads: any. Must outlive the results of Offer(). Its size is that of the running fills.
class FillOffers {
 public:
  // The fill, which fetches the bytes of `digest`, can be found until the result is destroyed.
  [[nodiscard]] std::shared_ptr<const void> Offer(const Digest& digest, std::shared_ptr<Fill> fill);
  // Null: there is none. If several are offered, any of them.
  std::shared_ptr<Fill> FindFill(const Digest& digest) const;

 private:
  mutable std::mutex mutex_;
  std::multimap<Digest, std::shared_ptr<Fill>> fills_;
};

}  // namespace koya::peers
