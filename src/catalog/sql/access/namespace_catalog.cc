#include "catalog/sql/access/access_catalog.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/readable_condition.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// "": none.
std::string_view RuleText(std::optional<SemverRule> rule) {
  return rule ? SemverRuleName(*rule) : std::string_view();
}

// A rule that only a later program knows is none here.
Result<std::optional<SemverRule>> ReadRule(std::string_view text) { return ParseSemverRule(text); }
using RuleCell = TextCell<std::optional<SemverRule>, &ReadRule, &RuleText>;
using WordsCell = MembersCell<NamespaceWords, &NamespaceWords::title, &NamespaceWords::description>;

constexpr auto kNamespaceColumns = Columns(
    Column<&NamespaceRecord::name>("name"), Column<&NamespaceRecord::visibility>("visibility"),
    Column<&NamespaceRecord::created_at>("created_at"),
    Column<&NamespaceRecord::created_by>("created_by"),
    Column<&NamespaceRecord::semver, RuleCell>("semver").OrNull(),
    Column<&NamespaceRecord::words, WordsCell>("title", "description").OrNull(),
    Column<&NamespaceRecord::publish>("publish"));

constexpr auto kAddNamespace =
    Sql("add_namespace", "INSERT INTO namespace (name_key, ", kNames<kNamespaceColumns>,
        ") VALUES (:name_key, ", kValues<kNamespaceColumns>, ") ON CONFLICT DO NOTHING");
constexpr auto kFindNamespace = Sql("find_namespace", "SELECT ", kSelect<kNamespaceColumns>,
                                    " FROM namespace WHERE name_key = :name_key");
constexpr auto kLockNamespace = Sql("lock_namespace", "SELECT ", kSelect<kNamespaceColumns>,
                                    " FROM namespace WHERE name_key = :name_key {{for update}}");
// The rest is put together from what may be read: a condition, then the order and the page.
constexpr auto kListNamespaces = Sql("list_namespaces", "SELECT ", kSelect<kNamespaceColumns>,
                                     " FROM namespace WHERE name_key > :after");
constexpr ListedRows kNamespaces{
    .place = "name_key", .ending = "", .order = "name_key", .key = "", .table = ""};
// Each sum is answered from an index, for one namespace after another.
#define KOYA_ITS_MODULES "FROM module WHERE {{place of module}} = n.name_key || '/'"
#define KOYA_ITS_VERSIONS                                                   \
  "FROM module_version v WHERE v.withdrawn_at IS NULL AND v.module_id IN (" \
  "SELECT id " KOYA_ITS_MODULES ")"
#define KOYA_ITS_RELEASES                                            \
  "FROM provider p JOIN provider_release r ON r.provider_id = p.id " \
  "WHERE p.namespace = n.name_key AND r.withdrawn_at IS NULL"
constexpr Statement kSumNamespaces{
    "sum_namespaces",
    "SELECT n.name_key, (SELECT COUNT(*) " KOYA_ITS_MODULES
    " AND version_count > 0), "
    "(SELECT COUNT(*) FROM provider p WHERE p.namespace = n.name_key AND p.version_count > 0), "
    "(SELECT CAST(COALESCE(SUM(v.size), 0) AS BIGINT) " KOYA_ITS_VERSIONS
    "), "
    "(SELECT CAST(COALESCE(SUM(k.size), 0) AS BIGINT) FROM provider_package k "
    "WHERE k.release_id IN (SELECT r.id " KOYA_ITS_RELEASES
    ")), "
    "(SELECT MAX(v.published_at) " KOYA_ITS_VERSIONS
    "), "
    "(SELECT MAX(r.published_at) " KOYA_ITS_RELEASES
    ") FROM namespace n WHERE n.name_key "
    "{{is among}}SELECT element FROM {{elements of}} :keys {{end of elements}}{{end of among}}"};
constexpr Statement kSetVisibility{
    "set_visibility", "UPDATE namespace SET visibility = :visibility WHERE name_key = :name_key"};
constexpr Statement kSetSemver{
    "set_semver", "UPDATE namespace SET semver = NULLIF(:semver, '') WHERE name_key = :name_key"};
constexpr Statement kSetPublishRule{
    "set_publish_rule", "UPDATE namespace SET publish = :publish WHERE name_key = :name_key"};
constexpr Statement kSetWords{"set_namespace_words",
                              "UPDATE namespace SET title = NULLIF(:title, ''), description = "
                              "NULLIF(:description, '') WHERE name_key = :name_key"};

// Returns whether there was none.
bool InsertNamespace(Session& session, const NamespaceRecord& record) {
  Query query(session, kAddNamespace);
  query.Use(NamespaceKey(record.name));
  UseRecord(query, kNamespaceColumns, record);
  return query.Run() != 0;
}

