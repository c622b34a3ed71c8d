// Makes untrusted texts and paths safe for a page. Templates do the escaping.
#pragma once

#include <string>
#include <string_view>

#include "web/common/language.h"

namespace koya::web {

// `text` as well-formed UTF-8 that is valid in HTML: U+FFFD for each byte that is not UTF-8 and for
// each control character except line ends and tabs. Characters that would close a direction isolate
// that the text has not opened (U+2069, and the paragraph separator U+2029) are removed, so that
// <bdi> contains the text.
std::string ShownText(std::string_view text);

// ShownText in one line and without direction controls: for <title>, which does not support <bdi>.
std::string TitleText(std::string_view text);

// ---- paths on this server, for links and form fields

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
