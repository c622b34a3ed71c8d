// Selects the mirrored providers and modules that a command applies to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/inventory.h"
#include "wire/verify.h"

namespace CLI {
class App;
}

namespace koya::cli {

// "*" stands for any run of characters but "/"; ASCII letter case is ignored. Pure.
bool MatchesPattern(std::string_view pattern, std::string_view text);

struct MirrorFilter {
  std::vector<std::string> providers;  // "HOST/NAMESPACE/TYPE", or "NAMESPACE/TYPE" of any host
  std::vector<std::string> modules;    // "HOST/NAMESPACE/NAME/SYSTEM", or without the host
  std::vector<std::string> platforms;  // "linux_amd64", "linux_*"
  std::vector<std::string> versions;   // "1.2.3", "1.2.*"

  bool empty() const {
    return providers.empty() && modules.empty() && platforms.empty() && versions.empty();
  }
  // A filter by provider alone excludes all modules, and vice versa.
  bool Wants(const wire::InventoryRelease& release) const;
  bool Wants(const wire::InventoryModule& module) const;
  bool Wants(const wire::StoredArtifact& thing) const;  // a mirrored artifact
  bool WantsPlatform(std::string_view platform) const;

 private:
  bool WantsProvider(const std::string& hostname, const std::string& address,
                     std::string_view version) const;
  bool WantsModule(const std::string& hostname, const std::string& address,
                   std::string_view version) const;
};

// Declares --provider, --module, --platform, --version; patterns are checked during the parse.
// `filter` must outlive the parse.
void AddMirrorFilterFlags(CLI::App& command, MirrorFilter& filter);

}  // namespace koya::cli
