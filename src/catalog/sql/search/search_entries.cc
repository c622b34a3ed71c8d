#include "catalog/sql/search/search_entries.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/search/search_match.h"
#include "domain/mirrored_subject.h"
#include "domain/namespace_record.h"
#include "domain/search_document.h"
#include "domain/search_words.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr std::size_t kEntriesTogether = 500;
constexpr std::size_t kMostSpellings = 2000;  // of a version
constexpr std::size_t kLongestName = 512;     // bytes; as kept, not as indexed
constexpr std::size_t kLongestTitle = 1024;
constexpr std::size_t kLongestBody = 16'384;

// What the catalog says of a version that is there. The rows are kept: it is not withdrawn
// meanwhile.
constexpr Statement kFindModuleVersion{
    "find_version_to_index",
    "SELECT v.published_at, CASE WHEN v.deprecation IS NULL THEN 0 ELSE 1 END "
    "FROM module m JOIN module_version v ON v.module_id = m.id "
    "WHERE m.address_key = :key AND v.version = :version AND v.withdrawn_at IS NULL {{for "
    "update}}"};
constexpr Statement kFindProviderRelease{
    "find_release_to_index",
    "SELECT r.published_at, CASE WHEN r.deprecation = '' THEN 0 ELSE 1 END "
    "FROM provider p JOIN provider_release r ON r.provider_id = p.id "
    "WHERE p.address = :key AND r.version = :version AND r.withdrawn_at IS NULL {{for update}}"};
constexpr Statement kFindMirroredVersion{
    "find_mirrored_version_to_index",
    "SELECT v.seen_at, 0 FROM upstream_module m JOIN upstream_module_version v "
    "ON v.module_id = m.id WHERE m.module_key = :key AND v.version = :version AND v.held = 1 "
    "{{for no key update}}"};
// The held bytes of a release are marked at its packages, not at a row of its own: indexing a
// release, or releasing its bytes, locks the provider first, and then reads.
constexpr Statement kLockMirroredProvider{
    "lock_mirrored_provider_to_index",
    "SELECT id FROM upstream_provider WHERE provider_key = :key {{for no key update}}"};
constexpr Statement kFindMirroredRelease{
    "find_mirrored_release_to_index",
    "SELECT r.seen_at, 0 FROM upstream_provider p JOIN upstream_release r ON r.provider_id = p.id "
    "WHERE p.provider_key = :key AND r.version = :version AND EXISTS "
    "(SELECT 1 FROM upstream_package k WHERE k.release_id = r.id AND k.held = 1)"};
constexpr Statement kListReleasesOfBlob{
    "list_mirrored_releases_of_blob",
    "SELECT DISTINCT p.host, p.namespace, p.type, r.version FROM upstream_package k "
    "JOIN upstream_release r ON r.id = k.release_id "
    "JOIN upstream_provider p ON p.id = r.provider_id WHERE k.digest = :digest AND k.held = 1"};
constexpr Statement kListMirroredVersions{
    "list_mirrored_versions_of_blob",
    "SELECT m.host, m.namespace, m.name, m.system, v.version FROM upstream_module m "
    "JOIN upstream_module_version v ON v.module_id = m.id "
    "WHERE v.digest = :digest AND v.held = 1 ORDER BY m.id, v.id {{for no key update}}"};
constexpr Statement kPutSubject{
    "put_search_subject",
    "INSERT INTO search_subject (subject_key, kind, address, version, namespace_key, published_at, "
    "newest, deprecated, recorded) VALUES (:subject_key, :kind, :address, :version, "
    ":namespace_key, "
    ":published_at, 0, :deprecated, CASE WHEN :mirrored = 1 THEN 1 ELSE "
    "(SELECT 1 FROM namespace WHERE name_key = :namespace) END) "
    "ON CONFLICT (subject_key, version) DO UPDATE SET address = excluded.address, "
    "published_at = excluded.published_at, deprecated = excluded.deprecated, "
    "recorded = excluded.recorded"};
constexpr Statement kListVersionsOfSubject{
    "list_search_subject",
    "SELECT id, version, newest FROM search_subject WHERE subject_key = :subject_key"};
constexpr Statement kMarkSubject{"mark_search_subject",
                                 "UPDATE search_subject SET newest = :newest WHERE id = :id"};
constexpr Statement kMarkEntries{
    "mark_search_entries",
    "UPDATE search_entry SET newest = :newest WHERE subject_id = :subject_id"};
constexpr Statement kRemoveEntries{"remove_search_entries",
                                   "DELETE FROM search_entry WHERE subject_id = :subject_id"};
constexpr Statement kRemoveSubject{"remove_search_subject",
                                   "DELETE FROM search_subject WHERE id = :id"};
