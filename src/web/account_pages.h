// What is somebody's own: who they are here, how pages look to them, where they are signed in,
// their password and their tokens. Each page is a struct and a function that renders it; texts may
// be anything. Pure and thread-safe. REQUIRES of all: frame.csrf and frame.account are not empty.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/host_name.h"
#include "domain/namespace_record.h"
#include "domain/sign_in_record.h"
#include "domain/token_record.h"
#include "web/addresses.h"
#include "web/form_parts.h"
#include "web/page_frame.h"

namespace koya::web {

// Where a token is revoked, and the page that asks whether it is to be.
std::string RevokeTokenPath(std::string_view name);

// GET /-/settings. Forms: to /-/prefs (theme, lang, keys), to /-/settings/sessions (end: an id, or
// "others").
struct SettingsPage {
  bool is_admin = false;
  std::vector<HeldRole> roles = {};  // some of them
  bool has_more_roles = false;
  std::string method = {};  // of this session: "password", "oidc:NAME"
  std::vector<SessionRecord> sessions = {};
  std::string this_session = {};  // its id
  std::string language = {};      // of the account; "": as the browser says
  std::size_t sessions_left_out = 0;
  UnixSeconds now = 0;
};
std::string RenderSettings(const PageFrame& frame, const SettingsPage& page);

// GET and POST /-/settings/password; fields old_password, password, password_again.
struct PasswordPage {
  unsigned password_min = 0;  // characters
  FormErrors errors = {};
  std::chrono::seconds retry_after{0};  // 0: there were not too many attempts
};
std::string RenderPassword(const PageFrame& frame, const PasswordPage& page);

// GET /-/settings/tokens.
struct TokensPage {
  std::vector<TokenRecord> tokens = {};
  std::size_t left_out = 0;
  UnixSeconds now = 0;
};
std::string RenderTokens(const PageFrame& frame, const TokensPage& page);

// How long a token lasts, as the form says it; kUntilDay: the field `until` has the day.
enum class TokenEnd { kMonth, kQuarter, kYear, kUntilDay };
inline constexpr std::array kTokenEnds{TokenEnd::kMonth, TokenEnd::kQuarter, TokenEnd::kYear,
                                       TokenEnd::kUntilDay};
constexpr std::string_view TokenEndName(TokenEnd end) {
  switch (end) {
    case TokenEnd::kMonth:
      return "30d";
    case TokenEnd::kQuarter:
      return "90d";
    case TokenEnd::kYear:
      return "365d";
    case TokenEnd::kUntilDay:
      return "day";
  }
  return "90d";
}

// GET and POST /-/settings/tokens/new; fields name, scope, namespaces, ends, until.
struct NewTokenPage {
  std::string name = {};   // as typed before, as all the others
  std::string scope = {};  // whatever is no scope is taken for "read"
  std::string namespaces =
      {};                 // patterns with blanks or commas between them; "": wherever its maker may
  std::string ends = {};  // a TokenEndName; whatever is none is taken for "90d"
  std::string until = {};  // "2027-01-31"
  std::string url = {};    // of this registry
  FormErrors errors = {};
};
std::string RenderNewToken(const PageFrame& frame, const NewTokenPage& page);

// What POST /-/settings/tokens/new answers: the only page that ever has a token.
struct MadeTokenPage {
  TokenRecord token;
  std::string text;  // what is shown once
  std::string url;   // of this registry
  std::optional<HostName>
      host;  // its name, as clients keep tokens for it; nullopt: they take none such
};
std::string RenderMadeToken(const PageFrame& frame, const MadeTokenPage& page);

}  // namespace koya::web
