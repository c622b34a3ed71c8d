// Current rights of an account, for the tokens and sessions that act for it.
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

// Returns the rights of the account with this id, even if the account is disabled. `accounts`
// outlives the call. Fails: kNotFound: the account was deleted.
Task<std::shared_ptr<const AccountRights>> FindAccountRights(AccountCatalog& accounts,
                                                             std::string id);

// Fails: kUnauthenticated, naming the account: it is disabled.
Status CheckEnabled(const AccountRecord& account);

}  // namespace koya::service
