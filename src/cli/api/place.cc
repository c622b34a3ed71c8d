#include "cli/api/place.h"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "cli/api/settings_flags.h"

namespace koya::cli {

void AddPlaceFlags(CLI::App& command, PlaceFlags& flags) {
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

Result<Place> Place::Open(const PlaceFlags& flags, Output& output) {
  if (flags.data.empty() && flags.config.empty()) {
    ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(flags.server, output));
    return Place(std::move(connection));
  }
  const Variables& variables = output.shell().variables;
  std::vector<std::pair<std::string, std::string>> given;
  if (!flags.data.empty()) given.emplace_back("--data", flags.data);
  ASSIGN_OR_RETURN(LoadedSettings settings,
                   ReadSettings(flags.config, std::move(given), variables));
  ASSIGN_OR_RETURN(std::unique_ptr<LocalServer> local, LocalServer::Start(settings.values));
  ASSIGN_OR_RETURN(http::Url url, http::ParseUrl(local->url()));
  Place place({.server = std::move(url), .token = local->token(), .http = HttpOptions(variables)});
  place.local_ = std::move(local);
  return place;
}

}  // namespace koya::cli