Status CheckWordsStorable(const NamespaceWords& words) {
  RETURN_IF_ERROR(CheckStorable("the title", words.title));
  return CheckStorable("the description", words.description);
}

std::string NamespaceFacts(Visibility visibility) {
  AuditFacts facts;
  facts.Add("visibility", VisibilityName(visibility));
  return facts.ToJson();
}

AuditedChange NamespaceChange(std::string_view action, const std::string& ns) {
  return {.action = action, .target = "namespace:" + ns, .ns = ns};
}

Result<bool> AddNamespace(Session& session, const Actor& by, const NamespaceRecord& record) {
  RETURN_IF_ERROR(CheckStorable("the namespace", record.name));
  RETURN_IF_ERROR(CheckStorable("the name of who adds the namespace", record.created_by));
  RETURN_IF_ERROR(CheckWordsStorable(record.words));
  if (!InsertNamespace(session, record)) return false;
  AuditedChange change = NamespaceChange("namespace.create", record.name);
  change.after = NamespaceFacts(record.visibility);
  RecordChange(session, by, change);
  AppendChange(session, NamespaceTopic(record.name));
  return true;
}

Result<NamespaceRecord> ReadNamespace(Session& session, const Statement& statement,
                                      const std::string& ns) {
  if (!IsStorable(ns)) return NoNamespace(ns);
  Query query(session, statement);
  query.Use(NamespaceKey(ns));
  RecordReader reader(query, kNamespaceColumns);
  if (!query.Next()) return NoNamespace(ns);
  return reader.Read();
}

Result<NamespaceRecord> FindNamespace(Session& session, const std::string& ns) {
  return ReadNamespace(session, kFindNamespace, ns);
}

Result<Page<NamespaceRecord>> ListNamespaces(Session& session, const ReadableNamespaces& readable,
                                             const std::string& after, std::uint64_t limit,
                                             std::uint64_t offset) {
  Page<NamespaceRecord> page;
  if (!IsStorable(after)) return page;
  limit = std::min(limit, kLongestPage);
  std::string text(kListNamespaces.text);
  ReadableCondition condition(readable, kNamespaces);
  condition.After(NamespaceKey(after));
  offset = std::min(offset, std::uint64_t{1} << 40);  // no registry has as many
  condition.Take(RowsUpTo({.offset = offset, .limit = limit}));
  text.append(condition.Text()).append(condition.Page());
  Query query(session, Statement{kListNamespaces.name, text});
  query.Use(NamespaceKey(after));
  condition.Use(query);
  query.Use(static_cast<std::int64_t>(limit + 1)).Use(static_cast<std::int64_t>(offset));
  RecordReader reader(query, kNamespaceColumns);
  while (query.Next()) {
    if (page.items.size() == limit) {
      page.more = true;
      break;
    }
    ASSIGN_OR_RETURN(NamespaceRecord record, reader.Read());
    page.items.push_back(std::move(record));
  }
  return page;
}

Result<std::map<std::string, NamespaceContents>> SumNamespaces(
    Session& session, const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  for (const std::string& name : names) {
    if (IsStorable(name)) keys.push_back(NamespaceKey(name));
  }
  const std::string list = JsonList(keys);
  std::string key;
  std::int64_t modules = 0, providers = 0, archives = 0, packages = 0;
  std::optional<std::int64_t> module_at, provider_at;
  Query query(session, kSumNamespaces);
  query.Use(list).Into(key).Into(modules).Into(providers).Into(archives).Into(packages);
  query.Into(module_at).Into(provider_at);
  std::map<std::string, NamespaceContents> found;
  while (query.Next()) {
    found[key] = {.modules = static_cast<std::uint64_t>(modules),
                  .providers = static_cast<std::uint64_t>(providers),
                  .bytes = static_cast<std::uint64_t>(archives + packages),
                  .last_published_at = std::max(module_at, provider_at)};
  }
  return found;
}

Status SetVisibility(Session& session, const Actor& by, const std::string& ns,
                     Visibility visibility) {
  ASSIGN_OR_RETURN(NamespaceRecord before, ReadNamespace(session, kLockNamespace, ns));
  if (before.visibility == visibility) return {};
  Query(session, kSetVisibility).Use(VisibilityName(visibility)).Use(NamespaceKey(ns)).Run();
  AuditedChange change = NamespaceChange("namespace.visibility", before.name);
  change.before = NamespaceFacts(before.visibility);
  change.after = NamespaceFacts(visibility);
  RecordChange(session, by, change);
  AppendChange(session, NamespaceTopic(ns));
  return {};
}

