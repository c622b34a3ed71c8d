#include "catalog/sql/access/access_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/cell.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/transaction.h"
#include "domain/account_record.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kCountAdministrators{
    "count_administrators",
    "SELECT (SELECT COUNT(*) FROM account WHERE admin = 1 AND disabled_at IS NULL) + "
    "(SELECT COUNT(*) FROM token WHERE " KOYA_UNLIMITED_TOKEN ")"};

}  // namespace

Result<bool> HasAdministrator(Session& session) {
  std::int64_t count = 0;
  Query query(session, kCountAdministrators);
  query.Into(count).Next();
  return count != 0;
}

Status CheckAnAdministratorRemains(Session& session, std::string_view who) {
  ASSIGN_OR_RETURN(bool left, HasAdministrator(session));
  if (left) return {};
  return FailConflict(
      "{} is the last administrator: create another administrator first (koya "
      "user create NAME --admin)",
      who);
}

namespace {

constexpr auto kFindAccount =
    Sql("find_account", "SELECT ", kSelect<kAccountColumns>,
        " FROM account a WHERE a.kind = :kind AND a.name_key = :name_key");
// Before its tokens go: one that is being added is waited for, or finds no account.
constexpr auto kLockAccount =
    Sql("lock_account", "SELECT ", kSelect<kAccountColumns>,
        " FROM account a WHERE a.kind = :kind AND a.name_key = :name_key {{for update}}");
// One row for each role that it was given, by itself or in a group; one without for who has none.
constexpr auto kFindRights =
    Sql("find_rights", "SELECT ", kSelect<kAccountColumns>,
        ", held.namespace_key, held.role FROM account a LEFT JOIN ("
        "SELECT g.namespace_key, g.role FROM namespace_grant g "
        "WHERE g.grantee = :grantee AND g.grantee_kind <> 'group' "
        "UNION ALL SELECT g.namespace_key, g.role FROM group_member m "
        "JOIN namespace_grant g ON g.grantee = m.group_key AND g.grantee_kind = 'group' "
        "WHERE m.account_id = :member) held ON 1 = 1 WHERE a.id = :id ORDER BY held.namespace_key");
constexpr auto kListAccounts = Sql("list_accounts", "SELECT ", kSelect<kAccountColumns>,
                                   " FROM account a WHERE a.kind = :kind ORDER BY a.name_key");
constexpr Statement kSetDisabled{"set_disabled",
                                 "UPDATE account SET disabled_at = :disabled_at WHERE id = :id"};
constexpr Statement kSetLanguage{
    "set_language", "UPDATE account SET language = NULLIF(:language, '') WHERE id = :id"};
constexpr Statement kRemoveTokens{"remove_tokens_of_account",
                                  "DELETE FROM token WHERE account_id = :id RETURNING name"};
constexpr Statement kListGroupsOf{
    "list_groups_of_account",
    "SELECT DISTINCT g.name, g.name_key FROM group_member m "
    "JOIN account_group g ON g.name_key = m.group_key WHERE m.account_id = :id "
    "ORDER BY g.name_key"};
// Memberships, password, sessions, codes and identities go with it (ON DELETE CASCADE).
constexpr Statement kRemoveAccount{"remove_account", "DELETE FROM account WHERE id = :id"};

// What the audit log says of an account.
AuditFacts AccountFacts(const AccountRecord& account) {
  AuditFacts facts;
  facts.Add("id", account.id);
  if (account.admin) facts.Add("admin", "yes");
  if (account.disabled_at) facts.Add("disabled", FormatRfc3339(*account.disabled_at));
  return facts;
}

AuditedChange AccountChange(std::string_view action, const AccountRecord& account) {
  return {.action = action,
          .target = fmt::format("{}:{}", AccountKindName(account.kind), account.name)};
}

bool MayDoEverything(const AccountRecord& account) { return account.admin && !account.disabled_at; }

// After `account` was disabled or removed.
Status CheckAnotherAdministratorRemains(Session& session, const AccountRecord& account) {
  if (!MayDoEverything(account)) return {};
  return CheckAnAdministratorRemains(session, fmt::format("\"{}\"", Printable(account.name)));
}

Result<AccountRecord> ReadAccount(Session& session, const Statement& statement, AccountKind kind,
                                  const std::string& name) {
  if (!IsStorable(name)) return NoAccount(kind, name);
  Query query(session, statement);
  query.Use(AccountKindName(kind)).Use(AccountKey(name));
  RecordReader reader(query, kAccountColumns);
  if (!query.Next()) return NoAccount(kind, name);
  return reader.Read();
}

Result<AccountRecord> FindAccount(Session& session, AccountKind kind, const std::string& name) {
  return ReadAccount(session, kFindAccount, kind, name);
}

Status AddAccount(Session& session, const Actor& by, const AccountRecord& account) {
  LockAccess(session);
  RETURN_IF_ERROR(InsertAccount(session, account));
  AuditedChange change = AccountChange("account.create", account);
  change.after = AccountFacts(account).ToJson();
  RecordChange(session, by, change);
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

void RecordDisabled(Session& session, const Actor& by, AccountRecord account,
                    std::optional<UnixSeconds> at) {
  AuditedChange change = AccountChange(at ? "account.disable" : "account.enable", account);
  change.before = AccountFacts(account).ToJson();
  account.disabled_at = at;
  change.after = AccountFacts(account).ToJson();
  RecordChange(session, by, change);
}

Status SetDisabled(Session& session, const Actor& by, AccountKind kind, const std::string& name,
                   std::optional<UnixSeconds> at) {
  LockAccess(session);
  ASSIGN_OR_RETURN(AccountRecord account, ReadAccount(session, kLockAccount, kind, name));
  if (account.disabled_at.has_value() == at.has_value()) return {};
  Query(session, kSetDisabled).Use(at).Use(account.id).Run();
  if (at) RETURN_IF_ERROR(CheckAnotherAdministratorRemains(session, account));
  RecordDisabled(session, by, std::move(account), at);
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

std::string LanguageFacts(const std::string& language) {
  AuditFacts facts;
  facts.Add("language", language.empty() ? std::string_view("auto") : std::string_view(language));
  return facts.ToJson();
}

Status SetLanguage(Session& session, const Actor& by, const std::string& user,
                   const std::string& language) {
  RETURN_IF_ERROR(CheckStorable("the language", language));
  ASSIGN_OR_RETURN(AccountRecord account,
                   ReadAccount(session, kLockAccount, AccountKind::kUser, user));
  if (account.language == language) return {};
  Query(session, kSetLanguage).Use(language).Use(account.id).Run();
  AuditedChange change = AccountChange("account.language", account);
  change.before = LanguageFacts(account.language);
  change.after = LanguageFacts(language);
  RecordChange(session, by, change);
  AppendChange(session, TokenTopic(account.name));
  return {};
}

// Returns their names.
std::vector<std::string> RemoveTokensOf(Session& session, const AccountRecord& account) {
  std::vector<std::string> names;
  std::string name;
  Query query(session, kRemoveTokens);
  query.Use(account.id).Into(name);
  while (query.Next()) names.push_back(name);
  return names;
}

std::vector<std::string> ListGroupsOf(Session& session, const AccountRecord& account) {
  std::vector<std::string> groups;
  std::string name, key;
  Query query(session, kListGroupsOf);
  query.Use(account.id).Into(name).Into(key);
  while (query.Next()) groups.push_back(name);
  return groups;
}

Status RemoveAccount(Session& session, const Actor& by, AccountKind kind, const std::string& name) {
  LockAccess(session);
  ASSIGN_OR_RETURN(AccountRecord account, ReadAccount(session, kLockAccount, kind, name));
  std::vector<std::string> tokens = RemoveTokensOf(session, account);
  const std::vector<std::string> roles =
      RemoveGrantsOf(session, GranteeKindOf(account.kind), account.id);
  const std::vector<std::string> groups = ListGroupsOf(session, account);
  Query(session, kRemoveAccount).Use(account.id).Run();
  RETURN_IF_ERROR(CheckAnotherAdministratorRemains(session, account));
  AuditedChange change = AccountChange("account.delete", account);
  AuditFacts facts = AccountFacts(account);
  if (!tokens.empty()) facts.Add("tokens", tokens);
  if (!roles.empty()) facts.Add("roles", roles);
  if (!groups.empty()) facts.Add("groups", groups);
  change.before = facts.ToJson();
  RecordChange(session, by, change);
  std::vector<std::string> topics;
  for (const std::string& token : tokens) topics.push_back(TokenTopic(token));
  topics.emplace_back(kAccessTopic);
  AppendChanges(session, std::move(topics));
  return {};
}

Result<std::vector<AccountRecord>> ListAccounts(Session& session, AccountKind kind) {
  Query query(session, kListAccounts);
  query.Use(AccountKindName(kind));
  return ReadRecords(query, kAccountColumns);
}

// A role as FindRights reads it; NULLs for an account that has none.
struct GrantedRoleRow {
  std::optional<std::string> ns, role;

  void Bind(Query& query) { query.Into(ns).Into(role); }

  // Adds the row to the roles read so far; rows are ordered by namespace.
  Status AddTo(std::vector<GrantedRole>& roles) const {
    if (!ns) return {};
    std::optional<Role> parsed = ParseRole(role.value_or(""));
    if (!parsed) {
      return Failure(StrangeRow({ErrorKind::kCorrupt, "role " + role.value_or("NULL"), {}}));
    }
    if (roles.empty() || roles.back().ns != *ns) roles.push_back({*ns, *parsed});
    roles.back().role = std::max(roles.back().role, *parsed);
    return {};
  }
};

Result<AccountRights> FindRights(Session& session, const std::string& id) {
  std::optional<AccountRights> rights;
  if (IsStorable(id)) {
    GrantedRoleRow role;
    Query query(session, kFindRights);
    query.Use(id).Use(id).Use(id);
    RecordReader account(query, kAccountColumns);
    role.Bind(query);
    while (query.Next()) {
      if (!rights) {
        ASSIGN_OR_RETURN(rights.emplace().account, account.Read());
      }
      RETURN_IF_ERROR(role.AddTo(rights->roles));
    }
  }
  if (rights) return *std::move(rights);
  return FailNotFound("there is no account with the ID \"{}\" (any longer)", Printable(id));
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<bool> AccountCatalog::HasAdministrator() { return transactions_.Read(&sql::HasAdministrator); }

Task<void> AccountCatalog::AddAccount(Actor by, AccountRecord account) {
  return transactions_.Write(&sql::AddAccount, std::move(by), std::move(account));
}

Task<AccountRecord> AccountCatalog::FindAccount(AccountKind kind, std::string name) {
  return transactions_.Read(&sql::FindAccount, kind, std::move(name));
}

Task<AccountRights> AccountCatalog::FindRights(std::string id) {
  return transactions_.Read(&sql::FindRights, std::move(id));
}

Task<std::vector<AccountRecord>> AccountCatalog::ListAccounts(AccountKind kind) {
  return transactions_.Read(&sql::ListAccounts, kind);
}

Task<void> AccountCatalog::SetDisabled(Actor by, AccountKind kind, std::string name,
                                       std::optional<UnixSeconds> at) {
  return transactions_.Write(&sql::SetDisabled, std::move(by), kind, std::move(name), at);
}

Task<void> AccountCatalog::SetLanguage(Actor by, std::string user, std::string language) {
  return transactions_.Write(&sql::SetLanguage, std::move(by), std::move(user),
                             std::move(language));
}

Task<void> AccountCatalog::RemoveAccount(Actor by, AccountKind kind, std::string name) {
  return transactions_.Write(&sql::RemoveAccount, std::move(by), kind, std::move(name));
}

}  // namespace koya
