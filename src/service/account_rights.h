// What an account may do at this moment, for whatever acts for one: tokens and sessions.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/task.h"

namespace koya {
class AccountCatalog;
struct AccountRecord;
struct AccountRights;
}  // namespace koya

namespace koya::service {

// The rights of the account with this id; one that is disabled has them, too. `accounts` outlives
// the call. Fails: kNotFound: it was deleted.
Task<std::shared_ptr<const AccountRights>> FindAccountRights(AccountCatalog& accounts,
                                                             std::string id);

// Fails: kUnauthenticated, naming it: it is disabled.
Status CheckEnabled(const AccountRecord& account);

}  // namespace koya::service
