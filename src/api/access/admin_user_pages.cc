// Users, service accounts and tokens, for administrators.
#include <algorithm>
#include <utility>

#include "api/common/access_documents.h"
#include "api/common/admin_answer.h"
#include "api/common/paging.h"
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
constexpr AccountKind kOfService = AccountKind::kService;

std::string UserPath(std::string_view name) { return web::AdminPath(AdminTab::kUsers, name); }
std::string UsersPath() { return web::AdminPath(AdminTab::kUsers); }
std::string ServicesPath() { return web::AdminPath(AdminTab::kServices); }

// The user in the path. Fails: kNotFound: no user can have that name.
Result<std::string> AskedUser(const Call& call) {
  std::string name(call.path("name"));
  if (!CheckAccountName(kOfUser, name)) return FailNotFound("no such user");
  return name;
}

// Checks a password that is typed twice; "" means no password, if `is_needed` is false.
void CheckTyped(AdminPage& page, std::string_view user, bool is_needed) {
  const std::string& password = page.form.Get("password");
  const std::string& again = page.form.Get("password_again");
  if (password.empty() && again.empty() && !is_needed) return;
  const Status good = auth::CheckNewPassword(password, user);
  if (!good)
    page.errors.AddError("password", web::Refusal::Of(good.error(), web::Typed::kPassword));
  if (password != again) page.errors.Add("password_again", "passwords_differ");
}

Task<std::string> ShowUsers(AdminPage& page) {
  constexpr std::uint64_t kSize = AdminUsersPage::kMostUsers;
  ASSIGN_OR_CO_RETURN(std::string query, TypedParameter(page.call, "q"));
  ASSIGN_OR_CO_RETURN(std::uint64_t number, ReadPageNumber(page.call.request()));
  const PageRequest wanted{.offset = (number - 1) * kSize, .limit = kSize};
  AdminUsersPage shown{.query = query, .now = page.services.clock.Now()};
  shown.password_min = auth::kShortestPassword;
  shown.name = page.form.Get("name");
  shown.as_administrator = page.form.Get("admin") == "yes";
  shown.errors = page.errors;
  AccountFilter filter{.kind = kOfUser, .query = std::move(query)};
  ASSIGN_OR_CO_RETURN(Page<AccountSummary> found, co_await page.services.rights.accounts.Browse(
                                                      page.by, std::move(filter), wanted));
  shown.part = {.offset = wanted.offset,
                .shown = found.items.size(),
                .size = kSize,
                .total = 0,
                .more = found.more};
  shown.users = std::move(found.items);
  co_return web::RenderAdminUsers(page.visit.Frame(), shown);
}

Task<std::string> ShowServices(AdminPage& page) {
  constexpr std::uint64_t kSize = AdminUsersPage::kMostUsers;
  ASSIGN_OR_CO_RETURN(std::string query, TypedParameter(page.call, "q"));
  ASSIGN_OR_CO_RETURN(std::uint64_t offset, ReadPartOffset(page.call, kSize));
  AccountFilter filter{.kind = kOfService, .query = query};
  ASSIGN_OR_CO_RETURN(Page<AccountSummary> found,
                      co_await page.services.rights.accounts.Browse(
                          page.by, std::move(filter), {.offset = offset, .limit = kSize}));
  AdminUsersPage shown{.query = std::move(query), .now = page.services.clock.Now()};
  shown.part = {.offset = offset, .shown = found.items.size(), .size = kSize, .more = found.more};
  shown.users = std::move(found.items);
  shown.name = page.form.Get("name");
  shown.errors = page.errors;
  co_return web::RenderAdminServices(page.visit.Frame(), shown);
}

Task<void> SetEnabled(AdminPage& page, std::string service, bool enable) {
  service::Accounts& accounts = page.services.rights.accounts;
  if (enable) {
    CO_RETURN_IF_ERROR(co_await accounts.Enable(page.by, kOfService, std::move(service)));
  } else {
    CO_RETURN_IF_ERROR(co_await accounts.Disable(page.by, kOfService, std::move(service)));
  }
  co_return Status();
}

