// Renders the administrator's pages of users, service accounts, tokens and groups: lists, details,
// and the forms that change them.
//
// Each page is a struct and a function that renders it. Texts may be anything: they are escaped,
// isolated and made well-formed. Pure and thread-safe. REQUIRES of all: frame.csrf is not empty.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/account_record.h"
#include "domain/credential_record.h"
#include "web/common/form_parts.h"
#include "web/common/page_frame.h"
#include "web/common/view.h"

namespace koya::web {

// GET /-/admin/users?q=&page=, and POST: the form of a new one, fields name, admin, password,
// password_again.
struct AdminUsersPage {
  static constexpr std::size_t kMostUsers = 50;

  std::string query = {};
  std::vector<AccountSummary> users = {};  // kMostUsers at most
  ListPart part = {};
  UnixSeconds now = 0;
  std::string name = {};  // of the new one, as typed
  bool as_administrator = false;
  unsigned password_min = 0;  // characters
  FormErrors errors = {};
};
std::string RenderAdminUsers(const PageFrame& frame, const AdminUsersPage& page);

// GET /-/admin/services?q=&page=: the page with service accounts for users. POST: field name of a
// new one, or enable or disable with the name of one.
std::string RenderAdminServices(const PageFrame& frame, const AdminUsersPage& page);

// GET /-/admin/tokens?filter=&page=
struct AdminTokensPage {
  static constexpr std::size_t kMostTokens = 30;

  TokenFilter filter = TokenFilter::kAll;
  std::vector<TokenRecord> tokens = {};  // kMostTokens at most
  ListPart part = {};
  UnixSeconds now = 0;
};
std::string RenderAdminTokens(const PageFrame& frame, const AdminTokensPage& page);

// GET /-/admin/users/{name}, and POST: field do=enable|disable|password|sessions; of password:
// password, password_again.
struct AdminUserPage {
  static constexpr std::size_t kMostRows = 20;  // sessions and tokens
  static constexpr std::size_t kMostGroups = 50;

  AccountSummary user = {};
  std::vector<std::string> groups = {};      // kMostGroups at most
  std::vector<SessionRecord> sessions = {};  // kMostRows at most
  std::vector<TokenRecord> tokens = {};      // kMostRows at most
  std::size_t groups_left_out = 0;
  std::size_t sessions_left_out = 0;
  std::size_t tokens_left_out = 0;
  bool is_reader = false;  // the administrator's own account
  unsigned password_min = 0;
  UnixSeconds now = 0;
  FormErrors errors = {};
};
std::string RenderAdminUser(const PageFrame& frame, const AdminUserPage& page);

// GET /-/admin/groups?q=&page=, and POST: a new one, field name.
struct AdminGroupsPage {
  static constexpr std::size_t kMostGroups = 50;

  std::string query = {};
  std::vector<GroupRecord> groups = {};  // kMostGroups at most
  ListPart part = {};
  std::string name = {};  // of the new one, as typed
  FormErrors errors = {};
};
std::string RenderAdminGroups(const PageFrame& frame, const AdminGroupsPage& page);

// GET /-/admin/groups/{name}?page=, and POST: fields kind, member (to add), or remove ("user:ada").
struct AdminGroupPage {
  static constexpr std::size_t kMostMembers = 50;

  std::string name = {};
  std::vector<MemberRecord> members = {};  // kMostMembers at most
  ListPart part = {};
  std::string kind = {};    // of the new member, as typed
  std::string member = {};  // the same
  FormErrors errors = {};
};
std::string RenderAdminGroup(const PageFrame& frame, const AdminGroupPage& page);

}  // namespace koya::web