constexpr Statement kAddEntries{
    "add_search_entries",
    "INSERT INTO search_entry (subject_id, namespace_key, published_at, newest, deprecated, kind, "
    "kind_order, name, name_key, title, body, head, words) "
    "SELECT s.id, s.namespace_key, s.published_at, s.newest, s.deprecated, entries.kind, "
    "CAST(entries.kind_order AS BIGINT), entries.name, entries.name_key, entries.title, "
    "entries.body, entries.head, entries.words "
    "FROM {{entries of}} :entries {{end of entries}} CROSS JOIN search_subject s "
    "WHERE s.id = :subject_id"};
constexpr Statement kDeprecateSubject{
    "deprecate_search_subject",
    "UPDATE search_subject SET deprecated = :deprecated WHERE id = :id"};
constexpr Statement kDeprecateEntries{
    "deprecate_search_entries",
    "UPDATE search_entry SET deprecated = :deprecated, words = replace(words, :old, :new) "
    "WHERE subject_id = :subject_id"};
constexpr Statement kFindSpellings{
    "find_search_spellings",
    "SELECT word FROM search_spelling WHERE piece = word AND piece IN "
    "(SELECT element FROM {{elements of}} :list {{end of elements}})"};
// Each row has two texts.
constexpr Statement kAddSpellings{
    "add_search_spellings",
    "INSERT INTO search_spelling (piece, word) SELECT first, past FROM "
    "{{ranges of}} :rows {{end of ranges}} WHERE true ON CONFLICT (piece, word) DO NOTHING"};

// PostgreSQL's; a table of words of its own is a part of FTS5.
constexpr Statement kFindWords{"find_search_words",
                               "SELECT word FROM search_word WHERE word IN "
                               "(SELECT element FROM {{elements of}} :list {{end of elements}})"};
constexpr Statement kAddWords{"add_search_words",
                              "INSERT INTO search_word (word) SELECT element FROM {{elements of}} "
                              ":list {{end of elements}} WHERE true ON CONFLICT (word) DO NOTHING"};

struct Known {
  std::int64_t published_at = 0;
  std::int64_t deprecated = 0;
};

// "acme/vpc/aws" of "module:acme/vpc/aws", and of "mirror:" with the host before it.
std::string_view CatalogKey(const SearchSubject& subject) {
  const std::string_view key = subject.key;
  return key.substr(key.find(':') + 1);
}

bool IsMirroredProvider(const SearchSubject& subject) {
  return !subject.host.empty() && subject.kind == SearchKind::kProvider;
}

const Statement& FindingStatement(const SearchSubject& subject) {
  if (IsMirroredProvider(subject)) return kFindMirroredRelease;
  if (!subject.host.empty()) return kFindMirroredVersion;
  return subject.kind == SearchKind::kModule ? kFindModuleVersion : kFindProviderRelease;
}

void LockMirroredProvider(Session& session, const SearchSubject& subject) {
  std::int64_t id = 0;
  Query query(session, kLockMirroredProvider);
  query.Use(CatalogKey(subject)).Into(id).Next();
}

Result<Known> FindInCatalog(Session& session, const SearchSubject& subject) {
  if (IsMirroredProvider(subject)) LockMirroredProvider(session, subject);
  Known known;
  Query query(session, FindingStatement(subject));
  query.Use(CatalogKey(subject)).Use(subject.version.ToString());
  query.Into(known.published_at).Into(known.deprecated);
  if (query.Next()) return known;
  return FailNotFound("{} has no version {} here: it is not indexed", subject.address,
                      subject.version.ToString());
}

Status CheckSearchEntry(const SearchEntry& entry) {
  RETURN_IF_ERROR(CheckStorable("the name of the search entry", entry.name));
  RETURN_IF_ERROR(CheckStorable("the title of the search entry", entry.title));
  RETURN_IF_ERROR(CheckStorable("the text of the search entry", entry.text));
  for (const auto* list : {&entry.uses, &entry.needs, &entry.calls}) {
    for (const std::string& text : *list) {
      RETURN_IF_ERROR(CheckStorable("what modules use or need", text));
    }
  }
  return {};
}

struct VersionRow {
  std::int64_t id = 0;
  Version version;
  bool newest = false;
};

Result<std::vector<VersionRow>> ListVersionsOf(Session& session, const SearchSubject& subject) {
  std::vector<VersionRow> rows;
  std::int64_t id = 0, newest = 0;
  std::string text;
  Query query(session, kListVersionsOfSubject);
  query.Use(subject.key).Into(id).Into(text).Into(newest);
  while (query.Next()) {
    Result<Version> version = Version::Parse(text);
    if (!version) return Failure(std::move(version).error().During("search_subject"));
    rows.push_back({id, *std::move(version), newest == 1});
  }
  return rows;
}

