// README, changelog and licence, as texts of people. Pure, linear in their lengths.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "inspect/contents.h"

namespace koya::inspect {

// The README's text, cut at kMaxReadme behind a whole line, and what is known of it. Bytes that are
// no UTF-8 become U+FFFD.
Readme ReadReadme(std::string file, std::string_view text);

// What the changelog says of `version` ("1.2.3"): what stands below the heading that names it, up
// to the next one of the same level or above. "" when no heading does.
std::string ChangelogSection(std::string_view text, std::string_view version);

// By an "SPDX-License-Identifier", or by the words that tell one licence from the others.
Licence GuessLicence(std::string file, std::string_view text);

// "en", "ja", "zh": kana make it Japanese, Chinese characters without any make it Chinese; a few of
// them in an English text do not.
std::string GuessLanguage(std::string_view text);

// `text` with every byte that is no UTF-8 replaced by U+FFFD.
std::string CleanText(std::string_view text);

}  // namespace koya::inspect
