#include "catalog/sign_in_catalog.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "catalog/sql/access/access_catalog.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/transaction.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/identity_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// The namespace is stored by its key.
constexpr auto kTrustColumns =
    Columns(Column<&TrustRecord::id>("t.id"), ReadColumn<&TrustRecord::ns>("n.name"),
            Column<&TrustRecord::issuer>("t.issuer"), Column<&TrustRecord::rules>("t.rules"),
            Column<&TrustRecord::created_at>("t.created_at"),
            Column<&TrustRecord::created_by>("t.created_by"));
constexpr auto kAddTrust = Sql("add_trust", "INSERT INTO trust (namespace_key, rules_digest, ",
                               kNames<kTrustColumns>, ") VALUES (:namespace_key, :rules_digest, ",
                               kValues<kTrustColumns>, ") ON CONFLICT DO NOTHING");
constexpr auto kListTrust =
    Sql("list_trust", "SELECT ", kSelect<kTrustColumns>,
        " FROM trust t JOIN namespace n ON n.name_key = t.namespace_key "
        "WHERE t.namespace_key = :namespace_key ORDER BY t.created_at, t.id");
constexpr Statement kRemoveTrust{
    "remove_trust", "DELETE FROM trust WHERE namespace_key = :namespace_key AND id = :id"};
// As they go with it.
constexpr Statement kCountTokensOfTrust{
    "count_tokens_of_trust",
    "SELECT COUNT(*) FROM token WHERE trust_id = :id AND expires_at > {{now}}"};

// The same for the same rules, whatever their order.
std::string RulesDigest(const TrustRecord& trust) {
  std::vector<std::string> parts = trust.rules;
  std::ranges::sort(parts);
  parts.insert(parts.begin(), trust.issuer);
  return Digest::Of(JoinList(parts)).hex();
}

// What the audit log says of it.
AuditedChange TrustChange(std::string_view action, const TrustRecord& trust) {
  return {.action = action, .target = "trust:" + trust.id, .ns = trust.ns};
}
AuditFacts TrustFacts(const TrustRecord& trust) {
  AuditFacts facts;
  facts.Add("issuer", trust.issuer).Add("rules", trust.rules);
  return facts;
}

Status AddTrust(Session& session, const Actor& by, const TrustRecord& trust) {
  RETURN_IF_ERROR(CheckStorable("the ID", trust.id));
  RETURN_IF_ERROR(CheckStorable("the issuer", trust.issuer));
  RETURN_IF_ERROR(CheckStorable("the name of who trusts", trust.created_by));
  LockAccess(session);
  RETURN_IF_ERROR(CheckNamespace(session, trust.ns));
  {
    Query query(session, kAddTrust);
    query.Use(NamespaceKey(trust.ns)).Use(RulesDigest(trust));
    if (UseRecord(query, kTrustColumns, trust).Run() == 0) {
      return FailConflict(
          "the namespace {} already trusts the same rules of {}: list its trusts to see them",
          Printable(trust.ns), Printable(trust.issuer));
    }
  }
  AuditedChange change = TrustChange("trust.add", trust);
  change.after = TrustFacts(trust).ToJson();
  RecordChange(session, by, change);
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

Result<std::vector<TrustRecord>> ListTrust(Session& session, const std::string& ns) {
  if (!IsStorable(ns)) return std::vector<TrustRecord>();
  Query query(session, kListTrust);
  query.Use(NamespaceKey(ns));
  return ReadRecords(query, kTrustColumns);
}

Status RemoveTrust(Session& session, const Actor& by, const std::string& ns,
                   const std::string& id) {
  LockAccess(session);
  ASSIGN_OR_RETURN(std::vector<TrustRecord> all, ListTrust(session, ns));
  auto trust = std::ranges::find(all, id, &TrustRecord::id);
  if (trust == all.end()) {
    return FailNotFound(
        "the namespace {} has no trust with the ID \"{}\": list its trusts to see their IDs",
        Printable(ns), Printable(id));
  }
  AuditFacts before = TrustFacts(*trust);
  std::int64_t tokens = 0;
  {
    Query query(session, kCountTokensOfTrust);
    query.Use(id).Into(tokens).Next();
  }
  if (tokens > 0) before.Add("tokens", tokens);
  Query(session, kRemoveTrust).Use(NamespaceKey(ns)).Use(id).Run();
  AuditedChange change = TrustChange("trust.remove", *trust);
  change.before = before.ToJson();
  RecordChange(session, by, change);
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<void> TrustCatalog::AddTrust(Actor by, TrustRecord trust) {
  return transactions_.Write(&sql::AddTrust, std::move(by), std::move(trust));
}

Task<std::vector<TrustRecord>> TrustCatalog::ListTrust(std::string ns) {
  return transactions_.Read(&sql::ListTrust, std::move(ns));
}

Task<void> TrustCatalog::RemoveTrust(Actor by, std::string ns, std::string id) {
  return transactions_.Write(&sql::RemoveTrust, std::move(by), std::move(ns), std::move(id));
}

}  // namespace koya
