#include "domain/name_rules.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "domain/module_address.h"
#include "domain/namespace_record.h"
#include "domain/provider_address.h"

namespace koya {
namespace {

constexpr std::size_t kMaxAccountName = 64;

bool IsAccountNameChar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
         c == '_' || c == '-';
}

// `what` names it in the error: "user". `also`: one more character that is allowed, or 0.
Status CheckNamed(std::string_view what, std::string_view name, char also) {
  bool known = std::ranges::all_of(
      name, [also](char c) { return IsAccountNameChar(c) || (also != 0 && c == also); });
  bool step = name == "." || name == "..";
  if (!name.empty() && name.size() <= kMaxAccountName && known && !step) return {};
  return FailInvalid(
      "the {} name \"{}\" is not allowed: use 1 to {} letters, digits, \".\", "
      "\"_\"{} and \"-\"{}",
      what, Printable(name, 80), kMaxAccountName, also == '@' ? ", \"@\"" : "",
      step ? ", and not dots alone" : "");
}

}  // namespace

Status CheckAccountName(AccountKind kind, std::string_view name) {
  return kind == AccountKind::kUser ? CheckNamed("user", name, '@')
                                    : CheckNamed("service account", name, 0);
}

Status CheckGroupName(std::string_view name) { return CheckNamed("group", name, 0); }

Status CheckGranteeName(GranteeKind kind, std::string_view name) {
  switch (kind) {
    case GranteeKind::kUser:
      return CheckAccountName(AccountKind::kUser, name);
    case GranteeKind::kGroup:
      return CheckGroupName(name);
    case GranteeKind::kService:
      return CheckAccountName(AccountKind::kService, name);
  }
  return {};
}

Result<std::string> ParseNamespaceName(std::string_view text) {
  Result<ModuleAddress> module = ModuleAddress::FromParts(text, "any", "any");
  if (module) return module->ns();
  // A module's namespace allows every ASCII character that a provider's does: report the module's
  // rule.
  bool ascii =
      std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return std::unexpected(std::move(module).error());
  return NormalizeProviderNamespace(text);
}

bool IsReservedNamespace(std::string_view ns) {
  constexpr std::array<std::string_view, 17> kWords{
      "-",      "api",       "builtin", "download", "feeds",      "hooks",
      "log",    "login",     "mirror",  "modules",  "namespaces", "oauth",
      "origin", "providers", "search",  "v1",       "v2"};
  return std::ranges::any_of(kWords,
                             [ns](std::string_view word) { return EqualsIgnoreCase(ns, word); });
}

namespace {

constexpr std::size_t kLongestAddress = 254;  // RFC 5321, 4.5.3.1.3

}  // namespace

Status CheckMailAddress(std::string_view address) {
  const std::size_t at = address.find('@');
  const bool is_plain = std::ranges::all_of(address, [](unsigned char c) {
    return c > 0x20 && c < 0x7F &&
           std::string_view("\"(),:;<>[\\]").find(static_cast<char>(c)) == std::string_view::npos;
  });
  const bool has_parts = at != std::string_view::npos && at > 0 && at + 1 < address.size() &&
                         address.find('@', at + 1) == std::string_view::npos &&
                         address.substr(at).find("..") == std::string_view::npos &&
                         !address.ends_with('.') && address[at + 1] != '.';
  if (is_plain && has_parts && address.size() <= kLongestAddress) return {};
  return FailInvalid(
      "\"{}\" is no e-mail address: write NAME@DOMAIN, in ASCII, at most {} characters",
      Printable(address, 80), kLongestAddress);
}

}  // namespace koya
