// koya mirror list

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/mirror.h"
#include "cli/mirror_filter.h"
#include "cli/mirror_place.h"
#include "cli/stock_client.h"

namespace koya::cli {
namespace {

constexpr std::string_view kMirrorListFooter =
    R"(Every release that was ever seen is listed; PLATFORMS says of how many the bytes are here.
A package that is not here is fetched, with the bytes that were seen first, when it is asked for.

Examples:
  koya mirror list
  koya mirror list --provider 'registry.opentofu.org/hashicorp/*' --json)";

struct ListArguments {
  MirrorFilter filter;
  MirrorPlaceFlags place;
};

// The release with the packages that are wanted.
wire::StockRelease Chosen(const wire::StockRelease& release, const MirrorFilter& filter) {
  wire::StockRelease chosen = release;
  std::erase_if(chosen.packages, [&](const wire::StockPackage& package) {
    return !filter.WantsPlatform(package.platform);
  });
  return chosen;
}

std::vector<std::string> Row(const wire::StockRelease& release) {
  std::size_t held = 0;
  std::uint64_t bytes = 0;
  std::string used;
  for (const wire::StockPackage& package : release.packages) {
    if (!package.held) continue;
    ++held;
    bytes += package.size;
    used = std::max(used, package.used);
  }
  return {release.Key(), release.version, fmt::format("{} of {}", held, release.packages.size()),
          ReadableSize(bytes), used.empty() ? "-" : used};
}

std::vector<std::string> Row(const wire::StockModule& module) {
  return {module.Key(), module.version, module.held ? "held" : "not held",
          ReadableSize(module.held ? module.size : 0), module.held ? module.used : "-"};
}

Result<int> List(const ListArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(MirrorPlace place, MirrorPlace::Open(arguments.place, output));
  StockClient client(place.connection());
  ASSIGN_OR_RETURN(std::vector<wire::StockRelease> releases, client.ListReleases());
  ASSIGN_OR_RETURN(std::vector<wire::StockModule> modules, client.ListModules());
  wire::StockReleases listed;
  std::vector<std::vector<std::string>> rows;
  for (const wire::StockRelease& release : releases) {
    if (!arguments.filter.Wants(release)) continue;
    wire::StockRelease chosen = Chosen(release, arguments.filter);
    if (chosen.packages.empty()) continue;
    rows.push_back(Row(chosen));
    listed.releases.push_back(std::move(chosen));
  }
  wire::StockModules listed_modules;
  for (wire::StockModule& module : modules) {
    if (!arguments.filter.Wants(module)) continue;
    rows.push_back(Row(module));
    listed_modules.modules.push_back(std::move(module));
  }
  if (rows.empty()) {
    output.Note("koya: nothing is mirrored");
  } else {
    output.PrintTable({"PROVIDER OR MODULE", "VERSION", "PLATFORMS", "SIZE", "LAST USED"}, rows);
  }
  output.PrintDocument(wire::EncodeStock(listed, listed_modules));
  return 0;
}

}  // namespace

void AddMirrorListCommand(CLI::App& mirror, Invocation& invocation) {
  CLI::App* command = mirror.add_subcommand("list", "List what is kept of other registries");
  auto arguments = std::make_shared<ListArguments>();
  AddMirrorFilterFlags(*command, arguments->filter);
  AddMirrorPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kMirrorListFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return List(*arguments, output); };
  });
}

}  // namespace koya::cli
