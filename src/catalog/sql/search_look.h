// What a search looks at: entries that have its words and may be read, as many as its shares let.
//
// A share is filled in turns (search_match.h): names that have the words before all else, of each
// what was added last. What a search that asks for no kind finds first are modules and what is like
// them, by their names and titles: so that what there is most of, pages of docs by the thousand,
// does not hide them. To give a share to each kind took twice to four times as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/search_index.h"
#include "catalog/sql/query.h"
#include "catalog/sql/readable_condition.h"
#include "catalog/sql/search_beginnings.h"
#include "catalog/sql/search_match.h"
#include "catalog/sql/search_steps.h"
#include "catalog/sql/session.h"

namespace koya::sql {

struct SearchShare {
  std::vector<SearchKind> kinds;  // none: all
  std::uint64_t most = 0;         // entries
  std::uint64_t most_older = 0;   // of these, of versions that are not the newest
  bool heads_only = false;        // whose names and titles have the words
};

// So much as a search looks at, of these kinds.
SearchShare ShareOf(std::vector<SearchKind> kinds);

// Of search_entry `e`, what a page is put in order by, and how well it matches.
std::string ColumnsInOrder(const SqlPart& tier);

// How a search asks, whatever it looks at. All of it outlives the looks.
struct SearchWay {
  Dialect dialect = Dialect::kSqlite;
  const SearchRequest& request;
  WordsAsked asked = WordsAsked::kWhole;
  const Beginnings& beginnings;
  const ReadableCondition& readable;
  const SqlPart& tier;
  bool older = false;  // versions that are not the newest, too
  // On PostgreSQL, of the words of newest versions and of the others'.
  const WordShares& shares;
  const WordShares& older_shares;
};

class SearchLook {
 public:
  enum class Purpose {
    kPage,   // its rows are put in order
    kCount,  // only their number is asked for
  };

  SearchLook(const SearchWay& way, std::vector<SearchShare> shares, Purpose purpose);

  // What a search looks at that asks for no kind.
  static std::vector<SearchShare> UsualShares(const SearchWay& way);

  // "name AS …": a table of id, kind, is_older and share (a number, from 0 on); for a page of all
  // that the order is made of, too. May make others before, whose names begin with `name`.
  std::string With(std::string_view name) const;
  // Its parameters, in their turn.
  void Use(Query& query) const;
  const std::vector<SearchShare>& shares() const { return shares_; }

 private:
  // What the index of words is asked for; on PostgreSQL in steps.
  struct Turn {
    std::string words;
    std::vector<SearchStep> newest;
    std::vector<SearchStep> older;
  };

  std::vector<Turn> TurnsOf(const SearchShare& share) const;
  std::string TextOf(const Turn& turn, const SearchShare& share, std::string_view condition) const;
  std::string TextOf(std::size_t number, std::string_view condition) const;
  void UseTurn(Query& query, const Turn& turn, const std::vector<SearchStep>& steps) const;

  const SearchWay& way_;
  const std::vector<SearchShare> shares_;
  const Purpose purpose_;
  std::vector<std::vector<Turn>> turns_;  // of each share
};

}  // namespace koya::sql
