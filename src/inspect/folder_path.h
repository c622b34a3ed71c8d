// Paths of folders in an archive. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace koya::inspect {

// Where `relative` ("./x", "../y//z") leads from `folder`; "" is the root. Nothing when it leads
// out of the archive.
std::optional<std::string> JoinFolders(std::string_view folder, std::string_view relative);

}  // namespace koya::inspect
