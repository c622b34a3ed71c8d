// Implements AccountCatalog: accounts and groups in the database.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/access_catalog.h"
#include "catalog/sql/engine/executor.h"
#include "domain/account_record.h"
#include "domain/page.h"

namespace koya::sql {

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
