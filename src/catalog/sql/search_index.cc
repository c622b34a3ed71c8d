#include "catalog/sql/search_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "catalog/sql/module_version_row.h"
#include "catalog/sql/query.h"
#include "catalog/sql/readable_condition.h"
#include "catalog/sql/search_beginnings.h"
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

constexpr Statement kListUnindexedMirrored{
    "list_unindexed_mirrored",
    "SELECT 'module', m.host || '/' || m.namespace || '/' || m.name || '/' || m.system, v.version "
    "FROM upstream_module m JOIN upstream_module_version v ON v.module_id = m.id "
    "JOIN module_contents c ON c.module_key = m.module_key AND c.version = v.version "
    "LEFT JOIN search_subject s ON s.subject_key = 'mirror:' || m.module_key "
    "AND s.version = v.version WHERE m.module_key >= :from AND (m.module_key > :after_key OR "
    "v.version > :after_version) AND v.held = 1 AND s.id IS NULL "
    "ORDER BY m.module_key, v.version LIMIT :limit"};

// What is looked at, of newest versions or of the others ({0}), as long as it is not too much. {1}:
// how well it matches; {2}: who may read; {3}: the most.
constexpr std::string_view kLookedAt =
    "SELECT e.id AS id, e.subject_id AS subject_id, e.kind AS kind, e.kind_order AS kind_order, "
    "e.deprecated AS deprecated, e.published_at AS published_at, e.name_key AS name_key, "
    "{1} AS tier FROM {{{{{0} with words}}}} :words {{{{end of words}}}}{2} "
    "ORDER BY {{{{{0} row}}}} DESC LIMIT {3}";
constexpr std::string_view kBoth =
    "SELECT * FROM (SELECT * FROM ({}) newest UNION ALL SELECT * FROM ({}) older) both_of_them "
    "ORDER BY id DESC LIMIT {}";
// Names that are joined as the search is come first: there may be too much else that has its words.
constexpr std::string_view kNamesToo =
    "SELECT * FROM ({}) names UNION SELECT * FROM ({}) all_words";
// {0}, and what of it has the words side by side, too ({1}), which only the entries can say.
constexpr std::string_view kWith = "{0} AS MATERIALIZED ({1})";
constexpr std::string_view kOfThese =
    "SELECT l.* FROM {0} l CROSS JOIN search_entry e WHERE e.id = l.id{1}";
// First how many there are of each kind, and how many were looked at ({2}), then the page: one
// statement, so that they agree.
constexpr std::string_view kPage =
    "WITH {0}, ranked AS (SELECT f.id AS id, f.subject_id AS subject_id, "
    "ROW_NUMBER() OVER (ORDER BY {3}f.kind_order, f.name_key, s.subject_key, s.version, f.id) AS "
    "place "
    "FROM found f JOIN search_subject s ON s.id = f.subject_id) "
    "SELECT 0 AS place, kind, COUNT(*) AS entries, '' AS subject_kind, '' AS address, "
    "'' AS version, 0 AS published_at, 0 AS newest, 0 AS deprecated, '' AS name, '' AS title, "
    "'' AS body FROM {1} GROUP BY kind UNION ALL "
    "SELECT 0, '', COUNT(*), '', '', '', 0, 0, 0, '', '', '' FROM {2} UNION ALL "
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

constexpr ListedRows kEntries{.place = "namespace_key",
                              .ending = "",
                              .order = "namespace_key",
                              .key = "namespace_key",
                              .table = "search_subject",
                              .looked_up = true,
                              .mirrored = kMirroredPlace};

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

// Of "registry.example.org/acme/vpc/aws"; "" of what is published here.
std::string HostOf(SearchKind subject, std::string_view address) {
  const auto parts = std::ranges::count(address, '/') + 1;
  const bool mirrored = parts > (subject == SearchKind::kModule ? 3 : 2);
  return mirrored ? std::string(address.substr(0, address.find('/'))) : "";
}

// One search, put together.
class SearchStatement {
 public:
  SearchStatement(Session& session, const SearchRequest& request, WordsAsked asked,
                  const Beginnings& beginnings)
      : session_(session),
        request_(request),
        asked_(asked),
        beginnings_(beginnings),
        readable_(request.readable, kEntries),
        condition_(MatchCondition(request.query)),
        tier_(MatchTier(request.query)),
        named_(!JoinedName(request.query).empty()),
        versions_(AsksForOlder(request.query) ? 2 : 1) {}

  static bool AsksForOlder(const SearchQuery& search) {
    return !search.version().empty() || search.any_version();
  }

