#include "catalog/sql/search/search_query_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "catalog/sql/search/search_entries.h"

namespace koya::sql {
namespace {

// The entries to examine ({1}), of newest versions or of the others ({0}), up to a limit. {2}:
// further conditions; {3}: the limit; {4}: 1 for the others.
constexpr std::string_view kLookedAt =
    "SELECT {1}, {4} AS is_older FROM {{{{{0} with words}}}} :words {{{{end of words}}}}{2} "
    "ORDER BY {{{{{0} row}}}} DESC LIMIT {3}";
// {0}: how well it matches.
constexpr std::string_view kToOrder =
    "e.id AS id, e.subject_id AS subject_id, e.kind AS kind, e.kind_order AS kind_order, "
    "e.deprecated AS deprecated, e.published_at AS published_at, e.name_key AS name_key, "
    "{0} AS tier";
// The same on PostgreSQL, in steps (search_steps.h; {5}: two parameters each), as long as there are
// not enough. No index has sums: entries come out of the index of words, and are sorted then.
constexpr std::string_view kLookedAtInSteps =
    "SELECT x.* FROM (VALUES {5}) AS step (words, below_id) CROSS JOIN LATERAL (SELECT {1}, {4} AS "
    "is_older "
    "FROM {{{{{0} with words}}}} step.words {{{{end of words}}}} AND e.id + 0 < step.below_id{2} "
    "ORDER BY e.id + 0 DESC LIMIT {3}) x LIMIT {3}";
constexpr std::string_view kStep = "{}(CAST(:words AS TEXT), CAST(:below_id AS BIGINT))";
constexpr std::string_view kToCount = "e.id AS id, e.kind AS kind";
constexpr std::string_view kBoth =
    "SELECT * FROM (SELECT * FROM ({}) newest UNION ALL SELECT * FROM ({}) older) both_of_them "
    "ORDER BY id DESC LIMIT {}";
// For entries that are found in turns: a turn is not asked for when those before it are enough.
constexpr std::string_view kTurn = "{}SELECT * FROM ({}) turn_{}";
constexpr std::string_view kTable = "{} AS MATERIALIZED ({})";
constexpr std::string_view kShare = "{0}SELECT {1}.*, {2} AS share FROM {1}";
// What a share has, those after it have not.
constexpr std::string_view kNotIn = " AND e.id NOT IN (SELECT id FROM {})";

// Versions that are not the newest have the same names fifteen times: there they do not come first.
bool NamesComeFirst(const SearchPlan& way) {
  const SearchRequest& request = way.request;
  return request.order == SearchOrder::kBest && !way.older && !request.query.terms().empty();
}

}  // namespace

std::string ColumnsInOrder(const SqlPart& tier) { return fmt::format(kToOrder, tier.text); }

ResultQuota ShareOf(std::vector<SearchKind> kinds) {
  return {.kinds = std::move(kinds),
          .most = SearchIndex::kMostFound,
          .most_older = SearchIndex::kMostReadWhole};
}

std::vector<ResultQuota> SearchQueryBuilder::UsualShares(const SearchPlan& way) {
  if (!NamesComeFirst(way)) return {ShareOf({})};
  ResultQuota modules = ShareOf(
      {SearchKind::kModule, SearchKind::kProvider, SearchKind::kSubmodule, SearchKind::kExample});
  modules.most = SearchIndex::kMostModules;
  modules.heads_only = true;
  ResultQuota all = ShareOf({});
  all.most -= SearchIndex::kMostModules;
  return {std::move(modules), std::move(all)};
}

SearchQueryBuilder::SearchQueryBuilder(const SearchPlan& way, std::vector<ResultQuota> shares,
                                       Purpose purpose)
    : way_(way), shares_(std::move(shares)), purpose_(purpose) {
  for (const ResultQuota& share : shares_) turns_.push_back(TurnsOf(share));
}

std::vector<SearchQueryBuilder::Turn> SearchQueryBuilder::TurnsOf(const ResultQuota& share) const {
  const MatchQuery ask{
      .asked = way_.asked,
      .kinds = share.kinds,
      .names_first = purpose_ == Purpose::kPage && NamesComeFirst(way_) && !share.heads_only,
      .heads_only = share.heads_only};
  const bool of_kinds = !share.kinds.empty();
  std::vector<Turn> turns;
  for (std::string& words : MatchedInTurn(way_.dialect, way_.request.query, ask, way_.beginnings)) {
    Turn turn{.words = std::move(words), .newest = {}, .older = {}};
    if (way_.dialect == Dialect::kPostgres) {
      turn.newest = InSteps(turn.words, share.most, of_kinds, way_.shares);
      if (way_.older)
        turn.older = InSteps(turn.words, share.most_older, of_kinds, way_.older_shares);
    }
    turns.push_back(std::move(turn));
  }
  return turns;
}

std::string SearchQueryBuilder::TextOf(const Turn& turn, const ResultQuota& share,
                                       std::string_view condition) const {
  const std::string what =
      purpose_ == Purpose::kPage ? ColumnsInOrder(way_.tier) : std::string(kToCount);
  std::string which = way_.readable.Text();
  if (way_.request.query.here()) which += kPublishedHere;
  which += condition;
  const auto of = [&](std::string_view versions, const std::vector<SearchStep>& steps,
                      std::uint64_t most, int older) {
    if (way_.dialect == Dialect::kSqlite) {
      return fmt::format(kLookedAt, versions, what, which, most, older);
    }
    std::string asked;
    for (std::size_t i = 0; i < steps.size(); ++i) asked += fmt::format(kStep, i == 0 ? "" : ", ");
    return fmt::format(kLookedAtInSteps, versions, what, which, most, older, asked);
  };
  std::string newest = of("newest", turn.newest, share.most, 0);
  if (!way_.older) return newest;
  return fmt::format(kBoth, newest, of("older", turn.older, share.most_older, 1), share.most);
}

std::string SearchQueryBuilder::TextOf(std::size_t number, std::string_view condition) const {
  const ResultQuota& share = shares_[number];
  const std::vector<Turn>& turns = turns_[number];
  if (turns.size() == 1) return TextOf(turns.front(), share, condition);
  std::string text;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    text += fmt::format(kTurn, i == 0 ? "" : " UNION ALL ", TextOf(turns[i], share, condition), i);
  }
  return text + fmt::format(" LIMIT {}", share.most);
}

std::string SearchQueryBuilder::With(std::string_view name) const {
  std::string tables, all, before;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const std::string table = fmt::format("{}_{}", name, i);
    tables += fmt::format(kTable, table, TextOf(i, before)) + ", ";
    all += fmt::format(kShare, i == 0 ? "" : " UNION ALL ", table, i);
    before += fmt::format(kNotIn, table);
  }
  return tables + fmt::format(kTable, name, all);
}

void SearchQueryBuilder::Use(Query& query) const {
  for (const std::vector<Turn>& turns : turns_) {
    for (const Turn& turn : turns) {
      UseTurn(query, turn, turn.newest);
      if (way_.older) UseTurn(query, turn, turn.older);
    }
  }
}

void SearchQueryBuilder::UseTurn(Query& query, const Turn& turn,
                                 const std::vector<SearchStep>& steps) const {
  for (const SearchStep& step : steps) query.Use(step.words).Use(step.below_id);
  if (purpose_ == Purpose::kPage) way_.tier.Use(query);
  if (way_.dialect == Dialect::kSqlite) query.Use(turn.words);
  way_.readable.Use(query);
}

}  // namespace koya::sql
