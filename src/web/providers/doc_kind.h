// The kinds of pages in a provider's docs, and their words.
#pragma once

#include <array>
#include <string_view>

#include "web/common/view.h"

namespace koya::web {

// All kinds, in the order in which pages show them.
inline constexpr std::array<std::string_view, 8> kDocKinds{
    "overview",       "guides", "resources", "data-sources", "functions", "ephemeral-resources",
    "list-resources", "actions"};

// The fields of the pieces _doc_kind ("Resources") and _doc_kind_one ("resource"). `kind`: as in
// paths: "overview", "guides", "resources", "data-sources", "functions", "ephemeral-resources",
// "list-resources", "actions"; any other shows nothing.
void AddDocKind(View& view, std::string_view kind);

}  // namespace koya::web
