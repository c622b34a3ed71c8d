// The contents of a module in the format of the API, with names that stay stable for programs and
// people. It differs from the stored document (contents_json.h), so that either may change without
// the other. Pure.
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

}  // namespace koya::inspect
