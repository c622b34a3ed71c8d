// What the servers of a cluster share of their running fetches: PeerSource fetches the bytes of a
// blob from another server that is fetching it; FillOffers registers the fetches of this server, so
// that others can read along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "blobs/fill.h"
#include "domain/digest.h"

namespace koya::peers {

struct PeerTransfer {
  std::string address;  // HOST:PORT of the server
  Digest digest;
  std::uint64_t offset = 0;     // of the first wanted byte
  std::uint64_t max_bytes = 0;  // the limit of the blob's size
  // Called once, before the first byte, with the size of the whole blob.
  std::function<Status(std::uint64_t length)> on_start;
  std::function<Status(std::span<const std::byte>)> sink;
  std::stop_token stop = {};
};

enum class PeerEnd {
  kComplete,  // all bytes up to the blob's end came; they are not verified
  kGone,      // no server listens there, or it is not fetching this
  kSilent,    // no response, or no byte for some seconds
  kBroken,    // anything else, including its own errors: retryable
};

struct PeerAnswer {
  PeerEnd end = PeerEnd::kBroken;
  std::string why = {};  // for the log; "" when complete
};

class PeerSource {
 public:
  virtual ~PeerSource() = default;
  // Blocks. Any thread. Fails: with the failure of `on_start` or `sink`.
  virtual Result<PeerAnswer> Fetch(const PeerTransfer& transfer) = 0;
};

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
