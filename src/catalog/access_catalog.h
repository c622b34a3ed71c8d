// Stores namespaces, grants, accounts and groups: who exists, and what they may do. Tokens are in
// token_catalog.h; the rules of catalog.h apply here too.
//
// Every write that changes permissions appends kAccessTopic to the change log; one that changes a
// namespace appends its NamespaceTopic. Methods that change something for users take the acting
// caller first, and write the audit log entry in the same transaction (see AuditCatalog).
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
  // Returns whether the namespace is new; an existing one stays unchanged.
  virtual Task<bool> AddNamespace(Actor by, NamespaceRecord record) = 0;
  // `ns` in any letter case, here and below. Fails: kNotFound.
  virtual Task<NamespaceRecord> FindNamespace(std::string ns) = 0;
  // Ordered by key, bytewise; after the key of `after`; at most 1000.
  virtual Task<Page<NamespaceRecord>> ListNamespaces(ReadableNamespaces readable, std::string after,
                                                     std::uint64_t limit) = 0;
  // No-op when it is set already. Fails: kNotFound.
  virtual Task<void> SetVisibility(Actor by, std::string ns, Visibility visibility) = 0;
  // Likewise for the rule that version numbers must reflect the changes; nullopt: the settings
  // decide.
  virtual Task<void> SetSemver(Actor by, std::string ns, std::optional<SemverRule> rule) = 0;
  // Likewise for its owners' description of the namespace.
  virtual Task<void> SetNamespaceWords(Actor by, std::string ns, NamespaceWordsChange change) = 0;

  // Gives the role, replacing another role of the grantee in this namespace. No-op when the role is
  // the same: the first giver stays. Fails: kNotFound: the namespace or the grantee.
  virtual Task<void> PutGrant(Actor by, GrantRecord grant) = 0;
  // Fails: kNotFound: there is no such grant.
  virtual Task<void> RemoveGrant(Actor by, std::string ns, GranteeKind kind,
                                 std::string grantee) = 0;
  // By kind (users, groups, services) and name. An unknown namespace has none.
  virtual Task<std::vector<GrantRecord>> ListGrants(std::string ns) = 0;
};

class AccountCatalog {
 public:
  virtual ~AccountCatalog() = default;
  // Fails: kConflict when the name is taken among its kind.
  virtual Task<void> AddAccount(Actor by, AccountRecord account) = 0;
  // `name` in any letter case, here and below. Fails: kNotFound.
  virtual Task<AccountRecord> FindAccount(AccountKind kind, std::string name) = 0;
  // By the account's id: the account, and its highest role in each namespace, by grants to it and
  // to its groups. Fails: kNotFound.
  virtual Task<AccountRights> FindRights(std::string id) = 0;
  // By name.
  virtual Task<std::vector<AccountRecord>> ListAccounts(AccountKind kind) = 0;
  // By name; 1000 at most.
  virtual Task<Page<AccountSummary>> BrowseAccounts(AccountFilter filter, PageRequest page) = 0;
  // A single account. Fails: kNotFound.
  virtual Task<AccountSummary> SummariseAccount(AccountKind kind, std::string name) = 0;
  // AccountSummary::email of every user that has one, by account id.
  virtual Task<std::map<std::string, std::string>> ListEmails() = 0;
  virtual Task<AccessCounts> CountAccess() = 0;
  // The account's groups, each once, by name. An unknown account has none.
  virtual Task<std::vector<std::string>> ListGroupsOf(AccountKind kind, std::string name) = 0;
  // Disables the account at a time, or enables it again (nullopt). No-op when it is so already.
  // Fails: kNotFound; kConflict when no administrator would remain: neither an administrator
  // account that is not disabled, nor a token without an account that has the scope admin, no
  // patterns, and no expiry before now.
  virtual Task<void> SetDisabled(Actor by, AccountKind kind, std::string name,
                                 std::optional<UnixSeconds> at) = 0;
  // Sets the language of a user's pages; "": the browser decides. No-op when it is set already;
  // else appends TokenTopic of the name to the change log, since sessions carry the language. A new
  // account has none. Fails: kNotFound; kInvalid: the text cannot be stored.
  virtual Task<void> SetLanguage(Actor by, std::string user, std::string language) = 0;
  // Removes the account with its tokens, grants, memberships, password, sessions, codes and
  // identities. Fails: as SetDisabled.
  virtual Task<void> RemoveAccount(Actor by, AccountKind kind, std::string name) = 0;
  // Whether there is an administrator, as SetDisabled defines it.
  virtual Task<bool> HasAdministrator() = 0;

  // Fails: kConflict when the name is taken.
  virtual Task<void> AddGroup(Actor by, GroupRecord group) = 0;
  // Removes the group with its grants and memberships. Fails: kNotFound.
  virtual Task<void> RemoveGroup(Actor by, std::string name) = 0;
  virtual Task<std::vector<GroupRecord>> ListGroups() = 0;  // by name
  // No-op when the member is there. Fails: kNotFound: the group or the account.
  virtual Task<void> AddMember(Actor by, std::string group, MemberRecord member) = 0;
  // Fails: kNotFound: no such group, or no such member of it.
  virtual Task<void> RemoveMember(Actor by, std::string group, MemberRecord member) = 0;
  // By kind, name and source. Fails: kNotFound.
  virtual Task<std::vector<MemberRecord>> ListMembers(std::string group) = 0;
};

}  // namespace koya
