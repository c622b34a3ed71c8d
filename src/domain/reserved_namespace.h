// Names that no new namespace may have.
#pragma once

#include <string_view>

namespace koya {

// Whether this server's own addresses, or a client, use the word where a namespace could stand.
// Letter case does not matter.
bool IsReservedNamespace(std::string_view ns);

}  // namespace koya
