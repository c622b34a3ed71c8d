// Writes the contents of a module as JSON responses. Pure: any thread; all but the smallest on a
// worker.
#pragma once

#include <string>

#include "base/result.h"
#include "service/common/module_reading.h"

namespace koya::service {

// The version document: inspect::AnswerContents.
std::string TellContents(const SharedContents& contents);

// The part of the wider module API besides a version's details: inspect::WiderAnswer.
std::string TellWider(const SharedContents& contents);

// {"file", "lang", "html"}, and "truncated": true if the README is too long; the HTML is safe to
// embed in any page. Relative links are unchanged. Fails: kNotFound: the module has no README.
Result<std::string> TellReadme(const SharedContents& contents);

}  // namespace koya::service
