// Applies the blocks of override files to the other blocks. Pure.
#pragma once

#include <vector>

#include "inspect/configuration.h"
#include "inspect/warning_list.h"

namespace koya::inspect {

// Attributes of `change` replace those of the same name, nested blocks replace all nested blocks of
// their type; required_providers are replaced one by one, as locals are. A block that matches no
// other becomes a warning. Source: the clients' documentation of override files.
void ApplyOverride(PlacedBlock change, std::vector<PlacedBlock>& blocks, WarningList& warnings);

}  // namespace koya::inspect
