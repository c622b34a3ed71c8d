// Groups, for administrators.
#include <algorithm>
#include <optional>
#include <utility>

#include "api/common/admin_answer.h"
#include "api/common/page_number.h"
#include "api/common/route.h"
#include "base/text.h"
#include "domain/name_rules.h"
#include "service/access/accounts.h"
#include "web/access/admin_accounts.h"
#include "web/common/admin_parts.h"

namespace koya::api {
namespace {

using web::AdminGroupPage;
using web::AdminGroupsPage;
using web::AdminTab;

std::string GroupPath(std::string_view name) { return web::AdminPath(AdminTab::kGroups, name); }

http::Response GroupIsGone(PageContext& visit, const std::string& name) {
  const web::Notice notice{.key = "group_gone", .what = name};
  return visit.GoTo(web::AdminPath(AdminTab::kGroups), notice);
}

Task<AdminGroupsPage> ReadGroups(Call& call, std::string query, std::uint64_t number) {
  AdminGroupsPage page{.query = std::move(query)};
  ASSIGN_OR_CO_RETURN(page.groups,
                      co_await call.services.rights.accounts.ListGroups(call.principal));
  const std::string wanted = AsciiLower(page.query);
  std::erase_if(page.groups, [&wanted](const GroupRecord& group) {
    return !AsciiLower(group.name).contains(wanted);
  });
  page.part = KeepPart(page.groups, number, AdminGroupsPage::kMostGroups);
  co_return page;
}

Task<http::Response> RefusedGroup(Call& call, const PageContext& visit, std::string name,
                                  web::FormErrors errors) {
  ASSIGN_OR_CO_RETURN(AdminGroupsPage page, co_await ReadGroups(call, "", 1));
  page.name = std::move(name);
  page.errors = std::move(errors);
  co_return visit.Page(422, web::RenderAdminGroups(visit.Frame(), page));
}

Task<AdminGroupPage> ReadGroup(Call& call, std::string name, std::uint64_t number) {
  AdminGroupPage page{.name = std::move(name)};
  ASSIGN_OR_CO_RETURN(
      page.members, co_await call.services.rights.accounts.ListMembers(call.principal, page.name));
  page.part = KeepPart(page.members, number, AdminGroupPage::kMostMembers);
  co_return page;
}

Task<http::Response> RefusedMember(Call& call, const PageContext& visit, const Form& form,
                                   web::FormErrors errors) {
  std::string name(call.path("name"));
  ASSIGN_OR_CO_RETURN(AdminGroupPage page, co_await ReadGroup(call, std::move(name), 1));
  page.kind = form.Get("kind");
  page.member = form.Get("member");
  page.errors = std::move(errors);
  co_return visit.Page(422, web::RenderAdminGroup(visit.Frame(), page));
}

// "user:ada", as the button says it. Fails: kInvalid.
Result<MemberRecord> ParseMember(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::optional<AccountKind> kind = ChosenAccount(text.substr(0, colon));
  const std::string name(text.substr(std::min(colon + 1, text.size())));
  if (kind && CheckAccountName(*kind, name)) return MemberRecord{*kind, name, {}};
  return FailInvalid("the field \"remove\" must be user:NAME or service:NAME");
}

Task<http::Response> TakeOut(Call& call, PageContext& visit, MemberRecord member) {
  const std::string group(call.path("name"));
  Status removed = co_await call.services.rights.accounts.RemoveMember(call.principal, group,
                                                                       member.kind, member.name);
  const bool is_gone = !removed && removed.error().kind == ErrorKind::kNotFound;
  if (!removed && !is_gone) co_return Failure(removed.error());
  if (removed) LogChange(visit, "group member removed", "group", group);
  const web::Notice notice{.key = is_gone ? "member_gone" : "member_removed",
                           .what = std::move(member.name)};
  co_return visit.GoTo(GroupPath(group), notice);
}

web::ConfirmPage DeleteGroupPage(const std::string& name) {
  return {.key = "delete_group",
          .what = name,
          .action = GroupPath(name) + "/delete",
          .back = GroupPath(name),
          .command = "koya group delete " + web::ShellWord(name),
          .must_type = true};
}

Status CheckAskedGroup(std::string_view name) {
  if (CheckGroupName(name)) return {};
  return FailNotFound("no such group");
}

Task<http::Response> ShowGroups(Call& call, PageAnswer& page) {
  ASSIGN_OR_CO_RETURN(std::string query, TypedParameter(call, "q"));
  ASSIGN_OR_CO_RETURN(std::uint64_t number, ReadPageNumber(call.request()));
  ASSIGN_OR_CO_RETURN(const AdminGroupsPage shown,
                      co_await ReadGroups(call, std::move(query), number));
  co_return co_await page.SendUnkept(web::RenderAdminGroups(page.frame, shown));
}

Task<http::Response> MakeGroup(Call& call, PageContext& visit, const Form& form) {
  const std::string name = form.Get("name");
  web::FormErrors errors;
  if (!CheckGroupName(name)) errors.Add("name", "group_name");
  if (!errors.empty()) co_return co_await RefusedGroup(call, visit, name, errors);
  Result<GroupRecord> made =
      co_await call.services.rights.accounts.CreateGroup(call.principal, name);
  if (!made && made.error().kind != ErrorKind::kConflict) co_return Failure(made.error());
  if (!made) {
    errors.Add("name", "group_taken");
    co_return co_await RefusedGroup(call, visit, name, errors);
  }
  LogChange(visit, "group created", "group", name);
  const web::Notice notice{.key = "group_created", .what = name};
  co_return visit.GoTo(GroupPath(name), notice);
}

Task<http::Response> ShowGroup(Call& call, PageAnswer& page) {
  std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(CheckAskedGroup(name));
  ASSIGN_OR_CO_RETURN(std::uint64_t number, ReadPageNumber(call.request()));
  ASSIGN_OR_CO_RETURN(const AdminGroupPage shown,
                      co_await ReadGroup(call, std::move(name), number));
  co_return co_await page.SendUnkept(web::RenderAdminGroup(page.frame, shown));
}

Task<http::Response> ChangeMembers(Call& call, PageContext& visit, const Form& form) {
  const std::string group(call.path("name"));
  CO_RETURN_IF_ERROR(CheckAskedGroup(group));
  if (!form.Get("remove").empty()) {
    ASSIGN_OR_CO_RETURN(MemberRecord member, ParseMember(form.Get("remove")));
    co_return co_await TakeOut(call, visit, std::move(member));
  }
  const std::string name = form.Get("member");
  const std::optional<AccountKind> kind = ChosenAccount(form.Get("kind"));
  web::FormErrors errors;
  if (!kind) errors.Add("kind", "unknown_choice");
  if (kind && !CheckAccountName(*kind, name)) errors.Add("member", "user_name");
  if (!errors.empty()) co_return co_await RefusedMember(call, visit, form, errors);
  Status added =
      co_await call.services.rights.accounts.AddMember(call.principal, group, *kind, name);
  if (!added && added.error().kind != ErrorKind::kNotFound) co_return Failure(added.error());
  if (!added) {
    Result<std::vector<MemberRecord>> there =
        co_await call.services.rights.accounts.ListMembers(call.principal, group);
    if (!there && there.error().kind == ErrorKind::kNotFound) co_return GroupIsGone(visit, group);
    errors.Add("member", "no_such_grantee");
    co_return co_await RefusedMember(call, visit, form, errors);
  }
  LogChange(visit, "group member added", "group", group);
  const web::Notice notice{.key = "member_added", .what = name};
  co_return visit.GoTo(GroupPath(group), notice);
}

Task<http::Response> AskDeleteGroup(Call& call, PageAnswer& page) {
  const std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(CheckAskedGroup(name));
  CO_RETURN_IF_ERROR(co_await call.services.rights.accounts.ListMembers(call.principal, name));
  co_return co_await page.SendUnkept(web::RenderConfirm(page.frame, DeleteGroupPage(name)));
}

Task<http::Response> DeleteAnyGroup(Call& call, PageContext& visit, const Form& form) {
  const std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(CheckAskedGroup(name));
  web::ConfirmPage page = DeleteGroupPage(name);
  page.typed = form.Get("typed");
  if (page.typed != name) {
    page.errors.Add("typed", "typed_wrong");
    co_return visit.Page(422, web::RenderConfirm(visit.Frame(), page));
  }
  Status deleted = co_await call.services.rights.accounts.DeleteGroup(call.principal, name);
  if (!deleted && deleted.error().kind == ErrorKind::kNotFound) co_return GroupIsGone(visit, name);
  if (!deleted) co_return Failure(deleted.error());
  LogChange(visit, "group deleted", "group", name);
  const web::Notice notice{.key = "group_deleted", .what = name};
  co_return visit.GoTo(web::AdminPath(AdminTab::kGroups), notice);
}

}  // namespace

// Groups.
std::span<const Route> AdminGroupPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/admin/groups", Access::kBrowse, ResourceScope::kNone,
                 ForAdministrators<ShowGroups>, "Show the groups"),
      Route::Post("/-/admin/groups", Access::kPage, BodyLimit::kForm, FromAdministrators<MakeGroup>,
                  "Create a group"),
      Route::Get("/-/admin/groups/{name}", Access::kBrowse, ResourceScope::kNone,
                 ForAdministrators<ShowGroup>, "Show a group and its members"),
      Route::Post("/-/admin/groups/{name}", Access::kPage, BodyLimit::kForm,
                  FromAdministrators<ChangeMembers>, "Add a member to a group, or remove one"),
      Route::Get("/-/admin/groups/{name}/delete", Access::kBrowse, ResourceScope::kNone,
                 ForAdministrators<AskDeleteGroup>,
                 "Show the form to confirm that a group is deleted"),
      Route::Post("/-/admin/groups/{name}/delete", Access::kPage, BodyLimit::kForm,
                  FromAdministrators<DeleteAnyGroup>, "Delete a group"),
  };
  return kRoutes;
}

}  // namespace koya::api
