// Rules for the names of users, service accounts and groups.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/account_record.h"

namespace koya {

// Allows 1–64 letters, digits, ".", "_", "-", and in users' names "@", so that they may be mail
// addresses; not "." or "..", which no path of a URL can contain. Fails: kInvalid.
Status CheckAccountName(AccountKind kind, std::string_view name);

// Checks with the rule for service accounts. Fails: kInvalid.
Status CheckGroupName(std::string_view name);

// Checks with the rule for the grantee's kind. Fails: kInvalid.
Status CheckGranteeName(GranteeKind kind, std::string_view name);

}  // namespace koya
