// The contents of a module in the formats of two APIs: Koya's own, with names that stay stable for
// programs and people, and the extended module API ("extended" in HashiCorp's documents), from
// which editors complete a module's inputs. They differ from the stored document (contents_json.h),
// so that each may change without the others. Pure.
#pragma once

#include <string>

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

}  // namespace koya::inspect
