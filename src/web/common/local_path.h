// Checks and builds paths on this server, for links and form fields.
#pragma once

#include <string>
#include <string_view>

#include "web/common/language.h"

namespace koya::web {

// Returns `path` (with its query) if every browser resolves it to this server: it begins with one
// slash, not two, nor a slash and a backslash, and is plain ASCII without blanks, quotes or
// backslashes. Else "/". Every path that comes from a request must pass through here.
std::string_view LocalPath(std::string_view path);

// LocalPath without `lang` and without empty parameters.
std::string PathWithoutLanguage(std::string_view path);

// LocalPath, in that language: "/login?to=%2F&lang=ja".
std::string PathInLanguage(std::string_view path, Language language);

// "/login?to=PATH", which leads back to the current page; "/login" from the home page.
std::string SignInPath(std::string_view back_to);

}  // namespace koya::web
