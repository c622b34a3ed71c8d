#include "domain/module_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace koya {
namespace {

constexpr std::size_t kMaxPart = 64;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsAlnum(char c) { return IsDigit(c) || IsLower(c) || (c >= 'A' && c <= 'Z'); }

Failure BadPart(std::string_view what, std::string_view part, std::string_view rule) {
  return FailInvalid("{} \"{}\" is not allowed: {}", what, Printable(part, 80), rule);
}

Status CheckLength(std::string_view what, std::string_view part) {
  if (part.empty()) {
    return FailInvalid(
        "the {} is empty: an address is NAMESPACE/NAME/SYSTEM, for example "
        "acme/vpc/aws",
        what);
  }
  if (part.size() > kMaxPart) {
    return BadPart(what, part,
                   fmt::format("it has {} characters; use at most {}", part.size(), kMaxPart));
  }
  return {};
}

Status CheckName(std::string_view what, std::string_view part) {
  RETURN_IF_ERROR(CheckLength(what, part));
  bool all_known =
      std::ranges::all_of(part, [](char c) { return IsAlnum(c) || c == '-' || c == '_'; });
  if (!all_known) return BadPart(what, part, "use letters, digits, \"-\" and \"_\" only");
  if (!IsAlnum(part.front()) || !IsAlnum(part.back())) {
    return BadPart(what, part, "begin and end it with a letter or a digit");
  }
  return {};
}

Status CheckSystem(std::string_view part) {
  RETURN_IF_ERROR(CheckLength("system", part));
  bool all_known = std::ranges::all_of(part, [](char c) { return IsDigit(c) || IsLower(c); });
  if (!all_known) return BadPart("system", part, "use lower-case letters and digits only");
  return {};
}

}  // namespace

Result<ModuleAddress> ModuleAddress::Parse(std::string_view text) {
  if (std::ranges::count(text, '/') != 2) {
    return FailInvalid(
        "\"{}\" is not a module address: write NAMESPACE/NAME/SYSTEM, for "
        "example acme/vpc/aws",
        Printable(text));
  }
  std::size_t first = text.find('/');
  std::size_t second = text.find('/', first + 1);
  return FromParts(text.substr(0, first), text.substr(first + 1, second - first - 1),
                   text.substr(second + 1));
}

Result<ModuleAddress> ModuleAddress::FromParts(std::string_view ns, std::string_view name,
                                               std::string_view system) {
  RETURN_IF_ERROR(CheckName("namespace", ns));
  RETURN_IF_ERROR(CheckName("name", name));
  RETURN_IF_ERROR(CheckSystem(system));
  return ModuleAddress(std::string(ns), std::string(name), std::string(system));
}

std::string ModuleAddress::Key() const { return AsciiLower(ToString()); }

std::string ReservedReason(const ModuleAddress& address) {
  // Words that stand where a namespace or name stands in /v1/modules/… and /api/v1/….
  constexpr std::array<std::string_view, 2> kNamespaces{"search", "builtin"};
  constexpr std::array<std::string_view, 3> kNames{"versions", "download", "search"};
  for (std::string_view word : kNamespaces) {
    if (EqualsIgnoreCase(address.ns(), word)) {
      return fmt::format("the namespace \"{}\" is reserved: {}; choose another namespace", word,
                         word == "builtin" ? "clients use it for what they have built in"
                                           : "the registry API uses the word itself");
    }
  }
  for (std::string_view word : kNames) {
    if (EqualsIgnoreCase(address.name(), word)) {
      return fmt::format(
          "the module name \"{}\" is reserved: the registry API uses the word itself; choose "
          "another name",
          word);
    }
  }
  if (address.system() == "versions" || address.system() == "download") {
    return fmt::format(
        "the system \"{}\" is reserved: the registry API uses the word itself; choose another",
        address.system());
  }
  return {};
}

}  // namespace koya