std::string SemverFacts(std::optional<SemverRule> rule) {
  AuditFacts facts;
  return facts.Add("semver", rule ? SemverRuleName(*rule) : "default").ToJson();
}

Status SetSemver(Session& session, const Actor& by, const std::string& ns,
                 std::optional<SemverRule> rule) {
  ASSIGN_OR_RETURN(NamespaceRecord before, ReadNamespace(session, kLockNamespace, ns));
  if (before.semver == rule) return {};
  Query(session, kSetSemver).Use(RuleText(rule)).Use(NamespaceKey(ns)).Run();
  AuditedChange change = NamespaceChange("namespace.semver", before.name);
  change.before = SemverFacts(before.semver);
  change.after = SemverFacts(rule);
  RecordChange(session, by, change);
  AppendChange(session, NamespaceTopic(ns));
  return {};
}

std::string PublishRuleFacts(PublishRule rule) {
  AuditFacts facts;
  return facts.Add("publish", PublishRuleName(rule)).ToJson();
}

Status SetPublishRule(Session& session, const Actor& by, const std::string& ns, PublishRule rule) {
  ASSIGN_OR_RETURN(NamespaceRecord before, ReadNamespace(session, kLockNamespace, ns));
  if (before.publish == rule) return {};
  Query(session, kSetPublishRule).Use(PublishRuleName(rule)).Use(NamespaceKey(ns)).Run();
  AuditedChange change = NamespaceChange("namespace.publish", before.name);
  change.before = PublishRuleFacts(before.publish);
  change.after = PublishRuleFacts(rule);
  RecordChange(session, by, change);
  AppendChange(session, NamespaceTopic(ns));
  return {};
}

std::string WordsFacts(const NamespaceWords& words) {
  AuditFacts facts;
  return facts.Add("title", words.title).Add("description", words.description).ToJson();
}

Status SetNamespaceWords(Session& session, const Actor& by, const std::string& ns,
                         const NamespaceWordsChange& wanted) {
  ASSIGN_OR_RETURN(NamespaceRecord before, ReadNamespace(session, kLockNamespace, ns));
  const NamespaceWords words = wanted.AppliedTo(before.words);
  RETURN_IF_ERROR(CheckWordsStorable(words));
  if (before.words == words) return {};
  Query(session, kSetWords).Use(words.title).Use(words.description).Use(NamespaceKey(ns)).Run();
  AuditedChange change = NamespaceChange("namespace.words", before.name);
  change.before = WordsFacts(before.words);
  change.after = WordsFacts(words);
  RecordChange(session, by, change);
  AppendChange(session, NamespaceTopic(ns));
  return {};
}

}  // namespace

Failure NoNamespace(std::string_view ns) {
  return FailNotFound(
      "there is no namespace \"{}\": list the namespaces "
      "to see their names, or publish something in it",
      Printable(ns));
}

}  // namespace koya::sql

namespace koya {

Task<bool> NamespaceCatalog::AddNamespace(Actor by, NamespaceRecord record) {
  return transactions_.Write(&sql::AddNamespace, std::move(by), std::move(record));
}

Task<NamespaceRecord> NamespaceCatalog::FindNamespace(std::string ns) {
  return transactions_.Read(&sql::FindNamespace, std::move(ns));
}

Task<Page<NamespaceRecord>> NamespaceCatalog::ListNamespaces(ReadableNamespaces readable,
                                                             std::string after, std::uint64_t limit,
                                                             std::uint64_t offset) {
  return transactions_.Read(&sql::ListNamespaces, std::move(readable), std::move(after), limit,
                            offset);
}

Task<std::map<std::string, NamespaceContents>> NamespaceCatalog::SumNamespaces(
    std::vector<std::string> names) {
  return transactions_.Read(&sql::SumNamespaces, std::move(names));
}

Task<void> NamespaceCatalog::SetVisibility(Actor by, std::string ns, Visibility visibility) {
  return transactions_.Write(&sql::SetVisibility, std::move(by), std::move(ns), visibility);
}

Task<void> NamespaceCatalog::SetPublishRule(Actor by, std::string ns, PublishRule rule) {
  return transactions_.Write(&sql::SetPublishRule, std::move(by), std::move(ns), rule);
}

Task<void> NamespaceCatalog::SetSemver(Actor by, std::string ns, std::optional<SemverRule> rule) {
  return transactions_.Write(&sql::SetSemver, std::move(by), std::move(ns), rule);
}

Task<void> NamespaceCatalog::SetNamespaceWords(Actor by, std::string ns,
                                               NamespaceWordsChange change) {
  return transactions_.Write(&sql::SetNamespaceWords, std::move(by), std::move(ns),
                             std::move(change));
}

}  // namespace koya
