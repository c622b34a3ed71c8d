// koya mirror fetch ADDRESS[@CONSTRAINT]… | --lock FILE | --config DIR

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/api/connection.h"
#include "cli/mirror/mirror.h"
#include "cli/mirror/warming.h"
#include "cli/text/readable.h"
#include "cli/text/this_platform.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kMirrorFetchFooter =
    R"(Requests each package as a client would, so that the server fetches, verifies and caches it. Only a
package's last byte is sent here. Cached packages are not fetched again, so you can simply repeat an
interrupted run.

ADDRESS is [HOST/]NAMESPACE/TYPE for a provider and [HOST/]NAMESPACE/NAME/SYSTEM for a module.
CONSTRAINT is written as in configurations: 1.2.0, "~> 5.0", ">= 1.0, < 2.0, != 1.3.1". The newest
allowed version is fetched; a prerelease only when it is named exactly.
--lock FILE fetches exactly the releases in a lock file, and compares the hashes: it fails
when none of those served for a platform is in the lock.
--config DIR reads *.tf and *.tofu there and in called local modules: required_providers, providers
implied by resource types, modules of registries. A .opentofu.lock.hcl in DIR, else a
.terraform.lock.hcl, decides the versions of its providers. Only the lock file names the providers
that registry modules need. Nothing is evaluated: expressions, JSON (*.tf.json) and override files
are reported with their place, and make the exit status 1.

Examples:
  koya mirror fetch hashicorp/random@"~> 3.5" --platform linux_amd64 --platform darwin_arm64
  koya mirror fetch registry.terraform.io/hashicorp/aws acme/vpc/aws@1.2.0
  koya mirror fetch --lock .terraform.lock.hcl
  koya mirror fetch --config . --jobs 8 --json)";

struct FetchArguments {
  std::vector<std::string> addresses;
  std::string lock;
  std::string config;
  std::vector<std::string> platforms;
  std::string default_host = "registry.opentofu.org";
  bool all_versions = false;
  std::size_t jobs = 4;
  ServerFlags server;
};

Result<WarmingRequest> ReadWishes(const FetchArguments& arguments) {
  ASSIGN_OR_RETURN(HostName host, HostName::Parse(arguments.default_host));
  WarmingRequest wishes;
  for (const std::string& address : arguments.addresses) {
    RETURN_IF_ERROR(wishes.AddAddress(address, host));
  }
  if (!arguments.lock.empty()) RETURN_IF_ERROR(wishes.AddLockFile(arguments.lock));
  if (!arguments.config.empty()) {
    RETURN_IF_ERROR(wishes.AddConfiguration(arguments.config, host));
  }
  return wishes;
}

Result<std::vector<Platform>> ReadPlatforms(const std::vector<std::string>& names) {
  std::vector<Platform> platforms;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(Platform platform, Platform::Parse(name));
    if (std::ranges::count(platforms, platform) == 0) platforms.push_back(std::move(platform));
  }
  if (platforms.empty()) {
    ASSIGN_OR_RETURN(Platform own, ThisPlatform());
    platforms.push_back(std::move(own));
  }
  return platforms;
}

std::string Document(const std::vector<Warmed>& warmed, const WarmingRequest& wishes) {
  wire::FetchReport report{
      .fetched = {}, .failed = {}, .problems = wishes.problems, .notes = wishes.notes};
  for (const Warmed& each : warmed) {
    auto& items = each.failure ? report.failed : report.fetched;
    items.push_back({.address = each.address,
                     .version = each.version,
                     .platform = each.platform,
                     .error = each.failure ? each.failure->message : ""});
  }
  return wire::Encode(report);
}

// A line for each thing as it comes; on stderr where stdout is for the document.
void Report(const Warmed& warmed, std::size_t done, std::size_t total, Output& output) {
  if (warmed.failure) {
    output.Note(fmt::format("koya: {}: {}", warmed.Name(), warmed.failure->message));
    return;
  }
  std::string line = fmt::format("[{}/{}] {}", done, total, warmed.Name());
  output.Print(line);
  if (output.json() && output.shell().err_is_terminal) output.Note(line);
}

Result<int> Fetch(const FetchArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(WarmingRequest wishes, ReadWishes(arguments));
  WarmingOptions options{.all_versions = arguments.all_versions, .jobs = arguments.jobs};
  ASSIGN_OR_RETURN(options.platforms, ReadPlatforms(arguments.platforms));
  for (const std::string& note : wishes.notes) output.Note("koya: " + note);
  for (const std::string& problem : wishes.problems) output.Note("koya: not read: " + problem);
  ASSIGN_OR_RETURN(options.connection, ChooseConnection(arguments.server, output));
  options.on_done = [&](const Warmed& warmed, std::size_t done, std::size_t total) {
    Report(warmed, done, total, output);
  };
  std::vector<Warmed> warmed = WarmMirror(wishes, options);
  auto failed =
      std::ranges::count_if(warmed, [](const Warmed& e) { return e.failure.has_value(); });
  output.Print(fmt::format("{} fetched or already cached, {} failed{}",
                           warmed.size() - static_cast<std::size_t>(failed), failed,
                           wishes.problems.empty()
                               ? std::string()
                               : fmt::format(", {} not read", wishes.problems.size())));
  output.PrintDocument(Document(warmed, wishes));
  return failed > 0 || !wishes.problems.empty() ? 1 : 0;
}

void AddFlags(CLI::App& command, FetchArguments& arguments) {
  command.add_option("ADDRESS", arguments.addresses, "What to fetch: ADDRESS[@CONSTRAINT]…")
      ->check(ReadableBy([](const std::string& text) {
        return WarmingRequest().AddAddress(text, *HostName::Parse("registry.opentofu.org"));
      }))
      ->type_name("");
  command.add_option("--lock", arguments.lock, "Fetch the releases in this lock file")
      ->type_name("FILE");
  command.add_option("--config", arguments.config, "Fetch the requirements of this configuration")
      ->type_name("DIR");
  command
      .add_option(
          "--platform", arguments.platforms,
          "For this platform, for example linux_amd64; repeatable (default: this machine's)")
      ->type_name("OS_ARCH")
      ->check(ReadableBy(Platform::Parse))
      ->allow_extra_args(false);
  command
      .add_option("--default-host", arguments.default_host,
                  "The registry of addresses without a host (default: registry.opentofu.org)")
      ->type_name("HOST")
      ->check(ReadableBy(HostName::Parse));
  command.add_flag("--all-versions", arguments.all_versions,
                   "Every version that the constraint allows, not only the newest");
  AddJobsFlag(command, arguments.jobs, "How many are fetched at once");
}

}  // namespace

void AddMirrorFetchCommand(CLI::App& mirror, Invocation& invocation) {
  CLI::App* command =
      mirror.add_subcommand("fetch", "Fetch providers and modules into the mirror in advance");
  auto arguments = std::make_shared<FetchArguments>();
  AddFlags(*command, *arguments);
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kMirrorFetchFooter));
  command->callback([arguments, &invocation] {
    if (arguments->addresses.empty() && arguments->lock.empty() && arguments->config.empty()) {
      throw CLI::RequiredError("ADDRESS, --lock or --config");
    }
    invocation.action = [arguments](Output& output) { return Fetch(*arguments, output); };
  });
}

}  // namespace koya::cli
