#include "catalog/sql/search_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "catalog/sql/search_entries.h"

namespace koya::sql {
namespace {

// What is looked at ({1}), of newest versions or of the others ({0}), as long as it is not too
// much. {2}: what else must be so; {3}: the most; {4}: 1 of the others.
constexpr std::string_view kLookedAt =
    "SELECT {1}, {4} AS is_older FROM {{{{{0} with words}}}} :words {{{{end of words}}}}{2} "
    "ORDER BY {{{{{0} row}}}} DESC LIMIT {3}";
// {0}: how well it matches.
constexpr std::string_view kToOrder =
    "e.id AS id, e.subject_id AS subject_id, e.kind AS kind, e.kind_order AS kind_order, "
    "e.deprecated AS deprecated, e.published_at AS published_at, e.name_key AS name_key, "
    "{0} AS tier";
// The same of newest versions on PostgreSQL. Its planner cannot know where words are among the
// entries (all docs may come after all modules), and guesses wrong by a hundred times. So the last
// entries ({3}) are asked for first, which most of what is frequent is among, and the index of
// words only for what is before them. {0}: columns; {1}: what else must be so; {2}: the most; {4}:
// of a kind; {5}: the same as a sum.
constexpr std::string_view kLastOnes =
    "SELECT {0}, 0 AS is_older FROM (SELECT * FROM search_entry WHERE newest = 1{4} "
    "ORDER BY id DESC LIMIT {3}) e WHERE e.word_vector @@ CAST(:words AS tsquery){1} "
    "ORDER BY e.id DESC LIMIT {2}";
// No index has sums: these come out of the index of words, and are put in order then.
constexpr std::string_view kBeforeThem =
    "SELECT {0}, 0 AS is_older FROM search_entry e WHERE newest = 1{5} "
    "AND e.word_vector @@ CAST(:words AS tsquery){1} AND e.id + 0 <= (SELECT w.id FROM "
    "search_entry w WHERE newest = 1{4} ORDER BY w.id DESC OFFSET {3} LIMIT 1) "
    "ORDER BY e.id + 0 DESC LIMIT {2}";
constexpr std::string_view kLastThenBefore =
    "SELECT * FROM (SELECT * FROM ({}) last_ones UNION ALL SELECT * FROM ({}) before_them "
    "LIMIT {}) in_turn";
// Of what is looked at: what fills it is in more than a quarter of the entries.
constexpr std::uint64_t kLastTimes = 4;
constexpr std::string_view kToCount = "e.id AS id, e.kind AS kind";
constexpr std::string_view kBoth =
    "SELECT * FROM (SELECT * FROM ({}) newest UNION ALL SELECT * FROM ({}) older) both_of_them "
    "ORDER BY id DESC LIMIT {}";
// Of a turn that is asked for in parts: of each kind by itself.
constexpr std::string_view kPart = "{}SELECT * FROM ({}) part_{}";
constexpr std::string_view kParts = "SELECT * FROM ({}) parts ORDER BY id DESC LIMIT {}";
constexpr std::string_view kOfKind = " AND kind_order{} = {}";
// Of what is found in turns: a turn is not asked for when those before it are enough.
constexpr std::string_view kTurn = "{}SELECT * FROM ({}) turn_{}";
constexpr std::string_view kTable = "{} AS MATERIALIZED ({})";
constexpr std::string_view kShare = "{0}SELECT {1}.*, {2} AS share FROM {1}";
// What a share has, those after it have not.
constexpr std::string_view kNotIn = " AND e.id NOT IN (SELECT id FROM {})";

// Versions that are not the newest have the same names fifteen times: there they do not come first.
bool NamesComeFirst(const SearchWay& way) {
  const SearchRequest& request = way.request;
  return request.order == SearchOrder::kBest && !way.older && !request.query.terms().empty();
}

}  // namespace

std::string ColumnsInOrder(const SqlPart& tier) { return fmt::format(kToOrder, tier.text); }

SearchShare ShareOf(std::vector<SearchKind> kinds) {
  return {.kinds = std::move(kinds),
          .most = SearchIndex::kMostFound,
          .most_older = SearchIndex::kMostReadWhole};
}

std::vector<SearchShare> SearchLook::UsualShares(const SearchWay& way) {
  if (!NamesComeFirst(way)) return {ShareOf({})};
  SearchShare modules = ShareOf(
      {SearchKind::kModule, SearchKind::kProvider, SearchKind::kSubmodule, SearchKind::kExample});
  modules.most = SearchIndex::kMostModules;
  modules.heads_only = true;
  SearchShare all = ShareOf({});
  all.most -= SearchIndex::kMostModules;
  return {std::move(modules), std::move(all)};
}

SearchLook::SearchLook(const SearchWay& way, std::vector<SearchShare> shares, Purpose purpose)
    : way_(way), shares_(std::move(shares)), purpose_(purpose) {
  for (const SearchShare& share : shares_) turns_.push_back(TurnsOf(share));
}

std::vector<SearchLook::Turn> SearchLook::TurnsOf(const SearchShare& share) const {
  const bool names_first = purpose_ == Purpose::kPage && NamesComeFirst(way_) && !share.heads_only;
  // The index of words knows nothing of where kinds lie among each other: PostgreSQL, where it goes
  // from the last entry on, would look for a module behind all pages of docs.
  std::vector<std::vector<SearchKind>> parts{share.kinds};
  if (way_.dialect == Dialect::kPostgres && !share.kinds.empty()) {
    parts.clear();
    for (SearchKind kind : share.kinds) parts.push_back({kind});
  }
  std::vector<Turn> turns;
  for (std::vector<SearchKind>& kinds : parts) {
    std::optional<int> kind;
    if (way_.dialect == Dialect::kPostgres && !kinds.empty()) {
      kind = static_cast<int>(kinds.front());
    }
    const WordsToAsk ask{.asked = way_.asked,
                         .kinds = std::move(kinds),
                         .names_first = names_first,
                         .heads_only = share.heads_only};
    auto texts = MatchedInTurn(way_.dialect, way_.request.query, ask, way_.beginnings);
    turns.resize(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      turns[i].push_back({std::move(texts[i]), kind});
    }
  }
  return turns;
}

std::string SearchLook::TextOf(const Turn& turn, const SearchShare& share,
                               std::string_view condition) const {
  const std::string what =
      purpose_ == Purpose::kPage ? ColumnsInOrder(way_.tier) : std::string(kToCount);
  std::string which = way_.readable.Text();
  if (way_.request.query.here()) which += kPublishedHere;
  which += condition;
  const auto newest = [&](const Part& part) {
    if (way_.dialect == Dialect::kSqlite) {
      return fmt::format(kLookedAt, "newest", what, which, share.most, 0);
    }
    const std::uint64_t last = kLastTimes * share.most;
    const std::string of_kind = part.kind ? fmt::format(kOfKind, "", *part.kind) : "";
    const std::string of_sum = part.kind ? fmt::format(kOfKind, " + 0", *part.kind) : "";
    return fmt::format(
        kLastThenBefore, fmt::format(kLastOnes, what, which, share.most, last, of_kind),
        fmt::format(kBeforeThem, what, which, share.most, last, of_kind, of_sum), share.most);
  };
  std::string text;
  for (std::size_t i = 0; i < turn.size(); ++i) {
    std::string one = newest(turn[i]);
    if (way_.older) {
      const std::string older = fmt::format(kLookedAt, "older", what, which, share.most_older, 1);
      one = fmt::format(kBoth, one, older, share.most);
    }
    if (turn.size() == 1) return one;
    text += fmt::format(kPart, i == 0 ? "" : " UNION ALL ", one, i);
  }
  return fmt::format(kParts, text, share.most);
}

std::string SearchLook::TextOf(std::size_t number, std::string_view condition) const {
  const SearchShare& share = shares_[number];
  const std::vector<Turn>& turns = turns_[number];
  if (turns.size() == 1) return TextOf(turns.front(), share, condition);
  std::string text;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    text += fmt::format(kTurn, i == 0 ? "" : " UNION ALL ", TextOf(turns[i], share, condition), i);
  }
  return text + fmt::format(" LIMIT {}", share.most);
}

std::string SearchLook::With(std::string_view name) const {
  std::string tables, all, before;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const std::string table = fmt::format("{}_{}", name, i);
    tables += fmt::format(kTable, table, TextOf(i, before)) + ", ";
    all += fmt::format(kShare, i == 0 ? "" : " UNION ALL ", table, i);
    before += fmt::format(kNotIn, table);
  }
  return tables + fmt::format(kTable, name, all);
}

void SearchLook::Use(Query& query) const {
  for (const std::vector<Turn>& turns : turns_) {
    for (const Turn& turn : turns) {
      for (const Part& part : turn) UsePart(query, part);
    }
  }
}

void SearchLook::UsePart(Query& query, const Part& part) const {
  // On PostgreSQL of newest versions the last entries, then those before them.
  const int newest = way_.dialect == Dialect::kPostgres ? 2 : 1;
  for (int i = 0; i < newest + (way_.older ? 1 : 0); ++i) {
    if (purpose_ == Purpose::kPage) way_.tier.Use(query);
    query.Use(part.words);
    way_.readable.Use(query);
  }
}

}  // namespace koya::sql
