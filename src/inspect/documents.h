// Reads README, changelog and licence files. Pure, linear in their lengths.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "inspect/contents.h"

namespace koya::inspect {

// The README's text, cut after a whole line at kMaxReadme, and its properties. Bytes that are not
// UTF-8 become U+FFFD.
Readme ReadReadme(std::string file, std::string_view text);

// The section of `version` ("1.2.3") in the changelog: from below the heading that names it to the
// next heading of the same level or above. "" if no heading names it.
std::string ChangelogSection(std::string_view text, std::string_view version);

// Guesses by an "SPDX-License-Identifier", or by words that are specific to a licence.
Licence GuessLicence(std::string file, std::string_view text);

// "en", "ja", "zh": kana make it Japanese, Chinese characters without any kana make it Chinese; a
// few of them in an English text do not.
std::string GuessLanguage(std::string_view text);

// Replaces every byte that is not UTF-8 with U+FFFD.
std::string CleanText(std::string_view text);

}  // namespace koya::inspect
