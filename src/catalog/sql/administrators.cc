#include "catalog/sql/administrators.h"

#include <fmt/format.h>

#include "catalog/sql/query.h"

namespace koya::sql {
namespace {

constexpr Statement kCountAdministrators{
    "count_administrators",
    "SELECT (SELECT COUNT(*) FROM account WHERE admin = 1 AND disabled_at IS NULL) + "
    "(SELECT COUNT(*) FROM token WHERE " KOYA_UNLIMITED_TOKEN ")"};

}  // namespace

Result<bool> HasAdministrator(Session& session) {
  std::int64_t count = 0;
  Query query(session, kCountAdministrators);
  query.Into(count).Next();
  return count != 0;
}

Status CheckSomebodyIsLeft(Session& session, std::string_view who) {
  ASSIGN_OR_RETURN(bool left, HasAdministrator(session));
  if (left) return {};
  return Fail(ErrorKind::kConflict,
              fmt::format("{} is the last administrator, and nobody else could make another: "
                          "make one first (koya user create NAME --admin)",
                          who));
}

}  // namespace koya::sql
