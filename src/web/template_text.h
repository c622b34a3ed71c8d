// Templates with their pieces, words and assets put in: what is left for each request are the
// values.
//
// A file in templates/ is mustache with these marks, which are gone once it is composed:
//   [[sign_in.title]]   the word of that key, escaped; {name} in it becomes <bdi>{{name}}</bdi>,
//   and
//                       `code` becomes <code translate="no">code</code>, names within it without
//                       bdi
//   [[=sign_in.title]]  the same for <title> and attributes: a word without names and code only
//   [[>_foot]]          the piece templates/_foot.mustache
//   [[@koya.css]]       the path of that asset
//   [[*readme]]         the fragment of HTML of that name, as it is: View::Html
//   [[~find.title]]     as [[=find.title]], and names in it become {{name}}: for attributes only
// Of mustache, {{name}}, {{#name}}, {{^name}}, {{/name}} and {{! a remark}} are used; what would
// write a value unescaped, or change while pages are rendered, is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "web/language.h"

namespace koya::web {

// What the engine calls a fragment "readme": "html:readme". No name of a text begins so.
inline constexpr std::string_view kFragmentPrefix = "html:";

// The names of the pages' templates, without those of pieces: "sign_in".
std::vector<std::string_view> TemplateNames();

// The template of that name in that language; what its <title> says is there for chats, too, as
// og:title. Throws std::logic_error, which names the template and
// the mark, where one leads nowhere: templates are part of the program.
std::string ComposeTemplate(std::string_view name, Language language);

// The same for a text in place of a file.
std::string ComposeText(std::string_view text, Language language);

}  // namespace koya::web
