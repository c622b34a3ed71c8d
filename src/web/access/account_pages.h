// Renders the pages of the user's own account: roles, preferences, sessions, password, tokens and
// notifications.
// Each page is a struct and a function that renders it; texts may be anything. Pure and
// thread-safe. REQUIRES of all: frame.csrf and frame.account are not empty.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/credential_record.h"
#include "domain/host_name.h"
#include "domain/namespace_record.h"
#include "domain/watch_record.h"
#include "web/common/form_parts.h"
#include "web/common/page_frame.h"
#include "web/common/page_paths.h"
#include "web/common/view.h"

namespace koya::web {

// As templates see them here, and on the pages of administrators.
inline KOYA_VIEW(SessionRecord, id, method, address, user_agent, created_at, expires_at,
                 last_used_at);
inline KOYA_VIEW(TokenRecord, name, scope, namespaces, account_name, account_kind,
                 account_created_by, created_at, created_by, last_used_at, last_used_from,
                 expires_at);

// The view of a token with the fields of the piece _token_cells.
View TokenView(const PageFrame& frame, const TokenRecord& token, UnixSeconds now);

// Path that revokes a token, and of the page that asks for confirmation.
std::string RevokeTokenPath(std::string_view name);

// GET /-/settings. Forms: to /-/prefs (theme, lang, keys), to /-/settings/sessions (end: an id, or
// "others").
struct SettingsPage {
  bool is_admin = false;
  std::vector<GrantedRole> roles = {};  // some of them
  bool has_more_roles = false;
  std::string method = {};  // of this session: "password", "oidc:NAME"
  std::vector<SessionRecord> sessions = {};
  std::string this_session = {};  // its id
  std::string language = {};      // of the account; "": the browser's
  std::size_t sessions_left_out = 0;
  UnixSeconds now = 0;
};
std::string RenderSettings(const PageFrame& frame, const SettingsPage& page);

// GET and POST /-/settings/password; fields old_password, password, password_again.
struct PasswordPage {
  unsigned password_min = 0;  // characters
  FormErrors errors = {};
  std::chrono::seconds retry_after{0};  // 0: not throttled
};
std::string RenderPassword(const PageFrame& frame, const PasswordPage& page);

// GET /-/settings/tokens.
struct TokensPage {
  std::vector<TokenRecord> tokens = {};
  std::size_t left_out = 0;
  UnixSeconds now = 0;
};
std::string RenderTokens(const PageFrame& frame, const TokensPage& page);

// GET and POST /-/notifications. Forms: do (watch, end) with kind, address, mail; do (seen) with
// latest.
inline constexpr std::string_view kNotificationsAddress = "/-/notifications";
struct ShownNotification {
  Notification event;
  bool is_unseen = false;
};
struct NotificationsPage {
  std::vector<ShownNotification> events = {};
  std::uint64_t unseen = 0;
  std::uint64_t latest = 0;  // an ID, for the form
  std::uint64_t older = 0;   // the next page has IDs below this one; 0: there is none
  bool is_beginning = true;
  std::vector<WatchRecord> watches = {};
  std::size_t watches_left_out = 0;
  bool sends_mail = false;  // whether the server sends mail; else the next two do not matter
  MailAddress address = {};
  std::string typed_email = {};  // in a rejected form
  FormErrors errors = {};
};
// GET and POST /-/notifications/end and /-/notifications/confirm: pages for links in mails. Not for
// the user's session: frame.account may be empty.
inline constexpr std::string_view kEndMailAddress = "/-/notifications/end";
inline constexpr std::string_view kConfirmEmailAddress = "/-/notifications/confirm";
enum class MailLinkState { kMayEnd, kEnded, kMayConfirm, kConfirmed, kExpired };
struct MailLinkPage {
  MailLinkState state = MailLinkState::kMayEnd;
  std::string action = {};  // of the button's form; "": there is none
  std::string key = {};     // a field of the form; "": none
};
std::string RenderMailLink(const PageFrame& frame, const MailLinkPage& page);

std::string RenderNotifications(const PageFrame& frame, const NotificationsPage& page);

// Lifetime of a token as chosen in the form; kUntilDay: the field `until` has the day.
enum class TokenLifetime { kMonth, kQuarter, kYear, kUntilDay };
inline constexpr std::array kTokenEnds{TokenLifetime::kMonth, TokenLifetime::kQuarter,
                                       TokenLifetime::kYear, TokenLifetime::kUntilDay};
constexpr std::string_view TokenEndName(TokenLifetime end) {
  switch (end) {
    case TokenLifetime::kMonth:
      return "30d";
    case TokenLifetime::kQuarter:
      return "90d";
    case TokenLifetime::kYear:
      return "365d";
    case TokenLifetime::kUntilDay:
      return "day";
  }
  return "90d";
}

// GET and POST /-/settings/tokens/new; fields name, scope, namespaces, ends, until.
struct NewTokenPage {
  std::string name = {};   // as typed before, like all other fields
  std::string scope = {};  // any other text counts as "read"
  std::string namespaces =
      {};                 // patterns with blanks or commas between them; "": wherever its maker may
  std::string ends = {};  // a TokenEndName; any other text counts as "90d"
  std::string until = {};  // "2027-01-31"
  std::string url = {};    // of this registry
  FormErrors errors = {};
};
std::string RenderNewToken(const PageFrame& frame, const NewTokenPage& page);

// Response of POST /-/settings/tokens/new: the only page that ever shows a token.
struct MadeTokenPage {
  TokenRecord token;
  std::string text;  // the token, shown once
  std::string url;   // of this registry
  std::optional<HostName>
      host;  // its name, as clients keep tokens for it; nullopt: they take none such
};
std::string RenderMadeToken(const PageFrame& frame, const MadeTokenPage& page);

}  // namespace koya::web
