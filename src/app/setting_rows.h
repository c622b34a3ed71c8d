// Declares a setting as one row of the table. Internal to the settings.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "app/setting_kinds.h"
#include "app/setting_table.h"
#include "app/settings.h"

namespace koya {

struct SettingRow {
  SettingInfo info;
  SettingDefinition definition;
};

// The texts of a row; the rest of SettingInfo comes from its kind.
struct SettingWords {
  std::string_view key;
  std::string_view alias{};
  std::string_view text{};
  std::string_view default_note{};
  bool secret = false;
};

template <auto kGroup, auto kMember, const auto& kKind>
bool AssignSetting(Settings& settings, std::string_view text) {
  auto value = kKind.parse(text);
  if (!value) return false;
  settings.*kGroup.*kMember = *std::move(value);
  return true;
}

template <auto kGroup, auto kMember, const auto& kKind>
std::string FormatSetting(const Settings& settings) {
  return kKind.format(settings.*kGroup.*kMember);
}

template <auto kGroup, auto kMember, const auto& kKind>
constexpr SettingRow Declare(SettingWords words) {
  bool is_switch = static_cast<const void*>(&kKind) == static_cast<const void*>(&kSwitch);
  return {{words.key, words.alias, words.text, kKind.allowed, words.default_note, is_switch,
           words.secret},
          {AssignSetting<kGroup, kMember, kKind>, FormatSetting<kGroup, kMember, kKind>}};
}

}  // namespace koya
