#include "catalog/sql/engine/database_time.h"

#include <cstdint>

#include "catalog/sql/engine/query.h"

namespace koya::sql {
namespace {

constexpr Statement kAskTime{"ask_time", "SELECT {{now in milliseconds}}"};

Result<std::chrono::milliseconds> AskTime(Session& session) {
  std::int64_t now = 0;
  Query query(session, kAskTime);
  query.Into(now);
  query.Next();
  return std::chrono::milliseconds(now);
}

}  // namespace

Task<std::chrono::milliseconds> SqlDatabaseTime::AskTime() {
  return transactions_.Read(&sql::AskTime);
}

}  // namespace koya::sql
