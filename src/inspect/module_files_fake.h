// Modules out of texts, for tests.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspect/changes.h"
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

// "SECTION SIGN KIND WHAT" a line.
inline std::string Lines(const std::vector<Change>& changes) {
  std::string out;
  for (const Change& each : changes) {
    out += fmt::format("{} {} {} {}\n", Name(each.section), Name(each.sign), Name(each.kind),
                       each.what);
  }
  return out;
}

// Of two versions of main.tf.
inline std::vector<Change> ChangesBetween(std::string_view from, std::string_view to) {
  return FindChanges(ReadTexts({{"main.tf", std::string(from)}}),
                     ReadTexts({{"main.tf", std::string(to)}}));
}

}  // namespace koya::inspect
