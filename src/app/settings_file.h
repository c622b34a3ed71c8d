// Reads a TOML file into settings whose values are still text. Internal to the settings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace koya {

struct FileSetting {
  std::string key;     // with dots: [server] listen = … is "server.listen"
  std::string value;   // as in the environment: lists have commas between items
  std::string where;   // "koya.toml:3"
  bool usable = true;  // false: a value that no setting takes (a table in a list, a date)
};

// Returns the settings in the order of the file. Fails: kInvalid, with file and line, when it
// cannot be read or is not TOML.
Result<std::vector<FileSetting>> ReadSettingsFile(const std::filesystem::path& path);

}  // namespace koya
