// What is inside a module, as answers tell it. Pure: any thread; all but the smallest on a worker.
#pragma once

#include <string>

#include "base/result.h"
#include "service/module_reading.h"

namespace koya::service {

// The version document: inspect::AnswerContents.
std::string TellContents(const SharedContents& contents);

// What the wider module API tells beside a version's details: inspect::WiderAnswer.
std::string TellWider(const SharedContents& contents);

// {"file", "lang", "html"}, and "truncated": true where it is too long; the HTML is safe to stand
// in any page. Links beside it are as they were written. Fails: kNotFound: the module has none.
Result<std::string> TellReadme(const SharedContents& contents);

}  // namespace koya::service
