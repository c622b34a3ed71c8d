#include <string>
#include <utility>
#include <vector>

#include "api/common/access_documents.h"
#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "domain/account_record.h"
#include "domain/page.h"
#include "obs/log.h"
#include "service/access/accounts.h"
#include "wire/accounts.h"

namespace koya::api {
namespace {

using enum AccountKind;

void LogAccount(const Call& call, std::string_view what, AccountKind kind, std::string_view name) {
  call.services.log.Info(what, {{"request_id", call.request().request_id},
                                {"by", call.principal.name},
                                {"kind", AccountKindName(kind)},
                                {"name", name}});
}

void LogGroup(const Call& call, std::string_view what, std::string_view group) {
  call.services.log.Info(
      what,
      {{"request_id", call.request().request_id}, {"by", call.principal.name}, {"group", group}});
}

void LogMember(const Call& call, std::string_view what, AccountKind kind) {
  call.services.log.Info(what, {{"request_id", call.request().request_id},
                                {"by", call.principal.name},
                                {"group", call.path("name")},
                                {"kind", AccountKindName(kind)},
                                {"name", call.path("member")}});
}

http::Response EmptyReply() {
  http::Response reply;
  reply.status = 204;
  return reply;
}

Result<service::NewAccount> ReadNewAccount(AccountKind kind, std::string_view body) {
  if (kind == kService) {
    ASSIGN_OR_RETURN(wire::NameRequest service, wire::Decode<wire::NameRequest>(body));
    return service::NewAccount{.kind = kind, .name = std::move(service.name)};
  }
  ASSIGN_OR_RETURN(wire::UserRequest user, wire::Decode<wire::UserRequest>(body));
  return service::NewAccount{.kind = kind, .name = std::move(user.name), .admin = user.admin};
}

// With the known address of a user. The change to the account stays done if the address is
// unavailable.
Task<wire::Account> WholeAccount(Call& call, AccountRecord record) {
  wire::Account account = ToWire(record);
  if (record.kind != kUser) co_return account;
  Result<AccountSummary> known = co_await call.services.rights.accounts.Describe(
      call.principal, record.kind, std::move(record.name));
  if (known) account.email = std::move(known->email);
  co_return account;
}

template <AccountKind kKind>
Task<http::Response> CreateAccount(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(service::NewAccount wanted, ReadNewAccount(kKind, body));
  ASSIGN_OR_CO_RETURN(AccountRecord account, co_await call.services.rights.accounts.Create(
                                                 call.principal, std::move(wanted)));
  call.services.log.Info("account created", {{"request_id", call.request().request_id},
                                             {"by", call.principal.name},
                                             {"kind", AccountKindName(account.kind)},
                                             {"name", account.name},
                                             {"admin", account.admin}});
  co_return JsonReply(201, wire::Encode(ToWire(account)));
}

Task<http::Response> ListUsers(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<AccountRecord> records,
                      co_await call.services.rights.accounts.List(call.principal, kUser));
  ASSIGN_OR_CO_RETURN(auto emails, co_await call.services.rights.accounts.Emails(call.principal));
  std::vector<wire::Account> accounts;
  accounts.reserve(records.size());
  for (const AccountRecord& record : records) {
    accounts.push_back(ToWire(record));
    auto email = emails.find(record.id);
    if (email != emails.end()) accounts.back().email = std::move(email->second);
  }
  co_return JsonReply(200, wire::Encode(wire::UserList{std::move(accounts)}));
}

Task<http::Response> ListServices(Call& call) {
  constexpr std::uint64_t kAtOnce = 1000;
  std::vector<wire::Account> accounts;
  for (bool more = true; more;) {
    const PageRequest page{.offset = accounts.size(), .limit = kAtOnce};
    AccountFilter filter{.kind = kService};
    ASSIGN_OR_CO_RETURN(Page<AccountSummary> found, co_await call.services.rights.accounts.Browse(
                                                        call.principal, std::move(filter), page));
    more = found.more;
    for (const AccountSummary& each : found.items) {
      wire::Account& account = accounts.emplace_back(ToWire(each.account));
      account.tokens = each.token_count;
      if (each.last_used_at) account.last_used = FormatRfc3339(*each.last_used_at);
    }
  }
  co_return JsonReply(200, wire::Encode(wire::ServiceList{std::move(accounts)}));
}

template <AccountKind kKind>
Task<http::Response> DisableAccount(Call& call) {
  std::string name(call.path("name"));
  ASSIGN_OR_CO_RETURN(AccountRecord account,
                      co_await call.services.rights.accounts.Disable(call.principal, kKind, name));
  LogAccount(call, "account disabled", kKind, account.name);
  ASSIGN_OR_CO_RETURN(wire::Account whole, co_await WholeAccount(call, std::move(account)));
  co_return JsonReply(200, wire::Encode(whole));
}

template <AccountKind kKind>
Task<http::Response> EnableAccount(Call& call) {
  std::string name(call.path("name"));
  ASSIGN_OR_CO_RETURN(AccountRecord account,
                      co_await call.services.rights.accounts.Enable(call.principal, kKind, name));
  LogAccount(call, "account enabled", kKind, account.name);
  ASSIGN_OR_CO_RETURN(wire::Account whole, co_await WholeAccount(call, std::move(account)));
  co_return JsonReply(200, wire::Encode(whole));
}

template <AccountKind kKind>
Task<http::Response> DeleteAccount(Call& call) {
  std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(co_await call.services.rights.accounts.Delete(call.principal, kKind, name));
  LogAccount(call, "account deleted", kKind, name);
  co_return EmptyReply();
}

Task<http::Response> CreateGroup(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::NameRequest wanted, wire::Decode<wire::NameRequest>(body));
  ASSIGN_OR_CO_RETURN(GroupRecord group, co_await call.services.rights.accounts.CreateGroup(
                                             call.principal, wanted.name));
  LogGroup(call, "group created", group.name);
  co_return JsonReply(201, wire::Encode(ToWire(group)));
}

