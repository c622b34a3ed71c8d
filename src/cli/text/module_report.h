// Prints the contents of a module for people: on a terminal at most 80 columns unless a name is
// longer. One thread.
#pragma once

#include "cli/text/output.h"
#include "inspect/contents.h"

namespace koya::cli {

void PrintContents(const inspect::ModuleContents& contents, Output& output);

// Prints an overview: licence, requirements and module calls, the number of inputs, changes in this
// version, and parts that could not be read.
void PrintSummary(const inspect::ModuleContents& contents, Output& output);

// Each prints one section of one folder; of an empty section it says so.
void PrintInputs(const inspect::ModulePart& part, Output& output);
void PrintOutputs(const inspect::ModulePart& part, Output& output);
void PrintResources(const inspect::ModulePart& part, Output& output);

}  // namespace koya::cli
