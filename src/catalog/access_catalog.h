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
#include "domain/access.h"
#include "domain/account_record.h"
#include "domain/namespace_record.h"
#include "domain/page.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

struct AccessCounts;
struct AccountFilter;
struct AccountSummary;
struct Actor;
struct ReadableNamespaces;

class NamespaceCatalog {
 public:
  explicit NamespaceCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Returns whether the namespace is new; an existing one stays unchanged.
  Task<bool> AddNamespace(Actor by, NamespaceRecord record);
  // `ns` in any letter case, here and below. Fails: kNotFound.
  Task<NamespaceRecord> FindNamespace(std::string ns);
  // Ordered by key, bytewise; after the key of `after`, less the first `offset`; at most 1000.
  Task<Page<NamespaceRecord>> ListNamespaces(ReadableNamespaces readable, std::string after,
                                             std::uint64_t limit, std::uint64_t offset = 0);
  // By NamespaceKey. Reads all versions in these namespaces; an unknown one is left out.
  Task<std::map<std::string, NamespaceContents>> SumNamespaces(std::vector<std::string> names);
  // No-op when it is set already. Fails: kNotFound.
  Task<void> SetVisibility(Actor by, std::string ns, Visibility visibility);
  // Likewise for the rule that version numbers must reflect the changes; nullopt: the settings
  // decide.
  Task<void> SetSemver(Actor by, std::string ns, std::optional<SemverRule> rule);
  // Likewise for the rule on who may publish.
  Task<void> SetPublishRule(Actor by, std::string ns, PublishRule rule);
  // Likewise for its owners' description of the namespace.
  Task<void> SetNamespaceWords(Actor by, std::string ns, NamespaceWordsChange change);

  // Gives the role, replacing another role of the grantee in this namespace. No-op when the role is
  // the same: the first giver stays. Fails: kNotFound: the namespace or the grantee.
  Task<void> PutGrant(Actor by, GrantRecord grant);
  // Fails: kNotFound: there is no such grant.
  Task<void> RemoveGrant(Actor by, std::string ns, GranteeKind kind, std::string grantee);
  // By kind (users, groups, services) and name. An unknown namespace has none.
  Task<std::vector<GrantRecord>> ListGrants(std::string ns);

 private:
  sql::Executor& transactions_;
};

class AccountCatalog {
 public:
  explicit AccountCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Fails: kConflict when the name is taken among its kind.
  Task<void> AddAccount(Actor by, AccountRecord account);
  // `name` in any letter case, here and below. Fails: kNotFound.
  Task<AccountRecord> FindAccount(AccountKind kind, std::string name);
  // By the account's id: the account, and its highest role in each namespace, by grants to it and
  // to its groups. Fails: kNotFound.
  Task<AccountRights> FindRights(std::string id);
  // By name.
  Task<std::vector<AccountRecord>> ListAccounts(AccountKind kind);
  // By name; 1000 at most.
  Task<Page<AccountSummary>> BrowseAccounts(AccountFilter filter, PageRequest page);
  // A single account. Fails: kNotFound.
  Task<AccountSummary> SummariseAccount(AccountKind kind, std::string name);
  // AccountSummary::email of every user that has one, by account id.
  Task<std::map<std::string, std::string>> ListEmails();
  Task<AccessCounts> CountAccess();
  // The account's groups, each once, by name. An unknown account has none.
  Task<std::vector<std::string>> ListGroupsOf(AccountKind kind, std::string name);
  // Disables the account at a time, or enables it again (nullopt). No-op when it is so already.
  // Fails: kNotFound; kConflict when no administrator would remain: neither an administrator
  // account that is not disabled, nor a token without an account that has the scope admin, no
  // patterns, and no expiry before now.
  Task<void> SetDisabled(Actor by, AccountKind kind, std::string name,
                         std::optional<UnixSeconds> at);
  // Sets the language of a user's pages; "": the browser decides. No-op when it is set already;
  // else appends TokenTopic of the name to the change log, since sessions carry the language. A new
  // account has none. Fails: kNotFound; kInvalid: the text cannot be stored.
  Task<void> SetLanguage(Actor by, std::string user, std::string language);
  // Removes the account with its tokens, grants, memberships, password, sessions, codes and
  // identities. Fails: as SetDisabled.
  Task<void> RemoveAccount(Actor by, AccountKind kind, std::string name);
  // Whether there is an administrator, as SetDisabled defines it.
  Task<bool> HasAdministrator();

  // Fails: kConflict when the name is taken.
  Task<void> AddGroup(Actor by, GroupRecord group);
  // Removes the group with its grants and memberships. Fails: kNotFound.
  Task<void> RemoveGroup(Actor by, std::string name);
  Task<std::vector<GroupRecord>> ListGroups();  // by name
  // No-op when the member is there. Fails: kNotFound: the group or the account.
  Task<void> AddMember(Actor by, std::string group, MemberRecord member);
  // Fails: kNotFound: no such group, or no such member of it.
  Task<void> RemoveMember(Actor by, std::string group, MemberRecord member);
  // By kind, name and source. Fails: kNotFound.
  Task<std::vector<MemberRecord>> ListMembers(std::string group);

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
