// Detects whether a request comes from a person, who gets pages, or from a program, which gets
// JSON, on paths that serve both.
#pragma once

#include <string_view>

#include "http/server/message.h"

namespace koya::api {

// True for paths of programs, where errors are JSON whatever the client accepts. `target`: a path,
// with its query or without.
bool IsForPrograms(std::string_view target);

// True if errors at `target` are pages for the client that sent the request.
bool WantsPages(const http::Request& request, std::string_view target);

}  // namespace koya::api
