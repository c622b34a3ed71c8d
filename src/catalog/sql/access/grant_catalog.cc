#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "catalog/sql/access/access_catalog.h"
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

// Grants that are removed with an account or a group: lists them first, for the audit log.
constexpr Statement kListRolesOf{
    "list_roles_of_grantee",
    "SELECT n.name, g.role FROM namespace_grant g JOIN namespace n ON n.name_key = g.namespace_key "
    "WHERE g.grantee = :grantee AND g.grantee_kind = :grantee_kind ORDER BY n.name_key"};
constexpr Statement kRemoveGrantsOf{
    "remove_grants_of_grantee",
    "DELETE FROM namespace_grant WHERE grantee = :grantee AND grantee_kind = :grantee_kind"};
// Namespaces are never removed: one that is found here still exists when the grant is added.
constexpr Statement kFindNamespaceKey{"find_namespace_key",
                                      "SELECT name_key FROM namespace WHERE name_key = :name_key"};
std::optional<GranteeKind> ParseGranteeKind(std::string_view name) {
  for (GranteeKind each : {GranteeKind::kUser, GranteeKind::kGroup, GranteeKind::kService}) {
    if (name == GranteeKindName(each)) return each;
  }
  return std::nullopt;
}
using GranteeCell = NamedCell<GranteeKind, &ParseGranteeKind, &GranteeKindName, kAccountKindWord>;

// The namespace and the grantee are stored by their keys.
constexpr auto kGrantColumns =
    Columns(ReadColumn<&GrantRecord::ns>("n.name"),
            Column<&GrantRecord::kind, GranteeCell>("g.grantee_kind"),
            ReadColumn<&GrantRecord::grantee>("who.name"), Column<&GrantRecord::role>("g.role"),
            Column<&GrantRecord::granted_at>("g.granted_at"),
            Column<&GrantRecord::granted_by>("g.granted_by"));
constexpr auto kPutGrant =
    Sql("put_grant", "INSERT INTO namespace_grant (namespace_key, grantee, ", kNames<kGrantColumns>,
        ") VALUES (:namespace_key, :grantee, ", kValues<kGrantColumns>,
        ") ON CONFLICT (namespace_key, grantee_kind, grantee) DO UPDATE SET "
        "role = excluded.role, granted_at = excluded.granted_at, granted_by = excluded.granted_by");
constexpr Statement kRemoveGrant{
    "remove_grant",
    "DELETE FROM namespace_grant WHERE namespace_key = :namespace_key AND "
    "grantee_kind = :grantee_kind AND grantee = :grantee"};
constexpr Statement kFindRole{
    "find_granted_role",
    "SELECT role FROM namespace_grant WHERE namespace_key = :namespace_key AND "
    "grantee_kind = :grantee_kind AND grantee = :grantee"};
constexpr auto kListGrants = Sql(
    "list_grants", "SELECT ", kSelect<kGrantColumns>,
    " FROM namespace n JOIN namespace_grant g ON g.namespace_key = n.name_key JOIN ("
    "SELECT id AS grantee, kind, name, name_key FROM account "
    "UNION ALL SELECT name_key, 'group', name, name_key FROM account_group) who "
    "ON who.kind = g.grantee_kind AND who.grantee = g.grantee WHERE n.name_key = :namespace_key "
    "ORDER BY CASE g.grantee_kind WHEN 'user' THEN 0 WHEN 'group' THEN 1 ELSE 2 END, "
    "who.name_key");

// What the audit log says of a role.
std::string RoleFacts(std::string_view role) {
  AuditFacts facts;
  return facts.Add("role", role).ToJson();
}

// Of the one that the grantee has there; "": none.
std::string GrantedFacts(Session& session, const std::string& ns, GranteeKind kind,
                         const std::string& grantee) {
  std::string role;
  Query query(session, kFindRole);
  query.Use(NamespaceKey(ns)).Use(GranteeKindName(kind)).Use(grantee).Into(role);
  if (!query.Next()) return {};
  return RoleFacts(role);
}

