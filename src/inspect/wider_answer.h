// What is inside a module as the wider module API tells it ("extended" in HashiCorp's documents):
// what editors complete a module's inputs from. Pure.
#pragma once

#include <string>

#include "inspect/contents.h"

namespace koya::inspect {

// {"root": FOLDER, "submodules": [FOLDER…], "examples": [FOLDER…]}. A folder has path, name, readme
// (Markdown), empty, inputs, outputs, dependencies, provider_dependencies and resources. A default
// is JSON in a string, "" of what is required; no text is null, as editors insist.
std::string WiderAnswer(const ModuleContents& contents);

}  // namespace koya::inspect
