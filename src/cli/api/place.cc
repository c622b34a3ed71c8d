#include "cli/api/place.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/text/readable.h"

namespace koya::cli {
namespace {

std::string SettingNames(const SettingInfo& setting) {
  std::string names = FlagName(setting.key);
  if (!setting.alias.empty()) names = FlagName(setting.alias) + "," + names;
  return names;
}

std::string SettingText(const SettingInfo& setting) {
  std::string value = DefaultText(setting);
  std::string note = !value.empty() ? value : std::string(setting.default_note);
  if (setting.is_switch || note.empty()) return std::string(setting.text);
  return fmt::format("{} [{}]", setting.text, note);
}

// The commands that people start a server with come first in the help.
std::string SettingGroup(const SettingInfo& setting) {
  return setting.alias.empty() ? "Further settings" : "Settings";
}

bool IsLocal(const PlaceFlags& flags) { return !flags.data.empty() || !flags.config.empty(); }

// A catalog elsewhere, in PostgreSQL, is not looked for.
Status RequireCatalog(const Settings& settings) {
  if (!settings.catalog.url.empty()) return {};
  const std::string file = (settings.server.data / "koya.db").string();
  // If only its log is left, the catalog is damaged; opening it reports that.
  for (const char* suffix : {"", "-wal"}) {
    std::error_code unknown;
    if (std::filesystem::exists(file + suffix, unknown) || unknown) return {};
  }
  return FailNotFound(
      "no catalog at {}: no server has used this folder; check --data and --config. \"koya "
      "serve\", \"koya token create\" and \"koya mirror import\" create a new data folder",
      file);
}

Result<Settings> ReadPlace(const PlaceFlags& flags, Output& output) {
  SettingsInput input;
  if (!flags.config.empty()) input.config = flags.config;
  if (!flags.data.empty()) input.flags.emplace_back("--data", flags.data);
  const Variables& variables = output.shell().variables;
  input.environment.insert(variables.begin(), variables.end());
  ASSIGN_OR_RETURN(LoadedSettings settings, LoadSettings(input));
  return std::move(settings.values);
}

}  // namespace

void AddPlaceFlags(CLI::App& command, PlaceFlags& flags) {
  AddServerFlags(command, flags.server);
  command
      .add_option("--data", flags.data,
                  "Work on this data folder instead of a server, while no server runs on it")
      ->type_name("DIR")
      ->excludes("--server");
  command
      .add_option("--config", flags.config,
                  "The same, with the data folder, catalog and upstream that this file names")
      ->type_name("FILE")
      ->excludes("--server");
}

Result<Place> Place::Open(const PlaceFlags& flags, Output& output) {
  if (IsLocal(flags)) return OpenLocal(flags, output, false);
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(flags.server, output));
  return Place(std::move(connection));
}

Result<Place> Place::OpenOrBegin(const PlaceFlags& flags, Output& output) {
  return IsLocal(flags) ? OpenLocal(flags, output, true) : Open(flags, output);
}

Result<Settings> ReadLocalSettings(const PlaceFlags& flags, Output& output) {
  ASSIGN_OR_RETURN(Settings settings, ReadPlace(flags, output));
  RETURN_IF_ERROR(RequireCatalog(settings));
  return settings;
}

Result<Settings> ReadSettingsToBegin(const PlaceFlags& flags, Output& output) {
  return ReadPlace(flags, output);
}

Result<Place> Place::OpenLocal(const PlaceFlags& flags, Output& output, bool may_begin) {
  const Variables& variables = output.shell().variables;
  ASSIGN_OR_RETURN(Settings settings, ReadPlace(flags, output));
  if (!may_begin) RETURN_IF_ERROR(RequireCatalog(settings));
  ASSIGN_OR_RETURN(std::unique_ptr<LocalServer> local, LocalServer::Start(settings));
  ASSIGN_OR_RETURN(http::Url url, http::ParseUrl(local->url()));
  Place place({.server = std::move(url), .token = local->token(), .http = HttpOptions(variables)});
  place.local_ = std::move(local);
  return place;
}

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
    CLI::Option* option =
        setting.is_switch ? command.add_flag(SettingNames(setting), value, SettingText(setting))
                          : command.add_option(SettingNames(setting), value, SettingText(setting));
    if (!setting.is_switch) {
      option->type_name(setting.key == "server.data" ? "DIR" : "VALUE");
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
    option->check(
        ReadableBy([&setting](std::string_view text) { return CheckValue(setting, text); }));
    option->group(SettingGroup(setting));
    flags.options.push_back(option);
  }
}

SettingsInput SettingsOf(const SettingsFlags& flags, const Variables& variables) {
  SettingsInput input;
  if (!flags.config.empty()) input.config = flags.config;
  input.environment.insert(variables.begin(), variables.end());
  std::size_t index = 0;
  for (const SettingInfo& setting : AllSettings()) {
    std::size_t here = index++;
    if (flags.options.empty() || flags.options[here]->count() == 0) continue;
    std::string_view name = setting.alias.empty() ? setting.key : setting.alias;
    input.flags.emplace_back(FlagName(name), flags.values[here]);
  }
  return input;
}

}  // namespace koya::cli
