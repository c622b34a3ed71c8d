// Duration of one part of a response, as the header field Server-Timing (W3C): "search;dur=1.2", in
// milliseconds. It is not part of the document, so that the same response keeps its ETag.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "http/server/message.h"

namespace koya::api {

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

}  // namespace koya::api