Task<Outcome> EnableService(AdminPage& page, std::string name, bool enable) {
  if (!CheckAccountName(kOfService, name)) co_return FailNotFound("no such service account");
  const Status done = co_await SetEnabled(page, name, enable);
  const std::string_view notice = enable ? "user_enabled" : "user_disabled";
  if (done) page.Log(enable ? "account enabled" : "account disabled", "service", name);
  co_return page.Removed(done, ServicesPath(), {.removed = notice, .gone = "service_gone"}, name);
}

Task<Outcome> ChangeServices(AdminPage& page) {
  const std::string name = page.form.Get("name");
  for (const bool enable : {true, false}) {
    std::string chosen = page.form.Get(enable ? "enable" : "disable");
    if (!chosen.empty()) co_return co_await EnableService(page, std::move(chosen), enable);
  }
  if (!CheckAccountName(kOfService, name)) page.errors.Add("name", "user_name");
  if (!page.errors.empty()) co_return kFormAgain;
  service::NewAccount wanted{.kind = kOfService, .name = name};
  Result<AccountRecord> made =
      co_await page.services.rights.accounts.Create(page.by, std::move(wanted));
  if (!made) co_return page.RejectIf(ErrorKind::kConflict, made.error(), "name", "service_taken");
  page.Log("account created", "service", name);
  co_return page.Done(ServicesPath(), "service_created", name);
}

Task<web::ConfirmPage> AskDeleteService(AdminPage& page) {
  std::string asked(page.call.path("name"));
  if (!CheckAccountName(kOfService, asked)) co_return FailNotFound("no such service account");
  ASSIGN_OR_CO_RETURN(AccountSummary account, co_await page.services.rights.accounts.Describe(
                                                  page.by, kOfService, std::move(asked)));
  const std::string& name = account.account.name;
  co_return web::ConfirmPage{.key = "delete_service",
                             .what = name,
                             .action = web::AdminPath(AdminTab::kServices, name) + "/delete",
                             .back = ServicesPath(),
                             .command = "koya service delete " + web::ShellWord(name),
                             .must_type = true};
}

Task<Outcome> DeleteService(AdminPage& page) {
  const std::string name(page.call.path("name"));
  if (!CheckAccountName(kOfService, name)) co_return FailNotFound("no such service account");
  if (!page.Confirms(name)) co_return kFormAgain;
  const Status deleted = co_await page.services.rights.accounts.Delete(page.by, kOfService, name);
  if (deleted) page.Log("account deleted", "service", name);
  co_return page.Removed(deleted, ServicesPath(),
                         {.removed = "service_deleted", .gone = "service_gone"}, name);
}

Task<std::string> ShowAllTokens(AdminPage& page) {
  constexpr std::uint64_t kSize = web::AdminTokensPage::kMostTokens;
  ASSIGN_OR_CO_RETURN(TokenFilter filter, ReadTokenFilter(page.call.request().query));
  ASSIGN_OR_CO_RETURN(std::uint64_t offset, ReadPartOffset(page.call, kSize));
  ASSIGN_OR_CO_RETURN(Page<TokenRecord> found,
                      co_await page.services.rights.tokens.Browse(
                          page.by, filter, {.offset = offset, .limit = kSize}));
  web::AdminTokensPage shown{.filter = filter, .now = page.services.clock.Now()};
  shown.part = {.offset = offset, .shown = found.items.size(), .size = kSize, .more = found.more};
  shown.tokens = std::move(found.items);
  co_return web::RenderAdminTokens(page.visit.Frame(), shown);
}

