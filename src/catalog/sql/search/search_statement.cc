#include "catalog/sql/search/search_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/readable_condition.h"
#include "catalog/sql/search/search_entries.h"
#include "catalog/sql/search/search_query_builder.h"
#include "domain/namespace_record.h"
#include "domain/search_highlight.h"
#include "domain/search_words.h"

namespace koya::sql {
namespace {

constexpr std::string_view kWith = "{0} AS MATERIALIZED ({1})";
// Of {0} what has words side by side: by its tier ({1}), or where its text says so ({2}), of which
// so many ({3}) are read.
constexpr std::string_view kSideBySide =
    "SELECT l.* FROM {0} l WHERE l.tier IN ({1}) UNION ALL SELECT l.* FROM (SELECT * FROM {0} "
    "WHERE tier NOT IN ({1}) ORDER BY tier, id DESC LIMIT {3}) l CROSS JOIN search_entry e "
    "WHERE e.id = l.id AND {2}";
// Counts of each kind, of the entries found in {0} that meet the condition {2}.
constexpr std::string_view kCounts =
    "SELECT {1} AS place, {0}.kind AS kind, COUNT(*) AS entries, '' AS subject_kind, "
    "'' AS address, '' AS version, 0 AS published_at, 0 AS newest, 0 AS deprecated, '' AS name, '' "
    "AS title, "
    "'' AS body FROM {0}{2} GROUP BY kind UNION ALL ";
// Of each share of the entries examined in {0}, numbered down from {1}: how many entries, how many
// of them are older, and how many texts had to be read ({2}).
constexpr std::string_view kLooked =
    "SELECT {1} - share, '', COUNT(*), '', '', '', SUM(is_older), ({2}), 0, '', '', '' FROM {0} "
    "GROUP BY share UNION ALL ";
// Of the entries found in {0} that meet the condition {2}: how many each version has.
constexpr std::string_view kFacets =
    "SELECT {1}, '', n.entries, s.kind, s.address, '', 0, 0, s.deprecated, '', '', '' FROM (SELECT "
    "subject_id, COUNT(*) AS entries FROM {0} f{2} GROUP BY subject_id) n "
    "JOIN search_subject s ON s.id = n.subject_id UNION ALL ";
constexpr std::string_view kTextsRead = "SELECT COUNT(*) FROM {} WHERE tier NOT IN ({})";
// Inputs, outputs and data sources, of modules and among pages of docs: entries that are only a
// part, or only look something up; and resources that nothing keeps.
constexpr std::string_view kIsPart =
    "CASE WHEN f.kind IN ('input', 'output') OR (f.kind = 'resource' AND "
    "(f.name_key LIKE 'data.%' OR f.name_key LIKE '%/data.%')) OR (f.kind = 'doc' AND "
    "(f.name_key LIKE 'data-sources/%' OR f.name_key LIKE 'ephemeral-resources/%')) "
    "THEN 1 ELSE 0 END";
// The words of an entry's name, of pages of docs without their folder: " flow log ".
constexpr std::string_view kOwnWords =
    "' ' || REPLACE(REPLACE(REPLACE(REPLACE(CASE WHEN g.kind = 'doc' THEN "
    "SUBSTR(g.name_key, {{{{place in}}}}(g.name_key, '/') + 1) ELSE g.name_key END, "
    "'_', ' '), '-', ' '), '/', ' '), '.', ' ') || ' '";
// What the order kBest begins with ({0}: whether it is a part, {1}: IsCalledByWords). What is
// called by words of the search comes before what has them among others: first what has most of
// them, parts last. A module or provider that has all words in its name comes with what begins with
// them; of parts those that match by their title or text come last, as there are so many of them.
constexpr std::string_view kMatchOrder =
    "CASE WHEN f.tier = 2 AND f.kind IN ('module', 'provider') THEN 1 "
    "WHEN f.tier >= 2 AND f.kind IN ('module', 'submodule', 'example', 'doc') AND {1} "
    "THEN 1 + 0.5 * {0} + 1.0 / LENGTH(f.own_words) "
    "WHEN f.tier >= 3 AND {0} = 1 THEN f.tier + 2 ELSE f.tier END";
// First {1}: how many there are of each kind, and how many were looked at; then the page, of what
// was found ({2}): one statement, so that they agree. Only what comes first is put in order ({3}).
constexpr std::string_view kPage =
    "WITH {0}, first_ones AS (SELECT f.id AS id, f.subject_id AS subject_id, "
    "f.deprecated AS deprecated, {4} AS match_order, {5} AS is_part, f.published_at AS "
    "published_at, "
    "f.kind_order AS kind_order, f.name_key AS name_key, s.subject_key AS subject_key, "
    "s.version AS subject_version FROM (SELECT g.*, {6} AS own_words FROM found g) f "
    "JOIN search_subject s ON s.id = f.subject_id{2} "
    "ORDER BY {3} LIMIT (SELECT CAST(:limit AS BIGINT)) OFFSET (SELECT CAST(:offset AS BIGINT))), "
    "ranked AS (SELECT o.id AS id, o.subject_id AS subject_id, ROW_NUMBER() OVER (ORDER BY {3}) "
    "AS place FROM first_ones o) "
    "{1}"
    "SELECT r.place AS place, e.kind AS kind, 0, s.kind AS subject_kind, s.address, s.version, "
    "s.published_at, s.newest, s.deprecated, e.name, e.title, e.body FROM ranked r JOIN "
    "search_entry e ON e.id = r.id "
    "JOIN search_subject s ON s.id = r.subject_id ORDER BY place, kind";
// What `place` is of the rows before the page.
constexpr std::int64_t kCountPlace = 0;
constexpr std::int64_t kFoundPlace = -1;      // less the number of the share
constexpr std::int64_t kCountedPlace = -101;  // likewise
constexpr std::int64_t kFacetPlace = -1000;
// The order, by columns of first_ones; its end makes it the same on every engine. For packages it
// goes on as their list does, so that both leave out the same.
constexpr std::string_view kInOrder = "{}kind_order, name_key, subject_key, subject_version, id";
constexpr std::string_view kPackagesInOrder = "{}kind_order, subject_key, subject_version, id";
constexpr std::string_view OrderText(SearchOrder order) {
  switch (order) {
    case SearchOrder::kBest:
      return "deprecated, match_order, is_part, published_at DESC, ";
    case SearchOrder::kNewest:
      return "published_at DESC, ";
    case SearchOrder::kAddress:
      return "subject_key, ";
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

// The values with the most results, as many as there may be.
void BoundValues(SearchFacets::Values* values, bool* cut) {
  while (values->size() > SearchIndex::kMostFacetValues) {
    values->erase(std::ranges::min_element(*values, {}, &SearchFacets::Values::value_type::second));
    *cut = true;
  }
}

void AddFacetsOf(const FoundRow& row, SearchPage* page) {
  const bool is_module = row.subject_kind == SearchKindName(SearchKind::kModule);
  std::string_view address = row.address;
  const std::string host = HostOf(is_module ? SearchKind::kModule : SearchKind::kProvider, address);
  if (!host.empty()) address.remove_prefix(host.size() + 1);
  const auto entries = static_cast<std::uint64_t>(row.entries);
  SearchFacets& facets = page->facets;
  ++page->packages;
  facets.ns[NamespaceKey(address.substr(0, address.find('/')))] += entries;
  if (is_module) facets.system[FoldForSearch(address.substr(address.rfind('/') + 1))] += entries;
  facets.deprecated[row.deprecated == 1 ? "yes" : "no"] += entries;
}

// One search, put together.
class SearchStatement {
 public:
  SearchStatement(Session& session, const SearchRequest& request, MatchMode asked,
                  const PrefixExpansions& beginnings)
      : session_(session),
        request_(request),
        readable_(request.readable, kEntries),
        condition_(MatchCondition(request.query)),
        tier_(MatchTier(request.query)),
        called_(IsCalledByWords(request.query, "f.own_words")),
        shares_(SharesOf(IndexedVersions::kNewest, asked, beginnings)),
        older_shares_(AsksForOlder(request.query)
                          ? SharesOf(IndexedVersions::kOlder, asked, beginnings)
                          : WordShares()),
        way_{.dialect = session.dialect(),
             .request = request_,
             .asked = asked,
             .beginnings = beginnings,
             .readable = readable_,
             .tier = tier_,
             .older = AsksForOlder(request.query),
             .shares = shares_,
             .older_shares = older_shares_} {
    DecideWhatToLookAt();
  }

  Result<SearchPage> Run() {
    const std::string text = NumberParameters(Text());
    FoundRow row;
    Query query(session_, Statement{"search", text});
    if (packages_) packages_->Use(query);
    if (found_) found_->Use(query);
    condition_.Use(query);
    if (counted_) counted_->Use(query);
    if (counted_) condition_.Use(query);
    called_.Use(query);
    const std::uint64_t limit = Limit();
    query.Use(static_cast<std::int64_t>(limit + 1)).Use(static_cast<std::int64_t>(First()));
    row.Bind(query);
    SearchPage page;
    while (query.Next()) {
      if (row.place == kFacetPlace) {
        AddFacetsOf(row, &page);
      } else if (row.place < kCountPlace) {
        NoteShare(row, &page);
      } else if (row.place == kCountPlace) {
        RETURN_IF_ERROR(AddCount(row, &page));
      } else if (page.items.size() == limit) {
        page.more = true;
      } else {
        RETURN_IF_ERROR(AddHit(row, &page));
      }
    }
    FinishFacets(&page);
    return page;
  }

 private:
  using Purpose = SearchQueryBuilder::Purpose;

  WordShares SharesOf(IndexedVersions versions, MatchMode asked,
                      const PrefixExpansions& beginnings) {
    if (session_.dialect() == Dialect::kSqlite) return {};
    const MatchQuery ask{.asked = asked, .kinds = {kSearchKinds.begin(), kSearchKinds.end()}};
    return FindWordShares(session_, versions,
                          MatchedWords(session_.dialect(), request_.query, ask, beginnings));
  }

  // What the page is made of, and besides, what the kinds that it is not of are counted in.
  void DecideWhatToLookAt() {
    const std::vector<SearchKind>& kinds = request_.query.kinds();
    all_ = FindsAll();
    if (all_) {
      found_.emplace(way_, std::vector{ShareOf({})}, Purpose::kPage);
      return;
    }
    if (kinds.empty()) {
      found_.emplace(way_, SearchQueryBuilder::UsualShares(way_), Purpose::kPage);
      return;
    }
    std::vector<ResultQuota> counted{ShareOf({})};
    if (IsListOfPackages(request_)) {
      const std::uint64_t most = std::min(First() + Limit() + 1, SearchIndex::kMostFound);
      packages_.emplace(request_, readable_, most);
      counted.insert(counted.begin(), ShareOf(kinds));
    } else {
      found_.emplace(way_, std::vector{ShareOf(kinds)}, Purpose::kPage);
    }
    if (!request_.counted) return;
    // Whether words stand side by side is seen by what a page is ordered by.
    const Purpose purpose = condition_.text.empty() ? Purpose::kCount : Purpose::kPage;
    counted_.emplace(way_, std::move(counted), purpose);
  }
  // Whether all that has the words is surely looked at, whatever its kind. It is known not to be
  // where whole words are frequent; and on PostgreSQL to know costs as much as to look.
  bool FindsAll() const {
    const bool counts = request_.counted || request_.query.kinds().empty();
    const bool frequent = way_.asked != MatchMode::kBeginnings;
    if (!counts || frequent || IsJoinedName(request_.query)) return false;
    // Texts that are read for other kinds would be missing from those read for the requested kinds.
    if (way_.dialect == Dialect::kPostgres || !condition_.text.empty()) return false;
    const std::string words =
        MatchedWords(way_.dialect, request_.query, {.asked = way_.asked}, way_.beginnings);
    return !MayHaveWords(session_, words, SearchIndex::kMostFound,
                         way_.older ? SearchIndex::kMostReadWhole : 0);
  }

  std::string Text() const {
    const std::string among = LookedAt("found");
    std::string with = packages_ ? fmt::format(kWith, among, packages_->Text(ColumnsInOrder(tier_)))
                                 : found_->With(among);
    with += SideBySide("found");
    std::string before;
    if (found_) before = Counts("found", "") + Looked("found", kFoundPlace);
    if (counted_) {
      with += ", " + counted_->With(LookedAt("counted")) + SideBySide("counted");
      before += Counts("counted", OfOtherKinds()) + Looked("counted", kCountedPlace);
    }
    if (request_.facets) before += Facets();
    return fmt::format(kPage, with, before, all_ ? OfKinds() : "", InOrder(),
                       fmt::format(kMatchOrder, kIsPart, called_.text), kIsPart,
                       fmt::format(kOwnWords));
  }
  static std::string Counts(std::string_view found, std::string_view condition) {
    return fmt::format(kCounts, found, kCountPlace, condition);
  }
  // A list of packages looks only at those up to its page; all of them are counted.
  std::string Facets() const {
    return packages_ ? fmt::format(kFacets, "counted", kFacetPlace, " WHERE f.share = 0")
                     : fmt::format(kFacets, "found", kFacetPlace, all_ ? OfKinds() : "");
  }
  std::string Looked(std::string_view found, std::int64_t place) const {
    const std::string among = LookedAt(found);
    const std::string texts =
        condition_.text.empty() ? "0" : fmt::format(kTextsRead, among, kTiersSideBySide);
    return fmt::format(kLooked, among, place, texts);
  }
  // Where everything was examined, the page has only the requested kinds.
  std::string OfKinds() const {
    const std::string names = KindNames();
    return names.empty() ? "" : fmt::format(" WHERE f.kind IN ({})", names);
  }
  // The requested kinds are counted in their own share.
  std::string OfOtherKinds() const {
    return fmt::format(" WHERE kind NOT IN ({}){}", KindNames(), packages_ ? " OR share = 0" : "");
  }
  std::string KindNames() const {
    std::string names;
    for (SearchKind kind : request_.query.kinds()) {
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", SearchKindName(kind));
    }
    return names;
  }
  // The name of the table of entries examined for `found`.
  std::string LookedAt(std::string_view found) const {
    return condition_.text.empty() ? std::string(found) : fmt::format("{}_among", found);
  }
  // ", name AS …": the examined entries that have words side by side; "" when none need to be.
  std::string SideBySide(std::string_view name) const {
    if (condition_.text.empty()) return "";
    const std::string those = fmt::format(kSideBySide, LookedAt(name), kTiersSideBySide,
                                          condition_.text, SearchIndex::kMostReadWhole);
    return ", " + fmt::format(kWith, name, those);
  }
  std::uint64_t Limit() const {
    return std::min(request_.page.limit, SearchIndex::kLongestSearchPage);
  }
  std::uint64_t First() const { return std::min(request_.page.offset, SearchIndex::kMostFound); }
  std::string InOrder() const {
    const std::string_view order = OrderText(request_.order);
    return IsListOfPackages(request_) ? fmt::format(kPackagesInOrder, order)
                                      : fmt::format(kInOrder, order);
  }

  // Of a share that is full there may be more than was counted.
  void NoteShare(const FoundRow& row, SearchPage* page) const {
    const bool of_page = row.place > kCountedPlace;
    const SearchQueryBuilder& look = of_page ? *found_ : *counted_;
    const std::int64_t number = (of_page ? kFoundPlace : kCountedPlace) - row.place;
    const ResultQuota& share = look.shares().at(static_cast<std::size_t>(number));
    const auto reached = [](std::int64_t many, std::uint64_t most) {
      return static_cast<std::uint64_t>(many) >= most;
    };
    const bool full = reached(row.entries, share.most) ||
                      reached(row.published_at, share.most_older) ||
                      reached(row.newest, SearchIndex::kMostReadWhole + 1);
    // The remaining modules are examined with all other entries.
    if (!full || share.heads_only) return;
    const std::vector<SearchKind>& asked = request_.query.kinds();
    const bool of_asked = of_page || (packages_ && number == 0);
    if (of_asked) page->cut = true;
    for (SearchKind kind : kSearchKinds) {
      const bool in_share = share.kinds.empty() || Has(share.kinds, kind);
      if (in_share && (of_asked || !Has(asked, kind))) page->cut_kinds.insert(kind);
    }
  }
  void FinishFacets(SearchPage* page) const {
    if (!request_.facets) return;
    SearchFacets& facets = page->facets;
    const std::vector<SearchKind>& kinds = request_.query.kinds();
    for (const auto& [kind, count] : page->counts) {
      if (kinds.empty() || Has(kinds, kind)) {
        facets.kind.emplace(SearchKindName(kind), count);
      }
    }
    facets.cut = page->cut;
    BoundValues(&facets.ns, &facets.cut);
    BoundValues(&facets.system, &facets.cut);
  }
  static bool Has(const std::vector<SearchKind>& kinds, SearchKind kind) {
    return std::ranges::find(kinds, kind) != kinds.end();
  }

  static Result<SearchKind> KindOf(std::string_view name) {
    if (const std::optional<SearchKind> kind = ParseSearchKind(name)) return *kind;
    return Fail(ErrorKind::kCorrupt, "this program did not write the search index",
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
    hit.why = WhyFound(hit, request_.query);
    page->items.push_back(std::move(hit));
    return {};
  }

  Session& session_;
  const SearchRequest& request_;
  const ReadableCondition readable_;
  const SqlPart condition_;
  const SqlPart tier_;
  const SqlPart called_;
  const WordShares shares_;
  const WordShares older_shares_;
  const SearchPlan way_;
  bool all_ = false;  // the page is of all that was found
  std::optional<PackageList> packages_;
  std::optional<SearchQueryBuilder> found_;
  std::optional<SearchQueryBuilder> counted_;
};

}  // namespace

std::string HostOf(SearchKind subject, std::string_view address) {
  const auto parts = std::ranges::count(address, '/') + 1;
  const bool mirrored = parts > (subject == SearchKind::kModule ? 3 : 2);
  return mirrored ? std::string(address.substr(0, address.find('/'))) : "";
}

bool AsksForOlder(const SearchQuery& search) {
  return !search.version().empty() || search.any_version();
}

Result<SearchPage> RunSearch(Session& session, const SearchRequest& request, MatchMode asked,
                             const PrefixExpansions& beginnings) {
  return SearchStatement(session, request, asked, beginnings).Run();
}

}  // namespace koya::sql
