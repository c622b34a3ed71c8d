#include "catalog/policy_catalog.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/mirror/holdings.h"
#include "catalog/sql/mirror/upstream_row.h"
#include "domain/audit_facts.h"
#include "domain/policy_record.h"
#include "domain/topic.h"

namespace koya::sql {
namespace {

constexpr Statement kFindNewest{
    "find_policy",
    "SELECT revision, content, set_by, set_at, reason FROM policy_revision ORDER BY revision DESC "
    "LIMIT 1"};
constexpr Statement kFindRevision{
    "find_policy_revision",
    "SELECT revision, content, set_by, set_at, reason FROM policy_revision WHERE revision = "
    ":revision"};
constexpr Statement kListRevisions{
    "list_policy_revisions",
    "SELECT revision, '', set_by, set_at, reason FROM policy_revision ORDER BY revision DESC LIMIT "
    ":limit"};
// Of two servers that add the same revision at once the second waits here for the first.
constexpr Statement kAddRevision{
    "add_policy_revision",
    "INSERT INTO policy_revision (revision, content, set_by, set_at, reason) VALUES (:revision, "
    ":content, :set_by, {{now}}, :reason) ON CONFLICT (revision) DO NOTHING"};
constexpr Statement kAdmitReleases{
    "admit_pinned_releases",
    "INSERT INTO admission (subject, version, admitted_at) SELECT p.provider_key, r.version, "
    "{{now}} FROM upstream_release r JOIN upstream_provider p ON p.id = r.provider_id WHERE 1 = 1 "
    "ON CONFLICT (subject, version) DO NOTHING"};
constexpr Statement kAdmitModules{
    "admit_pinned_modules",
    "INSERT INTO admission (subject, version, admitted_at) SELECT m.module_key, v.version, {{now}} "
    "FROM upstream_module_version v JOIN upstream_module m ON m.id = v.module_id WHERE 1 = 1 ON "
    "CONFLICT (subject, version) DO NOTHING"};
constexpr Statement kAdmit{
    "admit_version",
    "INSERT INTO admission (subject, version, admitted_at) VALUES (:subject, :version, {{now}}) ON "
    "CONFLICT (subject, version) DO NOTHING"};
constexpr Statement kListAdmitted{"list_admitted",
                                  "SELECT version FROM admission WHERE subject = :subject"};
constexpr Statement kListReleaseFacts{
    "list_pinned_release_facts",
    "SELECT r.version, r.seen_at, CASE WHEN " KOYA_IS_SIGNED
    " THEN 1 ELSE 0 END, "
    "r.signer, r.changed_at, COALESCE(a.name, '') FROM upstream_provider p "
    "JOIN upstream_release r ON r.provider_id = p.id "
    "LEFT JOIN upstream_attachment a ON a.release_id = r.id "
    "WHERE p.provider_key = :provider_key ORDER BY r.seen_at, r.id, a.name"};
constexpr Statement kListModuleFacts{
    "list_pinned_module_facts",
    "SELECT v.version, v.seen_at, 0, '', 0, '' FROM upstream_module m "
    "JOIN upstream_module_version v ON v.module_id = m.id "
    "WHERE m.module_key = :module_key ORDER BY v.seen_at, v.id"};
constexpr Statement kMarkChanged{
    "mark_upstream_release_changed",
    "UPDATE upstream_release SET changed_at = {{now}} WHERE version = :version AND changed_at = 0 "
    "AND provider_id = (SELECT id FROM upstream_provider WHERE provider_key = :provider_key)"};
constexpr Statement kListSigners{
    "list_known_signers",
    "SELECT DISTINCT r.signer FROM upstream_provider p "
    "JOIN upstream_release r ON r.provider_id = p.id "
    "JOIN admission a ON a.subject = p.provider_key AND a.version = r.version "
    "WHERE p.host = :host AND p.namespace = :namespace AND r.signer <> ''"};

constexpr Statement kListKeyHistory{
    "list_signers",
    "SELECT r.signer, CASE WHEN r.signature_digest IS NULL THEN 0 ELSE 1 END, "
    "MAX(CASE WHEN a.version IS NULL THEN 0 ELSE 1 END), COUNT(*), MIN(r.seen_at), MAX(r.seen_at) "
    "FROM upstream_provider p JOIN upstream_release r ON r.provider_id = p.id "
    "LEFT JOIN admission a ON a.subject = p.provider_key AND a.version = r.version "
    "WHERE p.host = :host AND p.namespace = :namespace "
    "GROUP BY r.signer, CASE WHEN r.signature_digest IS NULL THEN 0 ELSE 1 END "
    "ORDER BY MAX(r.seen_at) DESC, r.signer, 2 LIMIT :limit"};
constexpr Statement kListSigned{
    "list_signed_releases",
    "SELECT signer, is_signed, type, version, seen_at FROM ("
    "SELECT r.signer, CASE WHEN r.signature_digest IS NULL THEN 0 ELSE 1 END AS is_signed, p.type, "
    "r.version, r.seen_at, r.id, ROW_NUMBER() OVER (PARTITION BY r.signer, "
    "CASE WHEN r.signature_digest IS NULL THEN 0 ELSE 1 END ORDER BY r.seen_at DESC, r.id DESC) "
    "AS place FROM upstream_provider p JOIN upstream_release r ON r.provider_id = p.id "
    "WHERE p.host = :host AND p.namespace = :namespace) AS numbered "
    "WHERE place <= :most ORDER BY seen_at DESC, id DESC"};

struct RevisionRow {
  PolicyRevision value;
  void ReadFrom(Query& query) {
    query.Into(value.revision).Into(value.text).Into(value.by).Into(value.at).Into(value.reason);
  }
};

Result<PolicyRevision> FindPolicy(Session& session) {
  Query query(session, kFindNewest);
  RevisionRow row;
  row.ReadFrom(query);
  if (!query.Next()) return PolicyRevision();
  return std::move(row.value);
}

Result<PolicyRevision> FindPolicyRevision(Session& session, std::int64_t revision) {
  Query query(session, kFindRevision);
  RevisionRow row;
  row.ReadFrom(query.Use(revision));
  if (query.Next()) return std::move(row.value);
  return FailNotFound("the policy has no revision {}: list them to see which there are", revision);
}

Result<std::vector<PolicyRevision>> ListPolicyRevisions(Session& session, std::uint64_t limit) {
  std::vector<PolicyRevision> revisions;
  Query query(session, kListRevisions);
  RevisionRow row;
  row.ReadFrom(query.Use(static_cast<std::int64_t>(limit)));
  while (query.Next()) revisions.push_back(row.value);
  return revisions;
}

Failure OtherRevision(std::int64_t expected, std::int64_t found) {
  return FailConflict(
      "the policy in force is revision {}, not {}: read it, then set yours with that revision",
      found, expected);
}

bool AddRevision(Session& session, const PolicyRevision& revision) {
  Query query(session, kAddRevision);
  query.Use(revision.revision).Use(revision.text).Use(revision.by).Use(revision.reason);
  return query.Run() != 0;
}

void RecordRevision(Session& session, const Actor& by, std::int64_t before,
                    const PolicyRevision& now, const NewPolicyRevision& next) {
  AuditFacts old, set;
  if (before > 0) old.Add("revision", before);
  set.Add("revision", now.revision).Add("reason", now.reason);
  if (next.copy_of > 0) set.Add("copy_of", next.copy_of);
  RecordChange(session, by,
               {.action = next.copy_of > 0 ? "policy.rollback" : "policy.set",
                .target = "policy",
                .before = before > 0 ? old.ToJson() : "",
                .after = set.ToJson()});
}

Result<std::int64_t> SetPolicy(Session& session, const Actor& by, const NewPolicyRevision& next) {
  RETURN_IF_ERROR(CheckStorable("the policy", next.text));
  RETURN_IF_ERROR(CheckStorable("the reason", next.reason));
  ASSIGN_OR_RETURN(const PolicyRevision newest, FindPolicy(session));
  if (next.expected && *next.expected != newest.revision) {
    return OtherRevision(*next.expected, newest.revision);
  }
  const PolicyRevision now{
      .revision = newest.revision + 1, .text = next.text, .by = by.name, .reason = next.reason};
  if (!AddRevision(session, now)) return OtherRevision(newest.revision, now.revision);
  if (newest.revision == 0 && next.admits_pinned) {
    Query(session, kAdmitReleases).Run();
    Query(session, kAdmitModules).Run();
  }
  RecordRevision(session, by, newest.revision, now, next);
  AppendChange(session, std::string(kEverything));
  return now.revision;
}

std::int64_t AddAdmission(Session& session, const Admission& admission) {
  Query query(session, kAdmit);
  return query.Use(admission.subject).Use(admission.version).Run();
}

Status Admit(Session& session, const Admission& admission) {
  AddAdmission(session, admission);
  return {};
}

Result<std::uint64_t> AdmitAll(Session& session, const Actor& by,
                               const std::vector<Admission>& admissions, const std::string& pattern,
                               const std::string& reason) {
  if (admissions.size() > PolicyCatalog::kMostAdmissions) {
    return Fail(ErrorKind::kTooLarge, "too many versions match the pattern \"" +
                                          Printable(pattern) + "\": use narrower patterns");
  }
  RETURN_IF_ERROR(CheckStorable("the pattern", pattern));
  RETURN_IF_ERROR(CheckStorable("the reason", reason));
  std::int64_t added = 0;
  for (const Admission& each : admissions) added += AddAdmission(session, each);
  AuditFacts facts;
  facts.Add("pattern", pattern).Add("reason", reason).Add("admitted", added);
  RecordChange(session, by,
               {.action = "policy.baseline", .target = "policy", .after = facts.ToJson()});
  AppendChange(session, std::string(kEverything));
  return static_cast<std::uint64_t>(added);
}

Result<std::set<std::string>> ReadTexts(Query& query) {
  std::set<std::string> texts;
  std::string text;
  query.Into(text);
  while (query.Next()) texts.insert(text);
  return texts;
}

Result<std::set<std::string>> ListAdmitted(Session& session, const std::string& subject) {
  Query query(session, kListAdmitted);
  return ReadTexts(query.Use(subject));
}

// A version has as many rows as attachments, at least one.
Result<std::vector<PinnedFacts>> ReadPinnedFacts(Query& query) {
  std::vector<PinnedFacts> facts;
  std::string version, signer, attachment;
  std::int64_t seen_at = 0, is_signed = 0, changed_at = 0;
  query.Into(version).Into(seen_at).Into(is_signed).Into(signer);
  query.Into(changed_at).Into(attachment);
  while (query.Next()) {
    ASSIGN_OR_RETURN(Version parsed, Stored(Version::Parse(version)));
    if (facts.empty() || facts.back().version != parsed) {
      facts.push_back({.version = std::move(parsed),
                       .seen_at = seen_at,
                       .is_signed = is_signed != 0,
                       .signer = signer,
                       .attachments = {},
                       .changed_at = changed_at});
    }
    if (!attachment.empty()) facts.back().attachments.push_back(attachment);
  }
  return facts;
}

Result<std::vector<PinnedFacts>> ListReleaseFacts(Session& session,
                                                  const UpstreamProvider& provider) {
  Query query(session, kListReleaseFacts);
  return ReadPinnedFacts(query.Use(provider.Key()));
}

Result<std::vector<PinnedFacts>> ListModuleFacts(Session& session, const UpstreamModule& module) {
  Query query(session, kListModuleFacts);
  return ReadPinnedFacts(query.Use(module.Key()));
}

Status MarkChanged(Session& session, const Actor& by, const UpstreamProvider& provider,
                   const Version& version) {
  {
    Query query(session, kMarkChanged);
    if (query.Use(version.ToString()).Use(provider.Key()).Run() == 0) return {};
  }
  RecordChange(session, by,
               {.action = "policy.changed", .target = MirroredTarget(provider, version)});
  AppendChange(session, MirrorTopic(provider));
  return {};
}

Result<std::set<std::string>> ListKnownSigners(Session& session, const std::string& host,
                                               const std::string& ns) {
  Query query(session, kListSigners);
  return ReadTexts(query.Use(host).Use(ns));
}

using SignersByKey = std::map<std::pair<std::string, std::int64_t>, NamespaceSigner*>;

Status ReadSigned(Session& session, const std::string& host, const std::string& ns,
                  const SignersByKey& signers) {
  ASSIGN_OR_RETURN(const HostName registry, Stored(HostName::ParseWire(host)));
  Query query(session, kListSigned);
  std::string signer, type, version;
  std::int64_t is_signed = 0, seen_at = 0;
  query.Use(host).Use(ns).Use(PolicyCatalog::kMostSigned);
  query.Into(signer).Into(is_signed).Into(type).Into(version).Into(seen_at);
  while (query.Next()) {
    const auto found = signers.find({signer, is_signed});
    if (found == signers.end()) continue;  // behind the limit
    ASSIGN_OR_RETURN(ProviderAddress address, Stored(ProviderAddress::FromParts(ns, type)));
    ASSIGN_OR_RETURN(Version parsed, Stored(Version::Parse(version)));
    found->second->newest.push_back({{registry, std::move(address)}, std::move(parsed), seen_at});
  }
  return {};
}

Result<std::vector<NamespaceSigner>> ListSigners(Session& session, const std::string& host,
                                                 const std::string& ns, std::uint64_t limit) {
  std::vector<NamespaceSigner> signers;
  {
    Query query(session, kListKeyHistory);
    NamespaceSigner row;
    std::int64_t is_signed = 0, is_known = 0, releases = 0;
    query.Use(host).Use(ns).Use(static_cast<std::int64_t>(limit));
    query.Into(row.key).Into(is_signed).Into(is_known).Into(releases);
    query.Into(row.first_seen_at).Into(row.last_seen_at);
    while (query.Next()) {
      row.is_signed = is_signed != 0;
      row.is_known = is_known != 0 && !row.key.empty();
      row.releases = static_cast<std::uint64_t>(releases);
      signers.push_back(row);
    }
  }
  SignersByKey by_key;
  for (NamespaceSigner& each : signers) by_key[{each.key, each.is_signed ? 1 : 0}] = &each;
  if (!signers.empty()) RETURN_IF_ERROR(ReadSigned(session, host, ns, by_key));
  return signers;
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<PolicyRevision> PolicyCatalog::FindPolicy() { return transactions_.Read(&sql::FindPolicy); }

Task<PolicyRevision> PolicyCatalog::FindPolicyRevision(std::int64_t revision) {
  return transactions_.Read(&sql::FindPolicyRevision, revision);
}

Task<std::vector<PolicyRevision>> PolicyCatalog::ListPolicyRevisions(std::uint64_t limit) {
  return transactions_.Read(&sql::ListPolicyRevisions, std::min<std::uint64_t>(limit, 1000));
}

Task<std::int64_t> PolicyCatalog::SetPolicy(Actor by, NewPolicyRevision next) {
  return transactions_.Write(&sql::SetPolicy, std::move(by), std::move(next));
}

Task<std::set<std::string>> PolicyCatalog::ListAdmitted(std::string subject) {
  return transactions_.Read(&sql::ListAdmitted, std::move(subject));
}

Task<void> PolicyCatalog::Admit(Admission admission) {
  return transactions_.Write(&sql::Admit, std::move(admission));
}

Task<std::uint64_t> PolicyCatalog::AdmitAll(Actor by, std::vector<Admission> admissions,
                                            std::string pattern, std::string reason) {
  return transactions_.Write(&sql::AdmitAll, std::move(by), std::move(admissions),
                             std::move(pattern), std::move(reason));
}

Task<std::vector<PinnedFacts>> PolicyCatalog::ListPinnedFacts(UpstreamProvider provider) {
  return transactions_.Read(&sql::ListReleaseFacts, std::move(provider));
}

Task<std::vector<PinnedFacts>> PolicyCatalog::ListPinnedFacts(UpstreamModule module) {
  return transactions_.Read(&sql::ListModuleFacts, std::move(module));
}

Task<void> PolicyCatalog::MarkChanged(Actor by, UpstreamProvider provider, Version version) {
  return transactions_.Write(&sql::MarkChanged, std::move(by), std::move(provider),
                             std::move(version));
}

Task<std::set<std::string>> PolicyCatalog::ListKnownSigners(std::string host, std::string ns) {
  return transactions_.Read(&sql::ListKnownSigners, std::move(host), std::move(ns));
}

Task<std::vector<NamespaceSigner>> PolicyCatalog::ListSigners(std::string host, std::string ns,
                                                              std::uint64_t limit) {
  return transactions_.Read(&sql::ListSigners, std::move(host), std::move(ns),
                            std::min<std::uint64_t>(limit, 1000));
}

}  // namespace koya
