// Writes text as a JSON string. Pure: any thread.
#pragma once

#include <string>
#include <string_view>

namespace koya::inspect::provider {

// Appends `text`, which must be UTF-8, in quotes.
void AppendJsonText(std::string_view text, std::string& out);

}  // namespace koya::inspect::provider
