// koya mirror list

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/api/inventory_client.h"
#include "cli/api/place.h"
#include "cli/mirror/mirror.h"

namespace koya::cli {
namespace {

constexpr std::string_view kMirrorListFooter =
    R"(Lists every release that the mirror has seen; PLATFORMS says for how many the bytes are cached.
Other packages are fetched on request, and must have the bytes seen first.

Examples:
  koya mirror list
  koya mirror list --provider 'registry.opentofu.org/hashicorp/*' --json)";

struct MirrorListArguments {
  MirrorFilter filter;
  PlaceFlags place;
};

// The release with the packages that are wanted.
wire::InventoryRelease Chosen(const wire::InventoryRelease& release, const MirrorFilter& filter) {
  wire::InventoryRelease chosen = release;
  std::erase_if(chosen.packages, [&](const wire::InventoryPackage& package) {
    return !filter.WantsPlatform(package.platform);
  });
  return chosen;
}

std::vector<std::string> Row(const wire::InventoryRelease& release) {
  std::size_t held = 0;
  std::uint64_t bytes = 0;
  std::string used;
  for (const wire::InventoryPackage& package : release.packages) {
    if (!package.held) continue;
    ++held;
    bytes += package.size;
    used = std::max(used, package.used);
  }
  return {release.Key(), release.version, fmt::format("{} of {}", held, release.packages.size()),
          ReadableSize(bytes), used.empty() ? "-" : used};
}

std::vector<std::string> Row(const wire::InventoryModule& module) {
  return {module.Key(), module.version, module.held ? "held" : "not cached",
          ReadableSize(module.held ? module.size : 0), module.held ? module.used : "-"};
}

Result<int> List(const MirrorListArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  InventoryClient client(place.connection());
  ASSIGN_OR_RETURN(std::vector<wire::InventoryRelease> releases, client.ListReleases());
  ASSIGN_OR_RETURN(std::vector<wire::InventoryModule> modules, client.ListModules());
  wire::InventoryReleases listed;
  std::vector<std::vector<std::string>> rows;
  for (const wire::InventoryRelease& release : releases) {
    if (!arguments.filter.Wants(release)) continue;
    wire::InventoryRelease chosen = Chosen(release, arguments.filter);
    if (chosen.packages.empty()) continue;
    rows.push_back(Row(chosen));
    listed.releases.push_back(std::move(chosen));
  }
  wire::InventoryModules listed_modules;
  for (wire::InventoryModule& module : modules) {
    if (!arguments.filter.Wants(module)) continue;
    rows.push_back(Row(module));
    listed_modules.modules.push_back(std::move(module));
  }
  if (rows.empty()) {
    output.Note(arguments.filter.empty() ? "koya: nothing is mirrored"
                                         : "koya: no mirrored package matches");
  } else {
    output.PrintTable({"PROVIDER OR MODULE", "VERSION", "PLATFORMS", "SIZE", "LAST USED"}, rows);
  }
  output.PrintDocument(wire::EncodeInventory(listed, listed_modules));
  return 0;
}

}  // namespace

void AddMirrorListCommand(CLI::App& mirror, Invocation& invocation) {
  CLI::App* command =
      mirror.add_subcommand("list", "List the packages mirrored from other registries");
  auto arguments = std::make_shared<MirrorListArguments>();
  AddMirrorFilterFlags(*command, arguments->filter);
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kMirrorListFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return List(*arguments, output); };
  });
}

}  // namespace koya::cli
