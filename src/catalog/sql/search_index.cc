#include "catalog/sql/search_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "catalog/sql/module_version_row.h"
#include "catalog/sql/query.h"
#include "catalog/sql/readable_condition.h"
#include "catalog/sql/search_entries.h"
#include "catalog/sql/search_match.h"
#include "catalog/sql/text_column.h"
#include "domain/search_highlight.h"
#include "domain/spelling.h"

namespace koya::sql {
namespace {

constexpr std::size_t kMostAlternatives = 8;  // of a word
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

// What is found, of newest versions or of the others ({0}), as long as it is not too much. {1}: how
// well it matches; {2}: what else must be so; {3}: who may read; {4}: the most.
constexpr std::string_view kFound =
    "SELECT e.id AS id, e.subject_id AS subject_id, e.kind AS kind, e.kind_order AS kind_order, "
    "e.deprecated AS deprecated, e.published_at AS published_at, e.name_key AS name_key, "
    "{1} AS tier FROM {{{{{0} with words}}}} :words {{{{end of words}}}}{2}{3} "
    "ORDER BY {{{{{0} row}}}} DESC LIMIT {4}";
constexpr std::string_view kBoth =
    "SELECT * FROM (SELECT * FROM ({}) newest UNION ALL SELECT * FROM ({}) older) both_of_them "
    "ORDER BY id DESC LIMIT {}";
// First how many there are of each kind, then the page: one statement, so that they agree.
constexpr std::string_view kPage =
    "WITH found AS MATERIALIZED ({0}){1}, ranked AS (SELECT f.id AS id, f.subject_id AS "
    "subject_id, "
    "ROW_NUMBER() OVER (ORDER BY {3}f.kind_order, f.name_key, s.subject_key, s.version, f.id) AS "
    "place "
    "FROM found f JOIN search_subject s ON s.id = f.subject_id) "
    "SELECT 0 AS place, kind, COUNT(*) AS entries, '' AS subject_kind, '' AS address, "
    "'' AS version, 0 AS published_at, 0 AS newest, 0 AS deprecated, '' AS name, '' AS title, "
    "'' AS body FROM {2} GROUP BY kind UNION ALL "
    "SELECT r.place, e.kind, 0, s.kind, s.address, s.version, s.published_at, s.newest, "
    "s.deprecated, e.name, e.title, e.body FROM ranked r JOIN search_entry e ON e.id = r.id "
    "JOIN search_subject s ON s.id = r.subject_id WHERE r.place > :first AND r.place <= :last "
    "ORDER BY place, kind";
// What comes first in each order; the rest makes it the same on every engine.
constexpr std::string_view OrderText(SearchOrder order) {
  switch (order) {
    case SearchOrder::kBest:
      return "f.deprecated, f.tier, f.published_at DESC, ";
    case SearchOrder::kNewest:
      return "f.published_at DESC, ";
    case SearchOrder::kAddress:
      return "s.subject_key, ";
  }
  return "";
}
constexpr std::string_view kCounted = ", counted AS MATERIALIZED ({})";

constexpr ListedRows kEntries{.place = "namespace_key",
                              .ending = "",
                              .order = "namespace_key",
                              .key = "namespace_key",
                              .table = "search_subject",
                              .looked_up = true};

struct FoundRow {
  std::int64_t place = 0, entries = 0, published_at = 0, newest = 0, deprecated = 0;
  std::string kind, subject_kind, address, version, name, title, body;

  void Bind(Query& query) {
    query.Into(place).Into(kind).Into(entries).Into(subject_kind).Into(address).Into(version);
    query.Into(published_at).Into(newest).Into(deprecated).Into(name).Into(title).Into(body);
  }
};

// Each parameter with a name of its own: the parts that a statement is put together from are in it
// more than once. REQUIRES: no colon is anything else.
std::string NumberParameters(std::string_view text) {
  std::string out;
  int number = 0;
  bool in_name = false;
  for (char c : text) {
    const bool of_name = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (in_name && !of_name) out += fmt::format("_{}", ++number);
    in_name = c == ':' || (in_name && of_name);
    out += c;
  }
  return out;
}

// One search, put together.
class SearchStatement {
 public:
  SearchStatement(Session& session, const SearchRequest& request)
      : session_(session),
        request_(request),
        readable_(request.readable, kEntries),
        condition_(MatchCondition(request.query)),
        tier_(MatchTier(request.query)) {
    const bool older = !request.query.version().empty() || request.query.any_version();
    versions_ = older ? 2 : 1;
  }

