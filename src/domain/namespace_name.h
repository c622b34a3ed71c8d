// What a namespace may be called.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

// The name as it is kept: possible in a module's address, as it was written; else possible in a
// provider's, normalised (ProviderAddress). Whether the name is reserved is not asked.
// Fails: kInvalid, naming the rule that it breaks.
Result<std::string> ParseNamespaceName(std::string_view text);

}  // namespace koya
