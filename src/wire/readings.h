// Documents of /api/v1/inspect.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// One step of a long run; an empty body means the defaults.
struct StepRequest {
  std::string after;  // where the step before ended; "": from the beginning
  friend bool operator==(const StepRequest&, const StepRequest&) = default;
};

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

// ---- endpoints

inline constexpr Endpoint<StepRequest, ReadingReport> kInspectUnread{"POST", "/api/v1/inspect"};

}  // namespace koya::wire
