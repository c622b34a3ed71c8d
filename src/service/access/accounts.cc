#include "service/access/accounts.h"

#include <algorithm>
#include <utility>

#include "auth/principal.h"
#include "auth/token.h"
#include "base/text.h"
#include "catalog/access_catalog.h"
#include "domain/account_record.h"
#include "domain/name_rules.h"

namespace koya::service {
namespace {

// Accounts and groups belong to no namespace.
Status RequireEverything(const auth::Principal& by) {
  RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  return by.RequireAllNamespaces();
}

Status CheckAsked(const auth::Principal& by, AccountKind kind, std::string_view name) {
  RETURN_IF_ERROR(RequireEverything(by));
  return CheckAccountName(kind, name);
}

Status CheckAskedGroup(const auth::Principal& by, std::string_view name) {
  RETURN_IF_ERROR(RequireEverything(by));
  return CheckGroupName(name);
}

}  // namespace

Task<AccountRecord> Accounts::Create(auth::Principal by, NewAccount account) {
  CO_RETURN_IF_ERROR(CheckAsked(by, account.kind, account.name));
  if (account.admin && account.kind != AccountKind::kUser) {
    co_return FailInvalid(
        "a service account can't be an administrator: give its token the scope admin, "
        "or grant it roles in namespaces");
  }
  AccountRecord record{.id = auth::RandomId(),
                       .kind = account.kind,
                       .name = std::move(account.name),
                       .admin = account.admin,
                       .created_at = clock_.Now(),
                       .created_by = by.name,
                       .disabled_at = std::nullopt};
  CO_RETURN_IF_ERROR(co_await catalog_.AddAccount(std::move(by.actor), record));
  co_return record;
}

Task<std::vector<AccountRecord>> Accounts::List(auth::Principal by, AccountKind kind) {
  CO_RETURN_IF_ERROR(RequireEverything(by));
  co_return co_await catalog_.ListAccounts(kind);
}

Task<Page<AccountSummary>> Accounts::Browse(auth::Principal by, AccountFilter filter,
                                            PageRequest page) {
  CO_RETURN_IF_ERROR(RequireEverything(by));
  co_return co_await catalog_.BrowseAccounts(std::move(filter), page);
}

Task<AccountSummary> Accounts::Describe(auth::Principal by, AccountKind kind, std::string name) {
  CO_RETURN_IF_ERROR(CheckAsked(by, kind, name));
  co_return co_await catalog_.SummariseAccount(kind, std::move(name));
}

Task<std::map<std::string, std::string>> Accounts::Emails(auth::Principal by) {
  CO_RETURN_IF_ERROR(RequireEverything(by));
  co_return co_await catalog_.ListEmails();
}

Task<AccessCounts> Accounts::Count(auth::Principal by) {
  CO_RETURN_IF_ERROR(RequireEverything(by));
  co_return co_await catalog_.CountAccess();
}

Task<std::vector<std::string>> Accounts::GroupsOf(auth::Principal by, AccountKind kind,
                                                  std::string name) {
  CO_RETURN_IF_ERROR(CheckAsked(by, kind, name));
  co_return co_await catalog_.ListGroupsOf(kind, std::move(name));
}

Task<AccountRecord> Accounts::Disable(auth::Principal by, AccountKind kind, std::string name) {
  CO_RETURN_IF_ERROR(CheckAsked(by, kind, name));
  ASSIGN_OR_CO_RETURN(AccountRecord account, co_await catalog_.FindAccount(kind, name));
  if (account.disabled_at) co_return account;
  account.disabled_at = clock_.Now();
  CO_RETURN_IF_ERROR(
      co_await catalog_.SetDisabled(std::move(by.actor), kind, account.name, account.disabled_at));
  co_return account;
}

Task<void> Accounts::SetLanguage(auth::Principal by, std::string user, std::string language) {
  const bool is_own = by.account && by.account->account.kind == AccountKind::kUser &&
                      EqualsIgnoreCase(by.account->account.name, user);
  if (!is_own) CO_RETURN_IF_ERROR(CheckAsked(by, AccountKind::kUser, user));
  if (!language.empty() &&
      std::ranges::find(kAccountLanguages, language) == kAccountLanguages.end()) {
    co_return FailInvalid(
        "the pages do not exist in the language \"{}\": use en, ja or zh, "
        "or auto for the browser's language",
        Printable(language, 40));
  }
  co_return co_await catalog_.SetLanguage(std::move(by.actor), std::move(user),
                                          std::move(language));
}

Task<AccountRecord> Accounts::Enable(auth::Principal by, AccountKind kind, std::string name) {
  CO_RETURN_IF_ERROR(CheckAsked(by, kind, name));
  CO_RETURN_IF_ERROR(co_await catalog_.SetDisabled(std::move(by.actor), kind, name, std::nullopt));
  co_return co_await catalog_.FindAccount(kind, std::move(name));
}

Task<void> Accounts::Delete(auth::Principal by, AccountKind kind, std::string name) {
  CO_RETURN_IF_ERROR(CheckAsked(by, kind, name));
  co_return co_await catalog_.RemoveAccount(std::move(by.actor), kind, std::move(name));
}

Task<GroupRecord> Accounts::CreateGroup(auth::Principal by, std::string name) {
  CO_RETURN_IF_ERROR(CheckAskedGroup(by, name));
  GroupRecord record{
      .name = std::move(name), .created_at = clock_.Now(), .created_by = std::move(by.name)};
  CO_RETURN_IF_ERROR(co_await catalog_.AddGroup(std::move(by.actor), record));
  co_return record;
}

Task<std::vector<GroupRecord>> Accounts::ListGroups(auth::Principal by) {
  CO_RETURN_IF_ERROR(RequireEverything(by));
  co_return co_await catalog_.ListGroups();
}

Task<void> Accounts::DeleteGroup(auth::Principal by, std::string name) {
  CO_RETURN_IF_ERROR(CheckAskedGroup(by, name));
  co_return co_await catalog_.RemoveGroup(std::move(by.actor), std::move(name));
}

Task<std::vector<MemberRecord>> Accounts::ListMembers(auth::Principal by, std::string group) {
  CO_RETURN_IF_ERROR(CheckAskedGroup(by, group));
  co_return co_await catalog_.ListMembers(std::move(group));
}

Task<void> Accounts::AddMember(auth::Principal by, std::string group, AccountKind kind,
                               std::string name) {
  CO_RETURN_IF_ERROR(CheckAskedGroup(by, group));
  CO_RETURN_IF_ERROR(CheckAsked(by, kind, name));
  MemberRecord member{.kind = kind, .name = std::move(name), .source = {}};
  co_return co_await catalog_.AddMember(std::move(by.actor), std::move(group), std::move(member));
}

Task<void> Accounts::RemoveMember(auth::Principal by, std::string group, AccountKind kind,
                                  std::string name) {
  CO_RETURN_IF_ERROR(CheckAskedGroup(by, group));
  CO_RETURN_IF_ERROR(CheckAsked(by, kind, name));
  MemberRecord member{.kind = kind, .name = std::move(name), .source = {}};
  co_return co_await catalog_.RemoveMember(std::move(by.actor), std::move(group),
                                           std::move(member));
}

Task<std::shared_ptr<const AccountRights>> FindAccountRights(AccountCatalog& accounts,
                                                             std::string id) {
  ASSIGN_OR_CO_RETURN(AccountRights rights, co_await accounts.FindRights(std::move(id)));
  co_return std::make_shared<const AccountRights>(std::move(rights));
}

Status CheckEnabled(const AccountRecord& account) {
  if (!account.disabled_at) return {};
  return FailUnauthenticated(
      "the {0} \"{1}\" is disabled: ask an administrator for koya {0} enable {1}",
      AccountKindName(account.kind), account.name);
}

}  // namespace koya::service
