// Translates English sentences from other parts of Koya to the language of a page. Pure;
// thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "web/common/language.h"

namespace koya::web {

struct MessageTranslation {
  std::string text;
  Language language = Language::kEnglish;  // of `text`
};

// Translates a sentence that matches the English text of a word say.…, with any values in place of
// its names. Returns the sentence unchanged when no word matches or the match is ambiguous.
MessageTranslation SayIn(Language language, std::string_view english);

// Does the same for the subject of a sentence, which may follow its folder: "modules/vpc: input
// \"cidr\"".
MessageTranslation NameIn(Language language, std::string_view english);

}  // namespace koya::web
