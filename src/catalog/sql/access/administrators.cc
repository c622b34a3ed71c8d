#include "catalog/sql/access/administrators.h"

#include <fmt/format.h>

#include "catalog/sql/engine/query.h"

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

Status CheckAnAdministratorRemains(Session& session, std::string_view who) {
  ASSIGN_OR_RETURN(bool left, HasAdministrator(session));
  if (left) return {};
  return Fail(ErrorKind::kConflict,
              fmt::format("{} is the last administrator: create another administrator first (koya "
                          "user create NAME --admin)",
                          who));
}

}  // namespace koya::sql
