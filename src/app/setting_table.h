// The table that declares every setting. Internal to the settings.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

}  // namespace koya
