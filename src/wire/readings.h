// Documents of /api/v1/inspect.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/codec.h"

namespace koya::wire {

// Body of the request: {"after": "…"}; an empty one starts from the beginning.
std::string EncodeReadingRequest(std::string_view after);
Result<std::string> DecodeReadingRequest(std::string_view body);

// A version whose archive could not be analyzed.
struct ReadingProblem {
  std::string address;  // with the host if it is of another registry
  std::string version;
  std::string problem;
  friend bool operator==(const ReadingProblem&, const ReadingProblem&) = default;
};

// The result of one step; for a whole run with --json, the sums, and the number left at its end.
struct ReadingReport {
  std::string next;  // "": no version is left to visit
  std::uint64_t read = 0;
  std::uint64_t left = 0;  // not analyzed, including versions that cannot be
  std::vector<ReadingProblem> problems;
  friend bool operator==(const ReadingReport&, const ReadingReport&) = default;
};

}  // namespace koya::wire