std::optional<VersionRow> FindRow(const std::vector<VersionRow>& rows, const Version& version) {
  const auto found = std::ranges::find(rows, version, &VersionRow::version);
  return found == rows.end() ? std::nullopt : std::optional(*found);
}

void Mark(Session& session, std::int64_t subject_id, std::int64_t newest) {
  Query(session, kMarkSubject).Use(newest).Use(subject_id).Run();
  Query(session, kMarkEntries).Use(newest).Use(subject_id).Run();
}

// Releases before prereleases, then the newest: as the catalog chooses the version that it shows.
void ChooseNewest(Session& session, const std::vector<VersionRow>& rows) {
  const auto newest = std::ranges::max_element(rows, [](const VersionRow& a, const VersionRow& b) {
    if (a.version.is_prerelease() != b.version.is_prerelease()) return a.version.is_prerelease();
    return a.version < b.version;
  });
  for (const VersionRow& row : rows) {
    const bool is_newest = row.id == newest->id;
    if (row.newest != is_newest) Mark(session, row.id, is_newest ? 1 : 0);
  }
}

void PutSubject(Session& session, const SearchSubject& subject, const Known& known) {
  const bool mirrored = !subject.host.empty();
  const std::string ns = mirrored ? std::string(kMirroredPlace) : NamespaceKey(subject.ns);
  Query query(session, kPutSubject);
  query.Use(subject.key).Use(SearchKindName(subject.kind)).Use(subject.address);
  query.Use(subject.version.ToString()).Use(ns).Use(known.published_at).Use(known.deprecated);
  query.Use(std::int64_t{mirrored ? 1 : 0}).Use(ns).Run();
}

std::string EntryRow(const SearchEntry& entry, const SearchDocument& document) {
  const std::string_view name = CutUtf8(entry.name, kLongestName);
  return JsonList(std::vector<std::string>{
      std::string(SearchKindName(entry.kind)), std::to_string(static_cast<int>(entry.kind)),
      std::string(name), FoldForSearch(name), std::string(CutUtf8(entry.title, kLongestTitle)),
      std::string(CutUtf8(entry.text, kLongestBody)), document.head, document.words});
}

// Those that `statement` does not find.
std::set<std::string> Unknown(Session& session, const Statement& statement,
                              const std::set<std::string>& words) {
  std::set<std::string> unknown = words;
  std::string word;
  const std::string list = JsonList(std::vector(words.begin(), words.end()));
  Query query(session, statement);
  query.Use(list).Into(word);
  while (query.Next()) unknown.erase(word);
  return unknown;
}

// In order, so that no two who add the same wait for each other.
void AddWords(Session& session, const std::set<std::string>& words) {
  const std::set<std::string> unknown = Unknown(session, kFindWords, words);
  if (unknown.empty()) return;
  Query(session, kAddWords).Use(JsonList(std::vector(unknown.begin(), unknown.end()))).Run();
}

void AddSpellings(Session& session, const std::set<std::string>& words) {
  const std::set<std::string> unknown = Unknown(session, kFindSpellings, words);
  // In order, so that no two who add the same wait for each other.
  std::set<std::pair<std::string, std::string>> pieces;
  for (const std::string& word : unknown) {
    for (std::string& piece : SpellingPieces(word)) pieces.emplace(std::move(piece), word);
  }
  if (pieces.empty()) return;
  std::vector<std::string> rows;
  rows.reserve(pieces.size());
  for (const auto& [piece, word] : pieces) rows.push_back(JsonList(std::vector{piece, word}));
  Query(session, kAddSpellings).Use(JsonRows(rows)).Run();
}

void AddEntries(Session& session, const SearchSubject& subject, std::int64_t subject_id,
                bool deprecated, std::span<const SearchEntry> entries) {
  const bool keeps_words = session.dialect() == Dialect::kPostgres;
  std::set<std::string> spellings, words;
  while (!entries.empty()) {
    const auto some = entries.first(std::min(entries.size(), kEntriesTogether));
    std::vector<std::string> rows;
    rows.reserve(some.size());
    for (const SearchEntry& entry : some) {
      SearchDocument document = MakeSearchDocument(subject, entry, deprecated);
      rows.push_back(EntryRow(entry, document));
      if (keeps_words) NoteWordsThatBegin(document.words, &words);
      for (std::string& word : document.spellings) {
        if (spellings.size() < kMostSpellings) spellings.insert(std::move(word));
      }
    }
    Query(session, kAddEntries).Use(JsonRows(rows)).Use(subject_id).Run();
    entries = entries.subspan(some.size());
  }
  if (!words.empty()) AddWords(session, words);
  if (!spellings.empty()) AddSpellings(session, spellings);
}

}  // namespace

