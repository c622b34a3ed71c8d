// The contents of a module in the formats of two APIs: Koya's own, with names that stay stable for
// programs and people, and the extended module API ("extended" in HashiCorp's documents), from
// which editors complete a module's inputs. They differ from the stored document (EncodeContents),
// so that each may change without the others. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "inspect/contents.h"

namespace koya::inspect {

// {"reader": 1, "root": FOLDER, "submodules": [FOLDER…], "examples": [FOLDER…], "tests": […],
// "warnings": [{"file", "line", "text"}…], "licence": {"spdx", "file"}, "changelog": "…",
// "files": [{"path", "size"}…]}. A folder has its inputs, outputs, resources, required_version,
// required_providers, module_calls, locals, moved, removed, imports and checks.
std::string AnswerContents(const ModuleContents& contents);

// The type as nested arrays in JSON: "string", ["list","string"], ["tuple",[…]],
// ["object",{"a":"string","b":["optional","number",1]}]. "any" for an invalid type.
std::string AnswerType(const std::string& type);

// {"root": FOLDER, "submodules": [FOLDER…], "examples": [FOLDER…]}. A folder has path, name, readme
// (Markdown), empty, inputs, outputs, dependencies, provider_dependencies and resources. A default
// is JSON in a string, "" for a required input; texts are never null, because editors reject null.
std::string WiderAnswer(const ModuleContents& contents);

// Parses the output of AnswerContents, for programs that query a server: one folder of it, or an
// overview of all (parsed_module_json.cc).
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
