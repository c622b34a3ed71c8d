// What this server is fetching, for other servers of its cluster to read along.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "blobs/fill.h"
#include "domain/digest.h"

namespace koya::peers {

// Threads: any. Outlives what Offer() returns. As large as the fills that are under way.
class FillOffers {
 public:
  // The fill, which brings the bytes of `digest`, can be found until what is returned is gone.
  [[nodiscard]] std::shared_ptr<const void> Offer(const Digest& digest, std::shared_ptr<Fill> fill);
  // Null: there is none. Of several, one that is offered.
  std::shared_ptr<Fill> Find(const Digest& digest) const;

 private:
  mutable std::mutex mutex_;
  std::multimap<Digest, std::shared_ptr<Fill>> fills_;
};

}  // namespace koya::peers