Status PutSearchEntries(Session& session, const SearchSubject& subject,
                        std::span<const SearchEntry> entries) {
  entries = entries.first(std::min(entries.size(), SearchIndex::kMostEntries));
  for (const SearchEntry& entry : entries) RETURN_IF_ERROR(CheckSearchEntry(entry));
  ASSIGN_OR_RETURN(const Known known, FindInCatalog(session, subject));
  PutSubject(session, subject, known);
  ASSIGN_OR_RETURN(const std::vector<VersionRow> rows, ListVersionsOf(session, subject));
  const std::optional<VersionRow> row = FindRow(rows, subject.version);
  if (!row) return Fail(ErrorKind::kInternal, "the version could not be indexed", subject.key);
  Query(session, kRemoveEntries).Use(row->id).Run();
  ChooseNewest(session, rows);
  AddEntries(session, subject, row->id, known.deprecated == 1, entries);
  return {};
}

Status RemoveSearchEntries(Session& session, const SearchSubject& subject) {
  ASSIGN_OR_RETURN(std::vector<VersionRow> rows, ListVersionsOf(session, subject));
  const std::optional<VersionRow> row = FindRow(rows, subject.version);
  if (!row) return {};
  Query(session, kRemoveEntries).Use(row->id).Run();
  Query(session, kRemoveSubject).Use(row->id).Run();
  std::erase_if(rows, [&](const VersionRow& each) { return each.id == row->id; });
  ChooseNewest(session, rows);
  return {};
}

Status RemoveMirroredEntries(Session& session, const UpstreamModule& module,
                             const Version& version) {
  const SearchSubject subject =
      SearchSubject::Mirrored(module.host.ascii(), module.address, version);
  std::int64_t seen_at = 0, deprecated = 0;
  {
    Query query(session, kFindMirroredVersion);  // keeps its row
    query.Use(CatalogKey(subject)).Use(version.ToString()).Into(seen_at).Into(deprecated);
    if (!query.Next()) return {};
  }
  return RemoveSearchEntries(session, subject);
}

Status RemoveMirroredEntries(Session& session, std::string_view digest) {
  std::vector<SearchSubject> subjects;
  {
    std::string host, ns, name, system, version;
    Query query(session, kListMirroredVersions);
    query.Use(digest).Into(host).Into(ns).Into(name).Into(system).Into(version);
    while (query.Next()) {
      Result<ModuleAddress> address = ModuleAddress::FromParts(ns, name, system);
      Result<Version> parsed = Version::Parse(version);
      if (!address || !parsed) continue;  // nothing of it is in the index
      subjects.push_back(SearchSubject::Mirrored(host, *address, *std::move(parsed)));
    }
  }
  for (const SearchSubject& each : subjects) RETURN_IF_ERROR(RemoveSearchEntries(session, each));
  return {};
}

void EvictedReleases::AddHoldersOf(Session& session, std::string_view digest) {
  std::string host, ns, type, version;
  Query query(session, kListReleasesOfBlob);
  query.Use(digest).Into(host).Into(ns).Into(type).Into(version);
  while (query.Next()) {
    Result<HostName> name = HostName::ParseWire(host);
    Result<ProviderAddress> address = ProviderAddress::FromParts(ns, type);
    Result<Version> parsed = Version::Parse(version);
    if (!name || !address || !parsed) continue;  // nothing of it is in the index
    Add({.host = *std::move(name), .address = *std::move(address)}, *parsed);
  }
}

void EvictedReleases::Add(const UpstreamProvider& provider, const Version& version) {
  releases_.emplace(provider.Key() + "@" + version.ToString(), MirroredSubject(provider, version));
}

// In the order of their keys, in which all transactions lock providers.
Status EvictedReleases::RemoveFromIndex(Session& session) const {
  for (const auto& [name, subject] : releases_) {
    Result<Known> held = FindInCatalog(session, subject);
    if (held) continue;
    if (held.error().kind != ErrorKind::kNotFound) return Failure(std::move(held).error());
    RETURN_IF_ERROR(RemoveSearchEntries(session, subject));
  }
  return {};
}

Status SetSearchDeprecated(Session& session, const SearchSubject& subject, bool deprecated) {
  ASSIGN_OR_RETURN(const std::vector<VersionRow> rows, ListVersionsOf(session, subject));
  const std::optional<VersionRow> row = FindRow(rows, subject.version);
  if (!row) return {};
  const std::int64_t flag = deprecated ? 1 : 0;
  Query(session, kDeprecateSubject).Use(flag).Use(row->id).Run();
  Query query(session, kDeprecateEntries);
  query.Use(flag).Use(deprecated ? " d:0 " : " d:1 ").Use(deprecated ? " d:1 " : " d:0 ");
  query.Use(row->id).Run();
  return {};
}

}  // namespace koya::sql
