// Listings show what somebody may read: ReadableNamespaces as a part of a statement.
//
// The statement makes the set of namespaces that may be read, and finds its rows by them, one
// namespace after another in an index that has the listing's order. So a page costs what it shows
// and what its reader may read, not what there is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/sql/query.h"
#include "domain/page.h"
#include "domain/readable_namespaces.h"

namespace koya::sql {

// What is listed, and how its rows belong to namespaces.
struct ListedRows {
  // Of a row, an expression: the key of its namespace, then `ending`. An index begins with it.
  std::string_view place;
  std::string_view ending;
  // The column that listings are in the order of; the index goes on with it.
  std::string_view order;
  // Of a row, an expression: the key of its namespace; and the table, whose column `recorded` is
  // NULL where the namespace may have no record. Both "" when all have one.
  std::string_view key;
  std::string_view table;
  // Rows are found by something else, and their places looked up in the set.
  bool looked_up = false;
  // The place of what is kept of other registries; "": none of it is listed.
  std::string_view mirrored = {};
};

// Threads: one.
class ReadableCondition {
 public:
  // `rows` and `readable` outlive this. REQUIRES: what orders rows orders their places.
  ReadableCondition(const ReadableNamespaces& readable, const ListedRows& rows);

  // The listing is of the namespace `key`, or only of what follows `after`, in order: namespaces
  // without such rows are not looked for. "": it is not.
  void Within(std::string_view key);
  void After(std::string_view after);
  // Nothing else restricts the listing (but that versions are there), and it needs so many rows, in
  // order: of namespaces that many may read, there may be a great many more than it takes.
  void Take(std::uint64_t rows);

  // " AND …"; "" when everything may be read.
  std::string Text() const;
  // Its parameters, in their turn.
  void Use(Query& query) const;
  // " ORDER BY … LIMIT … OFFSET …", with the last two as parameters.
  std::string Page() const;

 private:
  // What was given by its key, and what by a pattern of keys, fit to be asked for.
  struct Named {
    std::vector<std::string> exact;
    std::vector<std::string> likes;
    // Each of the latter is in one of these: with the first key that may match and the first one
    // past them all, as a list; or alone, where any key may match.
    std::vector<std::string> ranges;
    std::vector<std::string> unbounded;
  };

  static void AddPattern(Named& named, std::string_view glob);
  std::string Visible() const;
  bool shows_unrecorded() const;
  bool asks_unrecorded() const;
  std::string Set() const;

  const ReadableNamespaces& readable_;
  const ListedRows& rows_;
  Named named_;
  std::string bound_;  // how places compare with `bound_value_`; "": there is no bound
  std::string bound_value_;
  std::uint64_t taken_ = 0;  // rows; 0: any number
};

}  // namespace koya::sql
