// The kinds of pages that a provider's docs have, in words.
#pragma once

#include <array>
#include <string_view>

#include "web/view.h"

namespace koya::web {

// All of them, in the order in which people are told of them.
inline constexpr std::array<std::string_view, 8> kDocKinds{
    "overview",       "guides", "resources", "data-sources", "functions", "ephemeral-resources",
    "list-resources", "actions"};

// The fields of the pieces _doc_kind ("Resources") and _doc_kind_one ("resource"). `kind`: as
// addresses have it: "overview", "guides", "resources", "data-sources", "functions",
// "ephemeral-resources", "list-resources", "actions"; of any other nothing is told.
void AddDocKind(View& view, std::string_view kind);

}  // namespace koya::web
