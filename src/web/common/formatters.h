// How templates write the values of a view, and what they test in them: {{published_at:date}},
// {{#role:is:owner}}…{{/role:is:owner}}. One table of each. Pure and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "web/common/language.h"
#include "web/common/view.h"

namespace koya::web {

struct FormatContext {
  Language language = Language::kEnglish;
  std::optional<UnixSeconds> now;  // for "ago"
};

//   {{x}}            a text; a number as "1,204"; the name of an enum's value: "not_listed"
//   {{x:plain}}      a number as "1204"
//   {{x:size}}       a number of bytes: "48 MB"
//   {{x:date}}       a time: "18 Nov 2026"
//   {{x:moment}}     a time: "18 Nov 2026, 14:02 UTC"
//   {{x:second}}     a time: "18 Nov 2026, 14:02:09 UTC"
//   {{x:browser}}    a User-Agent: "Firefox, Linux"; other programs' stay
//   {{x:ago}}        a time: "2 minutes ago", or its date; the view has its `now`
//   {{x:rfc3339}}    a time, for <time datetime>
//   {{x:duration}}   a duration: "12 hours"
//   {{x:ms}}         a duration: "38 ms"
//   {{x:took}}       a duration: "3 ms", "12.4 s", "1 h 07 min"
//   {{x:lang}}       the language of a text, for the attribute lang
//   {{x:title}}      a text in one line without direction controls, for <title>
//   {{x:url}}        a text, encoded as a part of a URL
// An absent value is written as nothing. Throws std::logic_error for a value of another type.
std::string FormatValue(const View::Value& value, std::string_view formatter,
                        const FormatContext& context);
bool IsFormatter(std::string_view name);

//   {{#x}}           a flag that is set, a text or a list that is not empty, a number or a
//                    duration or a time that is not 0
//   {{#x:any}}       the same, without repeating a list or entering a section
//   {{#x:given}}     a value that is not absent: an optional number that may be 0
//   {{#x:one}}       a number that is 1
//   {{#x:is:owner}}  an enum's value, or a text
// Throws std::logic_error for a value of another type, and for a name that the enum lacks.
bool TestValue(const View::Value& value, std::string_view test);
bool IsTest(std::string_view test);

}  // namespace koya::web
