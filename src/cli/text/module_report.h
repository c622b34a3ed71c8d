// What a module holds, for people: on a terminal at most 80 columns unless a name is longer. One
// thread.
#pragma once

#include "cli/text/output.h"
#include "inspect/contents.h"

namespace koya::cli {

void PrintContents(const inspect::ModuleContents& contents, Output& output);

// What there is at a glance: licence, what is needed and called, how many inputs, what changed in
// this version, what could not be read.
void PrintSummary(const inspect::ModuleContents& contents, Output& output);

// Only these, of one folder; of none it is said that there is none.
void PrintInputs(const inspect::ModulePart& part, Output& output);
void PrintOutputs(const inspect::ModulePart& part, Output& output);
void PrintResources(const inspect::ModulePart& part, Output& output);

}  // namespace koya::cli
