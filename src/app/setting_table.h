// The table that declares every setting. Internal to the settings.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings.h"

namespace koya {

struct SettingDefinition {
  // Sets the member from text; false: not allowed, and the member is unchanged.
  bool (*assign)(Settings&, std::string_view text);
  std::string (*format)(const Settings&);
};

// Parallel to AllSettings().
std::span<const SettingDefinition> SettingDefinitions();

// The index of the setting called `name`: its key or its alias.
std::optional<std::size_t> FindSetting(std::string_view name);

// Settings without those that are unknown or not allowed, which are the problems.
struct PartlyLoadedSettings {
  LoadedSettings settings;
  std::vector<SettingsFinding> problems;
};

// The texts of findings, each in a line of its own.
std::string LinesOf(std::span<const SettingsFinding> findings);

// The file that is read: `config`, or the one that KOYA_CONFIG names. nullopt: none.
std::optional<std::filesystem::path> SettingsFileOf(const SettingsInput& input);

// Fails: kInvalid: the file cannot be read, or is not TOML.
Result<PartlyLoadedSettings> LoadWhatIsAllowed(const SettingsInput& input);

}  // namespace koya
