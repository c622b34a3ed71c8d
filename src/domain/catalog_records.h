// Records of a catalog as tables, rows and values, whatever its engine: for backups and moves.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace koya {

// NULL, a number or a text. Columns of the catalog have no other types.
using RecordValue = std::variant<std::monostate, std::int64_t, std::string>;

// One value for each column of the table.
using RecordRow = std::vector<RecordValue>;

struct RecordTable {
  std::string name;
  std::vector<std::string> columns;  // sorted
  friend bool operator==(const RecordTable&, const RecordTable&) = default;
};

// A table, whose rows follow, or a row of the last table.
using RecordItem = std::variant<RecordTable, RecordRow>;

}  // namespace koya
