// Parses Content-Type as clients of registries do. Pure functions: any thread.
#pragma once

#include <string_view>

namespace koya::http {

// True if the clients take this Content-Type for JSON: "application/json", with or without
// well-formed parameters, in any letter case.
bool IsJsonMediaType(std::string_view content_type);

}  // namespace koya::http
