// Users, for administrators.
#include <algorithm>
#include <utility>

#include "api/common/admin_answer.h"
#include "api/common/page_number.h"
#include "api/common/route.h"
#include "auth/password.h"
#include "base/text.h"
#include "domain/name_rules.h"
#include "domain/page.h"
#include "service/access/accounts.h"
#include "service/access/tokens.h"
#include "service/sign_in/sessions.h"
#include "service/sign_in/sign_in.h"
#include "web/access/admin_accounts.h"
#include "web/common/admin_parts.h"

namespace koya::api {
namespace {

using web::AdminTab;
using web::AdminUserPage;
using web::AdminUsersPage;
constexpr AccountKind kOfUser = AccountKind::kUser;

std::string UserPath(std::string_view name) { return web::AdminPath(AdminTab::kUsers, name); }

// To the list, since who was asked for is not there any more.
http::Response UserIsGone(PageContext& visit, const std::string& name) {
  const web::Notice notice{.key = "user_gone", .what = name};
  return visit.GoTo(web::AdminPath(AdminTab::kUsers), notice);
}

// ---- the list

Task<AdminUsersPage> ReadUsers(Call& call, std::string query, std::uint64_t number) {
  constexpr std::uint64_t kSize = AdminUsersPage::kMostUsers;
  const PageRequest wanted{.offset = (number - 1) * kSize, .limit = kSize};
  AdminUsersPage page{.query = query, .now = call.services.clock.Now()};
  page.password_min = auth::kShortestPassword;
  AccountFilter filter{.kind = kOfUser, .query = std::move(query)};
  ASSIGN_OR_CO_RETURN(Page<AccountSummary> found, co_await call.services.rights.accounts.Browse(
                                                      call.principal, std::move(filter), wanted));
  page.part = {.offset = wanted.offset,
               .shown = found.items.size(),
               .size = kSize,
               .total = 0,
               .more = found.more};
  page.users = std::move(found.items);
  co_return page;
}

// Checks a password that is typed twice; "" means no password, if `is_needed` is false.
void CheckTyped(const Form& form, std::string_view user, bool is_needed, web::FormErrors& errors) {
  const std::string& password = form.Get("password");
  if (password.empty() && form.Get("password_again").empty() && !is_needed) return;
  const Status good = auth::CheckNewPassword(password, user);
  if (!good) errors.AddError("password", web::Refusal::Of(good.error(), web::Typed::kPassword));
  if (password != form.Get("password_again")) errors.Add("password_again", "passwords_differ");
}

Task<http::Response> RefusedUser(Call& call, const PageContext& visit, const Form& form,
                                 web::FormErrors errors) {
  ASSIGN_OR_CO_RETURN(AdminUsersPage page, co_await ReadUsers(call, "", 1));
  page.name = form.Get("name");
  page.as_administrator = form.Get("admin") == "yes";
  page.errors = std::move(errors);
  co_return visit.Page(422, web::RenderAdminUsers(visit.Frame(), page));
}

// ---- one of them

Task<AdminUserPage> ReadUser(Call& call, std::string name) {
  AdminUserPage page{.now = call.services.clock.Now()};
  page.password_min = auth::kShortestPassword;
  ASSIGN_OR_CO_RETURN(
      page.user, co_await call.services.rights.accounts.Describe(call.principal, kOfUser, name));
  ASSIGN_OR_CO_RETURN(
      page.groups, co_await call.services.rights.accounts.GroupsOf(call.principal, kOfUser, name));
  ASSIGN_OR_CO_RETURN(page.sessions,
                      co_await call.services.sign_in.sessions.List(call.principal, name));
  ASSIGN_OR_CO_RETURN(page.tokens, co_await call.services.rights.tokens.List(call.principal));
  const std::string id = page.user.account.id;
  std::erase_if(page.tokens, [&id](const TokenRecord& token) { return token.account_id != id; });
  page.groups_left_out = CutTo(page.groups, AdminUserPage::kMostGroups);
  page.sessions_left_out = CutTo(page.sessions, AdminUserPage::kMostRows);
  page.tokens_left_out = CutTo(page.tokens, AdminUserPage::kMostRows);
  page.is_reader = call.principal.account_id() == id;
  co_return page;
}

// The page again, saying why nothing was done.
Task<http::Response> RefusedChange(Call& call, const PageContext& visit, std::string name,
                                   web::FormErrors errors) {
  ASSIGN_OR_CO_RETURN(AdminUserPage page, co_await ReadUser(call, std::move(name)));
  page.errors = std::move(errors);
  co_return visit.Page(422, web::RenderAdminUser(visit.Frame(), page));
}

// Fails: as the services; kInvalid: there is no such thing to do.
Task<void> DoToUser(Call& call, std::string what, std::string name, std::string password) {
  Services& services = call.services;
  if (what == "enable") {
    CO_RETURN_IF_ERROR(co_await services.rights.accounts.Enable(call.principal, kOfUser, name));
  } else if (what == "disable") {
    CO_RETURN_IF_ERROR(co_await services.rights.accounts.Disable(call.principal, kOfUser, name));
  } else if (what == "sessions") {
    CO_RETURN_IF_ERROR(co_await services.sign_in.sessions.EndAllOf(call.principal, name));
  } else if (what == "password") {
    CO_RETURN_IF_ERROR(
        co_await services.sign_in.sign_in.SetPassword(call.principal, name, std::move(password)));
  } else {
    co_return FailInvalid("the field \"do\" must be enable, disable, sessions or password");
  }
  co_return Status();
}

std::string_view NoticeOf(std::string_view what) {
  if (what == "enable") return "user_enabled";
  if (what == "disable") return "user_disabled";
  return what == "sessions" ? "user_signed_out" : "user_password";
}

web::ConfirmPage DeleteUserPage(const std::string& name) {
  return {.key = "delete_user",
          .what = name,
          .action = UserPath(name) + "/delete",
          .back = UserPath(name),
          .command = "koya user delete " + web::ShellWord(name),
          .must_type = true};
}

// Errors of a deletion; empty: it succeeded.
web::FormErrors ErrorsOfDelete(const Status& deleted) {
  web::FormErrors errors;
  if (deleted) return errors;
  if (deleted.error().kind == ErrorKind::kConflict) return errors.Add("", "last_administrator");
  return errors.AddError("", web::Refusal::Of(deleted.error()));
}

std::string BackFromToken(const std::string& user) {
  return CheckAccountName(kOfUser, user) ? UserPath(user) : web::AdminPath(AdminTab::kUsers);
}

Status CheckAskedUser(std::string_view name) {
  if (CheckAccountName(kOfUser, name)) return {};
  return FailNotFound("no such user");
}

Task<http::Response> ShowUsers(Call& call, PageAnswer& page) {
  ASSIGN_OR_CO_RETURN(std::string query, TypedParameter(call, "q"));
  ASSIGN_OR_CO_RETURN(std::uint64_t number, ReadPageNumber(call.request()));
  ASSIGN_OR_CO_RETURN(const AdminUsersPage shown,
                      co_await ReadUsers(call, std::move(query), number));
  co_return co_await page.SendUnkept(web::RenderAdminUsers(page.frame, shown));
}

Task<http::Response> MakeUser(Call& call, PageContext& visit, const Form& form) {
  const std::string name = form.Get("name");
  web::FormErrors errors;
  if (!CheckAccountName(kOfUser, name)) errors.Add("name", "user_name");
  CheckTyped(form, name, false, errors);
  if (!errors.empty()) co_return co_await RefusedUser(call, visit, form, errors);
  service::NewAccount wanted{.kind = kOfUser, .name = name, .admin = form.Get("admin") == "yes"};
  Result<AccountRecord> made =
      co_await call.services.rights.accounts.Create(call.principal, std::move(wanted));
  if (!made && made.error().kind != ErrorKind::kConflict) {
    co_return Failure(std::move(made).error());
  }
  if (!made) {
    errors.Add("name", "user_taken");
    co_return co_await RefusedUser(call, visit, form, errors);
  }
  LogChange(visit, "account created", "user", name);
  if (!form.Get("password").empty()) {
    std::optional<std::string> password = form.Get("password");
    Status set = co_await call.services.sign_in.sign_in.SetPassword(call.principal, name,
                                                                    std::move(password));
    // The account is there: its page says so, and that it has no password.
    if (!set)
      co_return co_await RefusedChange(
          call, visit, name,
          errors.AddError("password", web::Refusal::Of(set.error(), web::Typed::kPassword)));
  }
  const web::Notice notice{.key = "user_created", .what = name};
  co_return visit.GoTo(UserPath(name), notice);
}

Task<http::Response> ShowUser(Call& call, PageAnswer& page) {
  const std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(CheckAskedUser(name));
  ASSIGN_OR_CO_RETURN(AdminUserPage shown, co_await ReadUser(call, name));
  co_return co_await page.SendUnkept(web::RenderAdminUser(page.frame, shown));
}

Task<http::Response> ChangeUser(Call& call, PageContext& visit, const Form& form) {
  const std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(CheckAskedUser(name));
  const std::string what = form.Get("do");
  web::FormErrors errors;
  if (what == "password") CheckTyped(form, name, true, errors);
  Status done;
  if (errors.empty()) done = co_await DoToUser(call, what, name, form.Get("password"));
  if (!done && done.error().kind == ErrorKind::kNotFound) co_return UserIsGone(visit, name);
  if (!done && done.error().kind != ErrorKind::kConflict) co_return Failure(done.error());
  if (!done) errors.Add("", "last_administrator");
  if (!errors.empty()) co_return co_await RefusedChange(call, visit, name, std::move(errors));
  LogChange(visit, NoticeOf(what), "user", name);
  const web::Notice notice{.key = std::string(NoticeOf(what)), .what = name};
  co_return visit.GoTo(UserPath(name), notice);
}

Task<http::Response> AskDeleteUser(Call& call, PageAnswer& page) {
  const std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(CheckAskedUser(name));
  ASSIGN_OR_CO_RETURN(AccountSummary user, co_await call.services.rights.accounts.Describe(
                                               call.principal, kOfUser, name));
  co_return co_await page.SendUnkept(
      web::RenderConfirm(page.frame, DeleteUserPage(user.account.name)));
}

Task<http::Response> DeleteUser(Call& call, PageContext& visit, const Form& form) {
  const std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(CheckAskedUser(name));
  web::ConfirmPage page = DeleteUserPage(name);
  page.typed = form.Get("typed");
  if (page.typed != name) {
    page.errors.Add("typed", "typed_wrong");
    co_return visit.Page(422, web::RenderConfirm(visit.Frame(), page));
  }
  Status deleted = co_await call.services.rights.accounts.Delete(call.principal, kOfUser, name);
  if (!deleted && deleted.error().kind == ErrorKind::kNotFound) co_return UserIsGone(visit, name);
  if (!deleted && !IsAboutForm(deleted.error().kind)) co_return Failure(deleted.error());
  page.errors = ErrorsOfDelete(deleted);
  if (!page.errors.empty()) co_return visit.Page(422, web::RenderConfirm(visit.Frame(), page));
  LogChange(visit, "account deleted", "user", name);
  const web::Notice notice{.key = "user_deleted", .what = name};
  co_return visit.GoTo(web::AdminPath(AdminTab::kUsers), notice);
}

Task<http::Response> AskRevokeAnyToken(Call& call, PageAnswer& page) {
  const std::string name(call.path("name"));
  ASSIGN_OR_CO_RETURN(std::string user, TypedParameter(call, "user"));
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens,
                      co_await call.services.rights.tokens.List(call.principal));
  if (std::ranges::find(tokens, name, &TokenRecord::name) == tokens.end()) {
    co_return FailNotFound("there is no such token");
  }
  web::ConfirmPage shown{.key = "revoke_token",
                         .what = name,
                         .action = web::RevokeAnyTokenPath(name),
                         .back = BackFromToken(user),
                         .command = "koya token revoke " + web::ShellWord(name)};
  shown.hidden = {{"user", user}};
  co_return co_await page.SendUnkept(web::RenderConfirm(page.frame, shown));
}

Task<http::Response> RevokeAnyToken(Call& call, PageContext& visit, const Form& form) {
  const std::string name(call.path("name"));
  Status revoked = co_await call.services.rights.tokens.Revoke(call.principal, name);
  const bool is_gone = !revoked && revoked.error().kind == ErrorKind::kNotFound;
  if (!revoked && !is_gone) co_return Failure(revoked.error());
  if (revoked) LogChange(visit, "token revoked", "token", name);
  const web::Notice notice{.key = is_gone ? "any_token_gone" : "any_token_revoked", .what = name};
  co_return visit.GoTo(BackFromToken(form.Get("user")), notice);
}

}  // namespace

