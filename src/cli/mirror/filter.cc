#include "cli/mirror/filter.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/glob.h"
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
