#include "domain/protocol_version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/decimal.h"
#include "base/text.h"

namespace koya {
namespace {

constexpr std::size_t kMaxProtocols = 32;

using Numbers = std::pair<std::uint32_t, std::uint32_t>;

// One number without leading zeros, below 2^31.
std::optional<std::uint32_t> ParseNumber(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  constexpr auto kMax = static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
  auto value = ParseDecimal<std::uint32_t>(text);
  return value && *value <= kMax ? value : std::nullopt;
}

Result<Numbers> ParseProtocol(std::string_view text) {
  std::size_t dot = text.find('.');
  if (dot != std::string_view::npos) {
    auto major = ParseNumber(text.substr(0, dot));
    auto minor = ParseNumber(text.substr(dot + 1));
    if (major && minor) return Numbers(*major, *minor);
  }
  return FailInvalid(
      "\"{}\" is not a protocol version: write MAJOR.MINOR, for example 5.0 or "
      "6.0",
      Printable(text, 40));
}

}  // namespace

Status CheckProtocolVersion(std::string_view text) {
  RETURN_IF_ERROR(ParseProtocol(text));
  return {};
}

Result<std::vector<std::string>> NormalizeProtocols(std::vector<std::string> protocols) {
  if (protocols.empty()) {
    return FailInvalid(
        "the list of protocol versions is empty: name what the provider speaks, for "
        "example \"5.0\" or \"6.0\"");
  }
  if (protocols.size() > kMaxProtocols) {
    return FailInvalid("the list has {} protocol versions; use at most {}", protocols.size(),
                       kMaxProtocols);
  }
  std::vector<Numbers> numbers;
  for (const std::string& text : protocols) {
    ASSIGN_OR_RETURN(Numbers parsed, ParseProtocol(text));
    numbers.push_back(parsed);
  }
  std::ranges::sort(numbers);
  auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  protocols.clear();
  for (auto [major, minor] : numbers) protocols.push_back(fmt::format("{}.{}", major, minor));
  return protocols;
}

}  // namespace koya
