// Reads the contents of a module from the bytes of its files. Nothing is run, evaluated, fetched or
// written. Hostile input is bounded in time, depth and memory; a part that cannot be read becomes a
// warning with its place, and the rest is kept. Pure: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "domain/host_name.h"
#include "inspect/configuration.h"
#include "inspect/contents.h"

namespace koya::inspect {

struct ReadOptions {
  // For addresses without a host.
  HostName default_host;
  // The version being read, for the changelog's section: "1.2.3", or "".
  std::string version = {};
  std::string submodules = "modules";
  std::string examples = "examples";
  ReadBudget budget = {};
  // The maximum number of submodules, and of examples; a warning reports the excess.
  std::size_t parts = 500;
};

// How many bytes of the file the reader needs; 0 if it only needs name and size. Longer content
// need not be kept: a configuration that is too large becomes a warning; of documents the beginning
// is enough. `path`: from the module's root, without "./".
std::size_t WantedBytes(std::string_view path);
inline bool WantsFile(std::string_view path) { return WantedBytes(path) > 0; }

// Collects the wanted files of an archive as it is streamed, in bounded memory.
class FileCollector {
 public:
  static constexpr std::size_t kMaxBytes = 96 << 20;  // of texts
  static constexpr std::size_t kMaxFiles = 100'000;

  // How many bytes of the next file to keep; 0 once the memory is used up.
  std::size_t Wanted(std::string_view path) const;
  // `bytes`: at most as many as Wanted() returned.
  void Add(std::string path, std::uint64_t size, std::string bytes);

  FileSet Take() { return std::move(files_); }

 private:
  FileSet files_;
  std::size_t room_ = kMaxBytes;
};

// `files`: every file of the module.
ModuleContents ReadModule(const FileSet& files, const ReadOptions& options);

}  // namespace koya::inspect