Task<std::string> ShowUserNamed(AdminPage& page, std::string name) {
  const RightsServices& rights = page.services.rights;
  AdminUserPage shown{.now = page.services.clock.Now()};
  shown.password_min = auth::kShortestPassword;
  shown.errors = page.errors;
  ASSIGN_OR_CO_RETURN(shown.user, co_await rights.accounts.Describe(page.by, kOfUser, name));
  ASSIGN_OR_CO_RETURN(shown.groups, co_await rights.accounts.GroupsOf(page.by, kOfUser, name));
  ASSIGN_OR_CO_RETURN(shown.sessions, co_await page.services.sign_in.sessions.List(page.by, name));
  ASSIGN_OR_CO_RETURN(shown.tokens, co_await rights.tokens.List(page.by));
  const std::string id = shown.user.account.id;
  std::erase_if(shown.tokens, [&id](const TokenRecord& token) { return token.account_id != id; });
  shown.groups_left_out = CutTo(shown.groups, AdminUserPage::kMostGroups);
  shown.sessions_left_out = CutTo(shown.sessions, AdminUserPage::kMostRows);
  shown.tokens_left_out = CutTo(shown.tokens, AdminUserPage::kMostRows);
  shown.is_reader = page.by.account_id() == id;
  co_return web::RenderAdminUser(page.visit.Frame(), shown);
}

Task<Outcome> MakeUser(AdminPage& page) {
  const std::string name = page.form.Get("name");
  if (!CheckAccountName(kOfUser, name)) page.errors.Add("name", "user_name");
  CheckTyped(page, name, false);
  if (!page.errors.empty()) co_return kFormAgain;
  service::NewAccount wanted{
      .kind = kOfUser, .name = name, .admin = page.form.Get("admin") == "yes"};
  Result<AccountRecord> made =
      co_await page.services.rights.accounts.Create(page.by, std::move(wanted));
  if (!made) co_return page.RejectIf(ErrorKind::kConflict, made.error(), "name", "user_taken");
  page.Log("account created", "user", name);
  if (!page.form.Get("password").empty()) {
    std::optional<std::string> password = page.form.Get("password");
    Status set =
        co_await page.services.sign_in.sign_in.SetPassword(page.by, name, std::move(password));
    if (!set) {
      // The account is there: its page says so, and that it has no password.
      page.errors.AddError("password", web::Refusal::Of(set.error(), web::Typed::kPassword));
      ASSIGN_OR_CO_RETURN(std::string html, co_await ShowUserNamed(page, name));
      co_return page.Rejected(std::move(html));
    }
  }
  co_return page.Done(UserPath(name), "user_created", name);
}

Task<std::string> ShowUser(AdminPage& page) {
  ASSIGN_OR_CO_RETURN(std::string name, AskedUser(page.call));
  co_return co_await ShowUserNamed(page, std::move(name));
}

