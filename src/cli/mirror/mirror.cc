// koya mirror …: the group, and what its commands share.

#include "cli/mirror/mirror.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/text.h"
#include "domain/host_name.h"

namespace koya::cli {
namespace {

bool AnyMatches(const std::vector<std::string>& patterns, std::string_view text) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
           return MatchesPattern(pattern, text);
         });
}

// An address is meant with its host in either spelling, or without.
bool AddressMatches(const std::vector<std::string>& patterns, const std::string& hostname,
                    const std::string& address, std::size_t parts) {
  if (patterns.empty()) return true;
  Result<HostName> host = HostName::ParseWire(hostname);
  std::string display = host ? host->display() : hostname;
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    auto slashes = static_cast<std::size_t>(std::ranges::count(pattern, '/'));
    if (slashes + 1 == parts) return MatchesPattern(pattern, address);
    return MatchesPattern(pattern, hostname + "/" + address) ||
           MatchesPattern(pattern, display + "/" + address);
  });
}

// `parts`: of the address without its host.
auto CheckAddress(std::size_t parts, std::string_view form) {
  return [parts, form](const std::string& text) -> std::string {
    auto slashes = static_cast<std::size_t>(std::ranges::count(text, '/'));
    bool empty_part = text.starts_with('/') || text.ends_with('/') || text.contains("//");
    if (!empty_part && (slashes + 1 == parts || slashes == parts)) return {};
    return fmt::format("\"{}\" is not {}: use this form, with * for any characters",
                       Printable(text), form);
  };
}

}  // namespace

void RunJobs(std::size_t count, std::size_t jobs,
             const std::function<bool(std::size_t worker, std::size_t index)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  std::size_t wanted = std::min(std::max<std::size_t>(jobs, 1), count);
  threads.reserve(wanted);
  for (std::size_t worker = 0; worker < wanted; ++worker) {
    threads.emplace_back([&, worker] {
      for (std::size_t index = next++; index < count; index = next++) {
        if (!work(worker, index)) next = count;
      }
    });
  }
}

void AddJobsFlag(CLI::App& command, std::size_t& jobs, const std::string& text) {
  constexpr int kMostJobs = 64;
  command.add_option("--jobs", jobs, fmt::format("{} ({})", text, jobs))
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs), "number");
}

std::string ReadableSize(std::uint64_t bytes) {
  constexpr double kKiB = 1024.0;
  auto size = static_cast<double>(bytes);
  if (size < kKiB) return fmt::format("{} B", bytes);
  if (size < kKiB * kKiB) return fmt::format("{:.1f} KiB", size / kKiB);
  if (size < kKiB * kKiB * kKiB) return fmt::format("{:.1f} MiB", size / kKiB / kKiB);
  return fmt::format("{:.1f} GiB", size / kKiB / kKiB / kKiB);
}

void AddMirrorCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* mirror = program.add_subcommand("mirror", "Manage the mirror of other registries");
  mirror->require_subcommand(1);
  AddMirrorFetchCommand(*mirror, invocation);
  AddMirrorImportCommand(*mirror, invocation);
  AddMirrorExportCommand(*mirror, invocation);
  AddMirrorListCommand(*mirror, invocation);
  AddMirrorVerifyCommand(*mirror, invocation);
  AddMirrorPruneCommand(*mirror, invocation);
}

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  while (true) {
    std::size_t p = pattern.find('/');
    std::size_t t = text.find('/');
    if (!MatchesGlob(pattern.substr(0, p), text.substr(0, t))) return false;
    if (p == std::string_view::npos || t == std::string_view::npos) return p == t;
    pattern.remove_prefix(p + 1);
    text.remove_prefix(t + 1);
  }
}

bool MirrorFilter::WantsProvider(const std::string& hostname, const std::string& address,
                                 std::string_view version) const {
  if (providers.empty() && !modules.empty()) return false;
  return AddressMatches(providers, hostname, address, 2) && AnyMatches(versions, version);
}

bool MirrorFilter::WantsModule(const std::string& hostname, const std::string& address,
                               std::string_view version) const {
  // A platform is a provider's.
  if (modules.empty() && (!providers.empty() || !platforms.empty())) return false;
  return AddressMatches(modules, hostname, address, 3) && AnyMatches(versions, version);
}

bool MirrorFilter::Wants(const wire::InventoryRelease& release) const {
  return WantsProvider(release.hostname, release.ns + "/" + release.type, release.version);
}

bool MirrorFilter::Wants(const wire::InventoryModule& module) const {
  return WantsModule(module.hostname, module.ns + "/" + module.name + "/" + module.system,
                     module.version);
}

bool MirrorFilter::Wants(const wire::StoredArtifact& thing) const {
  if (empty()) return true;
  if (thing.kind == "module") return WantsModule(thing.hostname, thing.address, thing.version);
  return WantsProvider(thing.hostname, thing.address, thing.version) &&
         (thing.platform.empty() || WantsPlatform(thing.platform));
}

bool MirrorFilter::WantsPlatform(std::string_view platform) const {
  return AnyMatches(platforms, platform);
}

void AddMirrorFilterFlags(CLI::App& command, MirrorFilter& filter) {
  auto add = [&command](const std::string& name, std::vector<std::string>& into,
                        const std::string& text) {
    return command.add_option(name, into, text)->type_name("PATTERN")->allow_extra_args(false);
  };
  add("--provider", filter.providers,
      "Only these providers, for example registry.opentofu.org/hashicorp/* or acme/demo; "
      "repeatable")
      ->check(CheckAddress(2, "HOST/NAMESPACE/TYPE or NAMESPACE/TYPE"), "provider");
  add("--module", filter.modules,
      "Only these modules, for example registry.opentofu.org/acme/*/aws; repeatable")
      ->check(CheckAddress(3, "HOST/NAMESPACE/NAME/SYSTEM or NAMESPACE/NAME/SYSTEM"), "module");
  add("--platform", filter.platforms, "Only these platforms, for example linux_amd64 or linux_*");
  add("--version", filter.versions, "Only these versions, for example 1.2.3 or 1.2.*");
}

}  // namespace koya::cli
