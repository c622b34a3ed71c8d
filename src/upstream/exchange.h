// One question to a registry, redirects included, as the clients ask it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/client.h"
#include "http/url.h"

namespace koya::upstream {

struct Exchange {
  http::Url first;
  std::vector<http::Url> redirects;  // where each led; the last one answered
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
  // Sent as a bearer token, but after a redirect to another scheme, host or port never again.
  std::string token = {};
  std::uint64_t max_body = 1ULL << 20;
  std::function<Status(std::span<const std::byte>)> sink = {};
};

// More than any client follows: going on would only find a circle.
inline constexpr std::size_t kMaxRedirects = 11;

// Fails as http::Client does; kInvalid when a redirect names no usable URL. A 3xx without Location
// and the answer after kMaxRedirects are given as they are.
Result<Exchange> Ask(http::Client& client, const Question& question);

}  // namespace koya::upstream
