// Names that new namespaces may not have.
#pragma once

#include <string_view>

namespace koya {

// True if this server's own addresses, or a client, use the word where a namespace could be. Letter
// case does not matter.
bool IsReservedNamespace(std::string_view ns);

}  // namespace koya
