// The kinds of errors as the documentation describes them: each ErrorKind, with its status and its
// section of docs/errors.md. Thread-safe.
#pragma once

#include <string_view>
#include <vector>

namespace koya::api {

struct ErrorCode {
  std::string_view name;  // ErrorKindName: "not_found"
  unsigned status = 500;
  std::string_view text;  // Markdown: its meaning, and how to fix it
};

// In the order of ErrorKind.
const std::vector<ErrorCode>& ErrorCodes();
// nullptr: there is no such kind.
const ErrorCode* FindErrorCode(std::string_view name);

}  // namespace koya::api
