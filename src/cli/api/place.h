// Place is where a command works: a server, or the data of a stopped server.
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

// Declares --server, --token, --data, --config. `flags` must outlive the parse.
void AddPlaceFlags(CLI::App& command, PlaceFlags& flags);

class Place {
 public:
  // Fails: as ChooseConnection; as LoadSettings and LocalServer::Start; kNotFound where no server
  // has ever stored anything, since a mistyped --data would be created, found empty and reported as
  // intact.
  static Result<Place> Open(const PlaceFlags& flags, Output& output);
  // The same for commands that may be the first on a data folder, which they create if it is
  // missing.
  static Result<Place> OpenOrBegin(const PlaceFlags& flags, Output& output);

  const RegistryClientOptions& connection() const { return connection_; }

 private:
  static Result<Place> OpenLocal(const PlaceFlags& flags, Output& output, bool may_begin);
  explicit Place(RegistryClientOptions connection) : connection_(std::move(connection)) {}

  std::unique_ptr<LocalServer> local_;  // null when a remote server was named
  RegistryClientOptions connection_;
};

// Settings from --data, --config and the environment, for commands that call no server, not even
// one of their own. Fails: as LoadSettings; kNotFound as Place::Open.
Result<Settings> ReadLocalSettings(const PlaceFlags& flags, Output& output);

}  // namespace koya::cli