// Users.
std::span<const Route> AdminUserPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/admin/users", Access::kBrowse, ResourceScope::kNone,
                 ForAdministrators<ShowUsers>, "Show the users"),
      Route::Post("/-/admin/users", Access::kPage, BodyLimit::kForm, FromAdministrators<MakeUser>,
                  "Create a user"),
      Route::Get("/-/admin/users/{name}", Access::kBrowse, ResourceScope::kNone,
                 ForAdministrators<ShowUser>, "Show a user"),
      Route::Post("/-/admin/users/{name}", Access::kPage, BodyLimit::kForm,
                  FromAdministrators<ChangeUser>,
                  "Enable, disable or sign out a user, or set the password"),
      Route::Get("/-/admin/users/{name}/delete", Access::kBrowse, ResourceScope::kNone,
                 ForAdministrators<AskDeleteUser>,
                 "Show the form to confirm that a user is deleted"),
      Route::Post("/-/admin/users/{name}/delete", Access::kPage, BodyLimit::kForm,
                  FromAdministrators<DeleteUser>, "Delete a user"),
      Route::Get("/-/admin/tokens/{name}/revoke", Access::kBrowse, ResourceScope::kNone,
                 ForAdministrators<AskRevokeAnyToken>,
                 "Show the form to confirm that a token is revoked"),
      Route::Post("/-/admin/tokens/{name}/revoke", Access::kPage, BodyLimit::kForm,
                  FromAdministrators<RevokeAnyToken>, "Revoke a token of any account"),
  };
  return kRoutes;
}

}  // namespace koya::api
