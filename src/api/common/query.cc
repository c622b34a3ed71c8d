#include "api/common/query.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/hex.h"
#include "base/text.h"

namespace koya::api {
namespace {

constexpr std::size_t kLongestValue = 1000;

Result<std::string> Decode(std::string_view name, std::string_view text) {
  if (text.size() > kLongestValue) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("the parameter \"{}\" is longer than {} bytes", name, kLongestValue));
  }
  std::optional<std::string> out = DecodeUrlEncoded(text);
  if (!out) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("the parameter \"{}\" has a \"%\" without two hexadecimal digits "
                            "after it: write %25 for a percent sign",
                            name));
  }
  if (!IsPlainText(*out)) {
    return Fail(
        ErrorKind::kInvalid,
        fmt::format("the parameter \"{}\" must be UTF-8 text without control characters", name));
  }
  return *std::move(out);
}

}  // namespace

std::optional<std::string> DecodeUrlEncoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

Result<std::optional<std::string>> QueryParameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    std::size_t end = query.find('&');
    std::string_view pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    std::string_view raw =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    ASSIGN_OR_RETURN(std::string value, Decode(name, raw));
    return std::optional(std::move(value));
  }
  return std::optional<std::string>();
}

Result<std::uint64_t> QueryNumber(std::string_view query, std::string_view name,
                                  std::uint64_t fallback) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(query, name));
  if (!text) return fallback;
  std::uint64_t value = 0;
  const char* end = text->data() + text->size();
  auto [stopped, ec] = std::from_chars(text->data(), end, value);
  constexpr std::uint64_t kMost = 1'000'000'000;
  if (ec != std::errc() || stopped != end || value > kMost) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("the parameter \"{}\" must be a whole number up to {}, not \"{}\"",
                            name, kMost, Printable(*text, 40)));
  }
  return value;
}

}  // namespace koya::api
