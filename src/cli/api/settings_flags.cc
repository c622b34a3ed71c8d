#include "cli/api/settings_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/text/readable.h"

namespace koya::cli {
namespace {

std::string Names(const SettingInfo& setting) {
  std::string names = FlagName(setting.key);
  if (!setting.alias.empty()) names = FlagName(setting.alias) + "," + names;
  return names;
}

std::string Text(const SettingInfo& setting) {
  std::string value = DefaultText(setting);
  std::string note = !value.empty() ? value : std::string(setting.default_note);
  if (setting.is_switch || note.empty()) return std::string(setting.text);
  return fmt::format("{} [{}]", setting.text, note);
}

// The commands that people start a server with come first in the help.
std::string Group(const SettingInfo& setting) {
  return setting.alias.empty() ? "Further settings" : "Settings";
}

}  // namespace

void AddSettingsFlags(CLI::App& command, SettingsFlags& flags) {
  command
      .add_option("--config", flags.config,
                  "Read settings from this TOML file (default: KOYA_CONFIG)")
      ->type_name("FILE")
      ->group("Settings");
  flags.values.resize(AllSettings().size());
  std::size_t index = 0;
  for (const SettingInfo& setting : AllSettings()) {
    std::string& value = flags.values[index++];
    CLI::Option* option = setting.is_switch
                              ? command.add_flag(Names(setting), value, Text(setting))
                              : command.add_option(Names(setting), value, Text(setting));
    if (!setting.is_switch) {
      option->type_name(setting.key == "server.data" ? "DIR" : "VALUE");
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
    option->check(
        ReadableBy([&setting](std::string_view text) { return CheckValue(setting, text); }));
    option->group(Group(setting));
    flags.options.push_back(option);
  }
}

Result<LoadedSettings> ReadSettings(const std::string& config,
                                    std::vector<std::pair<std::string, std::string>> flags,
                                    const Variables& variables) {
  SettingsInput input;
  if (!config.empty()) input.config = config;
  input.flags = std::move(flags);
  input.environment.insert(variables.begin(), variables.end());
  return LoadSettings(input);
}

Result<LoadedSettings> ReadSettings(const SettingsFlags& flags, const Variables& variables) {
  std::vector<std::pair<std::string, std::string>> given;
  std::size_t index = 0;
  for (const SettingInfo& setting : AllSettings()) {
    std::size_t here = index++;
    if (flags.options.empty() || flags.options[here]->count() == 0) continue;
    std::string_view name = setting.alias.empty() ? setting.key : setting.alias;
    given.emplace_back(FlagName(name), flags.values[here]);
  }
  return ReadSettings(flags.config, std::move(given), variables);
}

}  // namespace koya::cli