AuditedChange GrantChange(std::string_view action, const std::string& ns, GranteeKind kind,
                          const std::string& name) {
  return {.action = action, .target = fmt::format("{}:{}", GranteeKindName(kind), name), .ns = ns};
}

Status PutGrant(Session& session, const Actor& by, const GrantRecord& grant) {
  RETURN_IF_ERROR(CheckStorable("the name of who grants the role", grant.granted_by));
  LockAccess(session);
  RETURN_IF_ERROR(CheckNamespace(session, grant.ns));
  ASSIGN_OR_RETURN(Grantee grantee, FindNamedGrantee(session, grant.kind, grant.grantee));
  AuditedChange change = GrantChange("grant.put", grant.ns, grant.kind, grantee.name);
  change.before = GrantedFacts(session, grant.ns, grant.kind, grantee.key);
  change.after = RoleFacts(RoleName(grant.role));
  if (change.before == change.after) return {};
  {
    Query query(session, kPutGrant);
    query.Use(NamespaceKey(grant.ns)).Use(grantee.key);
    UseRecord(query, kGrantColumns, grant).Run();
  }
  RecordChange(session, by, change);
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

Status RemoveGrant(Session& session, const Actor& by, const std::string& ns, GranteeKind kind,
                   const std::string& name) {
  if (!IsStorable(ns)) return NoNamespace(ns);
  LockAccess(session);
  ASSIGN_OR_RETURN(Grantee grantee, FindNamedGrantee(session, kind, name));
  AuditedChange change = GrantChange("grant.remove", ns, kind, grantee.name);
  change.before = GrantedFacts(session, ns, kind, grantee.key);
  {
    Query query(session, kRemoveGrant);
    query.Use(NamespaceKey(ns)).Use(GranteeKindName(kind)).Use(grantee.key);
    if (query.Run() == 0) {
      return FailNotFound(
          "the {} \"{}\" has no role in the namespace {}: list its grants to see the roles",
          GranteeKindName(kind), Printable(name), Printable(ns));
    }
  }
  RecordChange(session, by, change);
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

Result<std::vector<GrantRecord>> ListGrants(Session& session, const std::string& ns) {
  if (!IsStorable(ns)) return std::vector<GrantRecord>();
  Query query(session, kListGrants);
  query.Use(NamespaceKey(ns));
  return ReadRecords(query, kGrantColumns);
}

}  // namespace

Status CheckNamespace(Session& session, const std::string& ns) {
  std::string found;
  Query query(session, kFindNamespaceKey);
  if (IsStorable(ns) && query.Use(NamespaceKey(ns)).Into(found).Next()) return {};
  return NoNamespace(ns);
}

std::vector<std::string> RemoveGrantsOf(Session& session, GranteeKind kind,
                                        const std::string& grantee) {
  std::vector<std::string> roles;
  {
    std::string ns, role;
    Query query(session, kListRolesOf);
    query.Use(grantee).Use(GranteeKindName(kind)).Into(ns).Into(role);
    while (query.Next()) roles.push_back(fmt::format("{}:{}", ns, role));
  }
  Query(session, kRemoveGrantsOf).Use(grantee).Use(GranteeKindName(kind)).Run();
  return roles;
}

}  // namespace koya::sql

namespace koya {

Task<void> NamespaceCatalog::PutGrant(Actor by, GrantRecord grant) {
  return transactions_.Write(&sql::PutGrant, std::move(by), std::move(grant));
}

Task<void> NamespaceCatalog::RemoveGrant(Actor by, std::string ns, GranteeKind kind,
                                         std::string grantee) {
  return transactions_.Write(&sql::RemoveGrant, std::move(by), std::move(ns), kind,
                             std::move(grantee));
}

Task<std::vector<GrantRecord>> NamespaceCatalog::ListGrants(std::string ns) {
  return transactions_.Read(&sql::ListGrants, std::move(ns));
}

}  // namespace koya
