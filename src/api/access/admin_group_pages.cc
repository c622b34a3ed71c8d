// Groups, for administrators.
#include <algorithm>
#include <optional>
#include <utility>

#include "api/common/admin_answer.h"
#include "api/common/paging.h"
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
std::string GroupsPath() { return web::AdminPath(AdminTab::kGroups); }

// The group in the path. Fails: kNotFound: no group can have that name.
Result<std::string> AskedGroup(const Call& call) {
  std::string name(call.path("name"));
  if (!CheckGroupName(name)) return FailNotFound("no such group");
  return name;
}

Task<std::string> ShowGroups(AdminPage& page) {
  AdminGroupsPage shown{.name = page.form.Get("name"), .errors = page.errors};
  ASSIGN_OR_CO_RETURN(shown.query, TypedParameter(page.call, "q"));
  ASSIGN_OR_CO_RETURN(std::uint64_t number, ReadPageNumber(page.call.request()));
  ASSIGN_OR_CO_RETURN(shown.groups, co_await page.services.rights.accounts.ListGroups(page.by));
  const std::string wanted = AsciiLower(shown.query);
  std::erase_if(shown.groups, [&wanted](const GroupRecord& group) {
    return !AsciiLower(group.name).contains(wanted);
  });
  shown.part = KeepPart(shown.groups, number, AdminGroupsPage::kMostGroups);
  co_return web::RenderAdminGroups(page.visit.Frame(), shown);
}

Task<Outcome> MakeGroup(AdminPage& page) {
  const std::string name = page.form.Get("name");
  if (!CheckGroupName(name)) page.errors.Add("name", "group_name");
  if (!page.errors.empty()) co_return kFormAgain;
  Result<GroupRecord> made = co_await page.services.rights.accounts.CreateGroup(page.by, name);
  if (!made) co_return page.RejectIf(ErrorKind::kConflict, made.error(), "name", "group_taken");
  page.Log("group created", "group", name);
  co_return page.Done(GroupPath(name), "group_created", name);
}

Task<std::string> ShowGroup(AdminPage& page) {
  AdminGroupPage shown{
      .kind = page.form.Get("kind"), .member = page.form.Get("member"), .errors = page.errors};
  ASSIGN_OR_CO_RETURN(shown.name, AskedGroup(page.call));
  ASSIGN_OR_CO_RETURN(std::uint64_t number, ReadPageNumber(page.call.request()));
  ASSIGN_OR_CO_RETURN(shown.members,
                      co_await page.services.rights.accounts.ListMembers(page.by, shown.name));
  shown.part = KeepPart(shown.members, number, AdminGroupPage::kMostMembers);
  co_return web::RenderAdminGroup(page.visit.Frame(), shown);
}

// "user:ada", as the button says it. Fails: kInvalid.
Result<MemberRecord> ParseMember(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::optional<AccountKind> kind = ChosenAccount(text.substr(0, colon));
  const std::string name(text.substr(std::min(colon + 1, text.size())));
  if (kind && CheckAccountName(*kind, name)) return MemberRecord{*kind, name, {}};
  return FailInvalid("the field \"remove\" must be user:NAME or service:NAME");
}

Task<Outcome> TakeOut(AdminPage& page, std::string group) {
  ASSIGN_OR_CO_RETURN(const MemberRecord member, ParseMember(page.form.Get("remove")));
  const Status removed =
      co_await page.services.rights.accounts.RemoveMember(page.by, group, member.kind, member.name);
  if (removed) page.Log("group member removed", "group", group);
  co_return page.Removed(removed, GroupPath(group),
                         {.removed = "member_removed", .gone = "member_gone"}, member.name);
}

Task<Outcome> ChangeMembers(AdminPage& page) {
  service::Accounts& accounts = page.services.rights.accounts;
  ASSIGN_OR_CO_RETURN(const std::string group, AskedGroup(page.call));
  if (!page.form.Get("remove").empty()) co_return co_await TakeOut(page, group);
  const std::string name = page.form.Get("member");
  const std::optional<AccountKind> kind = ChosenAccount(page.form.Get("kind"));
  if (!kind) page.errors.Add("kind", "unknown_choice");
  if (kind && !CheckAccountName(*kind, name)) page.errors.Add("member", "user_name");
  if (!page.errors.empty()) co_return kFormAgain;
  const Status added = co_await accounts.AddMember(page.by, group, *kind, name);
  if (!added) {
    Result<std::vector<MemberRecord>> there = co_await accounts.ListMembers(page.by, group);
    const bool is_gone = !there && there.error().kind == ErrorKind::kNotFound;
    if (is_gone) co_return page.Done(GroupsPath(), "group_gone", group);
    co_return page.RejectIf(ErrorKind::kNotFound, added.error(), "member", "no_such_grantee");
  }
  page.Log("group member added", "group", group);
  co_return page.Done(GroupPath(group), "member_added", name);
}

Task<web::ConfirmPage> AskDeleteGroup(AdminPage& page) {
  ASSIGN_OR_CO_RETURN(const std::string name, AskedGroup(page.call));
  CO_RETURN_IF_ERROR(co_await page.services.rights.accounts.ListMembers(page.by, name));
  co_return web::ConfirmPage{.key = "delete_group",
                             .what = name,
                             .action = GroupPath(name) + "/delete",
                             .back = GroupPath(name),
                             .command = "koya group delete " + web::ShellWord(name),
                             .must_type = true};
}

Task<Outcome> DeleteAnyGroup(AdminPage& page) {
  ASSIGN_OR_CO_RETURN(const std::string name, AskedGroup(page.call));
  if (!page.Confirms(name)) co_return kFormAgain;
  const Status deleted = co_await page.services.rights.accounts.DeleteGroup(page.by, name);
  if (deleted) page.Log("group deleted", "group", name);
  co_return page.Removed(deleted, GroupsPath(), {.removed = "group_deleted", .gone = "group_gone"},
                         name);
}

}  // namespace

// Groups.
std::span<const Route> AdminGroupPageRoutes() {
  static constexpr Route kRoutes[] = {
      AdminRow<ShowGroups>("/-/admin/groups", "Show the groups"),
      FormRow<ShowGroups, MakeGroup>("/-/admin/groups", "Create a group"),
      AdminRow<ShowGroup>("/-/admin/groups/{name}", "Show a group and its members"),
      FormRow<ShowGroup, ChangeMembers>("/-/admin/groups/{name}",
                                        "Add a member to a group, or remove one"),
      AdminRow<AskDeleteGroup>("/-/admin/groups/{name}/delete",
                               "Show the form to confirm that a group is deleted"),
      FormRow<AskDeleteGroup, DeleteAnyGroup>("/-/admin/groups/{name}/delete", "Delete a group"),
  };
  return kRoutes;
}

}  // namespace koya::api
