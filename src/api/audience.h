// Whether it is a person who asks, or a program: the one is answered with pages, the other with
// JSON, wherever both may ask.
#pragma once

#include <string_view>

#include "http/server/message.h"

namespace koya::api {

// Where programs ask: errors are JSON there, whatever is accepted. `target`: a path, with its query
// or without.
bool IsForPrograms(std::string_view target);

// Whether errors at `target` are to be pages for whoever sent the request.
bool WantsPages(const http::Request& request, std::string_view target);

}  // namespace koya::api
