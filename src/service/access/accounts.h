// Manages users, service accounts and groups: create, list, disable, delete.
//
// Accounts belong to no namespace: every method but SetLanguage needs the admin scope for all
// namespaces. Names match in any letter case. Besides the errors that they name, methods fail:
// kForbidden; kInvalid for an invalid name of an account or group (domain/name_rules.h); as the
// catalog.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "domain/account_record.h"
#include "domain/page.h"

namespace koya {
struct AccessCounts;
class AccountCatalog;
struct AccountFilter;
struct AccountRights;
struct AccountSummary;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

struct NewAccount {
  AccountKind kind = AccountKind::kUser;
  std::string name;
  bool admin = false;  // users only
};

class Accounts {
 public:
  // All arguments must outlive this.
  Accounts(AccountCatalog& catalog, const Clock& clock) : catalog_(catalog), clock_(clock) {}

  // Fails: kInvalid (a service account cannot be an administrator), kConflict (the name is taken by
  // an account of the same kind).
  Task<AccountRecord> Create(auth::Principal by, NewAccount account);
  Task<std::vector<AccountRecord>> List(auth::Principal by, AccountKind kind);  // by name
  // Sorted by name, at most 1000.
  Task<Page<AccountSummary>> Browse(auth::Principal by, AccountFilter filter, PageRequest page);
  // Fails: kNotFound.
  Task<AccountSummary> Describe(auth::Principal by, AccountKind kind, std::string name);
  // Email addresses (AccountSummary::email) of all users who have one, by account id.
  Task<std::map<std::string, std::string>> Emails(auth::Principal by);
  Task<AccessCounts> Count(auth::Principal by);
  // Names of the groups that the account is in, sorted. Empty for an unknown account.
  Task<std::vector<std::string>> GroupsOf(auth::Principal by, AccountKind kind, std::string name);
  // Disables the account; its tokens, grants and memberships are kept, without effect until it is
  // enabled again. An account that is already disabled keeps the time of its first disabling.
  // Fails: kNotFound; kConflict (it is the last administrator).
  Task<AccountRecord> Disable(auth::Principal by, AccountKind kind, std::string name);
  // Fails: kNotFound.
  Task<AccountRecord> Enable(auth::Principal by, AccountKind kind, std::string name);
  // Sets the language of a user's pages; "": the browser's. Users may set their own, whatever the
  // scope. Fails: kInvalid (not a supported language), kNotFound.
  Task<void> SetLanguage(auth::Principal by, std::string user, std::string language);
  // Deletes the account with its tokens, grants and memberships. Fails: as Disable.
  Task<void> Delete(auth::Principal by, AccountKind kind, std::string name);

  // Fails: kConflict (the name is taken).
  Task<GroupRecord> CreateGroup(auth::Principal by, std::string name);
  Task<std::vector<GroupRecord>> ListGroups(auth::Principal by);  // by name
  // Deletes the group with its grants; the accounts of its members stay. Fails: kNotFound.
  Task<void> DeleteGroup(auth::Principal by, std::string name);
  // Sorted by kind and name. Fails: kNotFound.
  Task<std::vector<MemberRecord>> ListMembers(auth::Principal by, std::string group);
  // Does nothing if the account is a member already. Fails: kNotFound (the group, the account).
  Task<void> AddMember(auth::Principal by, std::string group, AccountKind kind, std::string name);
  // Removes only members that an administrator added, not those that come from a sign-in provider.
  // Fails: kNotFound (the group, or an administrator added no such member).
  Task<void> RemoveMember(auth::Principal by, std::string group, AccountKind kind,
                          std::string name);

 private:
  AccountCatalog& catalog_;
  const Clock& clock_;
};

// Returns the current rights of the account with this id, for the tokens and sessions that act for
// it, even if the account is disabled. `accounts` outlives the call. Fails: kNotFound: the account
// was deleted.
Task<std::shared_ptr<const AccountRights>> FindAccountRights(AccountCatalog& accounts,
                                                             std::string id);

// Fails: kUnauthenticated, naming the account: it is disabled.
Status CheckEnabled(const AccountRecord& account);

}  // namespace koya::service
