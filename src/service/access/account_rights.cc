#include "service/access/account_rights.h"

#include <fmt/format.h>

#include <utility>

#include "catalog/access_catalog.h"

namespace koya::service {

Task<std::shared_ptr<const AccountRights>> FindAccountRights(AccountCatalog& accounts,
                                                             std::string id) {
  ASSIGN_OR_CO_RETURN(AccountRights rights, co_await accounts.FindRights(std::move(id)));
  co_return std::make_shared<const AccountRights>(std::move(rights));
}

Status CheckEnabled(const AccountRecord& account) {
  if (!account.disabled_at) return {};
  return Fail(
      ErrorKind::kUnauthenticated,
      fmt::format("the {0} \"{1}\" is disabled: ask an administrator for koya {0} enable {1}",
                  AccountKindName(account.kind), account.name));
}

}  // namespace koya::service
