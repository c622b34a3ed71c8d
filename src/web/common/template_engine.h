// Renders templates. Only this file depends on the template library.
#pragma once

#include <string>
#include <string_view>

#include "web/common/language.h"
#include "web/common/view.h"

namespace koya::web {

// Renders templates/NAME.mustache in that language, with the values of `view`. Each template is
// parsed once, at its first use; thread-safe. Throws std::logic_error if there is no such template,
// if it cannot be parsed, or if it uses a name that the view lacks: an incomplete page must not be
// sent.
std::string RenderTemplate(std::string_view name, Language language, const View& view);

}  // namespace koya::web
