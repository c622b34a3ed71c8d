// Content-Type, as clients of registries read it. Pure functions: any thread.
#pragma once

#include <string_view>

namespace koya::http {

// Whether the clients take a Content-Type for JSON: "application/json", with or without well-formed
// parameters, in any letter case.
bool IsJsonMediaType(std::string_view content_type);

}  // namespace koya::http
