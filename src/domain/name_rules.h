// Rules for the names of users, service accounts, groups and namespaces, and for mail addresses.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/account_record.h"

namespace koya {

enum class GranteeKind;

// Allows 1–64 letters, digits, ".", "_", "-", and in users' names "@", so that they may be mail
// addresses; not "." or "..", which no path of a URL can contain. Fails: kInvalid.
Status CheckAccountName(AccountKind kind, std::string_view name);

// Checks with the rule for service accounts. Fails: kInvalid.
Status CheckGroupName(std::string_view name);

// Checks with the rule for the grantee's kind. Fails: kInvalid.
Status CheckGranteeName(GranteeKind kind, std::string_view name);

// Returns the name to store: as written if it is valid in a module's address; else, if it is valid
// in a provider's, normalised (ProviderAddress). Does not check whether the name is reserved.
// Fails: kInvalid, naming the rule that it breaks.
Result<std::string> ParseNamespaceName(std::string_view text);

// True if this server's own addresses, or a client, use the word where a namespace could be. Letter
// case does not matter.
bool IsReservedNamespace(std::string_view ns);

// An address that may stand in a mail: one "@", printable ASCII without spaces or what has a
// meaning in a header, at most 254 bytes. Fails: kInvalid.
Status CheckMailAddress(std::string_view address);

}  // namespace koya
