// The files of a module, as a reader gets them. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace koya::inspect {

struct FileContent {
  std::uint64_t size = 0;
  // Nothing for files that nobody reads (see WantsFile), and for those that are too large.
  std::optional<std::string> text = {};
};

// By path, from the module's root: "modules/vpc/main.tf".
using FileSet = std::map<std::string, FileContent, std::less<>>;

}  // namespace koya::inspect
