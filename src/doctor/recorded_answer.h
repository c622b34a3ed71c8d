// Sends one request to a registry as the clients do, and records the redirects and the response.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/client/client.h"
#include "http/url.h"

namespace koya::doctor {

struct RecordedAnswer {
  http::Url first;
  std::vector<http::Url> redirects;  // the target of each; the last one responded
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  std::chrono::milliseconds duration{0};

  const http::Url& final_url() const { return redirects.empty() ? first : redirects.back(); }
  std::optional<std::string> Get(std::string_view name) const;
};

struct Question {
  http::Url url;
  std::string method = "GET";
  std::vector<std::pair<std::string, std::string>> fields = {};
  // Sent as a bearer token, but never again after a redirect to another scheme, host or port.
  std::string token = {};
  std::uint64_t max_body = 1ULL << 20;
  std::function<Status(std::span<const std::byte>)> sink = {};
};

// Fails as http::Client does; kInvalid when a redirect names no usable URL. A 3xx without Location
// and one too many (upstream::RedirectTrail) are returned unchanged.
Result<RecordedAnswer> Ask(http::Client& client, const Question& question);

}  // namespace koya::doctor
