// Copies all records of a catalog, for backups and moves between engines.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/catalog_records.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

// A table whose rows are not copied.
struct TableLeftOut {
  std::string_view name;
  std::string_view reason;
};

// RecordCatalog reads all records in one snapshot, and writes them into an empty catalog. Unlike
// other parts its methods block, for minutes on a large catalog: call them on a thread of their
// own. They use a connection of their own.
class RecordCatalog {
 public:
  explicit RecordCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Receives tables in an order that foreign keys permit, each with its rows by primary key. A
  // failure ends the reading, and is returned.
  using Sink = std::function<Status(const RecordItem&)>;
  // The next item; nullopt at the end.
  using Source = std::function<Result<std::optional<RecordItem>>()>;

  // Passes every copied table to `sink`, also those without rows. Memory: some rows at a time.
  // Fails: kCorrupt: a text is not UTF-8; as `sink`.
  Status ReadRecords(const Sink& sink);
  // Adds the records of `next` in one transaction: all of them or none. Columns that they lack get
  // their defaults. Fails: kConflict: the catalog has records; kInvalid: a table or a column is
  // unknown, or a row does not fit; as `next`.
  Status WriteRecords(const Source& next);
  // Fails: kConflict: the catalog has records.
  Status RequireEmpty();

  // Names of the tables that are copied, in order, and those that are not.
  static std::vector<std::string_view> CopiedTables();
  static std::vector<TableLeftOut> TablesLeftOut();

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
