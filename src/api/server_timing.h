// How long a part of an answer took, as the field Server-Timing (W3C) tells it: "search;dur=1.2",
// in milliseconds. It is no part of the document, so that the same answer keeps its ETag.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "http/server/message.h"

namespace koya::api {

std::string ServerTimingText(std::string_view part, std::chrono::nanoseconds took);

// Begins when it is made.
class PartTimer {
 public:
  explicit PartTimer(std::string_view part) : part_(part) {}  // a literal

  void Stop() { took_ = std::chrono::steady_clock::now() - began_; }
  // REQUIRES: it was stopped.
  void Tell(http::Response& reply) const {
    reply.fields.emplace_back("Server-Timing", ServerTimingText(part_, took_));
  }

 private:
  std::string_view part_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::nanoseconds took_{};
};

}  // namespace koya::api
