// Implements AccountCatalog: accounts and groups in the database. The last administrator stays.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/access_catalog.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/executor.h"
#include "catalog/sql/engine/session.h"
#include "domain/account_record.h"
#include "domain/page.h"

namespace koya::sql {

// SQL condition on a row of token: the token alone makes its bearer an administrator now. All other
// administrators are enabled accounts with that right.
#define KOYA_UNLIMITED_TOKEN                     \
  "(account_id IS NULL AND scope = 'admin' AND " \
  "namespaces = '' AND (expires_at IS NULL OR expires_at > {{now}}))"

// Reads one row.
Result<bool> HasAdministrator(Session& session);

// Call after `who`, an administrator, was disabled, removed or restricted. REQUIRES: LockAccess.
// Fails: kConflict when no administrator is left: the caller's transaction is then rolled back.
Status CheckAnAdministratorRemains(Session& session, std::string_view who);

// The audit log's entries on the membership of groups. In group_catalog.cc.
AuditedChange MemberAdded(std::string_view group, const MemberRecord& member);
AuditedChange MemberRemoved(std::string_view group, const MemberRecord& member);

class SqlAccounts : public virtual AccountCatalog {
 public:
  explicit SqlAccounts(Executor& transactions) : transactions_(transactions) {}

  Task<void> AddAccount(Actor by, AccountRecord account) override;
  Task<AccountRecord> FindAccount(AccountKind kind, std::string name) override;
  Task<AccountRights> FindRights(std::string id) override;
  Task<std::vector<AccountRecord>> ListAccounts(AccountKind kind) override;
  Task<void> SetDisabled(Actor by, AccountKind kind, std::string name,
                         std::optional<UnixSeconds> at) override;
  Task<void> SetLanguage(Actor by, std::string user, std::string language) override;
  Task<void> RemoveAccount(Actor by, AccountKind kind, std::string name) override;
  Task<bool> HasAdministrator() override;

  // In account_browsing.cc.
  Task<Page<AccountSummary>> BrowseAccounts(AccountFilter filter, PageRequest page) override;
  Task<AccountSummary> SummariseAccount(AccountKind kind, std::string name) override;
  Task<std::map<std::string, std::string>> ListEmails() override;
  Task<AccessCounts> CountAccess() override;
  Task<std::vector<std::string>> ListGroupsOf(AccountKind kind, std::string name) override;

  // In group_catalog.cc.
  Task<void> AddGroup(Actor by, GroupRecord group) override;
  Task<void> RemoveGroup(Actor by, std::string name) override;
  Task<std::vector<GroupRecord>> ListGroups() override;
  Task<void> AddMember(Actor by, std::string group, MemberRecord member) override;
  Task<void> RemoveMember(Actor by, std::string group, MemberRecord member) override;
  Task<std::vector<MemberRecord>> ListMembers(std::string group) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
