// The contents of a module in the format of the extended module API ("extended" in HashiCorp's
// documents), from which editors complete a module's inputs. Pure.
#pragma once

#include <string>

#include "inspect/contents.h"

namespace koya::inspect {

// {"root": FOLDER, "submodules": [FOLDER…], "examples": [FOLDER…]}. A folder has path, name, readme
// (Markdown), empty, inputs, outputs, dependencies, provider_dependencies and resources. A default
// is JSON in a string, "" for a required input; texts are never null, because editors reject null.
std::string WiderAnswer(const ModuleContents& contents);

}  // namespace koya::inspect
