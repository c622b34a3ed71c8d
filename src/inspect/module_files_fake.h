// Modules out of texts, for tests.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "inspect/reader.h"

namespace koya::inspect {

using Texts = std::map<std::string, std::string>;

// As a caller that streams an archive would keep them.
inline FileSet FilesFrom(const Texts& texts) {
  FileCollector files;
  for (const auto& [path, text] : texts) {
    files.Add(path, text.size(), text.substr(0, files.Wanted(path)));
  }
  return files.Take();
}

inline ReadOptions TestOptions(std::string version = {}) {
  return {.default_host = *HostName::Parse("registry.example.org"), .version = std::move(version)};
}

inline ModuleContents ReadTexts(const Texts& texts, std::string version = {}) {
  return ReadModule(FilesFrom(texts), TestOptions(std::move(version)));
}

}  // namespace koya::inspect
