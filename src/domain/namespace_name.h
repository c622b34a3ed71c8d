// Rules for the names of namespaces.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

// Returns the name to store: as written if it is valid in a module's address; else, if it is valid
// in a provider's, normalised (ProviderAddress). Does not check whether the name is reserved.
// Fails: kInvalid, naming the rule that it breaks.
Result<std::string> ParseNamespaceName(std::string_view text);

}  // namespace koya
