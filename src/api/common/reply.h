// Errors and plain JSON as HTTP responses, and the kinds of errors as the documentation describes
// them. The only place that maps an ErrorKind to a status, and an error to a document. Thread-safe.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/server/message.h"

namespace koya::http {
struct EngineError;
}

namespace koya::api {

unsigned StatusFor(ErrorKind kind);

// {"errors":[message],"code":…,"status":…} with the kind's status; the detail goes to the log.
http::Response ErrorReply(const Error& error);
// The same, for several errors at once.
http::Response ErrorsReply(ErrorKind kind, std::span<const std::string> sentences);

http::Response JsonReply(unsigned status, std::string body);

// The engine's own errors, in the same form. An http::ErrorAnswer.
http::Response EngineErrorReply(const http::EngineError& error);

// ---- Server-Timing (W3C): the duration of one part of a response, "search;dur=1.2", in
// milliseconds. It is not part of the document, so that the same response keeps its ETag.

std::string ServerTimingText(std::string_view part, std::chrono::nanoseconds took);

// Starts when it is created.
class ScopedTimer {
 public:
  explicit ScopedTimer(std::string_view part) : part_(part) {}  // a literal

  void Stop() { took_ = std::chrono::steady_clock::now() - began_; }
  // Adds the field to `reply`. REQUIRES: it was stopped.
  void AddField(http::Response& reply) const {
    reply.fields.emplace_back("Server-Timing", ServerTimingText(part_, took_));
  }

 private:
  std::string_view part_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::nanoseconds took_{};
};

// ---- each ErrorKind, with its status and its section of docs/errors.md

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
