#include "app/setting_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/decimal.h"
#include "base/text.h"
#include "domain/host_name.h"
#include "domain/name_rules.h"
#include "http/address_range.h"
#include "http/url.h"

namespace koya {
namespace {

bool HasControls(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool IsNetwork(std::string_view text) { return http::AddressRange::Parse(text).has_value(); }

bool IsRegistry(std::string_view text) { return HostName::ParseWire(text).has_value(); }

bool IsToken(std::string_view text) {
  std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || !IsRegistry(text.substr(0, equals))) return false;
  std::string_view token = text.substr(equals + 1);
  return !token.empty() &&
         std::ranges::all_of(token, [](unsigned char c) { return c > 0x20 && c < 0x7F; });
}

// What a pattern must match in detail is policy::PullPattern's business.
bool IsPattern(std::string_view text) {
  auto slashes = std::ranges::count(text, '/');
  bool whole = !text.starts_with('/') && !text.ends_with('/') && !text.contains("//");
  return (slashes == 2 || slashes == 3) && whole && IsPlainText(text) && !text.contains(' ');
}

// The parts between the commas. Nothing between two commas, or a part that `accept` does not
// take: nullopt. Empty text is the empty list.
std::optional<TextList> ParseList(std::string_view text, bool (*accept)(std::string_view)) {
  TextList list;
  if (Trim(text).empty()) return list;
  while (true) {
    std::size_t comma = text.find(',');
    std::string_view part = Trim(text.substr(0, comma));
    if (!accept(part)) return std::nullopt;
    list.emplace_back(part);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::chrono::seconds> ParseBetween(std::string_view text, std::chrono::seconds min,
                                                 std::chrono::seconds max) {
  std::optional<std::chrono::seconds> value = ParseDuration(text);
  return value && *value >= min && *value <= max ? value : std::nullopt;
}

}  // namespace

std::optional<bool> ParseSwitch(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}
std::string FormatSwitch(const bool& value) { return value ? "true" : "false"; }

std::optional<std::filesystem::path> ParsePath(std::string_view text) {
  if (text.empty() || text.size() > 4095 || HasControls(text)) return std::nullopt;
  return std::filesystem::path(text);
}
std::string FormatPath(const std::filesystem::path& value) { return value.string(); }

std::string FormatHostPort(const HostPort& value) { return value.ToString(); }

std::optional<std::optional<HostPort>> ParseHostPortOrOff(std::string_view text) {
  if (text == "off") return std::optional<HostPort>();
  std::optional<HostPort> value = HostPort::Parse(text);
  if (!value) return std::nullopt;
  return std::optional<std::optional<HostPort>>(std::in_place, value);
}
std::string FormatHostPortOrOff(const std::optional<HostPort>& value) {
  return value ? value->ToString() : "off";
}

std::optional<std::optional<HostPort>> ParseReachable(std::string_view text) {
  std::optional<HostPort> address = HostPort::Parse(text);
  if (!address || address->port == 0 || address->IsWildcard()) return std::nullopt;
  return std::optional<std::optional<HostPort>>(std::in_place, address);
}

std::string FormatReachable(const std::optional<HostPort>& value) {
  return value ? value->ToString() : "";
}

std::optional<std::string> ParseOrigin(std::string_view text) {
  // libcurl's parser takes a few texts that no client would send back, such as "https:host".
  if (!text.starts_with("https://") && !text.starts_with("http://")) return std::nullopt;
  if (HasControls(text) || text.find_first_of(" \\?#@") != std::string_view::npos) {
    return std::nullopt;
  }
  Result<http::Url> url = http::ParseUrl(text);
  if (!url || url->path != "/" || url->has_user_info || url->PortNumber() == 0) {
    return std::nullopt;
  }
  return url->Origin();
}
std::string FormatText(const std::string& value) { return value; }

std::optional<std::string> ParseMirrorUrl(std::string_view text) {
  if (HasControls(text) || text.find_first_of(" \\?#@") != std::string_view::npos) {
    return std::nullopt;
  }
  Result<http::Url> url = http::ParseUrl(text);
  if (!url || url->scheme != "https" || !HostName::ParseWire(url->Authority())) {
    return std::nullopt;
  }
  return std::string(text);
}

std::optional<std::string> ParseCommand(std::string_view text) {
  constexpr std::size_t kLongest = 4095;
  std::string_view trimmed = Trim(text);
  if (trimmed.empty() || trimmed.size() > kLongest || HasControls(trimmed)) return std::nullopt;
  return std::string(trimmed);
}

std::optional<std::string> ParseSecretText(std::string_view text) {
  constexpr std::size_t kShortest = 16;
  constexpr std::size_t kLongest = 1024;
  if (text.size() < kShortest || text.size() > kLongest) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> ParseAudience(std::string_view text) {
  constexpr std::size_t kLongest = 1024;
  const bool one_word = !HasControls(text) && !text.contains(' ');
  if (text.empty() || text.size() > kLongest || !one_word) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> ParseSentence(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  const bool one_line = IsPlainText(text) && !HasControls(text);
  if (text.empty() || text.size() > kLongest || !one_line) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> ParseWebAddress(std::string_view text) {
  constexpr std::size_t kLongest = 2048;
  const bool is_web = text.starts_with("https://") || text.starts_with("http://");
  const bool is_plain = std::ranges::all_of(text, [](unsigned char c) {
    return c > 0x20 && c < 0x7F &&
           std::string_view("\"'<>\\^`{|}").find(static_cast<char>(c)) == std::string_view::npos;
  });
  if (!is_web || !is_plain || text.size() > kLongest) return std::nullopt;
  Result<http::Url> url = http::ParseUrl(text);
  if (!url || url->has_user_info || url->PortNumber() == 0) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> ParseMailServer(std::string_view text) {
  if (text == "off") return std::string();
  const bool is_mail = text.starts_with("smtp://") || text.starts_with("smtps://");
  const bool is_plain =
      std::ranges::all_of(text, [](unsigned char c) { return c > 0x20 && c < 0x7F; });
  if (!is_mail || !is_plain) return std::nullopt;
  Result<http::Url> url = http::ParseUrl(text);
  const bool is_bare =
      url && !url->has_user_info && url->path == "/" && url->query.empty() && url->fragment.empty();
  if (!is_bare) return std::nullopt;
  return std::string(text);
}

std::string FormatMailServer(const std::string& value) { return value.empty() ? "off" : value; }

std::optional<std::string> ParseMailAddress(std::string_view text) {
  if (!CheckMailAddress(text)) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> ParseCatalogUrl(std::string_view text) {
  if (text == "sqlite") return std::string();
  bool postgres = text.starts_with("postgresql://") || text.starts_with("postgres://");
  if (!postgres || HasControls(text) || text.ends_with("://")) return std::nullopt;
  return std::string(text);
}

std::string FormatCatalogUrl(const std::string& value) { return value.empty() ? "sqlite" : value; }

std::optional<std::string> ParseBlobsUrl(std::string_view text) {
  if (text == "folder") return std::string();
  constexpr std::string_view kScheme = "s3://";
  constexpr std::size_t kLongest = 1024;
  const bool plain = !HasControls(text) && text.find_first_of(" ?#") == std::string_view::npos;
  if (!text.starts_with(kScheme) || text.size() == kScheme.size()) return std::nullopt;
  if (!plain || text.size() > kLongest) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> ParseBackupPlace(std::string_view text) {
  if (text.starts_with("s3://")) return ParseBlobsUrl(text);
  const std::optional<std::filesystem::path> path = ParsePath(text);
  return path && path->is_absolute() ? std::optional(path->string()) : std::nullopt;
}

std::string FormatBlobsUrl(const std::string& value) { return value.empty() ? "folder" : value; }

std::optional<std::string> ParseS3Word(std::string_view text) {
  constexpr std::size_t kLongest = 2048;
  const bool one_word = !HasControls(text) && !text.contains(' ');
  if (text.empty() || text.size() > kLongest || !one_word) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> ParseS3Encryption(std::string_view text) {
  if (text != "AES256" && text != "aws:kms") return std::nullopt;
  return std::string(text);
}

std::optional<std::optional<bool>> ParseS3PathStyle(std::string_view text) {
  if (text == "auto") return std::optional<bool>();
  std::optional<bool> value = ParseSwitch(text);
  if (!value) return std::nullopt;
  return std::optional<std::optional<bool>>(std::in_place, value);
}

std::string FormatS3PathStyle(const std::optional<bool>& value) {
  return value ? FormatSwitch(*value) : "auto";
}

std::optional<RedirectMode> ParseS3Redirect(std::string_view text) {
  if (text == "off") return RedirectMode::kOff;
  if (text == "misses") return RedirectMode::kMisses;
  if (text == "all") return RedirectMode::kAll;
  return std::nullopt;
}

std::string FormatS3Redirect(const RedirectMode& value) {
  switch (value) {
    case RedirectMode::kOff:
      return "off";
    case RedirectMode::kMisses:
      return "misses";
    case RedirectMode::kAll:
      return "all";
  }
  return "";
}

std::optional<TextList> ParseNetworks(std::string_view text) { return ParseList(text, IsNetwork); }
std::optional<TextList> ParseRegistries(std::string_view text) {
  return ParseList(text, IsRegistry);
}
std::optional<TextList> ParsePatterns(std::string_view text) { return ParseList(text, IsPattern); }
std::optional<TextList> ParseTokens(std::string_view text) { return ParseList(text, IsToken); }
std::string FormatList(const TextList& value) { return fmt::format("{}", fmt::join(value, ",")); }

std::string FormatSemverRule(const SemverRule& value) { return std::string(SemverRuleName(value)); }
// A file holds secrets or does not: there is nothing between a warning and a refusal.
std::optional<SemverRule> ParseSecretsRule(std::string_view text) {
  const std::optional<SemverRule> rule = ParseSemverRule(text);
  return rule == SemverRule::kRefuseBreaking ? std::nullopt : rule;
}
std::optional<ModuleLocationForm> ParseModuleLocation(std::string_view text) {
  if (text == "indirect") return ModuleLocationForm::kIndirect;
  if (text == "direct") return ModuleLocationForm::kDirect;
  if (text == "auto") return ModuleLocationForm::kAuto;
  return std::nullopt;
}
std::string FormatModuleLocation(const ModuleLocationForm& value) {
  switch (value) {
    case ModuleLocationForm::kIndirect:
      return "indirect";
    case ModuleLocationForm::kDirect:
      return "direct";
    case ModuleLocationForm::kAuto:
      return "auto";
  }
  return "";
}
std::string FormatVisibility(const Visibility& value) { return std::string(VisibilityName(value)); }
std::optional<std::optional<Visibility>> ParseNewVisibility(std::string_view text) {
  const std::optional<Visibility> value = ParseVisibility(text);
  return value ? std::optional(value) : std::nullopt;
}
std::string FormatNewVisibility(const std::optional<Visibility>& value) {
  return FormatVisibility(value.value_or(Visibility::kInternal));
}

std::optional<Visibility> ParseMirrorVisibility(std::string_view text) {
  std::optional<Visibility> value = ParseVisibility(text);
  return value == Visibility::kPrivate ? std::nullopt : value;
}

std::optional<bool> ParseAnonymous(std::string_view text) {
  if (text == "read") return true;
  if (text == "none") return false;
  return std::nullopt;
}

std::string FormatAnonymous(const bool& value) { return value ? "read" : "none"; }

std::optional<bool> ParseMigrate(std::string_view text) {
  if (text == "wait") return true;
  if (text == "auto") return false;
  return std::nullopt;
}

std::string FormatMigrate(const bool& value) { return value ? "wait" : "auto"; }

std::string FormatLogLevel(const LogLevel& value) { return std::string(LogLevelName(value)); }

std::optional<std::uint64_t> ParseCount(std::string_view text, std::uint64_t min,
                                        std::uint64_t max) {
  auto value = ParseDecimal<std::uint64_t>(text);
  return value && *value >= min && *value <= max ? value : std::nullopt;
}
std::string FormatCount(const std::uint64_t& value) { return std::to_string(value); }

std::optional<std::uint64_t> ParsePercent(std::string_view text) {
  constexpr std::uint64_t kMostPercent = 50;
  if (!text.ends_with('%')) return std::nullopt;
  return ParseCount(text.substr(0, text.size() - 1), 0, kMostPercent);
}

std::string FormatPercent(const std::uint64_t& value) { return fmt::format("{}%", value); }

std::optional<std::uint64_t> ParseBoundedSize(std::string_view text, std::uint64_t min,
                                              std::uint64_t max) {
  std::optional<std::uint64_t> value = ParseSize(text);
  return value && *value >= min && *value <= max ? value : std::nullopt;
}
std::optional<std::uint64_t> ParseRateOrOff(std::string_view text) {
  if (text == "off" || text == "0") return 0;
  return ParseCount(text, 1, 1'000'000);
}
std::string FormatRateOrOff(const std::uint64_t& value) {
  return value == 0 ? "off" : FormatCount(value);
}

std::optional<std::uint64_t> ParseSizeOrOff(std::string_view text) {
  if (text == "off") return 0;
  return kSize.parse(text);
}
std::string FormatSizeOrOff(const std::uint64_t& value) {
  return value == 0 ? "off" : kSize.format(value);
}

std::string FormatByteSize(const std::uint64_t& value) { return FormatSize(value); }

std::optional<std::chrono::seconds> ParseTimeout(std::string_view text) {
  return ParseBetween(text, std::chrono::seconds(1), std::chrono::hours(1));
}
std::optional<std::chrono::seconds> ParseAge(std::string_view text) {
  return ParseBetween(text, std::chrono::seconds(1), std::chrono::days(3650));
}
std::optional<std::chrono::seconds> ParseTimeoutOrNone(std::string_view text) {
  return ParseBetween(text, std::chrono::seconds(0), std::chrono::hours(1));
}
std::optional<std::chrono::seconds> ParseAgeOrNone(std::string_view text) {
  return ParseBetween(text, std::chrono::seconds(0), std::chrono::days(3650));
}
std::string FormatSeconds(const std::chrono::seconds& value) { return FormatDuration(value); }

}  // namespace koya
