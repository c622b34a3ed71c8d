// What other people's readers see in an archive: libarchive in tars, libzip (strict) in zips.
// They judge what this folder accepts and writes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace koya {

// The entries' names, one a line, folders left out; nothing when the reader refuses the archive.
std::optional<std::string> LibarchiveNames(std::string_view bytes);
std::optional<std::string> LibzipNames(std::string_view bytes);

}  // namespace koya
