// gzip of a whole text, for documents that are compressed once and sent often.
#pragma once

#include <string>
#include <string_view>

namespace koya::http {

// The gzip form (no name, no time: equal input gives equal output), or "" when it cannot be made.
std::string Gzip(std::string_view text);

}  // namespace koya::http
