// Prints search results as text: on a terminal at most 80 columns unless a name is longer,
// elsewhere whole. One thread.
#pragma once

#include <string>
#include <string_view>

#include "cli/text/output.h"
#include "wire/search.h"

namespace koya::cli {

// `text`: the search query.
void PrintSearchResults(const wire::SearchResults& results, std::string_view text, Output& output);

}  // namespace koya::cli
