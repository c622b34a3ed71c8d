// koya mirror prune

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/api/inventory_client.h"
#include "cli/api/place.h"
#include "cli/mirror/mirror.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kMirrorPruneFooter =
    R"(Releases the bytes of mirrored packages and modules; the server then removes them. The first bytes
seen stay pinned: a later request fetches the same bytes again. Packages imported from a registry
that the server cannot pull from would have to be imported again.
Applies to the packages that match the filters: with --unused, those not used for so long; with
--keep-bytes, the least recently used, until at most that much is cached; without either, all.
Bytes that are also used outside of the selection are kept. Published packages are never removed.

Examples:
  koya mirror prune --unused 90d --dry-run
  koya mirror prune --keep-bytes 20GiB
  koya mirror prune --provider '*/hashicorp/aws' --version '4.*')";

struct PruneArguments {
  std::string unused;
  std::string keep_bytes;
  bool dry_run = false;
  MirrorFilter filter;
  PlaceFlags place;
};

// A reference to a blob, and the function that releases it.
struct Holder {
  std::string name;
  bool chosen = false;  // by the filters
  std::function<Status(InventoryClient&)> release;
};

// A blob with all that have it.
struct HeldBlob {
  std::uint64_t size = 0;
  std::string used;  // RFC 3339, which sorts as time does
  std::vector<Holder> holders;
};

using HeldBlobs = std::map<std::string, HeldBlob>;  // by digest

void AddHolder(HeldBlobs& blobs, const std::string& digest, std::uint64_t size,
               const std::string& used, Holder holder) {
  HeldBlob& blob = blobs[digest];
  blob.size = size;
  blob.used = std::max(blob.used, used);
  blob.holders.push_back(std::move(holder));
}

Result<HeldBlobs> ListHeld(InventoryClient& client, const MirrorFilter& filter) {
  HeldBlobs blobs;
  ASSIGN_OR_RETURN(std::vector<wire::InventoryRelease> releases, client.ListReleases());
  for (const wire::InventoryRelease& inventory : releases) {
    ASSIGN_OR_RETURN(MirroredRelease release, ParseInventory(inventory));
    for (const wire::InventoryPackage& package : inventory.packages) {
      if (!package.held) continue;
      ASSIGN_OR_RETURN(Platform platform, Platform::Parse(package.platform));
      AddHolder(blobs, package.digest, package.size, package.used,
                {.name = release.ToString() + " " + package.platform,
                 .chosen = filter.Wants(inventory) && filter.WantsPlatform(package.platform),
                 .release = [release, platform](InventoryClient& with) {
                   return with.Send(At(wire::kReleasePackage, release, platform));
                 }});
    }
  }
  ASSIGN_OR_RETURN(std::vector<wire::InventoryModule> modules, client.ListModules());
  for (const wire::InventoryModule& inventory : modules) {
    if (!inventory.held) continue;
    ASSIGN_OR_RETURN(MirroredModule module, ParseInventory(inventory));
    AddHolder(blobs, inventory.digest, inventory.size, inventory.used,
              {.name = module.ToString(),
               .chosen = filter.Wants(inventory),
               .release = [module](InventoryClient& with) {
                 return with.Send(At(wire::kReleaseModule, module));
               }});
  }
  return blobs;
}

// Those that go, the least recently used first.
std::vector<const HeldBlob*> Choose(const HeldBlobs& blobs, const PruneArguments& arguments) {
  std::vector<const HeldBlob*> candidates;
  std::uint64_t total = 0;
  for (const auto& [digest, blob] : blobs) {
    total += blob.size;
    if (std::ranges::all_of(blob.holders, &Holder::chosen)) candidates.push_back(&blob);
  }
  std::ranges::sort(candidates, {}, [](const HeldBlob* blob) {
    return std::pair(blob->used, blob->holders.front().name);
  });
  if (!arguments.unused.empty()) {
    std::string since =
        FormatRfc3339(SystemClock().Now() - ParseDuration(arguments.unused).value().count());
    std::erase_if(candidates, [&](const HeldBlob* blob) { return blob->used >= since; });
  }
  if (!arguments.keep_bytes.empty()) {
    std::uint64_t most = ParseSize(arguments.keep_bytes).value();
    std::size_t count = 0;
    for (; count < candidates.size() && total > most; ++count) total -= candidates[count]->size;
    candidates.resize(count);
  }
  return candidates;
}

Result<int> Prune(const PruneArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  InventoryClient client(place.connection());
  ASSIGN_OR_RETURN(HeldBlobs blobs, ListHeld(client, arguments.filter));
  std::vector<const HeldBlob*> chosen = Choose(blobs, arguments);
  wire::PruneReport report{.dry_run = arguments.dry_run, .bytes = 0, .released = {}};
  for (const HeldBlob* blob : chosen) {
    report.bytes += blob->size;
    for (const Holder& holder : blob->holders) {
      if (!arguments.dry_run) RETURN_IF_ERROR(holder.release(client));
      output.Print(fmt::format("{}  last used {}", holder.name, blob->used));
      report.released.push_back(holder.name);
    }
  }
  output.Print(fmt::format("{} {} ({})", arguments.dry_run ? "Would release" : "Released",
                           report.released.size(), ReadableSize(report.bytes)));
  output.PrintDocument(wire::Encode(report));
  return 0;
}

std::string CheckUnusedFor(const std::string& text) {
  if (ParseDuration(text)) return {};
  return fmt::format(
      "\"{}\" is not a duration: use a whole number and s, m, h or d, for example 90d", text);
}

std::string CheckSize(const std::string& text) {
  if (ParseSize(text)) return {};
  return fmt::format("\"{}\" is not a size: use a number and KiB, MiB or GiB, for example 20GiB",
                     text);
}

}  // namespace

void AddMirrorPruneCommand(CLI::App& mirror, Invocation& invocation) {
  CLI::App* command = mirror.add_subcommand("prune", "Remove mirrored packages to free space");
  auto arguments = std::make_shared<PruneArguments>();
  command
      ->add_option("--unused", arguments->unused, "Packages not used for so long, for example 90d")
      ->type_name("DURATION")
      ->check(CheckUnusedFor, "duration");
  command
      ->add_option("--keep-bytes", arguments->keep_bytes,
                   "The least recently used, until this much is left, for example 20GiB")
      ->type_name("SIZE")
      ->check(CheckSize, "size");
  command->add_flag("--dry-run", arguments->dry_run, "Show the packages without removing them");
  AddMirrorFilterFlags(*command, arguments->filter);
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kMirrorPruneFooter));
  command->callback([arguments, &invocation] {
    bool chosen =
        !arguments->unused.empty() || !arguments->keep_bytes.empty() || !arguments->filter.empty();
    if (!chosen) {
      throw CLI::ValidationError(
          "select packages: --unused DURATION, --keep-bytes SIZE, or a filter such as --provider");
    }
    invocation.action = [arguments](Output& output) { return Prune(*arguments, output); };
  });
}

}  // namespace koya::cli
