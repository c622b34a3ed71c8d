// Visits the files of a module archive one after the other, for analysis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "archive/archive_limits.h"
#include "archive/module_package.h"
#include "base/result.h"

namespace koya {

struct ModuleFileVisitor {
  // How many bytes are wanted from the file's beginning. Called before it is read.
  std::function<std::size_t(std::string_view path)> wanted;
  // Called with the pieces of a file of which bytes are wanted, in order and whole. May be empty.
  std::function<void(std::span<const std::byte> piece)> see = {};
  // Called for every file: its path from the module's root, its whole size, and the wanted bytes.
  std::function<void(std::string path, std::uint64_t size, std::string bytes)> take;
};

// Reads an archive that InspectModule or InspectForeignModule accepted. Folders and links are
// skipped. Blocks; holds one file's wanted bytes in memory at a time. Fails: as InspectModule.
Status ReadModuleFiles(int descriptor, std::uint64_t size, const ModuleInspection& inspection,
                       const ArchiveLimits& limits, const ModuleFileVisitor& visitor);

}  // namespace koya
