#include "web/access/admin_accounts.h"

#include <fmt/format.h>

#include <utility>

#include "web/common/admin_parts.h"
#include "web/common/template_engine.h"

namespace koya::web {
namespace {

std::vector<View> GroupLinks(const std::vector<std::string>& groups) {
  std::vector<View> views;
  for (const std::string& group : groups) {
    views.push_back(
        View().Text("group_name", group).Text("group_path", AdminPath(AdminTab::kGroups, group)));
  }
  return views;
}

// Row of a user: identity, sign-in method, and last use.
View UserView(const PageFrame& frame, const AccountSummary& user, UnixSeconds now) {
  const bool was_seen = user.last_used_at.has_value();
  const UnixSeconds seen = user.last_used_at.value_or(0);
  View view;
  view.Text("user_name", user.account.name)
      .Text("user_path", AdminPath(AdminTab::kUsers, user.account.name))
      .Text("user_email", user.email)
      .Flag("is_admin", user.account.admin)
      .Flag("is_disabled", user.account.disabled_at.has_value())
      .Text("provider", user.provider)
      .Flag("has_password", user.has_password)
      .Flag("has_no_way_in", user.provider.empty() && !user.has_password)
      .List("user_groups", GroupLinks(user.groups))
      .Text("more_groups", user.group_count > user.groups.size()
                               ? NumberText(user.group_count - user.groups.size())
                               : "")
      .Flag("was_seen", was_seen)
      .Text("seen_ago", was_seen ? AgoText(frame.language, seen, now) : "");
  AddMoment(view, "seen", frame.language, seen);
  return view;
}

View SessionView(const PageFrame& frame, const SessionRecord& session, UnixSeconds now) {
  const UnixSeconds used = session.last_used_at.value_or(session.created_at);
  View view;
  view.Text("session_method", session.method)
      .Text("session_address", session.address)
      .Text("session_agent", session.user_agent)
      .Text("used_ago", AgoText(frame.language, used, now));
  AddMoment(view, "used", frame.language, used);
  return view;
}

View TokenView(const PageFrame& frame, const TokenRecord& token, const std::string& user,
               UnixSeconds now) {
  std::vector<View> patterns;
  for (const std::string& pattern : token.namespaces) {
    patterns.push_back(View().Text("pattern", pattern));
  }
  View view;
  view.Text("token_name", token.name)
      .Flag("is_for_all", token.namespaces.empty())
      .List("patterns", std::move(patterns))
      .Text("token_scope", ScopeName(token.scope))
      .Text("revoke_path", PathWith(RevokeAnyTokenPath(token.name), "user", user))
      .Flag("was_used", token.last_used_at.has_value())
      .Text("used_from", token.last_used_from)
      .Text("used_ago", token.last_used_at ? AgoText(frame.language, *token.last_used_at, now) : "")
      .Flag("ends", token.expires_at.has_value());
  AddTime(view, "made", frame.language, token.created_at);
  AddMoment(view, "used", frame.language, token.last_used_at.value_or(0));
  AddTime(view, "end", frame.language, token.expires_at.value_or(0));
  return view;
}

FormField PasswordField(std::string_view name, bool has_hint) {
  return {.name = name,
          .type = "password",
          .autocomplete = "new-password",
          .most = 1000,
          .has_hint = has_hint};
}

void AddPasswordFields(View& view, const PageFrame& frame, const FormErrors& errors,
                       unsigned least) {
  view.Maybe("f_password", FieldView(frame.language, errors, PasswordField("password", true)))
      .Maybe("f_again", FieldView(frame.language, errors, PasswordField("password_again", false)))
      .Text("min", fmt::to_string(least));
}

std::string ListPathWith(AdminTab tab, const std::string& query) {
  return query.empty() ? AdminPath(tab) : PathWith(AdminPath(tab), "q", query);
}

View MemberView(const MemberRecord& member) {
  const bool is_user = member.kind == AccountKind::kUser;
  return View()
      .Text("member_name", member.name)
      .Text("member_path", is_user ? AdminPath(AdminTab::kUsers, member.name) : "")
      .Flag("to_user", is_user)
      .Flag("to_group", false)
      .Flag("to_service", !is_user)
      .Text("grantee", member.name)
      .Text("member_source", member.source)
      .Text("member_value", fmt::format("{}:{}", AccountKindName(member.kind), member.name));
}

}  // namespace

std::string RenderAdminUsers(const PageFrame& frame, const AdminUsersPage& page) {
  std::vector<View> users;
  for (const AccountSummary& each : page.users) users.push_back(UserView(frame, each, page.now));
  const bool has_users = !users.empty();
  View view = AdminView(frame, AdminTab::kUsers, "");
  view.Text("query", page.query)
      .Flag("has_users", has_users)
      .Flag("found_nothing", !has_users)
      .List("users", std::move(users))
      .Flag("as_administrator", page.as_administrator)
      .Maybe("f_name", FieldView(frame.language, page.errors,
                                 {.name = "name",
                                  .value = page.name,
                                  .most = 64,
                                  .is_required = true,
                                  .has_hint = true}));
  AddPasswordFields(view, frame, page.errors, page.password_min);
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, "koya user create NAME [--admin] --password-stdin");
  AddPager(view, page.part, ListPathWith(AdminTab::kUsers, page.query));
  return RenderTemplate("admin_users", frame.language, view);
}

