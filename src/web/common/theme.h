// The color theme, light or dark, from the cookie `theme`.
#pragma once

#include <array>
#include <string_view>

namespace koya::web {

enum class Theme { kAuto, kLight, kDark };  // kAuto: the preference of the reader's system

inline constexpr std::array kThemes{Theme::kAuto, Theme::kLight, Theme::kDark};

// The name in the cookie, in <html data-theme> and in the form that sets it.
constexpr std::string_view ThemeName(Theme theme) {
  switch (theme) {
    case Theme::kAuto:
      return "auto";
    case Theme::kLight:
      return "light";
    case Theme::kDark:
      return "dark";
  }
  return "auto";
}

// kAuto for any text that is not a ThemeName.
constexpr Theme ParseTheme(std::string_view name) {
  for (Theme theme : kThemes) {
    if (name == ThemeName(theme)) return theme;
  }
  return Theme::kAuto;
}

}  // namespace koya::web
