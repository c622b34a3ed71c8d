// Parses the output of module_json.h, for programs that query a server: one folder of it, or an
// overview of all. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "inspect/contents.h"

namespace koya::inspect {

struct ParsedModuleJson {
  // Path, inputs, outputs and resources, as far as the API has them: a default that is not a
  // literal is the text of a string.
  ModulePart part;
  // The same three as in the response: arrays.
  std::string inputs;
  std::string outputs;
  std::string resources;
};

// `path`: of the folder, "modules/vpc"; "": the root. Missing members are empty. Fails: kInvalid:
// not such a document; kNotFound: it has no such folder; names those it has.
Result<ParsedModuleJson> ReadAnsweredPart(std::string_view answer, std::string_view path);

// The overview of a version: of the root the members of ParsedModuleJson, its requirements and
// calls; of submodules and examples their paths; licence, changelog, warnings, numbers of files and
// bytes. The rest is empty, as are missing members. Fails: kInvalid: not such a document.
Result<ModuleContents> ReadAnsweredModule(std::string_view answer);

}  // namespace koya::inspect
