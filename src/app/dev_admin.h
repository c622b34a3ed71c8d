// The admin token of a --dev server.
#pragma once

#include <string>

#include "base/result.h"
#include "service/access/tokens.h"

namespace koya {

// Returns the token in `kept` (the contents of DIR/dev/admin.token, "" if there is none) if it is
// still an admin token of this catalog; else creates a token that replaces it. Blocks.
Result<std::string> EnsureDevAdminToken(service::Tokens& tokens, const std::string& kept);

}  // namespace koya
