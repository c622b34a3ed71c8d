// Restricts listings to what the caller may read: ReadableNamespaces as a part of a statement.
//
// The statement makes the set of namespaces that may be read, and finds its rows by them, one
// namespace after another in an index that has the listing's order. So the cost of a page grows
// with its rows and its caller's readable namespaces, not with the registry.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/sql/engine/query.h"
#include "domain/access.h"
#include "domain/page.h"

namespace koya::sql {

// The rows of a listing, and how they belong to namespaces.
struct ListedRows {
  // SQL expression on a row: the key of its namespace, then `ending`. An index begins with it.
  std::string_view place;
  std::string_view ending;
  // The column that orders listings, and the next column of the index.
  std::string_view order;
  // SQL expression on a row: the key of its namespace; and the table, whose column `recorded` is
  // NULL where the namespace may have no record. Both "" when all have one.
  std::string_view key;
  std::string_view table;
  // Rows are found by other means, and their places looked up in the set.
  bool looked_up = false;
  // The place of rows of other registries; "": none of them are listed.
  std::string_view mirrored = {};
};

// Threads: one.
class ReadableCondition {
 public:
  // `rows` and `readable` outlive this. REQUIRES: the order of rows is an order of their places.
  ReadableCondition(const ReadableNamespaces& readable, const ListedRows& rows);

  // Restrict the listing to the namespace `key`, or to rows after `after`, in order, so that
  // namespaces without such rows are skipped. "": no restriction.
  void Within(std::string_view key);
  void After(std::string_view after);
  // Limits the listing to its first `rows` rows, when nothing else restricts it (but that versions
  // must exist): namespaces that many may read can far outnumber those it needs.
  void Take(std::uint64_t rows);

  // " AND …"; "" when everything may be read.
  std::string Text() const;
  // Binds its parameters, in order.
  void Use(Query& query) const;
  // " ORDER BY … LIMIT … OFFSET …", with the last two as parameters.
  std::string Page() const;

 private:
  // The namespaces given by key, and those given by a pattern of keys, as parameters.
  struct Named {
    std::vector<std::string> exact;
    std::vector<std::string> likes;
    // Each of the latter is in one of these: in a list with the first key that may match and the
    // first one past them all; or alone, where any key may match.
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
  std::string bound_;  // compares places with `bound_value_`; "": there is no bound
  std::string bound_value_;
  std::uint64_t taken_ = 0;  // rows; 0: any number
};

}  // namespace koya::sql
