// For tests: module archives, packed as `koya publish` packs folders.
#pragma once

#include <map>
#include <string>

namespace koya::api {

// A .tar.gz of these files (path → content).
std::string PackFiles(const std::map<std::string, std::string>& files);

// A valid module whose bytes depend on `marker`.
std::string ModuleArchive(const std::string& marker = "");

// The same module inside a single top folder.
std::string WrappedModuleArchive(const std::string& marker = "");

}  // namespace koya::api
