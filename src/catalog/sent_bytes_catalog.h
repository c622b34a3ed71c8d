// SentBytesCatalog stores how many bytes each recipient was sent on each day, counted by all
// servers together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {

// Bytes that one server has sent to one recipient and not reported yet.
struct SentBytes {
  std::string to;  // the recipient: a text of at most 200 bytes, one for each
  std::uint64_t bytes = 0;
};

class SentBytesCatalog {
 public:
  // The most recipients stored of one day: each server counts later ones alone.
  static constexpr std::size_t kMostOfDay = 100'000;

  virtual ~SentBytesCatalog() = default;
  // Adds to the sums of `day` (since 1970-01-01, in UTC), and returns them in the same order, with
  // the additions of all other servers; at most 1,000, each named once. Recipients with nothing
  // added are not stored. Deletes sums of the days before yesterday, some with each call. Fails:
  // kInvalid: a text that cannot be stored.
  virtual Task<std::vector<std::uint64_t>> AddSentBytes(std::int64_t day,
                                                        std::vector<SentBytes> more) = 0;
};

}  // namespace koya
