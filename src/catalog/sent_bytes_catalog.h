// How many bytes whom was sent on which day, counted by all servers together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {

// What one server has sent somebody, beyond what it has told already.
struct SentBytes {
  std::string to;  // whoever it is counted for: a text of at most 200 bytes, one for each
  std::uint64_t bytes = 0;
};

class SentBytesCatalog {
 public:
  // The most that is kept of one day: whoever comes later is counted by each server alone.
  static constexpr std::size_t kMostOfDay = 100'000;

  virtual ~SentBytesCatalog() = default;
  // Adds to the sums of `day` (since 1970-01-01, in UTC), and returns them in the same order, with
  // what all others added; 1,000 at most, each named once. Nothing is kept of whom nothing is added
  // to. Sums of the days before yesterday go, some with each call. Fails: kInvalid: a text that
  // cannot be stored.
  virtual Task<std::vector<std::uint64_t>> AddSentBytes(std::int64_t day,
                                                        std::vector<SentBytes> more) = 0;
};

}  // namespace koya