  Result<SearchPage> Run() {
    const bool by_kind = !request_.query.kinds().empty();
    const std::string_view counted = by_kind ? "counted" : "found";
    std::string with = Found("found");
    if (by_kind) with += ", " + Found(counted);
    const std::string text = NumberParameters(
        fmt::format(kPage, with, counted, LookedAt(counted), OrderText(request_.order)));
    FoundRow row;
    Query query(session_, Statement{"search", text});
    UseFound(query, true);
    if (by_kind) UseFound(query, false);
    const std::uint64_t limit = std::min(request_.page.limit, SearchIndex::kLongestSearchPage);
    const std::uint64_t first = std::min(request_.page.offset, SearchIndex::kMostFound);
    query.Use(static_cast<std::int64_t>(first)).Use(static_cast<std::int64_t>(first + limit + 1));
    row.Bind(query);
    SearchPage page;
    while (query.Next()) {
      if (row.place == 0 && row.kind.empty()) {
        page.cut = static_cast<std::uint64_t>(row.entries) >= SearchIndex::kMostFound;
      } else if (row.place == 0) {
        RETURN_IF_ERROR(AddCount(row, &page));
      } else if (page.items.size() == limit) {
        page.more = true;
      } else {
        RETURN_IF_ERROR(AddHit(row, &page));
      }
    }
    return page;
  }

 private:
  // The name of what was looked at for `found`.
  std::string LookedAt(std::string_view found) const {
    return condition_.text.empty() ? std::string(found) : fmt::format("{}_among", found);
  }
  std::string Found(std::string_view name) const {
    const std::string among = LookedAt(name);
    std::string text = fmt::format(kWith, among, Looking());
    if (among == name) return text;
    const std::string those = fmt::format(kOfThese, among, condition_.text);
    return text + ", " + fmt::format(kWith, name, those);
  }
  std::string Looking() const {
    auto of = [this](std::string_view versions) {
      return fmt::format(kLookedAt, versions, tier_.text, readable_.Text(),
                         SearchIndex::kMostFound);
    };
    std::string one = of("newest");
    if (versions_ == 2) one = fmt::format(kBoth, one, of("older"), SearchIndex::kMostFound);
    return named_ ? fmt::format(kNamesToo, one, one) : one;
  }

  void UseFound(Query& query, bool kinds) const {
    if (named_) UseLooking(query, kinds, WordsAsked::kNames);
    UseLooking(query, kinds, asked_);
    condition_.Use(query);
  }
  void UseLooking(Query& query, bool kinds, WordsAsked asked) const {
    const std::string words =
        MatchedWords(session_.dialect(), request_.query, kinds, asked, beginnings_);
    for (int i = 0; i < versions_; ++i) {
      tier_.Use(query);
      query.Use(words);
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
    hit.host = HostOf(hit.subject_kind, row.address);
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
  const WordsAsked asked_;
  const Beginnings& beginnings_;
  const ReadableCondition readable_;
  const SqlPart condition_;
  const SqlPart tier_;
  const bool named_;
  const int versions_;  // how many of newest and older are searched
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

// Whole words first: what is frequent fills a search with them, and need not be put together with
// all that begins so.
Result<SearchPage> SearchAsWritten(Session& session, const SearchRequest& request) {
  const SearchQuery& search = request.query;
  Beginnings beginnings;
  if (std::ranges::any_of(search.terms(), &SearchTerm::begins)) {
    ASSIGN_OR_RETURN(SearchPage page,
                     SearchStatement(session, request, WordsAsked::kWhole, beginnings).Run());
    if (page.cut) return page;
    beginnings = FindBeginnings(session, search, SearchStatement::AsksForOlder(search));
    if (NothingElseBegins(beginnings, search)) return page;
  }
  return SearchStatement(session, request, WordsAsked::kBeginnings, beginnings).Run();
}

Result<SearchPage> Search(Session& session, const SearchRequest& request) {
  ASSIGN_OR_RETURN(SearchPage page, SearchAsWritten(session, request));
  if (!page.counts.empty()) return page;
  SearchRequest again = request;
  if (!Forgive(session, &again.query)) return page;
  ASSIGN_OR_RETURN(page, SearchAsWritten(session, again));
  page.forgiven = !page.counts.empty();
  return page;
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

// `last`: of the version that was told last, as the statement orders them.
Result<std::vector<SearchSubject>> RunListing(Session& session, const Statement& statement,
                                              const std::string& key, const std::string& last) {
  std::vector<SearchSubject> subjects;
  std::string kind, address, version;
  Query query(session, statement);
  query.Use(key).Use(key).Use(last).Use(kMostUnindexed);
  query.Into(kind).Into(address).Into(version);
  while (query.Next()) {
    Result<SearchSubject> subject = ReadSubject(kind, address, version);
    if (!subject) return Failure(StrangeRow(subject.error()));
    subjects.push_back(*std::move(subject));
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

Result<std::vector<SearchSubject>> ListMissingMirrored(Session& session,
                                                       const std::optional<SearchSubject>& after) {
  return RunListing(session, kListUnindexedMirrored, CatalogKeyOf(after),
                    after ? after->version.ToString() : "");
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
