#include "doctor/login_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"

namespace koya::doctor {
namespace {

namespace json = boost::json;

constexpr std::string_view kLoginStep = "login.v1";
// Clients listen on a port of this range on loopback, and refuse a range that leaves it.
constexpr int kLowestPort = 1024;
constexpr int kHighestPort = 65535;

Finding LoginFails(std::string message, std::string fix) {
  return Failed(std::string(kLoginStep), std::move(message), std::move(fix));
}

std::optional<std::string> String(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(json::string_view(key.data(), key.size()));
  if (value == nullptr || !value->is_string() || value->as_string().empty()) return std::nullopt;
  return std::string(value->as_string().data(), value->as_string().size());
}

// Relative URLs are fine: they are resolved as service URLs are.
void JudgeUrl(const json::object& login, std::string_view key, const http::Url& document,
              Findings& findings) {
  std::optional<std::string> text = String(login, key);
  if (!text) {
    findings.push_back(LoginFails(fmt::format("\"{}\" is missing or not a string", key),
                                  fmt::format("set it to the path of the {} endpoint", key)));
    return;
  }
  Result<http::Url> url = http::ResolveUrl(document, *text);
  if (!url || url->scheme != "https") {
    findings.push_back(LoginFails(
        fmt::format("\"{}\" is \"{}\", which is not an https URL", key, Printable(*text)),
        "passwords and codes are sent there: use https"));
  }
}

// The other grant that exists, password, is used for one public host only. Without grant_types,
// clients take authz_code for granted.
bool OffersAuthorizationCode(const json::object& login) {
  const json::value* types = login.if_contains("grant_types");
  if (types == nullptr) return true;
  return types->is_array() && std::ranges::any_of(types->as_array(), [](const json::value& type) {
           return type.is_string() && type.as_string() == "authz_code";
         });
}

bool IsPort(const json::value& value) {
  return value.is_int64() && value.as_int64() >= kLowestPort && value.as_int64() <= kHighestPort;
}

// The range is half open in the clients: max itself is never tried.
void JudgePorts(const json::object& login, Findings& findings) {
  const json::value* ports = login.if_contains("ports");
  if (ports == nullptr) return;
  bool pair = ports->is_array() && ports->as_array().size() == 2 && IsPort(ports->as_array()[0]) &&
              IsPort(ports->as_array()[1]);
  if (!pair || ports->as_array()[0].as_int64() > ports->as_array()[1].as_int64()) {
    findings.push_back(
        LoginFails(fmt::format("\"ports\" is {}", Printable(json::serialize(*ports), 60)),
                   "use two ports from 1024 to 65535, the lower one first"));
  } else if (ports->as_array()[0].as_int64() == ports->as_array()[1].as_int64()) {
    findings.push_back(
        LoginFails("\"ports\" is a single port: clients never use the upper one, so they find none",
                   "use a range, for example [10000, 10010]"));
  }
}

void JudgeScopes(const json::object& login, Findings& findings) {
  const json::value* scopes = login.if_contains("scopes");
  if (scopes == nullptr) return;
  bool strings =
      scopes->is_array() &&
      std::ranges::all_of(scopes->as_array(), [](const auto& each) { return each.is_string(); });
  if (!strings) {
    findings.push_back(
        LoginFails("\"scopes\" is not an array of strings", "make it an array, or leave it out"));
  }
}

}  // namespace

Findings JudgeLogin(std::string_view value, const http::Url& document) {
  boost::system::error_code failed;
  json::value parsed = json::parse({value.data(), value.size()}, failed);
  if (failed || !parsed.is_object()) {
    return {LoginFails("its value is not an object", "set client, authz, token and ports")};
  }
  const json::object& login = parsed.as_object();
  Findings findings;
  if (!String(login, "client")) {
    findings.push_back(
        LoginFails("\"client\" is missing or not a string", "set it to the OAuth client's id"));
  }
  if (OffersAuthorizationCode(login)) {
    JudgeUrl(login, "authz", document, findings);
  } else {
    findings.push_back(
        LoginFails("\"grant_types\" does not contain \"authz_code\", the one that clients use",
                   "add it, or leave grant_types out"));
  }
  JudgeUrl(login, "token", document, findings);
  JudgePorts(login, findings);
  JudgeScopes(login, findings);
  if (findings.empty())
    findings.push_back(Ok(std::string(kLoginStep), "\"tofu login\" can work with it"));
  return findings;
}

}  // namespace koya::doctor
