// The kinds of errors as the documentation tells of them: each ErrorKind, with its status and what
// docs/errors.md says of it. Thread-safe.
#pragma once

#include <string_view>
#include <vector>

namespace koya::api {

struct ErrorCode {
  std::string_view name;  // ErrorKindName: "not_found"
  unsigned status = 500;
  std::string_view text;  // Markdown: what it means, and how to mend it
};

// In the order of ErrorKind.
const std::vector<ErrorCode>& ErrorCodes();
// nullptr: there is no such kind.
const ErrorCode* FindErrorCode(std::string_view name);

}  // namespace koya::api
