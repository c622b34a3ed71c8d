// Composes and renders templates. Only the .cc file depends on the template library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "web/common/language.h"
#include "web/common/view.h"

namespace koya::web {

// Composes templates: inserts their pieces, words and assets, so that a request only adds the
// values.
//
// A file in templates/ is mustache with these marks, which composing replaces:
//   [[sign_in.title]]   the word of that key, escaped; {name} in it becomes <bdi>{{name}}</bdi>;
//                       `code` becomes <code translate="no">code</code>, without bdi around names
//   [[=sign_in.title]]  the same for <title> and attributes: a word without names and code only
//   [[>_foot]]          the piece templates/_foot.mustache
//   [[@koya.css]]       the path of that asset
//   [[*readme]]         the fragment of HTML of that name, as it is
//   [[~find.title]]     as [[=find.title]], and names in it become {{name}}: for attributes only
// The supported mustache tags are {{name}}, {{#name}}, {{^name}}, {{/name}} and {{! a remark}};
// after the name there may be a formatter or, in sections, a test (formatters.h), also in words:
//   {{published_at:date}}   {{#role:is:owner}}…{{/role:is:owner}}   {bytes:size}
// and {{head.count}} is the `count` in a section that is shown once. Tags that would write a value
// unescaped, or change while pages are rendered, are rejected.

// Prefix of a fragment's name in the engine: "html:readme" for "readme". No name of a text has this
// prefix.
inline constexpr std::string_view kFragmentPrefix = "html:";

// "published_at" and "date" of "published_at:date"; a formatter may be "".
struct TagParts {
  std::string_view name;
  std::string_view formatter;
};
TagParts SplitTag(std::string_view tag);

// Names of the page templates, without pieces: "sign_in".
std::vector<std::string_view> TemplateNames();

// Composes the template in that language; its <title> is repeated for chats as og:title. Throws
// std::logic_error, which names the template and the mark, if a mark cannot be resolved: templates
// are part of the program.
std::string ComposeTemplate(std::string_view name, Language language);

// Composes a text instead of a file.
std::string ComposeText(std::string_view text, Language language);

// Renders templates/NAME.mustache in that language, with the values of `view`. Each template is
// parsed once, at its first use; thread-safe. Throws std::logic_error if there is no such template,
// if it cannot be parsed, or if it uses a name that the view lacks: an incomplete page must not be
// sent.
std::string RenderTemplate(std::string_view name, Language language, const View& view);

}  // namespace koya::web
