#include "catalog/sql/search/search_query_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/search/search_entries.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// The number of entries and the last of them; the least share of a common word; then those of
// words.
constexpr Statement kFindShares{
    "find_search_word_shares",
    "SELECT 0 AS place, CAST(c.reltuples AS BIGINT) AS number, "
    "(SELECT COALESCE(MAX(id), 0) FROM search_entry) AS last_id, '' AS word "
    "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() AND c.relname = :index "
    "UNION ALL SELECT CASE WHEN e.word IS NULL THEN 1 ELSE 2 END, "
    "CAST(e.share * 1000000 AS BIGINT), 0, COALESCE(e.word, '') "
    "FROM pg_stats s CROSS JOIN LATERAL "
    "unnest(CAST(CAST(s.most_common_elems AS TEXT) AS TEXT[]), s.most_common_elem_freqs) "
    "AS e (word, share) WHERE s.schemaname = current_schema() AND s.tablename = :index "
    "AND (e.word IS NULL OR "
    "e.word IN (SELECT element FROM {{elements of}} :words {{end of elements}}))"};

// So many are fetched and put in order as quickly as a step is asked for.
constexpr double kFewEnough = 3000;
// The part of the wanted entries that the first step is expected to find. Little, since words are
// not spread evenly: an entry with one word of a search has the others more often. A step that
// finds nothing takes as long.
constexpr double kExpected = 0.2;
constexpr double kExpectedOfKinds = 1;
// Of what the least of the common words has: what others have.
constexpr double kShareOfLeast = 0.2;
// Of a beginning: it may be anything.
constexpr double kShareOfBeginning = 0.1;
// The powers of two that the index has (dialect.cc), and by what a step is larger than the one
// before.
constexpr int kSmallest = 10;
constexpr int kLargest = 22;
constexpr int kBetween = 2;
constexpr int kNextStep = 2;
constexpr int kNextStepOfKinds = 4;
// Entries that others add between this statement and the next.
constexpr std::int64_t kPublishedMeanwhile = std::int64_t{1} << 32;

// A tsquery, as far as MatchedWords writes one: words in quotes, ":*", parentheses, & | !.
class ShareReader {
 public:
  ShareReader(std::string_view text, const WordShares& shares) : text_(text), shares_(shares) {}

  double Read() { return ReadAny(); }

 private:
  double ReadAny() {
    double none = 1 - ReadAll();
    while (Take('|')) none *= 1 - ReadAll();
    return 1 - none;
  }
  double ReadAll() {
    double all = ReadOne();
    while (Take('&')) all *= ReadOne();
    return all;
  }
  double ReadOne() {
    if (Take('!')) return 1 - ReadOne();
    if (Take('(')) {
      const double inside = ReadAny();
      Take(')');
      return inside;
    }
    if (!Take('\'')) {  // which MatchedWords does not write
      at_ = text_.size();
      return 1;
    }
    const std::size_t end = std::min(text_.find('\'', at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    if (Take(':')) {
      Take('*');
      return kShareOfBeginning;
    }
    const auto known = shares_.of.find(word);
    return known == shares_.of.end() ? shares_.of_others : known->second;
  }
  bool Take(char sign) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ >= text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }

  const std::string_view text_;
  const WordShares& shares_;
  std::size_t at_ = 0;
};

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = text.find('\''); begin < text.size();) {
    const std::size_t end = std::min(text.find('\'', begin + 1), text.size());
    words.emplace_back(text.substr(begin + 1, end - begin - 1));
    begin = text.find('\'', end + 1);
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

std::string_view IndexName(IndexedVersions versions) {
  return versions == IndexedVersions::kNewest ? "search_entry_newest_words"
                                              : "search_entry_older_words";
}

}  // namespace

WordShares FindWordShares(Session& session, IndexedVersions versions, std::string_view text) {
  constexpr std::int64_t kOfIndex = 0;
  constexpr std::int64_t kOfWord = 2;
  const std::string_view index = IndexName(versions);
  const std::string words = JsonList(WordsOf(text));
  WordShares shares;
  std::int64_t place = 0, number = 0, last_id = 0;
  std::string word;
  Query query(session, kFindShares);
  query.Use(index).Use(index).Use(words);
  query.Into(place).Into(number).Into(last_id).Into(word);
  while (query.Next()) {
    const double share = static_cast<double>(number) / 1e6;
    if (place == kOfIndex) {
      shares.entries = static_cast<double>(std::max<std::int64_t>(number, 0));
      shares.last_id = last_id;
    } else if (place == kOfWord) {
      shares.of.emplace(word, share);
    } else {  // the least, and after it the greatest
      shares.of_others = std::min(shares.of_others, share * kShareOfLeast);
    }
  }
  return shares;
}

double EstimateShare(std::string_view text, const WordShares& shares) {
  return ShareReader(text, shares).Read();
}

std::vector<SearchStep> InSteps(const std::string& text, std::uint64_t wanted, bool of_kinds,
                                const WordShares& shares) {
  const double share = EstimateShare(text, shares);
  const double least = (of_kinds ? kExpectedOfKinds : kExpected) * static_cast<double>(wanted);
  std::int64_t below_id = shares.last_id + kPublishedMeanwhile;
  std::vector<SearchStep> steps;
  int power = kSmallest;
  const auto expected = [&] { return share * static_cast<double>(std::int64_t{1} << power); };
  while (power <= kLargest && expected() < least) power += kBetween;
  const bool few = shares.entries > 0 && share * shares.entries <= kFewEnough;
  // Two parts, as the last may have only just begun.
  for (; !few && power <= kLargest; power += of_kinds ? kNextStepOfKinds : kNextStep) {
    const std::int64_t last = shares.last_id >> power;
    if (last <= 2) break;
    const int sign = (power - kSmallest) / kBetween;
    steps.push_back(
        {.words = fmt::format("({0}) & ('{1}={2}' | '{1}={3}')", text, sign, last, last - 1),
         .below_id = below_id});
    below_id = (last - 1) << power;
  }
  steps.push_back({.words = text, .below_id = below_id});
  return steps;
}

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
constexpr std::string_view kToCount = "e.id AS id, e.subject_id AS subject_id, e.kind AS kind";
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