// Fails: as the services; kInvalid: there is no such thing to do.
Task<void> DoToUser(AdminPage& page, std::string what, std::string name) {
  Services& services = page.services;
  if (what == "enable") {
    CO_RETURN_IF_ERROR(co_await services.rights.accounts.Enable(page.by, kOfUser, name));
  } else if (what == "disable") {
    CO_RETURN_IF_ERROR(co_await services.rights.accounts.Disable(page.by, kOfUser, name));
  } else if (what == "sessions") {
    CO_RETURN_IF_ERROR(co_await services.sign_in.sessions.EndAllOf(page.by, name));
  } else if (what == "password") {
    CO_RETURN_IF_ERROR(
        co_await services.sign_in.sign_in.SetPassword(page.by, name, page.form.Get("password")));
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

Task<Outcome> ChangeUser(AdminPage& page) {
  ASSIGN_OR_CO_RETURN(const std::string name, AskedUser(page.call));
  const std::string what = page.form.Get("do");
  if (what == "password") CheckTyped(page, name, true);
  if (!page.errors.empty()) co_return kFormAgain;
  const Status done = co_await DoToUser(page, what, name);
  if (!done && done.error().kind == ErrorKind::kNotFound) {
    co_return page.Done(UsersPath(), "user_gone", name);
  }
  if (!done) co_return page.RejectIf(ErrorKind::kConflict, done.error(), "", "last_administrator");
  page.Log(NoticeOf(what), "user", name);
  co_return page.Done(UserPath(name), NoticeOf(what), name);
}

Task<web::ConfirmPage> AskDeleteUser(AdminPage& page) {
  ASSIGN_OR_CO_RETURN(std::string asked, AskedUser(page.call));
  ASSIGN_OR_CO_RETURN(AccountSummary user, co_await page.services.rights.accounts.Describe(
                                               page.by, kOfUser, std::move(asked)));
  const std::string& name = user.account.name;
  co_return web::ConfirmPage{.key = "delete_user",
                             .what = name,
                             .action = UserPath(name) + "/delete",
                             .back = UserPath(name),
                             .command = "koya user delete " + web::ShellWord(name),
                             .must_type = true};
}

Task<Outcome> DeleteUser(AdminPage& page) {
  ASSIGN_OR_CO_RETURN(const std::string name, AskedUser(page.call));
  if (!page.Confirms(name)) co_return kFormAgain;
  const Status deleted = co_await page.services.rights.accounts.Delete(page.by, kOfUser, name);
  if (!deleted && deleted.error().kind == ErrorKind::kConflict) {
    page.errors.Add("", "last_administrator");
    co_return kFormAgain;
  }
  if (!deleted && deleted.error().kind != ErrorKind::kNotFound) {
    co_return page.Reject("", deleted.error());
  }
  if (deleted) page.Log("account deleted", "user", name);
  co_return page.Removed(deleted, UsersPath(), {.removed = "user_deleted", .gone = "user_gone"},
                         name);
}

std::string BackFromToken(const std::string& user) {
  return CheckAccountName(kOfUser, user) ? UserPath(user) : web::AdminPath(AdminTab::kTokens);
}

Task<web::ConfirmPage> AskRevokeAnyToken(AdminPage& page) {
  const std::string name(page.call.path("name"));
  ASSIGN_OR_CO_RETURN(std::string user, TypedParameter(page.call, "user"));
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens,
                      co_await page.services.rights.tokens.List(page.by));
  if (std::ranges::find(tokens, name, &TokenRecord::name) == tokens.end()) {
    co_return FailNotFound("there is no such token");
  }
  web::ConfirmPage shown{.key = "revoke_token",
                         .what = name,
                         .action = web::RevokeAnyTokenPath(name),
                         .back = BackFromToken(user),
                         .command = "koya token revoke " + web::ShellWord(name)};
  shown.hidden = {{"user", user}};
  co_return shown;
}

Task<Outcome> RevokeAnyToken(AdminPage& page) {
  const std::string name(page.call.path("name"));
  const Status revoked = co_await page.services.rights.tokens.Revoke(page.by, name);
  if (revoked) page.Log("token revoked", "token", name);
  co_return page.Removed(revoked, BackFromToken(page.form.Get("user")),
                         {.removed = "any_token_revoked", .gone = "any_token_gone"}, name);
}

}  // namespace

// Users, service accounts and tokens.
std::span<const Route> AdminUserPageRoutes() {
  static constexpr Route kRoutes[] = {
      AdminRow<ShowUsers>("/-/admin/users", "Show the users"),
      FormRow<ShowUsers, MakeUser>("/-/admin/users", "Create a user"),
      AdminRow<ShowServices>("/-/admin/services", "Show the service accounts"),
      FormRow<ShowServices, ChangeServices>("/-/admin/services",
                                            "Create, enable or disable a service account"),
      AdminRow<AskDeleteService>("/-/admin/services/{name}/delete",
                                 "Show the form to confirm that a service account is deleted"),
      FormRow<AskDeleteService, DeleteService>("/-/admin/services/{name}/delete",
                                               "Delete a service account"),
      AdminRow<ShowAllTokens>("/-/admin/tokens", "Show the tokens of all accounts"),
      AdminRow<ShowUser>("/-/admin/users/{name}", "Show a user"),
      FormRow<ShowUser, ChangeUser>("/-/admin/users/{name}",
                                    "Enable, disable or sign out a user, or set the password"),
      AdminRow<AskDeleteUser>("/-/admin/users/{name}/delete",
                              "Show the form to confirm that a user is deleted"),
      FormRow<AskDeleteUser, DeleteUser>("/-/admin/users/{name}/delete", "Delete a user"),
      AdminRow<AskRevokeAnyToken>("/-/admin/tokens/{name}/revoke",
                                  "Show the form to confirm that a token is revoked"),
      FormRow<AskRevokeAnyToken, RevokeAnyToken>("/-/admin/tokens/{name}/revoke",
                                                 "Revoke a token of any account"),
  };
  return kRoutes;
}

}  // namespace koya::api
