// Makes a server fetch and store the requested providers and modules, several at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/api/api_client.h"
#include "cli/mirror/warming_request.h"
#include "domain/platform.h"

namespace koya::cli {

// One result: a package of a provider, a module, or (with a failure) the provider, module or
// release at which warming failed.
struct Warmed {
  std::string address;   // "registry.opentofu.org/hashicorp/random"
  std::string version;   // "" when none was found
  std::string platform;  // "" for modules
  std::optional<Error> failure;

  // "registry.opentofu.org/hashicorp/random 3.6.0 linux_amd64"
  std::string Name() const;
};

struct WarmingOptions {
  RegistryClientOptions connection;
  std::vector<Platform> platforms;  // at least one
  bool all_versions = false;        // all allowed versions, not only the newest
  std::size_t jobs = 4;
  // Called for each result as soon as it succeeds or fails, one at a time; `done` of `total`.
  std::function<void(const Warmed&, std::size_t done, std::size_t total)> on_done = {};
};

// Continues after failures. Results are sorted by name.
std::vector<Warmed> WarmMirror(const WarmingRequest& wishes, const WarmingOptions& options);

}  // namespace koya::cli
