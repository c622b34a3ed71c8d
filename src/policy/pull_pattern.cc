#include "policy/pull_pattern.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/glob.h"
#include "base/text.h"
#include "domain/host_name.h"
#include "domain/provider_address.h"

namespace koya::policy {
namespace {

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// What a part of a pattern is compared with is normal: so must the part be.
using Normalize = Result<std::string> (*)(std::string_view);

Result<std::string> NormalHost(std::string_view part) {
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(part));
  return host.ascii();
}

// Letter case is ignored anyhow.
Result<std::string> NormalProviderNamespace(std::string_view part) {
  return IsAscii(part) ? std::string(part) : NormalizeProviderNamespace(part);
}

Result<std::string> NormalProviderType(std::string_view part) {
  return IsAscii(part) ? std::string(part) : NormalizeProviderType(part);
}

Result<std::string> NormalModulePart(std::string_view part) {
  if (IsAscii(part)) return std::string(part);
  return FailInvalid("a module cannot be named \"{}\": names consist of ASCII letters",
                     Printable(part, 80));
}

// What the letters beside a "*" become depends on those that it stands for, so they must be as
// they will be compared.
Result<std::string> NormalPart(std::string_view part, Normalize normalize) {
  if (!part.contains('*')) return normalize(part);
  if (IsAscii(part)) return std::string(part);
  std::string sample(part);
  std::ranges::replace(sample, '*', 'a');
  Result<std::string> normal = normalize(sample);
  if (normal && *normal == sample) return std::string(part);
  return FailInvalid(
      "\"{}\" has a \"*\": write the rest of it as it is compared, in lower "
      "case, and a host name in punycode (xn--…)",
      Printable(part, 80));
}

}  // namespace

std::vector<std::string> AddressParts(std::string_view key) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= key.size();) {
    std::size_t end = std::min(key.find('/', begin), key.size());
    parts.emplace_back(key.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Result<PullPattern> PullPattern::Parse(std::string_view text) {
  PullPattern pattern;
  pattern.text_ = text;
  pattern.parts_ = AddressParts(text);
  bool whole = std::ranges::none_of(pattern.parts_, &std::string::empty);
  std::size_t size = pattern.parts_.size();
  if ((size != 3 && size != 4) || !whole || !IsPlainText(text)) {
    return FailInvalid(
        "\"{}\" is not a pattern for the mirror: write HOST/NAMESPACE/TYPE for providers or "
        "HOST/NAMESPACE/NAME/SYSTEM for modules, with \"*\" for any characters",
        Printable(text, 80));
  }
  constexpr std::array<Normalize, 3> kOfProvider{NormalHost, NormalProviderNamespace,
                                                 NormalProviderType};
  constexpr std::array<Normalize, 4> kOfModule{NormalHost, NormalModulePart, NormalModulePart,
                                               NormalModulePart};
  for (std::size_t i = 0; i < size; ++i) {
    std::string& part = pattern.parts_[i];
    Result<std::string> normal = NormalPart(part, size == 3 ? kOfProvider[i] : kOfModule[i]);
    if (!normal) {
      return FailInvalid("the pattern \"{}\" would match nothing: {}", Printable(text, 80),
                         normal.error().message);
    }
    part = *std::move(normal);
  }
  return pattern;
}

bool PullPattern::Matches(const std::vector<std::string>& parts) const {
  return std::ranges::equal(parts_, parts, MatchesGlob);
}

}  // namespace koya::policy
