// Documents of /api/v1/inspect.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// Body of the request: {"after": "…"}; an empty one begins.
std::string EncodeReadingRequest(std::string_view after);
Result<std::string> DecodeReadingRequest(std::string_view body);

// A version whose archive could not be read.
struct ReadingProblem {
  std::string address;  // of another registry with its host
  std::string version;
  std::string problem;
  friend bool operator==(const ReadingProblem&, const ReadingProblem&) = default;
};

// One step; of a whole run with --json, the sum, and what is left at its end.
struct ReadingReport {
  std::string next;  // "": there is nothing more to meet
  std::uint64_t read = 0;
  std::uint64_t left = 0;  // unread, those that cannot be read included
  std::vector<ReadingProblem> problems;
  friend bool operator==(const ReadingReport&, const ReadingReport&) = default;
};
std::string EncodeReadingReport(const ReadingReport& report);
Result<ReadingReport> DecodeReadingReport(std::string_view body);

}  // namespace koya::wire
