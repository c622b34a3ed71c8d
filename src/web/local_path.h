// Addresses on this server, as pages link to them and forms carry them back.
#pragma once

#include <string>
#include <string_view>

#include "web/language.h"

namespace koya::web {

// `path` (with its query) if a browser cannot take it for anything but a place on this server: it
// begins with one slash, not two, nor a slash and a backslash, and is plain ASCII without blanks,
// quotes or backslashes. Else "/". Every address that comes from a request goes through here.
std::string_view LocalPath(std::string_view path);

// LocalPath without its parameters `lang` and without empty ones.
std::string PathWithoutLanguage(std::string_view path);

// LocalPath, in that language: "/login?to=%2F&lang=ja".
std::string PathInLanguage(std::string_view path, Language language);

// "/login?to=PATH", which brings the reader back to where they are; "/login" from the home page.
std::string SignInPath(std::string_view back_to);

}  // namespace koya::web
