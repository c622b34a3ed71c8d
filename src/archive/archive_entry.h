// One entry of a module archive, as the module rules see it, whatever format it came from.
#pragma once

#include <cstdint>
#include <string>

namespace koya {

struct ArchiveEntry {
  std::string name;  // as ParseEntryName gives it: "modules/a/main.tf"; "" is the root folder
  std::uint64_t size = 0;
  bool directory = false;
  bool executable = false;  // the owner may run it; all other mode bits are ignored
};

}  // namespace koya
