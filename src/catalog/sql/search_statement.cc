#include "catalog/sql/search_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "catalog/sql/module_version_row.h"
#include "catalog/sql/query.h"
#include "catalog/sql/readable_condition.h"
#include "catalog/sql/search_entries.h"
#include "domain/search_highlight.h"

namespace koya::sql {
namespace {

// What is looked at ({1}), of newest versions or of the others ({0}), as long as it is not too
// much. {2}: who may read; {3}: the most; {4}: 1 of the others.
constexpr std::string_view kLookedAt =
    "SELECT {1}, {4} AS is_older FROM {{{{{0} with words}}}} :words {{{{end of words}}}}{2} "
    "ORDER BY {{{{{0} row}}}} DESC LIMIT {3}";
constexpr std::string_view kToCount = "e.id AS id, e.kind AS kind";
// {0}: how well it matches.
constexpr std::string_view kToOrder =
    "e.id AS id, e.subject_id AS subject_id, e.kind AS kind, e.kind_order AS kind_order, "
    "e.deprecated AS deprecated, e.published_at AS published_at, e.name_key AS name_key, "
    "{0} AS tier";
constexpr std::string_view kBoth =
    "SELECT * FROM (SELECT * FROM ({}) newest UNION ALL SELECT * FROM ({}) older) both_of_them "
    "ORDER BY id DESC LIMIT {}";
// Of what is found in turns: a turn is not asked for when those before it are enough.
constexpr std::string_view kTurn = "{}SELECT * FROM ({}) turn_{}";
constexpr std::string_view kNotHere = " AND namespace_key <> '{}'";
// The first modules, or providers ({1}), of those that are to be listed ({2}), in order ({3}).
// What was added last says nothing of that: who indexes anew adds old things late.
constexpr std::string_view kPackages =
    "SELECT {0}, 0 AS is_older FROM (SELECT id FROM search_subject WHERE newest = 1 AND "
    "kind = '{1}'{2} ORDER BY {3} LIMIT {4}) listed CROSS JOIN search_entry e "
    "WHERE e.subject_id = listed.id AND e.kind IN ('module', 'provider')";
constexpr std::string_view kWith = "{0} AS MATERIALIZED ({1})";
// Of all that was found, when nothing was left out.
constexpr std::string_view kOfKinds = "{} AS MATERIALIZED (SELECT * FROM {} WHERE kind IN ({}))";
// Of {0} what has words side by side: by its tier ({1}), or where its text says so ({2}), of which
// so many ({3}) are read.
constexpr std::string_view kSideBySide =
    "SELECT l.* FROM {0} l WHERE l.tier IN ({1}) UNION ALL SELECT l.* FROM (SELECT * FROM {0} "
    "WHERE tier NOT IN ({1}) ORDER BY tier, id DESC LIMIT {3}) l CROSS JOIN search_entry e "
    "WHERE e.id = l.id AND {2}";
// How many were looked at; the most ({2}) where not all were that should have been: of those whose
// condition is {0} there are {1} already.
constexpr std::string_view kOrTheMost =
    " + CASE WHEN SUM(CASE WHEN {0} THEN 1 ELSE 0 END) >= {1} THEN {2} ELSE 0 END";
// First how many there are of each kind, and how many were looked at ({2}, {4}), then the page: one
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
    "SELECT 0, '', {4}, '', '', '', 0, 0, 0, '', '', '' FROM {2} UNION ALL "
    "SELECT r.place, e.kind, 0, s.kind, s.address, s.version, s.published_at, s.newest, "
    "s.deprecated, e.name, e.title, e.body FROM ranked r JOIN search_entry e ON e.id = r.id "
    "JOIN search_subject s ON s.id = r.subject_id ORDER BY place, kind";
// The order, by columns of first_ones; its end makes it the same on every engine. Of packages
// (kPackages) it goes on as theirs does, so that what is left out there is left out here.
constexpr std::string_view kInOrder = "{}kind_order, name_key, subject_key, subject_version, id";
constexpr std::string_view kPackagesInOrder = "{}kind_order, subject_key, id";
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
// The same of packages of one kind, by columns of search_subject, as its indexes have them.
constexpr std::string_view PackageOrderText(SearchOrder order) {
  switch (order) {
    case SearchOrder::kBest:
      return "deprecated, published_at DESC, subject_key";
    case SearchOrder::kNewest:
      return "published_at DESC, subject_key";
    case SearchOrder::kAddress:
      return "subject_key";
  }
  return "";
}

// Whether the search is a list of modules, of providers, or of both: all of them, or what is
// deprecated, or published here.
bool IsListOfPackages(const SearchQuery& search) {
  const bool packages = std::ranges::all_of(search.kinds(), [](SearchKind kind) {
    return kind == SearchKind::kModule || kind == SearchKind::kProvider;
  });
  const bool narrowed = !search.ns().empty() || !search.host().empty() || !search.uses().empty() ||
                        !search.needs().empty() || !search.calls().empty() ||
                        !search.system().empty();
  return packages && !search.kinds().empty() && search.terms().empty() && !narrowed &&
         !AsksForOlder(search);
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
        older_(AsksForOlder(request.query)) {}

  Result<SearchPage> Run() {
    const bool of_kinds = !request_.query.kinds().empty();
    const bool by_kind = of_kinds && request_.counted;
    const bool all = by_kind && FindsAll();
    const std::string_view counted = by_kind ? "counted" : "found";
    const Look page_look = PageLook(of_kinds && !all);
    const Look count_look{.turns = Turns(false), .order = !condition_.text.empty()};
    std::string with = Found(all ? counted : "found", page_look);
    if (all) with += ", " + FoundOfKinds(counted);
    if (by_kind && !all) with += ", " + Found(counted, count_look);
    const std::string text = NumberParameters(
        fmt::format(kPage, with, counted, LookedAt(counted), InOrder(), HowMany()));
    FoundRow row;
    Query query(session_, Statement{"search", text});
    UseFound(query, page_look);
    if (by_kind && !all) UseFound(query, count_look);
    const std::uint64_t limit = Limit();
    query.Use(static_cast<std::int64_t>(limit + 1)).Use(static_cast<std::int64_t>(First()));
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
  // One way of looking at entries.
  struct Look {
    std::vector<std::string> turns;  // which words are asked for
    bool order = false;              // for a page that is in order, else to count them
    bool packages = false;           // kPackages, a turn for each kind; no words are asked for
  };

  // Whether all that has the words is surely looked at, whatever its kind.
  bool FindsAll() const {
    if (IsJoinedName(request_.query)) return false;
    const std::string words =
        MatchedWords(session_.dialect(), request_.query, {.asked = asked_}, beginnings_);
    const std::uint64_t most = older_ ? SearchIndex::kMostReadWhole : SearchIndex::kMostFound;
    return !MayHaveWords(session_, words, older_, most);
  }
  // `kinds`: only of those that are asked for. Versions that are not the newest have the same names
  // fifteen times: there they do not come first.
  std::vector<std::string> Turns(bool kinds) const {
    const bool names_first = request_.order == SearchOrder::kBest && !older_;
    const WordsToAsk ask{.asked = asked_, .kinds = kinds, .names_first = names_first};
    return MatchedInTurn(session_.dialect(), request_.query, ask, beginnings_);
  }
  // `kinds`: only of those that are asked for.
  Look PageLook(bool kinds) const {
    if (kinds && IsListOfPackages(request_.query)) return {.order = true, .packages = true};
    return {.turns = Turns(kinds), .order = true};
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
  std::string HowMany() const {
    std::string many = "COUNT(*)";
    if (older_) {
      many += fmt::format(kOrTheMost, "is_older = 1", SearchIndex::kMostReadWhole,
                          SearchIndex::kMostFound);
    }
    if (!condition_.text.empty()) {
      many += fmt::format(kOrTheMost, fmt::format("tier NOT IN ({})", kTiersSideBySide),
                          SearchIndex::kMostReadWhole + 1, SearchIndex::kMostFound);
    }
    return many;
  }
  std::string Found(std::string_view name, const Look& look) const {
    const std::string among = LookedAt(name);
    std::string text = fmt::format(kWith, among, InTurn(look));
    if (among == name) return text;
    const std::string those = fmt::format(kSideBySide, among, kTiersSideBySide, condition_.text,
                                          SearchIndex::kMostReadWhole);
    return text + ", " + fmt::format(kWith, name, those);
  }
  std::uint64_t Limit() const {
    return std::min(request_.page.limit, SearchIndex::kLongestSearchPage);
  }
  std::uint64_t First() const { return std::min(request_.page.offset, SearchIndex::kMostFound); }
  std::string InOrder() const {
    const std::string_view order = OrderText(request_.order);
    return IsListOfPackages(request_.query) ? fmt::format(kPackagesInOrder, order)
                                            : fmt::format(kInOrder, order);
  }
  // Which of all that may be read are listed.
  std::string Listed() const {
    std::string which = readable_.Text();
    if (request_.query.here()) which += fmt::format(kNotHere, kMirroredPlace);
    return which;
  }
  std::string Packages() const {
    std::string which = Listed();
    if (const std::optional<bool> deprecated = request_.query.deprecated()) {
      which += fmt::format(" AND deprecated = {}", *deprecated ? 1 : 0);
    }
    std::string text;
    for (const SearchKind kind : request_.query.kinds()) {
      const std::string one =
          fmt::format(kPackages, fmt::format(kToOrder, tier_.text), SearchKindName(kind), which,
                      PackageOrderText(request_.order),
                      std::min(First() + Limit() + 1, SearchIndex::kMostFound));
      text += fmt::format(kTurn, text.empty() ? "" : " UNION ALL ", one, SearchKindName(kind));
    }
    return text;
  }
  std::string InTurn(const Look& look) const {
    if (look.packages) return Packages();
    const std::string one = Looking(look);
    if (look.turns.size() == 1) return one;
    std::string text;
    for (std::size_t i = 0; i < look.turns.size(); ++i) {
      text += fmt::format(kTurn, i == 0 ? "" : " UNION ALL ", one, i);
    }
    return text + fmt::format(" LIMIT {}", SearchIndex::kMostFound);
  }
  std::string Looking(const Look& look) const {
    const std::string what = look.order ? fmt::format(kToOrder, tier_.text) : std::string(kToCount);
    const std::string who = Listed();
    const std::string newest =
        fmt::format(kLookedAt, "newest", what, who, SearchIndex::kMostFound, 0);
    if (!older_) return newest;
    const std::string older =
        fmt::format(kLookedAt, "older", what, who, SearchIndex::kMostReadWhole, 1);
    return fmt::format(kBoth, newest, older, SearchIndex::kMostFound);
  }

  void UseFound(Query& query, const Look& look) const {
    if (look.packages) {
      for (std::size_t i = 0; i < request_.query.kinds().size(); ++i) readable_.Use(query);
    }
    for (const std::string& words : look.turns) {
      for (int i = 0; i < (older_ ? 2 : 1); ++i) {
        if (look.order) tier_.Use(query);
        query.Use(words);
        readable_.Use(query);
      }
    }
    condition_.Use(query);
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
  const bool older_;  // versions that are not the newest are searched, too
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
