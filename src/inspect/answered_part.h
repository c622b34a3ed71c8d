// Reads what contents_answer.h writes, for programs that ask a server: one folder of it, or what
// there is in all. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "inspect/contents.h"

namespace koya::inspect {

struct AnsweredPart {
  // Path, inputs, outputs and resources, of these what is told of them: a default that is no
  // literal is the text of a string.
  ModulePart part;
  // The same three as they stand in the answer: arrays.
  std::string inputs;
  std::string outputs;
  std::string resources;
};

// `path`: of the folder, as "modules/vpc"; "": the root. Members that are missing are empty.
// Fails: kInvalid: that is no such document; kNotFound: it has no such folder, with those it has.
Result<AnsweredPart> ReadAnsweredPart(std::string_view answer, std::string_view path);

// What a version holds at a glance: of the root what AnsweredPart has, what it needs and calls; of
// submodules and examples their paths; licence, changelog, warnings, how many files and bytes. The
// rest is empty, as are members that are missing. Fails: kInvalid: that is no such document.
Result<ModuleContents> ReadAnsweredModule(std::string_view answer);

}  // namespace koya::inspect
