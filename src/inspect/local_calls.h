// Checks calls of modules in the same archive: each must lead to a module, without cycles. Pure.
#pragma once

#include <string>
#include <vector>

#include "inspect/contents.h"

namespace koya::inspect {

// `parts`: every folder with configuration that was read.
std::vector<Warning> CheckLocalCalls(const std::vector<const ModulePart*>& parts);

}  // namespace koya::inspect
