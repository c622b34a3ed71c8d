#include "cli/api/place.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/api/settings_flags.h"

namespace koya::cli {
namespace {

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
  return Fail(
      ErrorKind::kNotFound,
      fmt::format(
          "no catalog at {}: no server has used this folder; check --data and --config. \"koya "
          "serve\", \"koya token create\" and \"koya mirror import\" create a new data folder",
          file));
}

Result<Settings> ReadPlace(const PlaceFlags& flags, Output& output) {
  std::vector<std::pair<std::string, std::string>> given;
  if (!flags.data.empty()) given.emplace_back("--data", flags.data);
  ASSIGN_OR_RETURN(LoadedSettings settings,
                   ReadSettings(flags.config, std::move(given), output.shell().variables));
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

}  // namespace koya::cli
