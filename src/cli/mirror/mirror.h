// Declares the commands below "koya mirror", and "koya verify", which checks the same bytes; and
// what they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/text/output.h"
#include "wire/inventory.h"
#include "wire/verify.h"

namespace CLI {
class App;
}

namespace koya::cli {

// "381.6 MiB", for people.
std::string ReadableSize(std::uint64_t bytes);

// Calls `work(worker, index)` once for each index below `count`, on at most `jobs` threads; each
// `worker` is one thread. Stops early when `work` returns false: running calls finish. Blocks.
void RunJobs(std::size_t count, std::size_t jobs,
             const std::function<bool(std::size_t worker, std::size_t index)>& work);

// Declares --jobs. `text`: its help text. `jobs` holds the default, and must outlive the parse.
void AddJobsFlag(CLI::App& command, std::size_t& jobs, const std::string& text);

void AddVerifyCommand(CLI::App& program, Invocation& invocation);
void AddMirrorCommand(CLI::App& program, Invocation& invocation);

// Below "mirror".
void AddMirrorFetchCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorImportCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorExportCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorListCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorVerifyCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorPruneCommand(CLI::App& mirror, Invocation& invocation);

// "*" stands for any run of characters but "/"; ASCII letter case is ignored. Pure.
bool MatchesPattern(std::string_view pattern, std::string_view text);

// Selects the mirrored providers and modules that a command applies to.
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
