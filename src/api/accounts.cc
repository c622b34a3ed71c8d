#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/access_documents.h"
#include "api/handlers.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "domain/account_summary.h"

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
    ASSIGN_OR_RETURN(std::string name, wire::DecodeNameRequest(body));
    return service::NewAccount{.kind = kind, .name = std::move(name)};
  }
  ASSIGN_OR_RETURN(wire::UserRequest user, wire::DecodeUserRequest(body));
  return service::NewAccount{.kind = kind, .name = std::move(user.name), .admin = user.admin};
}

// With the address that is known of a user. What was done to the account stays done when that
// cannot be asked.
Task<wire::Account> WholeAccount(Call& call, AccountRecord record) {
  wire::Account account = ToWire(record);
  if (record.kind != kUser) co_return account;
  Result<AccountSummary> known =
      co_await call.services.accounts.Describe(call.principal, record.kind, std::move(record.name));
  if (known) account.email = std::move(known->email);
  co_return account;
}

}  // namespace

template <AccountKind kKind>
Task<http::Response> CreateAccount(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(service::NewAccount wanted, ReadNewAccount(kKind, body));
  ASSIGN_OR_CO_RETURN(AccountRecord account,
                      co_await call.services.accounts.Create(call.principal, std::move(wanted)));
  call.services.log.Info("account made", {{"request_id", call.request().request_id},
                                          {"by", call.principal.name},
                                          {"kind", AccountKindName(account.kind)},
                                          {"name", account.name},
                                          {"admin", account.admin}});
  co_return JsonReply(201, wire::EncodeAccount(ToWire(account)));
}

template <AccountKind kKind>
Task<http::Response> ListAccounts(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<AccountRecord> records,
                      co_await call.services.accounts.List(call.principal, kKind));
  std::map<std::string, std::string> emails;
  if (kKind == kUser) {
    ASSIGN_OR_CO_RETURN(emails, co_await call.services.accounts.Emails(call.principal));
  }
  std::vector<wire::Account> accounts;
  accounts.reserve(records.size());
  for (const AccountRecord& record : records) {
    accounts.push_back(ToWire(record));
    auto email = emails.find(record.id);
    if (email != emails.end()) accounts.back().email = std::move(email->second);
  }
  co_return JsonReply(
      200, kKind == kUser ? wire::EncodeUserList(accounts) : wire::EncodeServiceList(accounts));
}

template <AccountKind kKind>
Task<http::Response> DisableAccount(Call& call) {
  std::string name(call.path("name"));
  ASSIGN_OR_CO_RETURN(AccountRecord account,
                      co_await call.services.accounts.Disable(call.principal, kKind, name));
  LogAccount(call, "account disabled", kKind, account.name);
  ASSIGN_OR_CO_RETURN(wire::Account whole, co_await WholeAccount(call, std::move(account)));
  co_return JsonReply(200, wire::EncodeAccount(whole));
}

template <AccountKind kKind>
Task<http::Response> EnableAccount(Call& call) {
  std::string name(call.path("name"));
  ASSIGN_OR_CO_RETURN(AccountRecord account,
                      co_await call.services.accounts.Enable(call.principal, kKind, name));
  LogAccount(call, "account enabled", kKind, account.name);
  ASSIGN_OR_CO_RETURN(wire::Account whole, co_await WholeAccount(call, std::move(account)));
  co_return JsonReply(200, wire::EncodeAccount(whole));
}

template <AccountKind kKind>
Task<http::Response> DeleteAccount(Call& call) {
  std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(co_await call.services.accounts.Delete(call.principal, kKind, name));
  LogAccount(call, "account deleted", kKind, name);
  co_return EmptyReply();
}

Task<http::Response> CreateGroup(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(std::string name, wire::DecodeNameRequest(body));
  ASSIGN_OR_CO_RETURN(GroupRecord group,
                      co_await call.services.accounts.CreateGroup(call.principal, name));
  LogGroup(call, "group made", group.name);
  co_return JsonReply(201, wire::EncodeGroup(ToWire(group)));
}

Task<http::Response> ListGroups(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<GroupRecord> records,
                      co_await call.services.accounts.ListGroups(call.principal));
  std::vector<wire::Group> groups;
  groups.reserve(records.size());
  for (const GroupRecord& record : records) groups.push_back(ToWire(record));
  co_return JsonReply(200, wire::EncodeGroupList(groups));
}

Task<http::Response> DeleteGroup(Call& call) {
  std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(co_await call.services.accounts.DeleteGroup(call.principal, name));
  LogGroup(call, "group deleted", name);
  co_return EmptyReply();
}

Task<http::Response> ListMembers(Call& call) {
  std::string group(call.path("name"));
  ASSIGN_OR_CO_RETURN(std::vector<MemberRecord> records,
                      co_await call.services.accounts.ListMembers(call.principal, group));
  std::vector<wire::GroupMember> members;
  members.reserve(records.size());
  for (const MemberRecord& record : records) members.push_back(ToWire(record));
  co_return JsonReply(200, wire::EncodeMemberList(members));
}

template <AccountKind kKind>
Task<http::Response> AddMember(Call& call) {
  std::string group(call.path("name"));
  std::string name(call.path("member"));
  CO_RETURN_IF_ERROR(co_await call.services.accounts.AddMember(call.principal, group, kKind, name));
  LogMember(call, "group member added", kKind);
  co_return EmptyReply();
}

template <AccountKind kKind>
Task<http::Response> RemoveMember(Call& call) {
  std::string group(call.path("name"));
  std::string name(call.path("member"));
  CO_RETURN_IF_ERROR(
      co_await call.services.accounts.RemoveMember(call.principal, group, kKind, name));
  LogMember(call, "group member removed", kKind);
  co_return EmptyReply();
}

template Task<http::Response> CreateAccount<kUser>(Call&);
template Task<http::Response> CreateAccount<kService>(Call&);
template Task<http::Response> ListAccounts<kUser>(Call&);
template Task<http::Response> ListAccounts<kService>(Call&);
template Task<http::Response> DisableAccount<kUser>(Call&);
template Task<http::Response> DisableAccount<kService>(Call&);
template Task<http::Response> EnableAccount<kUser>(Call&);
template Task<http::Response> EnableAccount<kService>(Call&);
template Task<http::Response> DeleteAccount<kUser>(Call&);
template Task<http::Response> DeleteAccount<kService>(Call&);
template Task<http::Response> AddMember<kUser>(Call&);
template Task<http::Response> AddMember<kService>(Call&);
template Task<http::Response> RemoveMember<kUser>(Call&);
template Task<http::Response> RemoveMember<kService>(Call&);

}  // namespace koya::api
