// The admin token of a --dev server.
#pragma once

#include <string>

#include "base/result.h"
#include "service/tokens.h"

namespace koya {

// The token in `kept` (the contents of DIR/dev/admin.token, "" when there is none) if it still is
// an admin token of this catalog; else a new one, which replaces the old. Blocks.
Result<std::string> EnsureDevAdminToken(service::Tokens& tokens, const std::string& kept);

}  // namespace koya
