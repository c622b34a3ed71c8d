// Takes the bytes of a blob from another server that is fetching it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "domain/digest.h"

namespace koya::peers {

struct PeerTransfer {
  std::string address;  // HOST:PORT of the server
  Digest digest;
  std::uint64_t offset = 0;     // of the first byte that is wanted
  std::uint64_t max_bytes = 0;  // that the blob may have
  // Called once, before the first byte, with the size of the whole blob.
  std::function<Status(std::uint64_t length)> on_start;
  std::function<Status(std::span<const std::byte>)> sink;
  std::stop_token stop = {};
};

enum class PeerEnd {
  kComplete,  // all bytes up to the blob's end came; whether they are right, nobody has looked
  kGone,      // nobody listens there, or who does is not fetching this
  kSilent,    // no answer, or no byte for some seconds
  kBroken,    // anything else, an error of its own included: it may be tried again
};

struct PeerAnswer {
  PeerEnd end = PeerEnd::kBroken;
  std::string why = {};  // for the log; "" when complete
};

class PeerSource {
 public:
  virtual ~PeerSource() = default;
  // Blocks. Any thread. Fails: with what `on_start` or `sink` failed.
  virtual Result<PeerAnswer> Fetch(const PeerTransfer& transfer) = 0;
};

}  // namespace koya::peers
