// Reads what is inside a module, out of the bytes of its files. Nothing is run, evaluated, fetched
// or written. Hostile input is bounded in time, depth and memory; what cannot be read becomes a
// warning with its place, and the rest is kept. Pure: any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/host_name.h"
#include "inspect/configuration.h"
#include "inspect/contents.h"
#include "inspect/file_set.h"

namespace koya::inspect {

struct ReadOptions {
  // Of addresses without a host.
  HostName default_host;
  // The version that this is, for the changelog's section: "1.2.3", or "".
  std::string version = {};
  std::string submodules = "modules";
  std::string examples = "examples";
  ReadBudget budget = {};
  // Of submodules, and of examples; what lies behind is told.
  std::size_t parts = 500;
};

// Whether the reader looks into the file, and how many of its bytes are wanted: 0 for those of
// which name and size are enough. What is longer than that need not be kept: a configuration that
// is too large is told as such; of documents the beginning is enough. `path`: from the module's
// root, without "./".
std::size_t WantedBytes(std::string_view path);
inline bool WantsFile(std::string_view path) { return WantedBytes(path) > 0; }

// `files`: every file of the module.
ModuleContents ReadModule(const FileSet& files, const ReadOptions& options);

}  // namespace koya::inspect
