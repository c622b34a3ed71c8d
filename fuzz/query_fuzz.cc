// Queries of pages and of the API: an accepted value is plain text within its limits and the first
// of its name, numbers are numbers, and nothing else in the query changes it.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "api/common/paging.h"
#include "api/common/query.h"
#include "base/text.h"

namespace {

using koya::api::DecodeUrlEncoded;
using koya::api::QueryNumber;
using koya::api::QueryParameter;

constexpr std::size_t kLongest = 1000;  // bytes of a value as it is sent
constexpr std::string_view kNames[] = {"q", "page", "lang", "a", ""};

void Require(bool holds) {
  if (!holds) std::abort();
}

std::string Escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

// What stands behind the first "NAME=", read in the simplest way there is.
std::optional<std::string> FirstRaw(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(pair.size());
    if (!query.empty()) query.remove_prefix(1);
    const std::string_view key = pair.substr(0, pair.find('='));
    if (key != name) continue;
    return key.size() == pair.size() ? std::string() : std::string(pair.substr(key.size() + 1));
  }
  return std::nullopt;
}

void CheckDecoding(std::string_view text) {
  const std::optional<std::string> decoded = DecodeUrlEncoded(text);
  if (!decoded) {
    Require(text.contains('%'));
    return;
  }
  Require(decoded->size() <= text.size());
  Require(DecodeUrlEncoded(Escaped(*decoded)) == *decoded);
}

void CheckParameter(std::string_view query, std::string_view name) {
  const auto value = QueryParameter(query, name);
  const std::optional<std::string> raw = FirstRaw(query, name);
  if (!value) {
    Require(raw.has_value());  // an absent value is not an error
    const std::string& told = value.error().message;
    Require(!told.empty() && told.size() < 300 && koya::IsUtf8(told));
    Require(raw->size() > kLongest || !DecodeUrlEncoded(*raw) ||
            !koya::IsPlainText(*DecodeUrlEncoded(*raw)));
    return;
  }
  Require(value->has_value() == raw.has_value());
  if (!*value) return;
  Require(raw->size() <= kLongest && koya::IsPlainText(**value));
  Require(DecodeUrlEncoded(*raw) == **value);
  // Neither what comes behind nor what comes before it under another name counts.
  if (name.empty() || query.empty()) return;
  const std::string pair = std::string(name) + "=another";
  Require(QueryParameter(std::string(query) + "&" + pair, name) == value);
  Require(QueryParameter("other" + pair + "&" + std::string(query), name) == value);
  if ((*value)->size() * 3 > kLongest) return;
  Require(QueryParameter(std::string(name) + "=" + Escaped(**value), name) == value);
}

void CheckNumber(std::string_view query) {
  constexpr std::uint64_t kElse = 7;
  const auto number = QueryNumber(query, "page", kElse);
  const auto text = QueryParameter(query, "page");
  koya::http::Request request;
  request.query = query;
  const auto page = koya::api::ReadPageNumber(request);
  if (!number) {
    Require(!number.error().message.empty() && koya::IsUtf8(number.error().message));
    Require(!page);
    return;
  }
  Require(text.has_value() && *number <= 1'000'000'000);
  if (!*text) {
    Require(*number == kElse && page && *page == 1);
    return;
  }
  Require((*text)->find_first_not_of("0123456789") == std::string::npos);
  Require(page.has_value() == (*number >= 1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view query(reinterpret_cast<const char*>(data), size);
  CheckDecoding(query);
  for (std::string_view name : kNames) CheckParameter(query, name);
  CheckNumber(query);
  return 0;
}