std::string RenderAdminUser(const PageFrame& frame, const AdminUserPage& page) {
  const std::string& name = page.user.account.name;
  std::vector<View> sessions, tokens;
  for (const auto& each : page.sessions) sessions.push_back(SessionView(frame, each, page.now));
  for (const auto& each : page.tokens) tokens.push_back(TokenView(frame, each, name, page.now));
  auto left_out = [](std::size_t count) { return count == 0 ? "" : NumberText(count); };
  View user = UserView(frame, page.user, page.now);
  user.Text("created_by", page.user.account.created_by);
  AddTime(user, "created", frame.language, page.user.account.created_at);
  AddTime(user, "disabled", frame.language, page.user.account.disabled_at.value_or(0));
  View view = AdminView(frame, AdminTab::kUsers, "");
  view.Text("title_user", name)
      .Maybe("user", std::move(user))
      .Text("name", name)
      .Text("user_path", AdminPath(AdminTab::kUsers, name))
      .Text("delete_path", AdminPath(AdminTab::kUsers, name) + "/delete")
      .Flag("is_disabled", page.user.account.disabled_at.has_value())
      .Flag("is_reader", page.is_reader)
      .List("groups", GroupLinks(page.groups))
      .Flag("has_groups", !page.groups.empty())
      .Text("more_user_groups", left_out(page.groups_left_out))
      .Flag("has_sessions", !sessions.empty())
      .List("sessions", std::move(sessions))
      .Text("more_sessions", left_out(page.sessions_left_out))
      .Flag("has_tokens", !tokens.empty())
      .List("tokens", std::move(tokens))
      .Text("more_tokens", left_out(page.tokens_left_out));
  AddPasswordFields(view, frame, page.errors, page.password_min);
  AddFormErrors(view, frame.language, page.errors);
  const std::string word = ShellWord(name);
  AddCommand(
      view,
      fmt::format("koya user {} {}\nkoya user password {}\nkoya session end --user {}\n"
                  "koya user delete {}",
                  page.user.account.disabled_at ? "enable" : "disable", word, word, word, word));
  return RenderTemplate("admin_user", frame.language, view);
}

std::string RenderAdminGroups(const PageFrame& frame, const AdminGroupsPage& page) {
  std::vector<View> groups;
  for (const GroupRecord& each : page.groups) {
    View view;
    view.Text("group_name", each.name)
        .Text("group_path", AdminPath(AdminTab::kGroups, each.name))
        .Text("group_by", each.created_by);
    AddTime(view, "made", frame.language, each.created_at);
    groups.push_back(std::move(view));
  }
  const bool has_groups = !groups.empty();
  View view = AdminView(frame, AdminTab::kGroups, "");
  view.Text("query", page.query)
      .Flag("has_groups", has_groups)
      .Flag("found_nothing", !has_groups && !page.query.empty())
      .Flag("has_nothing", !has_groups && page.query.empty())
      .List("groups", std::move(groups))
      .Maybe("f_name", FieldView(frame.language, page.errors,
                                 {.name = "name",
                                  .value = page.name,
                                  .most = 64,
                                  .is_required = true,
                                  .has_hint = true}));
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, "koya group create NAME");
  AddPager(view, page.part, ListPathWith(AdminTab::kGroups, page.query));
  return RenderTemplate("admin_groups", frame.language, view);
}

std::string RenderAdminGroup(const PageFrame& frame, const AdminGroupPage& page) {
  std::vector<View> members;
  for (const MemberRecord& each : page.members) members.push_back(MemberView(each));
  const std::string path = AdminPath(AdminTab::kGroups, page.name);
  View view = AdminView(frame, AdminTab::kGroups, "");
  view.Text("title_group", page.name)
      .Text("name", page.name)
      .Text("group_path", path)
      .Text("delete_path", path + "/delete")
      .Flag("has_members", !members.empty())
      .List("members", std::move(members))
      .Flag("of_service", page.kind == "service")
      .Flag("of_user", page.kind != "service")
      .Maybe("f_kind", FieldView(frame.language, page.errors, {.name = "kind", .has_hint = false}))
      .Maybe("f_member", FieldView(frame.language, page.errors,
                                   {.name = "member",
                                    .value = page.member,
                                    .most = 64,
                                    .is_required = true,
                                    .has_hint = false}));
  AddFormErrors(view, frame.language, page.errors);
  const std::string word = ShellWord(page.name);
  AddCommand(view, fmt::format("koya group add {} --user NAME\nkoya group remove {} --user NAME\n"
                               "koya group delete {}",
                               word, word, word));
  AddPager(view, page.part, path);
  return RenderTemplate("admin_group", frame.language, view);
}

}  // namespace koya::web
