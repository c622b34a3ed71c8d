// What users, service accounts and groups may be called.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/account_record.h"

namespace koya {

// 1–64 of letters, digits, ".", "_", "-", and in users' names "@", so that they may be mail
// addresses; not "." or "..", which no path of a URL can say. Fails: kInvalid.
Status CheckAccountName(AccountKind kind, std::string_view name);

// The same rule as for service accounts. Fails: kInvalid.
Status CheckGroupName(std::string_view name);

// By the grantee's kind: one of the above. Fails: kInvalid.
Status CheckGranteeName(GranteeKind kind, std::string_view name);

}  // namespace koya
