#include "catalog/sql/search_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "catalog/sql/module_version_row.h"
#include "catalog/sql/query.h"
#include "catalog/sql/readable_condition.h"
#include "domain/search_highlight.h"

namespace koya::sql {
namespace {

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
// Of all that was found, when nothing was left out.
constexpr std::string_view kOfKinds = "{} AS MATERIALIZED (SELECT * FROM {} WHERE kind IN ({}))";
constexpr std::string_view kOfThese =
    "SELECT l.* FROM {0} l CROSS JOIN search_entry e WHERE e.id = l.id{1}";
// First how many there are of each kind, and how many were looked at ({2}), then the page: one
// statement, so that they agree. Only what comes first is put in order ({3}).
constexpr std::string_view kPage =
    "WITH {0}, first_ones AS (SELECT f.id AS id, f.subject_id AS subject_id, "
    "f.deprecated AS deprecated, f.tier AS tier, f.published_at AS published_at, "
    "f.kind_order AS kind_order, f.name_key AS name_key, s.subject_key AS subject_key, "
    "s.version AS subject_version FROM found f JOIN search_subject s ON s.id = f.subject_id "
    "ORDER BY {3} LIMIT (SELECT CAST(:limit AS BIGINT)) OFFSET (SELECT CAST(:offset AS BIGINT))), "
    "ranked AS (SELECT o.id AS id, o.subject_id AS subject_id, ROW_NUMBER() OVER (ORDER BY {3}) "
    "AS place FROM first_ones o) "
    "SELECT 0 AS place, kind, COUNT(*) AS entries, '' AS subject_kind, '' AS address, "
    "'' AS version, 0 AS published_at, 0 AS newest, 0 AS deprecated, '' AS name, '' AS title, "
    "'' AS body FROM {1} GROUP BY kind UNION ALL "
    "SELECT 0, '', COUNT(*), '', '', '', 0, 0, 0, '', '', '' FROM {2} UNION ALL "
    "SELECT r.place, e.kind, 0, s.kind, s.address, s.version, s.published_at, s.newest, "
    "s.deprecated, e.name, e.title, e.body FROM ranked r JOIN search_entry e ON e.id = r.id "
    "JOIN search_subject s ON s.id = r.subject_id ORDER BY place, kind";
// The order, by columns of first_ones; its end makes it the same on every engine.
constexpr std::string_view kInOrder = "{}kind_order, name_key, subject_key, subject_version, id";
constexpr std::string_view OrderText(SearchOrder order) {
  switch (order) {
    case SearchOrder::kBest:
      return "deprecated, tier, published_at DESC, ";
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

  Result<SearchPage> Run() {
    const bool by_kind = !request_.query.kinds().empty();
    const bool all = by_kind && FindsAll();
    const std::string_view counted = by_kind ? "counted" : "found";
    const std::string with = all       ? Found(counted) + ", " + FoundOfKinds(counted)
                             : by_kind ? Found("found") + ", " + Found(counted)
                                       : Found("found");
    const std::string text = NumberParameters(fmt::format(
        kPage, with, counted, LookedAt(counted), fmt::format(kInOrder, OrderText(request_.order))));
    FoundRow row;
    Query query(session_, Statement{"search", text});
    if (!all) UseFound(query, true);
    if (by_kind) UseFound(query, false);
    const std::uint64_t limit = std::min(request_.page.limit, SearchIndex::kLongestSearchPage);
    const std::uint64_t first = std::min(request_.page.offset, SearchIndex::kMostFound);
    query.Use(static_cast<std::int64_t>(limit + 1)).Use(static_cast<std::int64_t>(first));
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
  // Whether all that has the words is surely looked at, whatever its kind.
  bool FindsAll() const {
    return !named_ &&
           !MayHaveWords(session_, Words(false, asked_), versions_ == 2, SearchIndex::kMostFound);
  }
  std::string Words(bool kinds, WordsAsked asked) const {
    return MatchedWords(session_.dialect(), request_.query, kinds, asked, beginnings_);
  }
  std::string FoundOfKinds(std::string_view counted) const {
    std::string names;
    for (SearchKind kind : request_.query.kinds()) {
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", SearchKindName(kind));
    }
    return fmt::format(kOfKinds, "found", counted, names);
  }
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
    const std::string words = Words(kinds, asked);
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

}  // namespace

std::string HostOf(SearchKind subject, std::string_view address) {
  const auto parts = std::ranges::count(address, '/') + 1;
  const bool mirrored = parts > (subject == SearchKind::kModule ? 3 : 2);
  return mirrored ? std::string(address.substr(0, address.find('/'))) : "";
}

bool AsksForOlder(const SearchQuery& search) {
  return !search.version().empty() || search.any_version();
}

Result<SearchPage> RunSearch(Session& session, const SearchRequest& request, WordsAsked asked,
                             const Beginnings& beginnings) {
  return SearchStatement(session, request, asked, beginnings).Run();
}

}  // namespace koya::sql
