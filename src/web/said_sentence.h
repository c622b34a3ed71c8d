// Sentences that other parts of Koya make in English, in the language of a page. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "web/language.h"

namespace koya::web {

struct SaidSentence {
  std::string text;
  Language language = Language::kEnglish;  // that it is in
};

// As the words say.… have it, whose English texts are those sentences, with whatever stands in the
// places of their names. As it is where none is meant, or where it can be read in two ways.
SaidSentence SayIn(Language language, std::string_view english);

// The same of what a sentence is about, which may stand behind the folder that it is in:
// "modules/vpc: input \"cidr\"".
SaidSentence NameIn(Language language, std::string_view english);

}  // namespace koya::web
