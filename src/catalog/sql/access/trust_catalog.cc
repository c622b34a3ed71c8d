#include "catalog/sign_in_catalog.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "catalog/sql/access/namespace_catalog.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/executor.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/writer_locks.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/identity_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kAddTrust{
    "add_trust",
    "INSERT INTO trust (id, namespace_key, issuer, rules, rules_digest, created_at, created_by) "
    "VALUES (:id, :namespace_key, :issuer, :rules, :rules_digest, :created_at, :created_by) "
    "ON CONFLICT DO NOTHING"};
constexpr Statement kListTrust{
    "list_trust",
    "SELECT t.id, n.name, t.issuer, t.rules, t.created_at, t.created_by FROM trust t "
    "JOIN namespace n ON n.name_key = t.namespace_key WHERE t.namespace_key = :namespace_key "
    "ORDER BY t.created_at, t.id"};
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
    query.Use(trust.id).Use(NamespaceKey(trust.ns)).Use(trust.issuer).Use(JoinList(trust.rules));
    query.Use(RulesDigest(trust)).Use(trust.created_at).Use(trust.created_by);
    if (query.Run() == 0) {
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
  std::vector<TrustRecord> list;
  if (!IsStorable(ns)) return list;
  TrustRecord trust;
  std::string rules;
  Query query(session, kListTrust);
  query.Use(NamespaceKey(ns)).Into(trust.id).Into(trust.ns).Into(trust.issuer).Into(rules);
  query.Into(trust.created_at).Into(trust.created_by);
  while (query.Next()) {
    ASSIGN_OR_RETURN(trust.rules, SplitList(rules));
    list.push_back(trust);
  }
  return list;
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
