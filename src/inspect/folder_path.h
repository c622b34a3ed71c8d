// Joins paths of folders in an archive. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace koya::inspect {

// The folder that `relative` ("./x", "../y//z") names from `folder`; "" is the root. nullopt if it
// leaves the archive.
std::optional<std::string> JoinFolders(std::string_view folder, std::string_view relative);

}  // namespace koya::inspect
