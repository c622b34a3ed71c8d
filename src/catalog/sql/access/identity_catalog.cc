#include "catalog/sql/access/sign_in_catalog.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/transaction.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kHoldIdentityProvider{
    "hold_identity_provider",
    "SELECT name_key FROM identity_provider WHERE name_key = :name_key {{for share}}"};

}  // namespace

Result<std::string> HoldIdentityProvider(Session& session, std::string_view name) {
  std::string key;
  Query query(session, kHoldIdentityProvider);
  if (IsStorable(name) && query.Use(AccountKey(name)).Into(key).Next()) return key;
  return NoIdentityProvider(name);
}

Failure NoIdentityProvider(std::string_view name) {
  return FailNotFound(
      "there is no sign-in provider named \"{}\": list the providers to see their names",
      Printable(name));
}

namespace {

constexpr auto kProviderRecordColumns =
    Columns(Column<&IdentityProviderRecord::name>("p.name"),
            Column<&IdentityProviderRecord::issuer>("p.issuer"),
            Column<&IdentityProviderRecord::client_id>("p.client_id"),
            Column<&IdentityProviderRecord::sealed_secret>("p.sealed_secret"),
            Column<&IdentityProviderRecord::groups_claim>("p.groups_claim"),
            Column<&IdentityProviderRecord::created_at>("p.created_at"),
            Column<&IdentityProviderRecord::created_by>("p.created_by"),
            Column<&IdentityProviderRecord::enabled>("p.enabled"));
// One row for each group of a provider, by its position; a provider without groups has one row.
constexpr auto kReadProviders =
    Join("SELECT i.theirs, g.name, ", kSelect<kProviderRecordColumns>,
         " FROM identity_provider p LEFT JOIN identity_group i ON i.provider_key = p.name_key "
         "LEFT JOIN account_group g ON g.name_key = i.group_key ");
constexpr auto kAddIdentityProvider =
    Sql("add_identity_provider", "INSERT INTO identity_provider (name_key, ",
        kNames<kProviderRecordColumns>, ") VALUES (:name_key, ", kValues<kProviderRecordColumns>,
        ") ON CONFLICT DO NOTHING");
constexpr Statement kAddIdentityGroup{
    "add_identity_group",
    "INSERT INTO identity_group (provider_key, position, theirs, group_key) "
    "VALUES (:provider_key, :position, :theirs, :group_key)"};
constexpr auto kFindIdentityProvider = Sql("find_identity_provider", kReadProviders,
                                           "WHERE p.name_key = :name_key ORDER BY i.position");
constexpr auto kListIdentityProviders =
    Sql("list_identity_providers", kReadProviders, "ORDER BY p.name_key, i.position");
constexpr Statement kSetProviderEnabled{
    "set_provider_enabled",
    "UPDATE identity_provider SET enabled = :enabled WHERE name_key = :name_key"};
constexpr Statement kRemoveProvidersMembers{
    "remove_members_by_provider",
    "DELETE FROM group_member WHERE source = (SELECT name FROM identity_provider WHERE "
    "name_key = :name_key)"};
constexpr Statement kEndProvidersSessions{"end_sessions_by_provider",
                                          "DELETE FROM session WHERE provider_key = :name_key"};
// Its groups and identities go with it (ON DELETE CASCADE).
constexpr Statement kRemoveIdentityProvider{
    "remove_identity_provider", "DELETE FROM identity_provider WHERE name_key = :name_key"};
constexpr Statement kResealIdentityProvider{
    "reseal_identity_provider",
    "UPDATE identity_provider SET sealed_secret = :sealed_secret WHERE name_key = :name_key AND "
    "sealed_secret = :before"};

Status CheckIdentityProvider(const IdentityProviderRecord& provider) {
  RETURN_IF_ERROR(CheckStorable("the provider's name", provider.name));
  RETURN_IF_ERROR(CheckStorable("the provider's issuer", provider.issuer));
  RETURN_IF_ERROR(CheckStorable("the client's id", provider.client_id));
  RETURN_IF_ERROR(CheckStorable("the client's sealed secret", provider.sealed_secret));
  RETURN_IF_ERROR(CheckStorable("the name of the groups' claim", provider.groups_claim));
  for (const GroupMapping& mapping : provider.groups) {
    RETURN_IF_ERROR(CheckStorable("the provider's group", mapping.theirs));
  }
  return CheckStorable("the name of who adds the provider", provider.created_by);
}

// Returns whether the name was free.
bool InsertIdentityProvider(Session& session, const IdentityProviderRecord& provider) {
  Query query(session, kAddIdentityProvider);
  query.Use(AccountKey(provider.name));
  return UseRecord(query, kProviderRecordColumns, provider).Run() != 0;
}

Status InsertIdentityGroups(Session& session, const IdentityProviderRecord& provider) {
  std::int64_t position = 0;
  for (const GroupMapping& mapping : provider.groups) {
    ASSIGN_OR_RETURN(std::string group, FindGrantee(session, GranteeKind::kGroup, mapping.ours));
    Query query(session, kAddIdentityGroup);
    query.Use(AccountKey(provider.name)).Use(position++).Use(mapping.theirs).Use(group).Run();
  }
  return {};
}

// What the audit log says of it. That it has a secret is no secret.
AuditFacts IdentityProviderFacts(const IdentityProviderRecord& provider) {
  AuditFacts facts;
  facts.Add("issuer", provider.issuer).Add("client_id", provider.client_id);
  if (!provider.sealed_secret.empty()) facts.Add("secret", "yes");
  if (!provider.groups_claim.empty()) facts.Add("groups_claim", provider.groups_claim);
  std::vector<std::string> groups;
  groups.reserve(provider.groups.size());
  for (const GroupMapping& each : provider.groups) groups.push_back(each.theirs + "=" + each.ours);
  if (!groups.empty()) facts.Add("groups", groups);
  return facts;
}

AuditedChange IdentityProviderChange(std::string_view action, std::string_view name) {
  return {.action = action, .target = fmt::format("idp:{}", name)};
}

Status AddIdentityProvider(Session& session, const Actor& by,
                           const IdentityProviderRecord& provider) {
  RETURN_IF_ERROR(CheckIdentityProvider(provider));
  LockAccess(session);
  if (!InsertIdentityProvider(session, provider)) {
    return FailConflict(
        "there is already a sign-in provider named \"{}\", in this or another "
        "letter case: choose another name, or remove that one first",
        Printable(provider.name));
  }
  RETURN_IF_ERROR(InsertIdentityGroups(session, provider));
  AuditedChange change = IdentityProviderChange("idp.add", provider.name);
  change.after = IdentityProviderFacts(provider).ToJson();
  RecordChange(session, by, change);
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

// Reads the remaining rows of a query whose values are all used.
Result<std::vector<IdentityProviderRecord>> ReadIdentityProviders(Query& query) {
  std::vector<IdentityProviderRecord> providers;
  std::optional<std::string> theirs, ours;
  query.Into(theirs).Into(ours);
  RecordReader reader(query, kProviderRecordColumns);
  while (query.Next()) {
    ASSIGN_OR_RETURN(IdentityProviderRecord next, reader.Read());
    if (providers.empty() || providers.back().name != next.name) {
      providers.push_back(std::move(next));
    }
    if (theirs && ours) providers.back().groups.push_back({*theirs, *ours});
  }
  return providers;
}

Result<IdentityProviderRecord> FindIdentityProvider(Session& session, const std::string& name) {
  if (!IsStorable(name)) return NoIdentityProvider(name);
  Query query(session, kFindIdentityProvider);
  query.Use(AccountKey(name));
  ASSIGN_OR_RETURN(std::vector<IdentityProviderRecord> found, ReadIdentityProviders(query));
  if (found.empty()) return NoIdentityProvider(name);
  return std::move(found.front());
}

Result<std::vector<IdentityProviderRecord>> ListIdentityProviders(Session& session) {
  Query query(session, kListIdentityProviders);
  return ReadIdentityProviders(query);
}

Status SetProviderEnabled(Session& session, const Actor& by, const std::string& name,
                          bool enabled) {
  LockAccess(session);
  ASSIGN_OR_RETURN(IdentityProviderRecord provider, FindIdentityProvider(session, name));
  if (provider.enabled == enabled) return {};
  Query(session, kSetProviderEnabled)
      .Use(std::int64_t{enabled ? 1 : 0})
      .Use(AccountKey(provider.name))
      .Run();
  RecordChange(session, by,
               IdentityProviderChange(enabled ? "idp.enable" : "idp.disable", provider.name));
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

Status RemoveIdentityProvider(Session& session, const Actor& by, const std::string& name) {
  LockAccess(session);
  ASSIGN_OR_RETURN(IdentityProviderRecord provider, FindIdentityProvider(session, name));
  const std::string key = AccountKey(name);
  const std::int64_t members = Query(session, kRemoveProvidersMembers).Use(key).Run();
  const std::int64_t sessions = Query(session, kEndProvidersSessions).Use(key).Run();
  Query(session, kRemoveIdentityProvider).Use(key).Run();
  AuditedChange change = IdentityProviderChange("idp.remove", provider.name);
  AuditFacts facts = IdentityProviderFacts(provider);
  change.before = facts.Add("memberships", members).Add("sessions", sessions).ToJson();
  RecordChange(session, by, change);
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

Status ResealIdentityProvider(Session& session, const Actor& by,
                              const IdentityProviderRecord& provider,
                              const std::string& sealed_secret) {
  RETURN_IF_ERROR(CheckStorable("the client's sealed secret", sealed_secret));
  const bool possible = IsStorable(provider.name) && IsStorable(provider.sealed_secret);
  Query query(session, kResealIdentityProvider);
  query.Use(sealed_secret).Use(AccountKey(provider.name)).Use(provider.sealed_secret);
  if (!possible || query.Run() == 0) {
    return FailConflict("the sign-in provider \"{}\" was removed or resealed meanwhile",
                        Printable(provider.name));
  }
  RecordChange(session, by, IdentityProviderChange("idp.reseal", provider.name));
  return {};
}

}  // namespace

Task<void> SqlIdentities::AddIdentityProvider(Actor by, IdentityProviderRecord provider) {
  return transactions_.Write(&sql::AddIdentityProvider, std::move(by), std::move(provider));
}

Task<IdentityProviderRecord> SqlIdentities::FindIdentityProvider(std::string name) {
  return transactions_.Read(&sql::FindIdentityProvider, std::move(name));
}

Task<std::vector<IdentityProviderRecord>> SqlIdentities::ListIdentityProviders() {
  return transactions_.Read(&sql::ListIdentityProviders);
}

Task<void> SqlIdentities::SetProviderEnabled(Actor by, std::string name, bool enabled) {
  return transactions_.Write(&sql::SetProviderEnabled, std::move(by), std::move(name), enabled);
}

Task<void> SqlIdentities::RemoveIdentityProvider(Actor by, std::string name) {
  return transactions_.Write(&sql::RemoveIdentityProvider, std::move(by), std::move(name));
}

Task<void> SqlIdentities::ResealIdentityProvider(Actor by, IdentityProviderRecord provider,
                                                 std::string sealed_secret) {
  return transactions_.Write(&sql::ResealIdentityProvider, std::move(by), std::move(provider),
                             std::move(sealed_secret));
}

}  // namespace koya::sql
