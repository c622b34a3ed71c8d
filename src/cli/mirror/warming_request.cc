#include "cli/mirror/warming_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "hcl/config_folder.h"
#include "hcl/lock_file.h"

namespace koya::cli {
namespace {

constexpr std::string_view kLockFile = ".terraform.lock.hcl";

bool LooksLikeAHost(std::string_view part) {
  return part.find_first_of(".:") != part.npos || part == "localhost";
}

Result<std::vector<ProviderRequest>> ReadLockFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, hcl::ReadTextFile(path));
  Result<std::vector<hcl::LockedProvider>> locked = hcl::ParseLockFile(text);
  if (!locked) {
    return Fail(ErrorKind::kInvalid, fmt::format("{}: {}", path, locked.error().message));
  }
  std::vector<ProviderRequest> wishes;
  for (hcl::LockedProvider& each : *locked) {
    LockedRelease release{.version = std::move(each.version),
                          .hashes = std::move(each.hashes),
                          .place = fmt::format("{}:{}", path, each.line)};
    wishes.push_back({std::move(each.source), {}, std::move(release)});
  }
  return wishes;
}

}  // namespace

Status WarmingRequest::AddAddress(std::string_view text, const HostName& default_host) {
  std::size_t at = text.find('@');
  std::string_view address = text.substr(0, at);
  std::string_view constraint = at == text.npos ? std::string_view() : text.substr(at + 1);
  auto parts = std::ranges::count(address, '/') + 1;
  bool host = LooksLikeAHost(address.substr(0, address.find('/')));
  if (parts == 4 || (parts == 3 && !host)) {
    std::optional<hcl::ModuleSource> source = hcl::ParseModuleSource(address, default_host);
    if (!source) {
      return Fail(
          ErrorKind::kInvalid,
          fmt::format("\"{}\" is not a registry module address: use [HOST/]NAMESPACE/NAME/SYSTEM",
                      Printable(address)));
    }
    ASSIGN_OR_RETURN(VersionConstraint wanted,
                     VersionConstraint::Parse(constraint, ConstraintStyle::kModule));
    modules.push_back({*std::move(source), std::move(wanted)});
    return {};
  }
  if (parts != 2 && parts != 3) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("\"{}\" is not an address: use [HOST/]NAMESPACE/TYPE for a provider, "
                            "[HOST/]NAMESPACE/NAME/SYSTEM for a module",
                            Printable(address)));
  }
  ASSIGN_OR_RETURN(std::optional<hcl::ProviderSource> source,
                   hcl::ParseProviderSource(address, default_host));
  if (!source) {
    return Fail(ErrorKind::kInvalid, fmt::format("{} is built into the clients", address));
  }
  ASSIGN_OR_RETURN(VersionConstraint wanted, VersionConstraint::Parse(constraint));
  providers.push_back({*std::move(source), std::move(wanted)});
  return {};
}

Status WarmingRequest::AddLockFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::vector<ProviderRequest> wishes, ReadLockFile(path));
  std::ranges::move(wishes, std::back_inserter(providers));
  return {};
}

Status WarmingRequest::AddConfiguration(const std::string& folder, const HostName& default_host) {
  ASSIGN_OR_RETURN(hcl::Requirements needs, hcl::ReadConfiguration(folder, default_host));
  std::ranges::move(needs.problems, std::back_inserter(problems));
  std::ranges::move(needs.notes, std::back_inserter(notes));
  std::filesystem::path lock = std::filesystem::path(folder) / kLockFile;
  std::error_code error;
  std::vector<ProviderRequest> locked;
  bool has_lock = std::filesystem::exists(lock, error);
  if (has_lock) {
    ASSIGN_OR_RETURN(locked, ReadLockFile(lock.string()));
  }
  for (hcl::ProviderNeed& need : needs.providers) {
    auto same = [&](const ProviderRequest& wish) {
      return wish.source.ToString() == need.source.ToString();
    };
    if (std::ranges::any_of(locked, same)) continue;
    providers.push_back({std::move(need.source), std::move(need.constraint)});
  }
  std::ranges::move(locked, std::back_inserter(providers));
  if (!has_lock && !needs.modules.empty()) {
    notes.push_back(
        fmt::format("{} has no {}: the requirements of its registry modules are unknown; \"tofu "
                    "init\" writes it",
                    folder, kLockFile));
  }
  for (hcl::ModuleNeed& need : needs.modules) {
    modules.push_back({std::move(need.source), std::move(need.constraint)});
  }
  return {};
}

}  // namespace koya::cli
