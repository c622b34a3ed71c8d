// Actions on several users at once, for administrators.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/access/admin_user_pages.h"
#include "api/common/admin_answer.h"
#include "api/route_tables.h"
#include "domain/account_name.h"
#include "service/access/accounts.h"
#include "web/access/admin_accounts.h"
#include "web/access/admin_chosen.h"
#include "web/common/admin_parts.h"

namespace koya::api {
namespace {

using web::AdminChosenPage;
using web::BulkAction;

// Each once, in order. `text`: names with commas between.
void AddChosen(std::string_view text, std::vector<std::string>& users) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string user(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_new = std::ranges::find(users, user) == users.end();
    if (!user.empty() && is_new) users.push_back(std::move(user));
  }
}

// Of the page of users ("u0", "u1", …, those that are ticked), and of the one that asks ("chosen").
std::vector<std::string> ChosenOf(const Form& form) {
  std::vector<std::string> users;
  AddChosen(form.Get("chosen"), users);
  for (std::size_t i = 0; i < web::kMostChosenUsers; ++i) {
    AddChosen(form.Get(fmt::format("u{}", i)), users);
  }
  return users;
}

struct BulkRequest {
  AdminChosenPage page;
  web::FormErrors errors;  // empty: it can be done
};

BulkRequest WishedOf(const Form& form) {
  BulkRequest wish;
  wish.page.users = ChosenOf(form);
  wish.page.group = form.Get("group");
  const std::optional<BulkAction> deed = web::ParseChosenDeed(form.Get("deed"));
  if (deed) wish.page.deed = *deed;
  if (!deed) wish.errors.Add("deed", "unknown_choice");
  if (wish.page.users.empty()) wish.errors.Add("", "nobody_chosen");
  if (wish.page.users.size() > web::kMostChosenUsers) wish.errors.Add("", "too_many_chosen");
  const bool are_names = std::ranges::all_of(wish.page.users, [](const std::string& user) {
    return CheckAccountName(AccountKind::kUser, user).has_value();
  });
  if (!are_names) wish.errors.Add("", "user_name");
  const bool adds = deed == BulkAction::kAddToGroup;
  if (adds && !CheckGroupName(wish.page.group)) wish.errors.Add("group", "group_name");
  return wish;
}

Task<void> DoToOne(Call& call, BulkAction deed, std::string group, std::string user) {
  constexpr AccountKind kOfUser = AccountKind::kUser;
  service::Accounts& accounts = call.services.rights.accounts;
  switch (deed) {
    case BulkAction::kDisable:
      CO_RETURN_IF_ERROR(co_await accounts.Disable(call.principal, kOfUser, std::move(user)));
      break;
    case BulkAction::kEnable:
      CO_RETURN_IF_ERROR(co_await accounts.Enable(call.principal, kOfUser, std::move(user)));
      break;
    case BulkAction::kAddToGroup:
      CO_RETURN_IF_ERROR(
          co_await accounts.AddMember(call.principal, std::move(group), kOfUser, std::move(user)));
      break;
  }
  co_return Status();
}

std::string_view NoticeOfChosen(BulkAction deed) {
  switch (deed) {
    case BulkAction::kDisable:
      return "chosen_disabled";
    case BulkAction::kEnable:
      return "chosen_enabled";
    case BulkAction::kAddToGroup:
      return "chosen_added";
  }
  return {};
}

// One after the other. Of whom it fails is noted by name; when the catalog is away, or who asks may
// not any more, the rest is not tried.
Awaitable<AdminChosenPage> DoToAll(Call& call, const PageContext& visit, AdminChosenPage page) {
  bool goes_on = true;
  for (std::string& user : std::exchange(page.users, {})) {
    if (!goes_on) {
      page.skipped.push_back(std::move(user));
      continue;
    }
    const Status done = co_await DoToOne(call, page.deed, page.group, user);
    if (done) {
      LogChange(visit, NoticeOfChosen(page.deed), "user", user);
      page.done.push_back(std::move(user));
      continue;
    }
    const ErrorKind kind = done.error().kind;
    goes_on = kind == ErrorKind::kConflict || kind == ErrorKind::kNotFound;
    page.failed.push_back({.user = std::move(user),
                           .is_last_administrator = kind == ErrorKind::kConflict,
                           .refusal = web::Refusal::Of(done.error())});
  }
  co_return page;
}

Task<http::Response> AskChosenUsers(Call& call, PageAnswer& page) {
  ASSIGN_OR_CO_RETURN(Form query, Form::Parse(call.request().query));
  BulkRequest wish = WishedOf(query);
  if (wish.errors.empty()) {
    co_return co_await page.SendUnkept(web::RenderAdminChosen(page.frame, wish.page));
  }
  ASSIGN_OR_CO_RETURN(web::AdminUsersPage shown, co_await ReadUsersPage(call));
  shown.errors = std::move(wish.errors);
  co_return co_await page.SendUnkept(web::RenderAdminUsers(page.frame, shown), 422);
}

Task<http::Response> DoToChosenUsers(Call& call, PageContext& visit, const Form& form) {
  BulkRequest wish = WishedOf(form);
  if (!wish.errors.empty()) {
    ASSIGN_OR_CO_RETURN(web::AdminUsersPage shown, co_await ReadUsersPage(call));
    shown.errors = std::move(wish.errors);
    co_return visit.Page(422, web::RenderAdminUsers(visit.Frame(), shown));
  }
  const AdminChosenPage page = co_await DoToAll(call, visit, std::move(wish.page));
  if (!page.failed.empty()) {
    co_return visit.Page(422, web::RenderAdminChosen(visit.Frame(), page));
  }
  const web::Notice notice{.key = std::string(NoticeOfChosen(page.deed)),
                           .what = std::to_string(page.done.size())};
  co_return visit.GoTo(web::AdminPath(web::AdminTab::kUsers), notice);
}

}  // namespace

// Several users at once.
std::span<const Route> AdminChosenPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/admin/chosen-users", Access::kBrowse, ResourceScope::kNone,
                 ForAdministrators<AskChosenUsers>,
                 "Show the form to confirm a bulk change of users"),
      Route::Post("/-/admin/chosen-users", Access::kPage, BodyLimit::kForm,
                  FromAdministrators<DoToChosenUsers>,
                  "Disable several users, enable them, or add them to a group"),
  };
  return kRoutes;
}

}  // namespace koya::api
