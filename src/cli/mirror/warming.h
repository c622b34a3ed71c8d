// Makes a server fetch and keep what is wished for, several things at once.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/api/api_client.h"
#include "cli/mirror/wishes.h"
#include "domain/platform.h"

namespace koya::cli {

// One thing that was asked for: a package of a provider, a module, or (with a failure) whatever it
// did not get beyond.
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
  bool all_versions = false;        // every version that is allowed, not the newest
  std::size_t jobs = 4;
  // Called for each thing as soon as it is there or has failed, one at a time; `done` of `total`.
  std::function<void(const Warmed&, std::size_t done, std::size_t total)> on_done = {};
};

// Goes on after a failure. Sorted by name.
std::vector<Warmed> WarmMirror(const MirrorWishes& wishes, const WarmingOptions& options);

}  // namespace koya::cli
