#include "cli/mirror_place.h"

#include <CLI/CLI.hpp>

namespace koya::cli {

void AddMirrorPlaceFlags(CLI::App& command, MirrorPlaceFlags& flags) {
  AddServerFlags(command, flags.server);
  command
      .add_option(
          "--data", flags.data,
          "Instead of asking a server: work on this data folder, while no server runs on it")
      ->type_name("DIR")
      ->excludes("--server");
  command
      .add_option("--config", flags.config,
                  "The same, with the data folder, catalog and upstream that this file names")
      ->type_name("FILE")
      ->excludes("--server");
}

Result<MirrorPlace> MirrorPlace::Open(const MirrorPlaceFlags& flags, Output& output) {
  if (flags.data.empty() && flags.config.empty()) {
    ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(flags.server, output));
    return MirrorPlace(std::move(connection));
  }
  SettingsInput input;
  if (!flags.config.empty()) input.config = flags.config;
  if (!flags.data.empty()) input.flags.emplace_back("--data", flags.data);
  const Variables& variables = output.surroundings().variables;
  input.environment.insert(variables.begin(), variables.end());
  ASSIGN_OR_RETURN(LoadedSettings settings, LoadSettings(input));
  ASSIGN_OR_RETURN(std::unique_ptr<LocalServer> local, LocalServer::Start(settings.values));
  ASSIGN_OR_RETURN(http::Url url, http::ParseUrl(local->url()));
  MirrorPlace place(
      {.server = std::move(url), .token = local->token(), .http = HttpOptions(variables)});
  place.local_ = std::move(local);
  return place;
}

}  // namespace koya::cli
