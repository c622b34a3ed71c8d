#include "web/access/admin_accounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "web/access/account_pages.h"
#include "web/common/admin_parts.h"
#include "web/common/template_engine.h"

namespace koya::web {
KOYA_VIEW(AccountRecord, name, admin, disabled_at, created_by, created_at);
KOYA_VIEW(AccountSummary, account, email, provider, has_password, groups, last_used_at,
          token_count);
KOYA_VIEW(GroupRecord, name, created_at, created_by);
KOYA_VIEW(MemberRecord, kind, name, source);
KOYA_VIEW(AdminUsersPage, query, as_administrator, now);
KOYA_VIEW(AdminUserPage, is_reader, groups_left_out, sessions_left_out, tokens_left_out, now);
KOYA_VIEW(AdminGroupsPage, query, groups);
KOYA_VIEW(AdminGroupPage, name, members, kind);

namespace {

View UserView(const AccountSummary& user) {
  return View().Of(user).Set(
      "more_groups",
      user.group_count - std::min<std::uint64_t>(user.group_count, user.groups.size()));
}

View SessionView(const SessionRecord& session) {
  return View().Of(session).Set("used_at", session.last_used_at.value_or(session.created_at));
}

FormField PasswordField(std::string_view name, bool has_hint) {
  return {.name = name,
          .type = "password",
          .autocomplete = "new-password",
          .most = 1000,
          .has_hint = has_hint};
}

View NameField(const PageFrame& frame, const FormErrors& errors, std::string_view name,
               std::string_view value, bool has_hint) {
  return FieldView(
      frame.language, errors,
      {.name = name, .value = value, .most = 64, .is_required = true, .has_hint = has_hint});
}

void AddPasswordFields(View& view, const PageFrame& frame, const FormErrors& errors,
                       unsigned least) {
  view.Set("f_password", FieldView(frame.language, errors, PasswordField("password", true)))
      .Set("f_again", FieldView(frame.language, errors, PasswordField("password_again", false)))
      .Set("min", least);
}

std::string ListPathWith(AdminTab tab, const std::string& query) {
  return query.empty() ? AdminPath(tab) : PathWith(AdminPath(tab), "q", query);
}

}  // namespace

std::string RenderAdminUsers(const PageFrame& frame, const AdminUsersPage& page) {
  View view = AdminView(frame, AdminTab::kUsers, "").Of(page);
  view.List("users", page.users, UserView)
      .Set("f_name", NameField(frame, page.errors, "name", page.name, true));
  AddPasswordFields(view, frame, page.errors, page.password_min);
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, "koya user create NAME [--admin] --password-stdin");
  AddPager(view, page.part, ListPathWith(AdminTab::kUsers, page.query));
  return RenderTemplate("admin_users", frame.language, view);
}

std::string RenderAdminServices(const PageFrame& frame, const AdminUsersPage& page) {
  View view = AdminView(frame, AdminTab::kServices, "").Of(page);
  view.List("services", page.users,
            [](const AccountSummary& service) {
              return UserView(service).Set("service_name", service.account.name);
            })
      .Set("f_name", NameField(frame, page.errors, "name", page.name, true));
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view,
             "koya service list\nkoya service create NAME\nkoya token create NAME --service NAME");
  AddPager(view, page.part, ListPathWith(AdminTab::kServices, page.query));
  return RenderTemplate("admin_services", frame.language, view);
}

std::string RenderAdminTokens(const PageFrame& frame, const AdminTokensPage& page) {
  View view = AdminView(frame, AdminTab::kTokens, "").Set("filter", page.filter);
  view.List("tokens", page.tokens,
            [&](const TokenRecord& token) { return TokenView(frame, token, page.now); });
  const std::string filter(TokenFilterName(page.filter));
  AddCommand(view, filter.empty() ? "koya token list" : "koya token list --filter " + filter);
  const std::string path = AdminPath(AdminTab::kTokens);
  AddPager(view, page.part, filter.empty() ? path : PathWith(path, "filter", filter));
  return RenderTemplate("admin_tokens", frame.language, view);
}

std::string RenderAdminUser(const PageFrame& frame, const AdminUserPage& page) {
  const AccountRecord& account = page.user.account;
  View view = AdminView(frame, AdminTab::kUsers, "").Of(page);
  view.Set("user", UserView(page.user))
      .Set("user_name", account.name)
      .Set("disabled_at", account.disabled_at)
      .Set("all_groups", page.groups)
      .List("sessions", page.sessions, SessionView)
      .Set("tokens", page.tokens);
  AddPasswordFields(view, frame, page.errors, page.password_min);
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view,
             fmt::format("koya user {0} {1}\nkoya user password {1}\n"
                         "koya session end --user {1}\nkoya user delete {1}",
                         account.disabled_at ? "enable" : "disable", ShellWord(account.name)));
  return RenderTemplate("admin_user", frame.language, view);
}

std::string RenderAdminGroups(const PageFrame& frame, const AdminGroupsPage& page) {
  View view = AdminView(frame, AdminTab::kGroups, "").Of(page);
  const bool is_empty = page.groups.empty();
  view.Set("found_nothing", is_empty && !page.query.empty())
      .Set("has_nothing", is_empty && page.query.empty())
      .Set("f_name", NameField(frame, page.errors, "name", page.name, true));
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, "koya group create NAME");
  AddPager(view, page.part, ListPathWith(AdminTab::kGroups, page.query));
  return RenderTemplate("admin_groups", frame.language, view);
}

std::string RenderAdminGroup(const PageFrame& frame, const AdminGroupPage& page) {
  View view = AdminView(frame, AdminTab::kGroups, "").Of(page);
  view.Set("f_kind", FieldView(frame.language, page.errors, {.name = "kind", .has_hint = false}))
      .Set("f_member", NameField(frame, page.errors, "member", page.member, false));
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, fmt::format("koya group add {0} --user NAME\nkoya group remove {0} --user NAME\n"
                               "koya group delete {0}",
                               ShellWord(page.name)));
  AddPager(view, page.part, AdminPath(AdminTab::kGroups, page.name));
  return RenderTemplate("admin_group", frame.language, view);
}

}  // namespace koya::web
