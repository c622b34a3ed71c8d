// Where the commands about the mirror work: on a server, or on a stopped server's data.
#pragma once

#include <memory>
#include <string>

#include "app/local_server.h"
#include "base/result.h"
#include "cli/connection.h"

namespace koya::cli {

struct MirrorPlaceFlags {
  ServerFlags server;
  std::string data;
  std::string config;
};

// --server, --token, --data, --config. `flags` must outlive the parse.
void AddMirrorPlaceFlags(CLI::App& command, MirrorPlaceFlags& flags);

class MirrorPlace {
 public:
  // Fails: as ChooseConnection; as LoadSettings and LocalServer::Start.
  static Result<MirrorPlace> Open(const MirrorPlaceFlags& flags, Output& output);

  const RegistryClientOptions& connection() const { return connection_; }

 private:
  explicit MirrorPlace(RegistryClientOptions connection) : connection_(std::move(connection)) {}

  std::unique_ptr<LocalServer> local_;  // null when a server elsewhere was named
  RegistryClientOptions connection_;
};

}  // namespace koya::cli
