// Query is one run of a statement: bind, then step through its rows.
//
//   std::string topic;
//   Query query(session, kFindTopic);
//   query.Use(sequence).Into(topic);
//   while (query.Next()) …
//
// It implements SOCI's rules in one place: typed outputs with indicators (SOCI does not support
// std::optional and throws at a NULL), inputs that stay in place, one round trip per run. Throws
// what SOCI throws; Database turns that into an Error. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/sql/engine/session.h"

namespace koya {
struct Use;
}

namespace koya::sql {

class Query {
 public:
  Query(Session& session, const Statement& statement);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  // Parameters, in the order of the text. Stored until the query is destroyed.
  Query& Use(std::string_view value);
  Query& Use(std::int64_t value);
  Query& Use(std::optional<std::int64_t> value);
  // Columns, in the order of the text; filled by each Next(). A NULL in a column that is read
  // without std::optional throws.
  Query& Into(std::string& value);
  Query& Into(std::int64_t& value);
  Query& Into(std::optional<std::string>& value);
  Query& Into(std::optional<std::int64_t>& value);

  // The first call runs the statement. Returns whether there is a row, now in the outputs.
  bool Next();
  // Runs a statement without rows. Returns how many rows it changed.
  std::int64_t Run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya::sql
