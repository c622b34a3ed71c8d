// The files of a module archive, one after the other, for whoever looks into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "archive/archive_limits.h"
#include "archive/module_package.h"
#include "base/result.h"

namespace koya {

struct ModuleFileVisitor {
  // How many bytes of the file are wanted, from its beginning. Asked before it is read.
  std::function<std::size_t(std::string_view path)> wanted;
  // Every file: its path from the module's root, its whole size, and the bytes that were wanted.
  std::function<void(std::string path, std::uint64_t size, std::string bytes)> take;
};

// Reads an archive that InspectModule or InspectForeignModule judged. Folders and links are left
// out. Blocks; of the content it holds one file's wanted bytes at a time. Fails: as InspectModule.
Status ReadModuleFiles(int descriptor, std::uint64_t size, const ModuleInspection& inspection,
                       const ArchiveLimits& limits, const ModuleFileVisitor& visitor);

}  // namespace koya
