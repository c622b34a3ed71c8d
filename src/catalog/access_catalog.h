// Who there is, and what they may do: namespaces, grants, accounts, groups. Tokens are in
// token_catalog.h; the rules of catalog.h hold here too.
//
// Every write that changes what somebody may do appends kAccessTopic, and one that changes a
// namespace NamespaceTopic of it, to the change log. Whatever changes something for people takes
// who does it first: the audit log says so (see AuditCatalog), in the same transaction.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/account_record.h"
#include "domain/namespace_record.h"
#include "domain/page.h"
#include "domain/visibility.h"

namespace koya {

struct AccessCounts;
struct AccountFilter;
struct AccountSummary;
struct Actor;
struct ReadableNamespaces;

class NamespaceCatalog {
 public:
  virtual ~NamespaceCatalog() = default;
  // Whether it is new; one that is there already stays as it is.
  virtual Task<bool> AddNamespace(Actor by, NamespaceRecord record) = 0;
  // Adds what has modules, providers or keys and no record: it was made by an earlier
  // version. Returns how many there were; one change says it of all of them (kEverything), and one
  // entry in the audit log. Notes, too, of what such a version published since that its namespace
  // has a record.
  virtual Task<std::uint64_t> AdoptNamespaces(Actor by, Visibility visibility, UnixSeconds at) = 0;
  // `ns` in any letter case, here as below. Fails: kNotFound.
  virtual Task<NamespaceRecord> FindNamespace(std::string ns) = 0;
  // Ordered by key, bytewise; those after the key of `after`, 1000 at most.
  virtual Task<Page<NamespaceRecord>> ListNamespaces(ReadableNamespaces readable, std::string after,
                                                     std::uint64_t limit) = 0;
  // Nothing changes when it is so already. Fails: kNotFound.
  virtual Task<void> SetVisibility(Actor by, std::string ns, Visibility visibility) = 0;
  // The same for whether numbers of versions must say what changed; none: as settings say.
  virtual Task<void> SetSemver(Actor by, std::string ns, std::optional<SemverRule> rule) = 0;
  // The same for what its owners say of it.
  virtual Task<void> SetNamespaceWords(Actor by, std::string ns, NamespaceWordsChange change) = 0;

  // Gives the role, in place of another that the grantee had in this namespace. Nothing changes
  // when it is the same: who gave it first stays. Fails: kNotFound: the namespace or the grantee.
  virtual Task<void> PutGrant(Actor by, GrantRecord grant) = 0;
  // Fails: kNotFound: there is no such grant.
  virtual Task<void> RemoveGrant(Actor by, std::string ns, GranteeKind kind,
                                 std::string grantee) = 0;
  // By kind (users, groups, services) and name. Of an unknown namespace: none.
  virtual Task<std::vector<GrantRecord>> ListGrants(std::string ns) = 0;
};

class AccountCatalog {
 public:
  virtual ~AccountCatalog() = default;
  // Fails: kConflict when the name is taken among its kind.
  virtual Task<void> AddAccount(Actor by, AccountRecord account) = 0;
  // `name` in any letter case, here as below. Fails: kNotFound.
  virtual Task<AccountRecord> FindAccount(AccountKind kind, std::string name) = 0;
  // By the account's id: itself, and the highest role it has in each namespace, by grants to it and
  // to its groups. Fails: kNotFound.
  virtual Task<AccountRights> FindRights(std::string id) = 0;
  // By name.
  virtual Task<std::vector<AccountRecord>> ListAccounts(AccountKind kind) = 0;
  // By name; 1000 at most.
  virtual Task<Page<AccountSummary>> BrowseAccounts(AccountFilter filter, PageRequest page) = 0;
  // One of them. Fails: kNotFound.
  virtual Task<AccountSummary> SummariseAccount(AccountKind kind, std::string name) = 0;
  // AccountSummary::email of all users who have one, by the account's id.
  virtual Task<std::map<std::string, std::string>> ListEmails() = 0;
  virtual Task<AccessCounts> CountAccess() = 0;
  // The groups that it is in, each once, by name. Of an unknown account: none.
  virtual Task<std::vector<std::string>> ListGroupsOf(AccountKind kind, std::string name) = 0;
  // Disables it at a time, or (nullopt) takes that back. Nothing changes when it is so already.
  // Fails: kNotFound; kConflict when nobody would be left who may do everything: neither an
  // administrator that is not disabled, nor a token of no account with the scope admin, no
  // patterns, and no end before now.
  virtual Task<void> SetDisabled(Actor by, AccountKind kind, std::string name,
                                 std::optional<UnixSeconds> at) = 0;
  // In which language a user has pages; "": as the browser says. Nothing changes when it is so
  // already; else TokenTopic of the name is appended to the change log, since it is sessions that
  // know it. A new account has none. Fails: kNotFound; kInvalid: no text that can be kept.
  virtual Task<void> SetLanguage(Actor by, std::string user, std::string language) = 0;
  // With its tokens, grants and memberships, its password, sessions, codes and identities. Fails:
  // as SetDisabled.
  virtual Task<void> RemoveAccount(Actor by, AccountKind kind, std::string name) = 0;
  // Whether there is somebody who may do everything, as SetDisabled says.
  virtual Task<bool> HasAdministrator() = 0;

  // Fails: kConflict when the name is taken.
  virtual Task<void> AddGroup(Actor by, GroupRecord group) = 0;
  // With its grants and memberships. Fails: kNotFound.
  virtual Task<void> RemoveGroup(Actor by, std::string name) = 0;
  virtual Task<std::vector<GroupRecord>> ListGroups() = 0;  // by name
  // Nothing changes when it is there. Fails: kNotFound: the group or the account.
  virtual Task<void> AddMember(Actor by, std::string group, MemberRecord member) = 0;
  // Fails: kNotFound: the group, or it has no such member.
  virtual Task<void> RemoveMember(Actor by, std::string group, MemberRecord member) = 0;
  // By kind, name and source. Fails: kNotFound.
  virtual Task<std::vector<MemberRecord>> ListMembers(std::string group) = 0;
};

}  // namespace koya
