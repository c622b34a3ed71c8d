// Text as a JSON string. Pure: any thread.
#pragma once

#include <string>
#include <string_view>

namespace koya::inspect::provider {

// `text`, which must be UTF-8, in quotes.
void AppendJsonText(std::string_view text, std::string& out);

}  // namespace koya::inspect::provider