  Result<SearchPage> Run() {
    const SearchQuery& search = request_.query;
    const bool by_kind = !search.kinds().empty();
    const std::string found = Found();
    const std::string counted = by_kind ? fmt::format(kCounted, found) : "";
    const std::string text = NumberParameters(fmt::format(
        kPage, found, counted, by_kind ? "counted" : "found", OrderText(request_.order)));
    FoundRow row;
    Query query(session_, Statement{"search", text});
    UseFound(query, true);
    if (by_kind) UseFound(query, false);
    const std::uint64_t limit = std::min(request_.page.limit, SearchIndex::kLongestSearchPage);
    const std::uint64_t first = std::min(request_.page.offset, SearchIndex::kMostFound);
    query.Use(static_cast<std::int64_t>(first)).Use(static_cast<std::int64_t>(first + limit + 1));
    row.Bind(query);
    SearchPage page;
    std::uint64_t total = 0;
    while (query.Next()) {
      if (row.place == 0) {
        RETURN_IF_ERROR(AddCount(row, &page));
        total += static_cast<std::uint64_t>(row.entries);
      } else if (page.items.size() == limit) {
        page.more = true;
      } else {
        RETURN_IF_ERROR(AddHit(row, &page));
      }
    }
    page.cut = total >= SearchIndex::kMostFound;
    return page;
  }

 private:
  std::string Found() const {
    auto of = [this](std::string_view versions) {
      return fmt::format(kFound, versions, tier_.text, condition_.text, readable_.Text(),
                         SearchIndex::kMostFound);
    };
    if (versions_ == 1) return of("newest");
    return fmt::format(kBoth, of("newest"), of("older"), SearchIndex::kMostFound);
  }

  void UseFound(Query& query, bool kinds) const {
    const std::string words = MatchedWords(session_.dialect(), request_.query, kinds);
    for (int i = 0; i < versions_; ++i) {
      tier_.Use(query);
      query.Use(words);
      condition_.Use(query);
      readable_.Use(query);
    }
  }

  static Result<SearchKind> KindOf(std::string_view name) {
    if (const std::optional<SearchKind> kind = ParseSearchKind(name)) return *kind;
    return Fail(ErrorKind::kCorrupt, "the search index is not as this program writes it",
                "an unknown kind of entry");
  }
  static Status AddCount(const FoundRow& row, SearchPage* page) {
    ASSIGN_OR_RETURN(const SearchKind kind, KindOf(row.kind));
    page->counts[kind] = static_cast<std::uint64_t>(row.entries);
    return {};
  }
  Status AddHit(const FoundRow& row, SearchPage* page) const {
    SearchHit hit;
    ASSIGN_OR_RETURN(hit.kind, KindOf(row.kind));
    ASSIGN_OR_RETURN(hit.subject_kind, KindOf(row.subject_kind));
    hit.address = row.address;
    hit.version = row.version;
    hit.published_at = row.published_at;
    hit.newest = row.newest == 1;
    hit.deprecated = row.deprecated == 1;
    hit.name = row.name;
    hit.title = row.title;
    MarkHit(&hit, row.body, request_.query.terms());
    page->items.push_back(std::move(hit));
    return {};
  }

  Session& session_;
  const SearchRequest& request_;
  const ReadableCondition readable_;
  const SqlPart condition_;
  const SqlPart tier_;
  int versions_ = 1;  // how many of newest and older are searched
};

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

Result<SearchPage> Search(Session& session, const SearchRequest& request) {
  ASSIGN_OR_RETURN(SearchPage page, SearchStatement(session, request).Run());
  if (!page.counts.empty()) return page;
  SearchRequest again = request;
  if (!Forgive(session, &again.query)) return page;
  ASSIGN_OR_RETURN(page, SearchStatement(session, again).Run());
  page.forgiven = !page.counts.empty();
  return page;
}

Result<SearchSubject> ReadSubject(std::string_view kind, std::string_view address,
                                  std::string_view version_text) {
  ASSIGN_OR_RETURN(Version version, Version::Parse(version_text));
  if (kind == SearchKindName(SearchKind::kModule)) {
    ASSIGN_OR_RETURN(const ModuleAddress module, ModuleAddress::Parse(address));
    return SearchSubject::Of(module, std::move(version));
  }
  const std::size_t slash = address.find('/');
  ASSIGN_OR_RETURN(const ProviderAddress provider,
                   ProviderAddress::FromParts(address.substr(0, slash), address.substr(slash + 1)));
  return SearchSubject::Of(provider, std::move(version));
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
    Result<SearchSubject> subject = ReadSubject(kind, address, version);
    if (!subject) return Failure(StrangeRow(subject.error()));
    subjects.push_back(*std::move(subject));
  }
  return subjects;
}

Result<std::vector<SearchSubject>> ListMissing(Session& session, SearchKind listed,
                                               const std::optional<SearchSubject>& after) {
  const std::string key = after ? after->key.substr(after->key.find(':') + 1) : "";
  const std::string last = after ? after->version.PrecedenceKey() : "";
  std::vector<SearchSubject> subjects;
  std::string kind, address, version;
  Query query(session,
              listed == SearchKind::kModule ? kListUnindexedModules : kListUnindexedProviders);
  query.Use(key).Use(key).Use(last).Use(kMostUnindexed);
  query.Into(kind).Into(address).Into(version);
  while (query.Next()) {
    Result<SearchSubject> subject = ReadSubject(kind, address, version);
    if (!subject) return Failure(StrangeRow(subject.error()));
    subjects.push_back(*std::move(subject));
  }
  return subjects;
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

Task<SearchPage> SqlSearchIndex::Search(SearchRequest request) {
  return transactions_.Read(&sql::Search, std::move(request));
}

}  // namespace koya::sql
