// What override files do to the blocks of the others. Pure.
#pragma once

#include <vector>

#include "inspect/configuration.h"
#include "inspect/warning_list.h"

namespace koya::inspect {

// Attributes of `change` take the place of those of that name, nested blocks that of all nested
// blocks of that type; required_providers are taken one by one, as locals are. A block that changes
// nothing there is becomes a warning. Source: the clients' documentation of override files.
void ApplyOverride(PlacedBlock change, std::vector<PlacedBlock>& blocks, WarningList& warnings);

}  // namespace koya::inspect
