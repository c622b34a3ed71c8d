// Declares the server's settings on a command line: --config, and one flag per setting, made from
// the table of settings.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/settings.h"
#include "base/result.h"
#include "cli/text/shell.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace koya::cli {

// Holds a command's setting flags during the parse. Not movable: the parser points into it.
struct SettingsFlags {
  SettingsFlags() = default;
  SettingsFlags(const SettingsFlags&) = delete;
  SettingsFlags& operator=(const SettingsFlags&) = delete;

  std::string config;               // --config
  std::vector<std::string> values;  // parallel to AllSettings()
  std::vector<CLI::Option*> options;
};

// Declares --config and a flag for every setting. `flags` must outlive the parse.
void AddSettingsFlags(CLI::App& command, SettingsFlags& flags);

// Merges flags ("--data" and its value) over environment over file over defaults; `config` names
// the file, "": none. Fails as LoadSettings does.
Result<LoadedSettings> ReadSettings(const std::string& config,
                                    std::vector<std::pair<std::string, std::string>> flags,
                                    const Variables& variables);
Result<LoadedSettings> ReadSettings(const SettingsFlags& flags, const Variables& variables);

}  // namespace koya::cli