Task<http::Response> ListGroups(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<GroupRecord> records,
                      co_await call.services.rights.accounts.ListGroups(call.principal));
  std::vector<wire::Group> groups;
  groups.reserve(records.size());
  for (const GroupRecord& record : records) groups.push_back(ToWire(record));
  co_return JsonReply(200, wire::Encode(wire::GroupList{std::move(groups)}));
}

Task<http::Response> DeleteGroup(Call& call) {
  std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(co_await call.services.rights.accounts.DeleteGroup(call.principal, name));
  LogGroup(call, "group deleted", name);
  co_return EmptyReply();
}

Task<http::Response> ListMembers(Call& call) {
  std::string group(call.path("name"));
  ASSIGN_OR_CO_RETURN(std::vector<MemberRecord> records,
                      co_await call.services.rights.accounts.ListMembers(call.principal, group));
  std::vector<wire::GroupMember> members;
  members.reserve(records.size());
  for (const MemberRecord& record : records) members.push_back(ToWire(record));
  co_return JsonReply(200, wire::Encode(wire::MemberList{std::move(members)}));
}

template <AccountKind kKind>
Task<http::Response> AddMember(Call& call) {
  std::string group(call.path("name"));
  std::string name(call.path("member"));
  CO_RETURN_IF_ERROR(
      co_await call.services.rights.accounts.AddMember(call.principal, group, kKind, name));
  LogMember(call, "group member added", kKind);
  co_return EmptyReply();
}

template <AccountKind kKind>
Task<http::Response> RemoveMember(Call& call) {
  std::string group(call.path("name"));
  std::string name(call.path("member"));
  CO_RETURN_IF_ERROR(
      co_await call.services.rights.accounts.RemoveMember(call.principal, group, kKind, name));
  LogMember(call, "group member removed", kKind);
  co_return EmptyReply();
}

}  // namespace

// Users, service accounts and groups. Where the kind is part of the path, it is part of the
// handler's name.
std::span<const Route> AccountRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kCreateUser, Access::kAdmin, BodyLimit::kSmall,
                 CreateAccount<AccountKind::kUser>, "Create a user"),
      Route::For(wire::kListUsers, Access::kAdmin, ResourceScope::kNone, ListUsers,
                 "List the users"),
      Route::For(wire::kDisableUser, Access::kAdmin, BodyLimit::kSmall,
                 DisableAccount<AccountKind::kUser>, "Disable a user"),
      Route::For(wire::kEnableUser, Access::kAdmin, BodyLimit::kSmall,
                 EnableAccount<AccountKind::kUser>, "Enable a user"),
      Route::For(wire::kDeleteUser, Access::kAdmin, BodyLimit::kNone,
                 DeleteAccount<AccountKind::kUser>, "Delete a user"),
      Route::For(wire::kCreateService, Access::kAdmin, BodyLimit::kSmall,
                 CreateAccount<AccountKind::kService>, "Create a service account"),
      Route::For(wire::kListServices, Access::kAdmin, ResourceScope::kNone, ListServices,
                 "List the service accounts"),
      Route::For(wire::kDisableService, Access::kAdmin, BodyLimit::kSmall,
                 DisableAccount<AccountKind::kService>, "Disable a service account"),
      Route::For(wire::kEnableService, Access::kAdmin, BodyLimit::kSmall,
                 EnableAccount<AccountKind::kService>, "Enable a service account"),
      Route::For(wire::kDeleteService, Access::kAdmin, BodyLimit::kNone,
                 DeleteAccount<AccountKind::kService>, "Delete a service account"),
      Route::For(wire::kCreateGroup, Access::kAdmin, BodyLimit::kSmall, CreateGroup,
                 "Create a group"),
      Route::For(wire::kListGroups, Access::kAdmin, ResourceScope::kNone, ListGroups,
                 "List the groups"),
      Route::For(wire::kDeleteGroup, Access::kAdmin, BodyLimit::kNone, DeleteGroup,
                 "Delete a group"),
      Route::For(wire::kListMembers, Access::kAdmin, ResourceScope::kNone, ListMembers,
                 "List the members of a group"),
      Route::For(wire::kAddUserToGroup, Access::kAdmin, BodyLimit::kSmall,
                 AddMember<AccountKind::kUser>, "Add a user to a group"),
      Route::For(wire::kRemoveUserFromGroup, Access::kAdmin, BodyLimit::kNone,
                 RemoveMember<AccountKind::kUser>, "Remove a user from a group"),
      Route::For(wire::kAddServiceToGroup, Access::kAdmin, BodyLimit::kSmall,
                 AddMember<AccountKind::kService>, "Add a service account to a group"),
      Route::For(wire::kRemoveServiceFromGroup, Access::kAdmin, BodyLimit::kNone,
                 RemoveMember<AccountKind::kService>, "Remove a service account from a group"),
  };
  return kRoutes;
}

}  // namespace koya::api
