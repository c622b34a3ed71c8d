#include "catalog/sql/search/search_index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "catalog/sql/engine/cell.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/search/search_entries.h"
#include "catalog/sql/search/search_match.h"
#include "domain/mirrored_subject.h"
#include "domain/search_words.h"

namespace koya::sql {
namespace {

constexpr std::size_t kMostAlternatives = 8;  // of a word
constexpr std::size_t kMostTermsWeighed = 6;  // each costs a search
constexpr std::int64_t kMostSubjectsListed = 1000;
constexpr std::int64_t kMostUnindexed = 100;

constexpr Statement kForgetSpellings{"forget_search_spellings", "DELETE FROM search_spelling"};
constexpr Statement kFindNearWords{
    "find_near_words",
    "SELECT DISTINCT word FROM search_spelling WHERE piece IN "
    "(SELECT element FROM {{elements of}} :list {{end of elements}}) ORDER BY word LIMIT 200"};
constexpr Statement kListSubjects{
    "list_search_subjects",
    "SELECT kind, address, version, subject_key FROM search_subject WHERE subject_key >= :from AND "
    "(subject_key > :after_key OR version > :after_version) ORDER BY subject_key, version "
    "LIMIT :limit"};
constexpr Statement kListUnindexedModules{
    "list_unindexed_modules",
    "SELECT 'module', m.namespace || '/' || m.name || '/' || m.system, v.version "
    "FROM module m JOIN module_version v ON v.module_id = m.id "
    "LEFT JOIN search_subject s ON s.subject_key = 'module:' || m.address_key "
    "AND s.version = v.version WHERE m.address_key >= :from AND (m.address_key > :after_key OR "
    "v.precedence_key > :after_version) AND v.withdrawn_at IS NULL AND s.id IS NULL "
    "ORDER BY m.address_key, v.precedence_key LIMIT :limit"};
constexpr Statement kListUnindexedProviders{
    "list_unindexed_providers",
    "SELECT 'provider', p.address, r.version "
    "FROM provider p JOIN provider_release r ON r.provider_id = p.id "
    "LEFT JOIN search_subject s ON s.subject_key = 'provider:' || p.address "
    "AND s.version = r.version WHERE p.address >= :from AND (p.address > :after_key OR "
    "r.precedence_key > :after_version) AND r.withdrawn_at IS NULL AND s.id IS NULL "
    "ORDER BY p.address, r.precedence_key LIMIT :limit"};

constexpr Statement kListUnindexedMirrored{
    "list_unindexed_mirrored",
    "SELECT 'module', m.host || '/' || m.namespace || '/' || m.name || '/' || m.system, v.version "
    "FROM upstream_module m JOIN upstream_module_version v ON v.module_id = m.id "
    "JOIN module_contents c ON c.module_key = m.module_key AND c.version = v.version "
    "LEFT JOIN search_subject s ON s.subject_key = 'mirror:' || m.module_key "
    "AND s.version = v.version WHERE m.module_key >= :from AND (m.module_key > :after_key OR "
    "v.version > :after_version) AND v.held = 1 AND s.id IS NULL "
    "ORDER BY m.module_key, v.version LIMIT :limit"};

constexpr Statement kListUnindexedMirroredProviders{
    "list_unindexed_mirrored_providers",
    "SELECT 'provider', p.provider_key, r.version "
    "FROM upstream_provider p JOIN upstream_release r ON r.provider_id = p.id "
    "LEFT JOIN search_subject s ON s.subject_key = 'mirrored-provider:' || p.provider_key "
    "AND s.version = r.version WHERE p.provider_key >= :from AND (p.provider_key > :after_key OR "
    "r.version > :after_version) AND s.id IS NULL AND EXISTS "
    "(SELECT 1 FROM upstream_package k WHERE k.release_id = r.id AND k.held = 1) "
    "ORDER BY p.provider_key, r.version LIMIT :limit"};

std::vector<std::string> FindNearWords(Session& session, const std::string& word) {
  std::vector<std::string> near;
  std::string found;
  const std::string list = JsonList(SpellingPieces(word));
  Query query(session, kFindNearWords);
  query.Use(list).Into(found);
  while (query.Next()) {
    if (near.size() < kMostAlternatives && found != word && IsNearlySpelt(found, word)) {
      near.push_back(found);
    }
  }
  return near;
}

// Whether there is something to forgive.
bool Forgive(Session& session, SearchQuery* search) {
  bool any = false;
  for (std::size_t i = 0; i < search->terms().size(); ++i) {
    const SearchTerm& term = search->terms()[i];
    if (!SearchQuery::MayForgive(term) || !IsForgivable(term.words[0])) continue;
    std::vector<std::string> near = FindNearWords(session, term.words[0]);
    any = any || !near.empty();
    search->Forgive(i, std::move(near));
  }
  return any;
}

// Where whole words are frequent, what begins so is looked for in names and titles alone at first:
// in texts it would take long, and need not be when they are full of the words themselves. On
// PostgreSQL to know whether they are takes as long as to look.
Result<SearchPage> SearchAsWritten(Session& session, const SearchRequest& request) {
  const SearchQuery& search = request.query;
  const bool begins = std::ranges::any_of(search.terms(), &SearchTerm::begins);
  PrefixExpansions beginnings;
  if (begins && session.dialect() == Dialect::kPostgres) {
    beginnings = FindBeginnings(session, search);
  } else if (begins) {
    const bool older = AsksForOlder(search);
    const MatchQuery ask{.asked = MatchMode::kWhole, .kinds = search.kinds()};
    const std::string words = MatchedWords(session.dialect(), search, ask, beginnings);
    const bool frequent = MayHaveWords(session, words, SearchIndex::kMostFound,
                                       older ? SearchIndex::kMostReadWhole : 0);
    // Older versions have the same words fifteen times: stepping through them costs all it saves.
    if (!older) beginnings = FindBeginnings(session, search);
    if (frequent) {
      const MatchMode asked = older ? MatchMode::kWhole : MatchMode::kHeadsBegin;
      ASSIGN_OR_RETURN(SearchPage page, RunSearch(session, request, asked, beginnings));
      if (page.cut) return page;
    }
  }
  return RunSearch(session, request, MatchMode::kBeginnings, beginnings);
}

std::string WrittenTerm(const SearchTerm& term) {
  if (!term.written.empty()) return term.written;
  return fmt::format("\"{}\"", fmt::join(term.words, " "));
}

// How many entries have a term, and its number in the search.
using TermMatches = std::pair<std::uint64_t, std::size_t>;

// The terms of a search, those with the fewest matches first. Only entries that may be read are
// counted: the order reveals nothing of the rest.
Result<std::vector<TermMatches>> TermsByRarity(Session& session, const SearchRequest& request) {
  const std::size_t terms = request.query.terms().size();
  std::vector<TermMatches> counted;
  for (std::size_t i = 0; i < terms; ++i) {
    std::vector<std::size_t> others(terms);
    std::iota(others.begin(), others.end(), 0);
    std::erase(others, i);
    SearchRequest alone = request;
    alone.query = request.query.Without(others);
    alone.page = {.offset = 0, .limit = 1};
    alone.counted = true;
    alone.facets = false;
    ASSIGN_OR_RETURN(const SearchPage page, SearchAsWritten(session, alone));
    std::uint64_t found = 0;
    for (const auto& [kind, count] : page.counts) found += count;
    counted.emplace_back(found, i);
  }
  std::ranges::sort(counted);
  return counted;
}

bool HasFound(const SearchPage& page) { return !page.counts.empty() || !page.items.empty(); }

// Drops the rarest word, and the next, until an entry has the others. At least half of the words
// stay: an entry with fewer is not a useful result. Without results, names the words that no entry
// has. nullopt: the search has one word, or too many.
Result<std::optional<SearchPage>> SearchWithoutRarest(Session& session,
                                                      const SearchRequest& request) {
  const std::size_t terms = request.query.terms().size();
  if (terms < 2 || terms > kMostTermsWeighed) return std::optional<SearchPage>();
  ASSIGN_OR_RETURN(const std::vector<TermMatches> rarest, TermsByRarity(session, request));
  SearchRequest less = request;
  std::vector<std::string> missing;
  std::vector<std::size_t> dropped;
  for (std::size_t left_out = 0; left_out < terms / 2; ++left_out) {
    dropped.push_back(rarest[left_out].second);
    less.query = request.query.Without(dropped);
    missing.push_back(WrittenTerm(request.query.terms()[dropped.back()]));
    ASSIGN_OR_RETURN(SearchPage page, SearchAsWritten(session, less));
    if (!HasFound(page)) continue;
    page.missing = std::move(missing);
    page.facets.cut = true;  // another filter may leave out another word
    return std::optional(std::move(page));
  }
  SearchPage nothing;
  for (const auto& [found, term] : rarest) {
    if (found == 0) nothing.missing.push_back(WrittenTerm(request.query.terms()[term]));
  }
  return std::optional(std::move(nothing));
}

Result<SearchPage> Search(Session& session, const SearchRequest& request) {
  ASSIGN_OR_RETURN(SearchPage page, SearchAsWritten(session, request));
  // An uncounted result may end before this page.
  if (HasFound(page) || (!request.counted && request.page.offset > 0)) return page;
  SearchRequest again = request;
  if (Forgive(session, &again.query)) {
    ASSIGN_OR_RETURN(page, SearchAsWritten(session, again));
    page.forgiven = HasFound(page);
    if (page.forgiven) return page;
  }
  ASSIGN_OR_RETURN(std::optional<SearchPage> less, SearchWithoutRarest(session, request));
  return less ? *std::move(less) : std::move(page);
}

Result<SearchSubject> ReadSubject(std::string_view kind, std::string_view address,
                                  std::string_view version_text) {
  ASSIGN_OR_RETURN(Version version, Version::Parse(version_text));
  if (kind == SearchKindName(SearchKind::kModule)) {
    const std::string host = HostOf(SearchKind::kModule, address);
    if (!host.empty()) address.remove_prefix(host.size() + 1);
    ASSIGN_OR_RETURN(const ModuleAddress module, ModuleAddress::Parse(address));
    return host.empty() ? SearchSubject::Of(module, std::move(version))
                        : SearchSubject::Mirrored(host, module, std::move(version));
  }
  const std::string host = HostOf(SearchKind::kProvider, address);
  if (!host.empty()) address.remove_prefix(host.size() + 1);
  const std::size_t slash = address.find('/');
  ASSIGN_OR_RETURN(ProviderAddress provider,
                   ProviderAddress::FromParts(address.substr(0, slash), address.substr(slash + 1)));
  if (host.empty()) return SearchSubject::Of(provider, std::move(version));
  ASSIGN_OR_RETURN(HostName name, HostName::ParseWire(host));
  return MirroredSubject({.host = std::move(name), .address = std::move(provider)},
                         std::move(version));
}

Result<std::vector<SearchSubject>> ListSubjects(Session& session,
                                                const std::optional<SearchSubject>& after) {
  const std::string key = after ? after->key : "";
  const std::string last = after ? after->version.ToString() : "";
  std::vector<SearchSubject> subjects;
  std::string kind, address, version, subject_key;
  Query query(session, kListSubjects);
  query.Use(key).Use(key).Use(last).Use(kMostSubjectsListed);
  query.Into(kind).Into(address).Into(version).Into(subject_key);
  while (query.Next()) {
    ASSIGN_OR_RETURN(SearchSubject subject, Stored(ReadSubject(kind, address, version)));
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

// `last`: of the version that was listed last, as the statement orders them.
Result<std::vector<SearchSubject>> RunListing(Session& session, const Statement& statement,
                                              const std::string& key, const std::string& last) {
  std::vector<SearchSubject> subjects;
  std::string kind, address, version;
  Query query(session, statement);
  query.Use(key).Use(key).Use(last).Use(kMostUnindexed);
  query.Into(kind).Into(address).Into(version);
  while (query.Next()) {
    ASSIGN_OR_RETURN(SearchSubject subject, Stored(ReadSubject(kind, address, version)));
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

std::string CatalogKeyOf(const std::optional<SearchSubject>& subject) {
  return subject ? subject->key.substr(subject->key.find(':') + 1) : "";
}

Result<std::vector<SearchSubject>> ListMissing(Session& session, SearchKind listed,
                                               const std::optional<SearchSubject>& after) {
  const bool modules = listed == SearchKind::kModule;
  return RunListing(session, modules ? kListUnindexedModules : kListUnindexedProviders,
                    CatalogKeyOf(after), after ? after->version.PrecedenceKey() : "");
}

// Modules, and providers once there are no further modules.
Result<std::vector<SearchSubject>> ListMissingMirrored(Session& session,
                                                       const std::optional<SearchSubject>& after) {
  const std::string key = CatalogKeyOf(after);
  const std::string last = after ? after->version.ToString() : "";
  const bool at_providers = after && after->kind == SearchKind::kProvider;
  if (at_providers) return RunListing(session, kListUnindexedMirroredProviders, key, last);
  ASSIGN_OR_RETURN(std::vector<SearchSubject> modules,
                   RunListing(session, kListUnindexedMirrored, key, last));
  if (!modules.empty()) return modules;
  return RunListing(session, kListUnindexedMirroredProviders, "", "");
}

Status PutEntries(Session& session, const SearchSubject& subject,
                  const std::vector<SearchEntry>& entries) {
  return PutSearchEntries(session, subject, entries);
}

Status Forget(Session& session) {
  Query(session, kForgetSpellings).Run();
  return {};
}

}  // namespace

Task<void> SqlSearchIndex::PutSearchEntries(SearchSubject subject,
                                            std::vector<SearchEntry> entries) {
  return transactions_.Write(&sql::PutEntries, std::move(subject), std::move(entries));
}

Task<void> SqlSearchIndex::RemoveSearchEntries(SearchSubject subject) {
  return transactions_.Write(&sql::RemoveSearchEntries, std::move(subject));
}

Task<void> SqlSearchIndex::ForgetSpellings() { return transactions_.Write(&sql::Forget); }

Task<std::vector<SearchSubject>> SqlSearchIndex::ListSearchSubjects(
    std::optional<SearchSubject> after) {
  return transactions_.Read(&sql::ListSubjects, std::move(after));
}

Task<std::vector<SearchSubject>> SqlSearchIndex::ListUnindexed(SearchKind kind,
                                                               std::optional<SearchSubject> after) {
  return transactions_.Read(&sql::ListMissing, kind, std::move(after));
}

Task<std::vector<SearchSubject>> SqlSearchIndex::ListUnindexedMirrored(
    std::optional<SearchSubject> after) {
  return transactions_.Read(&sql::ListMissingMirrored, std::move(after));
}

Task<SearchPage> SqlSearchIndex::Search(SearchRequest request) {
  return transactions_.Read(&sql::Search, std::move(request));
}

}  // namespace koya::sql
