// Where a command works: on a server, or on a stopped server's data.
#pragma once

#include <memory>
#include <string>

#include "app/local_server.h"
#include "base/result.h"
#include "cli/api/connection.h"

namespace koya::cli {

struct PlaceFlags {
  ServerFlags server;
  std::string data;
  std::string config;
};

// --server, --token, --data, --config. `flags` must outlive the parse.
void AddPlaceFlags(CLI::App& command, PlaceFlags& flags);

class Place {
 public:
  // Fails: as ChooseConnection; as LoadSettings and LocalServer::Start; kNotFound where no server
  // ever kept anything, since a mistyped --data would be made, found empty and called whole.
  static Result<Place> Open(const PlaceFlags& flags, Output& output);
  // The same for commands that may be the first on a data folder: it is made when it is not there.
  static Result<Place> OpenOrBegin(const PlaceFlags& flags, Output& output);

  const RegistryClientOptions& connection() const { return connection_; }

 private:
  static Result<Place> OpenLocal(const PlaceFlags& flags, Output& output, bool may_begin);
  explicit Place(RegistryClientOptions connection) : connection_(std::move(connection)) {}

  std::unique_ptr<LocalServer> local_;  // null when a server elsewhere was named
  RegistryClientOptions connection_;
};

// What a command works with that asks no server, not even one of its own: the settings that --data,
// --config and the environment make. Fails: as LoadSettings; kNotFound as Place::Open.
Result<Settings> ReadLocalSettings(const PlaceFlags& flags, Output& output);

}  // namespace koya::cli
