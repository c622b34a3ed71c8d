// Place is where a command works: a server, or the data of a stopped server. SettingsFlags are the
// settings of a server that it starts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/app.h"
#include "app/settings.h"
#include "base/result.h"
#include "cli/api/connection.h"
#include "cli/text/shell.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

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

// The same for a command that fills a data folder or a database, which may not exist yet.
Result<Settings> ReadSettingsToBegin(const PlaceFlags& flags, Output& output);

// The server's settings on a command line: --config, and one flag per setting, made from the table
// of settings. Holds a command's flags during the parse. Not movable: the parser points into it.
struct SettingsFlags {
  SettingsFlags() = default;
  SettingsFlags(const SettingsFlags&) = delete;
  SettingsFlags& operator=(const SettingsFlags&) = delete;

  std::string config;               // --config
  std::vector<std::string> values;  // parallel to AllSettings()
  std::vector<CLI::Option*> options;
};

// Declares --config and a flag for every setting. `flags` must outlive the parse.
void AddSettingsFlags(CLI::App& command, SettingsFlags& flags);

// The flags that were given, over the environment, over the file, over defaults.
SettingsInput SettingsOf(const SettingsFlags& flags, const Variables& variables);

}  // namespace koya::cli
