// Users, service accounts and groups of them: making, listing, disabling, removing.
//
// They belong to no namespace: every method but SetLanguage needs the admin scope for all
// namespaces. Names are
// found in any letter case. Methods fail, besides what they name: kForbidden; kInvalid for what no
// account or group is called (domain/account_name.h); as the catalog.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/account_record.h"
#include "domain/page.h"

namespace koya {
struct AccessCounts;
class AccountCatalog;
struct AccountFilter;
struct AccountSummary;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

struct NewAccount {
  AccountKind kind = AccountKind::kUser;
  std::string name;
  bool admin = false;  // a user only
};

class Accounts {
 public:
  // Everything given must outlive this.
  Accounts(AccountCatalog& catalog, const Clock& clock) : catalog_(catalog), clock_(clock) {}

  // Fails: kInvalid (a service account as administrator), kConflict (the name is taken among its
  // kind).
  Task<AccountRecord> Create(auth::Principal by, NewAccount account);
  Task<std::vector<AccountRecord>> List(auth::Principal by, AccountKind kind);  // by name
  // By name; 1000 at most.
  Task<Page<AccountSummary>> Browse(auth::Principal by, AccountFilter filter, PageRequest page);
  // Fails: kNotFound.
  Task<AccountSummary> Describe(auth::Principal by, AccountKind kind, std::string name);
  // AccountSummary::email of all users who have one, by the account's id.
  Task<std::map<std::string, std::string>> Emails(auth::Principal by);
  Task<AccessCounts> Count(auth::Principal by);
  // The groups that it is in, by name. Of an unknown account: none.
  Task<std::vector<std::string>> GroupsOf(auth::Principal by, AccountKind kind, std::string name);
  // What it holds is kept, and counts for nothing until it is enabled. One that is disabled stays
  // disabled since then. Fails: kNotFound; kConflict (nobody would be left who may do everything).
  Task<AccountRecord> Disable(auth::Principal by, AccountKind kind, std::string name);
  // Fails: kNotFound.
  Task<AccountRecord> Enable(auth::Principal by, AccountKind kind, std::string name);
  // In which language a user has pages; "": as the browser says. Their own is everybody's to set,
  // whatever the scope. Fails: kInvalid (no language of ours), kNotFound.
  Task<void> SetLanguage(auth::Principal by, std::string user, std::string language);
  // With its tokens, grants and memberships. Fails: as Disable.
  Task<void> Delete(auth::Principal by, AccountKind kind, std::string name);

  // Fails: kConflict (the name is taken).
  Task<GroupRecord> CreateGroup(auth::Principal by, std::string name);
  Task<std::vector<GroupRecord>> ListGroups(auth::Principal by);  // by name
  // With its grants; its members stay accounts. Fails: kNotFound.
  Task<void> DeleteGroup(auth::Principal by, std::string name);
  // By kind and name. Fails: kNotFound.
  Task<std::vector<MemberRecord>> ListMembers(auth::Principal by, std::string group);
  // Nothing changes when it is a member. Fails: kNotFound (the group, the account).
  Task<void> AddMember(auth::Principal by, std::string group, AccountKind kind, std::string name);
  // What a sign-in provider says of members is not taken back here. Fails: kNotFound (the group, or
  // an administrator put no such member there).
  Task<void> RemoveMember(auth::Principal by, std::string group, AccountKind kind,
                          std::string name);

 private:
  AccountCatalog& catalog_;
  const Clock& clock_;
};

}  // namespace koya::service
