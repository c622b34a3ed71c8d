// Renders templates. The only place that knows the library which does it.
#pragma once

#include <string>
#include <string_view>

#include "web/language.h"
#include "web/view.h"

namespace koya::web {

// The page templates/NAME.mustache in that language, with the values of `view`. Each template is
// read once, when it is first shown; thread-safe. Throws std::logic_error if there is no such
// template, if it cannot be read, or if it asks for a name that the view has not: a page with
// holes must not go out.
std::string RenderTemplate(std::string_view name, Language language, const View& view);

}  // namespace koya::web
