// Builds the part of a search statement that selects the entries to examine: those that have its
// words and may be read, within the search's shares.
//
// A share is filled in turns (search_match.h): names that have the words come first, each latest
// addition first. A search that asks for no kind first finds modules and similar entries, by their
// names and titles, so that the most numerous kind, pages of docs by the thousand, does not hide
// them. A share for each kind took twice to four times as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/search_index.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/readable_condition.h"
#include "catalog/sql/engine/session.h"
#include "catalog/sql/search/search_match.h"

namespace koya::sql {

// Steps split a query of PostgreSQL's index of words.
//
// The index collects all rows that have the words before it returns the first, in no order, and
// most of the time goes into fetching them. Rare words are asked for at once. Of frequent ones the
// last entries are asked for, then more: the index has in which powers of two of all entries one is
// (dialect.cc). How frequent words are is known from the statistics that ANALYZE stores of the
// index, of its most common words; a word that is not among them is rare. A wrong guess costs time,
// and nothing else.

enum class IndexedVersions { kNewest, kOlder };

// The shares of an index's entries that have a word.
struct WordShares {
  std::map<std::string, double, std::less<>> of;  // 0 to 1, of common words
  double of_others = 1;                           // at most so many; 1: unknown
  double entries = 0;                             // of the index; 0: unknown
  std::int64_t last_id = 0;                       // of all entries
};

// The shares of those words that `text` has, which is a tsquery as MatchedWords writes it. Throws
// as Query does.
WordShares FindWordShares(Session& session, IndexedVersions versions, std::string_view text);

// The share of entries that `text` finds, if words were spread evenly: 0 to 1.
double EstimateShare(std::string_view text, const WordShares& shares);

struct SearchStep {
  std::string words;          // the query of the index
  std::int64_t below_id = 0;  // only entries below it: so that none is found twice
};

// Queries of the index, in turn, to find the last `wanted` entries that `text` finds: together they
// find all.
std::vector<SearchStep> InSteps(const std::string& text, std::uint64_t wanted, bool of_kinds,
                                const WordShares& shares);

struct ResultQuota {
  std::vector<SearchKind> kinds;  // none: all
  std::uint64_t most = 0;         // entries
  std::uint64_t most_older = 0;   // of these, of versions that are not the newest
  bool heads_only = false;        // whose names and titles have the words
};

// A whole search's share, for these kinds.
ResultQuota ShareOf(std::vector<SearchKind> kinds);

// Columns of search_entry `e` that order a page, and how well it matches.
std::string ColumnsInOrder(const SqlPart& tier);

// How a search asks, whatever it examines. Everything in it outlives the builders.
struct SearchPlan {
  Dialect dialect = Dialect::kSqlite;
  const SearchRequest& request;
  MatchMode asked = MatchMode::kWhole;
  const PrefixExpansions& beginnings;
  const ReadableCondition& readable;
  const SqlPart& tier;
  bool older = false;  // also versions that are not the newest
  // On PostgreSQL: of the words of newest versions, and of the other versions' words.
  const WordShares& shares;
  const WordShares& older_shares;
};

class SearchQueryBuilder {
 public:
  enum class Purpose {
    kPage,   // its rows are ordered
    kCount,  // only their number is used
  };

  SearchQueryBuilder(const SearchPlan& way, std::vector<ResultQuota> shares, Purpose purpose);

  // The shares of a search that asks for no kind.
  static std::vector<ResultQuota> UsualShares(const SearchPlan& way);

  // "name AS …": a table of id, subject_id, kind, is_older and share (a number, from 0 on); for a
  // page also of all columns that make the order. May define other tables first, whose names begin
  // with `name`.
  std::string With(std::string_view name) const;
  // Binds its parameters, in order.
  void Use(Query& query) const;
  const std::vector<ResultQuota>& shares() const { return shares_; }

 private:
  // A query of the index of words; on PostgreSQL in steps.
  struct Turn {
    std::string words;
    std::vector<SearchStep> newest;
    std::vector<SearchStep> older;
  };

  std::vector<Turn> TurnsOf(const ResultQuota& share) const;
  std::string TextOf(const Turn& turn, const ResultQuota& share, std::string_view condition) const;
  std::string TextOf(std::size_t number, std::string_view condition) const;
  void UseTurn(Query& query, const Turn& turn, const std::vector<SearchStep>& steps) const;

  const SearchPlan& way_;
  const std::vector<ResultQuota> shares_;
  const Purpose purpose_;
  std::vector<std::vector<Turn>> turns_;  // of each share
};

// Lists modules and providers for searches without words, from the table of indexed versions, in
// its orders. The index of words yields the latest additions, which are unrelated to the order: a
// rebuild of the index adds old things late.
//
// Whether the search is such a list: of everything that may be read, of deprecated packages or of
// others, of packages published here, or of one namespace here; of newest versions, or of all in
// order of time.
bool IsListOfPackages(const SearchRequest& request);

// The first packages of each requested kind. REQUIRES: IsListOfPackages(request). All arguments
// outlive it.
class PackageList {
 public:
  // `most`: rows of a kind, at most SearchIndex::kMostFound.
  PackageList(const SearchRequest& request, const ReadableCondition& readable, std::uint64_t most);

  // A query of `columns` of search_entry `e`, and of `is_older`, which is 0.
  std::string Text(std::string_view columns) const;
  // Binds its parameters, in order.
  void Use(Query& query) const;

 private:
  std::string TextOfKind(SearchKind kind, std::string_view columns) const;

  const SearchRequest& request_;
  const ReadableCondition& readable_;
  const std::uint64_t most_;
};

}  // namespace koya::sql
