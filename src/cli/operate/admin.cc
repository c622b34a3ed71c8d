// koya admin freeze | gc | compact | replicas | migrate | reseal | forget-secret | adopt-storage;
// backups are in backup.cc

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "app/app.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/api/place.h"
#include "cli/noun.h"
#include "cli/program.h"
#include "domain/replica_record.h"
#include "wire/admin.h"

namespace koya::cli {
namespace {

constexpr std::string_view kResealFooter =
    R"(To replace server.secret: set the new one, set server.secret_previous to the old one, restart every
server, run this once, and leave server.secret_previous out again. On a stopped server's data the
settings are read as "koya serve" reads them.
Exit status 1 when neither of the two opens a secret.

Examples:
  koya admin reseal
  koya admin reseal --config /etc/koya/koya.toml      while no server runs)";

Result<int> Reseal(const PlaceFlags& flags, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(flags, output));
  ASSIGN_OR_RETURN(wire::ResealReport report,
                   ApiClient(place.connection()).Send(At(wire::kResealSecrets)));
  for (const std::string& key : report.lost) {
    output.Note(
        fmt::format("koya: the secret of the key {} was sealed with neither server.secret nor "
                    "server.secret_previous: set server.secret_previous to the one that sealed it, "
                    "or create another key with koya key rotate {}",
                    key, key.substr(0, key.find('/'))));
  }
  output.Print(fmt::format("Re-encrypted {} with the new secret; already current: {}",
                           report.renewed, report.current));
  output.PrintDocument(wire::Encode(report));
  return report.lost.empty() ? 0 : 1;
}

constexpr std::string_view kReplicasFooter =
    R"(Lists the servers on this catalog, including this one, until 30 s after their last sign of life.
FEED: age of the last read of the change log (over 5 s: the server does not reach the database).
CLOCK: how far its clock is ahead of the database's. LEASES: the jobs it does for all servers.
A note names the servers that do not agree on policy.allow or policy.deny.

Examples:
  koya admin replicas
  koya admin replicas --json | jq -r '.replicas[].version' | sort -u      mixed versions?)";

constexpr std::string_view kMigrateFooter =
    R"(Works on the database that --config, --data or KOYA_CATALOG_URL names, without a server. Servers can
run on a PostgreSQL database meanwhile: a migration that would break them waits until all of them
know it, unless --contract is given.

Examples:
  koya admin migrate --config /etc/koya/koya.toml       before servers with catalog.migrate = "wait"
  koya admin migrate --config /etc/koya/koya.toml --contract      no older server is left)";

constexpr std::string_view kForgetFooter =
    R"(For an installation whose secret is lost: servers with this server's secret can start again.
Data sealed with the lost one (signing keys, sign-in provider secrets) stays sealed: replace it with
"koya key rotate" and "koya idp add". Signed releases still verify.
To replace a secret that is known, use server.secret_previous and "koya admin reseal" instead.

Example:
  koya admin forget-secret --config /etc/koya/koya.toml)";

constexpr std::string_view kAdoptFooter =
    R"(A bucket has an object (koya-catalog.json) with the catalog and the server.url of its archives, so
that a copy of a database never removes objects that the original needs. Servers of another catalog,
or at another URL, do not start on it. This assigns the bucket to the catalog in the settings. Make
sure that no server uses the other catalog any more.

Example:
  koya admin adopt-storage --config /etc/koya/koya.toml)";

constexpr std::string_view kFreezeFooter =
    R"(While the registry is frozen, its servers refuse every change with status 503: publishing, tokens,
sign-ins, settings of namespaces. Everything can be read and installed; packages of other registries
that are not stored yet are passed on without being stored. Background work that changes packages
rests. It holds for all servers of the catalog within seconds, and after restarts, until it is turned
off. Changes that had begun before are completed.
Without "on" or "off", shows whether the registry is frozen.

Examples:
  koya admin freeze on --reason "moving to PostgreSQL, until 14:00"
  koya admin freeze --json
  koya admin freeze off)";

constexpr std::string_view kGarbageFooter =
    R"(Lists what the collector of unused blobs would remove if it ran now, and what keeps the rest. The
collector itself runs on one server at a time, every blobs.gc_every, and cannot be started by hand.
It removes blobs that no version, draft or mirrored package has needed for blobs.gc_grace. In a bucket, unused objects first go to the trash, and are deleted after blobs.trash_for.

Examples:
  koya admin gc --dry-run
  koya admin gc --dry-run --json | jq .unused.bytes)";

constexpr std::string_view kCompactFooter =
    R"(For a SQLite catalog, while no server runs on it: writes the file again without its free pages, checks
every page, and refreshes the statistics by which queries are planned. The old file stays until the
new one is on the disk. Needs as much free space beside the catalog as it has, and about a second
for each 100 MB. PostgreSQL does this by itself (autovacuum).
Exit status 1 when the catalog is damaged, in use, or in PostgreSQL; it is unchanged then.

Example:
  koya admin compact --config /etc/koya/koya.toml)";

std::string ReplicaSeconds(std::int64_t milliseconds) {
  return fmt::format("{:.1f} s", static_cast<double>(milliseconds) / 1000);
}

std::string LeaseNames(const wire::Replica& replica) {
  std::string text;
  for (const std::string& name : replica.leases) {
    text += (text.empty() ? "" : ", ") + Printable(name, 60);
  }
  return text;
}

void NoteDifferences(const wire::ReplicaList& list, Output& output) {
  std::vector<SharedSettings> servers;
  for (const wire::Replica& each : list.items) servers.push_back({each.address, each.settings});
  for (const std::string& text : DescribeDifferences(servers)) {
    output.Note("koya: " + Printable(text, 1000));
  }
}

Result<int> ShowReplicas(const PlaceFlags& flags, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(flags, output));
  const Result<wire::ReplicaList> list =
      ApiClient(place.connection()).Send(At(wire::kListReplicas));
  if (list) NoteDifferences(*list, output);
  using wire::Replica;
  return PrintList(
      list,
      {{"ADDRESS", [](const Replica& each) { return Printable(each.address, 60); }},
       {"VERSION", [](const Replica& each) { return Printable(each.version, 60); }},
       {"SCHEMA", [](const Replica& each) { return std::to_string(each.schema_step); }},
       {"STARTED", &Replica::started_at},
       {"FEED",
        [](const Replica& each) {
          return ReplicaSeconds(static_cast<std::int64_t>(each.feed_age_ms));
        }},
       {"CLOCK", [](const Replica& each) { return ReplicaSeconds(each.clock_ahead_ms); }},
       {"LEASES", LeaseNames, "-"}},
      "koya: no server runs on this catalog", output);
}

Result<int> TakeSteps(const PlaceFlags& flags, bool contract, Output& output) {
  ASSIGN_OR_RETURN(Settings settings, ReadLocalSettings(flags, output));
  ASSIGN_OR_RETURN(SchemaReport report, MigrateSchema(settings, contract));
  for (const std::string& step : report.taken) output.Print("Applied the migration " + step);
  if (report.taken.empty()) output.Print("Nothing to migrate");
  for (const std::string& step : report.waiting) {
    output.Note(
        fmt::format("koya: {} waits until every running server knows it (koya admin replicas); "
                    "--contract applies it now",
                    step));
  }
  output.PrintDocument(
      wire::Encode<wire::MigrationResult>({.taken = report.taken, .waiting = report.waiting}));
  return 0;
}

Result<int> Compact(const PlaceFlags& flags, Output& output) {
  ASSIGN_OR_RETURN(Settings settings, ReadLocalSettings(flags, output));
  ASSIGN_OR_RETURN(const CatalogSizes sizes, CompactCatalog(settings));
  output.Print(fmt::format("Compacted the catalog: {} before, {} now", SizeText(sizes.before),
                           SizeText(sizes.after)));
  output.PrintDocument(
      wire::Encode<wire::CompactionResult>({.before = sizes.before, .after = sizes.after}));
  return 0;
}

Result<int> ForgetSecret(const PlaceFlags& flags, Output& output) {
  ASSIGN_OR_RETURN(Settings settings, ReadLocalSettings(flags, output));
  RETURN_IF_ERROR(TakeSecret(settings));
  output.Print(
      "Servers with this server's secret can start now; data sealed with another stays sealed");
  return 0;
}

Result<int> AdoptStorage(const PlaceFlags& flags, Output& output) {
  ASSIGN_OR_RETURN(Settings settings, ReadLocalSettings(flags, output));
  ASSIGN_OR_RETURN(std::string bucket, AdoptBucket(settings));
  output.Print(fmt::format("{} now belongs to this catalog", bucket));
  return 0;
}

// A command on a server or on a stopped server's data.
void AddPlacedCommand(CLI::App& admin, Invocation& invocation, const char* name, const char* text,
                      std::string_view footer, Result<int> (*action)(const PlaceFlags&, Output&)) {
  CLI::App* command = admin.add_subcommand(name, text);
  auto flags = std::make_shared<PlaceFlags>();
  AddPlaceFlags(*command, *flags);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(footer));
  command->callback([flags, action, &invocation] {
    invocation.action = [flags, action](Output& output) { return action(*flags, output); };
  });
}

void AddSum(wire::StorageSum& sum, const wire::StorageSum& more) {
  sum.count += more.count;
  sum.bytes += more.bytes;
}

// Adds a further part.
void AddPart(wire::GarbagePlan& plan, wire::GarbagePlan part) {
  constexpr std::size_t kMostNamed = 100;
  AddSum(plan.unused, part.unused);
  AddSum(plan.referenced, part.referenced);
  AddSum(plan.young, part.young);
  for (wire::UnusedBlob& blob : part.blobs) {
    if (plan.blobs.size() < kMostNamed) plan.blobs.push_back(std::move(blob));
  }
  plan.next = std::move(part.next);
}

void PrintPlan(const wire::GarbagePlan& plan, Output& output) {
  std::vector<std::vector<std::string>> rows;
  auto add = [&rows](std::string_view what, std::string why, const wire::StorageSum& sum) {
    rows.push_back(
        {std::string(what), std::to_string(sum.count), SizeText(sum.bytes), std::move(why)});
  };
  const std::string grace = FormatDuration(std::chrono::seconds(plan.grace_s));
  add("goes", "nothing needs these blobs", plan.unused);
  add("goes", "files of expired drafts", plan.expired_drafts);
  if (plan.trash_for_s > 0) add("goes", "objects whose blobs.trash_for is over", plan.due);
  add("stays", "versions, drafts and mirrored packages need them", plan.referenced);
  add("stays", "of these, files of open drafts", plan.open_drafts);
  add("stays", fmt::format("nothing needs them, for less than blobs.gc_grace ({})", grace),
      plan.young);
  if (plan.trash_for_s > 0) {
    const std::string trash = FormatDuration(std::chrono::seconds(plan.trash_for_s));
    add("stays", fmt::format("in the trash, for less than blobs.trash_for ({})", trash),
        plan.leaving);
    add("stays", "uploads that are not complete", plan.arriving);
  }
  output.PrintTable({"", "COUNT", "BYTES", "WHY"}, rows);
  for (const wire::UnusedBlob& blob : plan.blobs) {
    output.Print(fmt::format("  {} {}", Printable(blob.digest, 80), SizeText(blob.size)));
  }
  if (plan.frozen) output.Note("koya: the registry is frozen: nothing is removed until that ends");
  if (plan.collector.empty()) return;
  output.Note(fmt::format("koya: {} collects at this moment", Printable(plan.collector, 100)));
}

Result<int> PlanGarbage(const PlaceFlags& flags, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(flags, output));
  ApiClient api(place.connection());
  ASSIGN_OR_RETURN(wire::GarbagePlan plan, api.Send(At(wire::kPlanGarbage)));
  while (!plan.next.empty()) {
    const std::string after = plan.next;
    ASSIGN_OR_RETURN(wire::GarbagePlan part, api.Send(At(wire::kPlanGarbage).With("after", after)));
    AddPart(plan, std::move(part));
    // Ends even when a server's parts go in circles.
    if (plan.next == after) break;
  }
  plan.next.clear();
  PrintPlan(plan, output);
  output.PrintDocument(wire::Encode(plan));
  return 0;
}

void AddGarbageCommand(CLI::App& admin, Invocation& invocation) {
  CLI::App* command = admin.add_subcommand("gc", "Show what a garbage collection would remove");
  auto flags = std::make_shared<PlaceFlags>();
  auto dry_run = std::make_shared<bool>(false);
  command->add_flag("--dry-run", *dry_run, "Remove nothing; required")->required();
  AddPlaceFlags(*command, *flags);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kGarbageFooter));
  command->callback([flags, dry_run, &invocation] {
    invocation.action = [flags](Output& output) { return PlanGarbage(*flags, output); };
  });
}

struct FreezeArguments {
  std::string state;  // "on", "off"; "": show it
  std::string reason;
  PlaceFlags place;
};

Result<int> FreezeRegistry(const FreezeArguments& arguments, Output& output) {
  if (arguments.state.empty() && !arguments.reason.empty()) {
    return FailInvalid("--reason is for \"koya admin freeze on\" and \"off\"");
  }
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ApiClient api(place.connection());
  const wire::FreezeRequest wish{.state = arguments.state, .reason = arguments.reason};
  ASSIGN_OR_RETURN(const wire::FreezeReport report, arguments.state.empty()
                                                        ? api.Send(At(wire::kShowFreeze))
                                                        : api.Send(At(wire::kSetFreeze), wish));
  std::string text = "The registry is not frozen";
  if (report.frozen) {
    text = fmt::format("The registry is frozen since {} by {}{}{}", Printable(report.since, 40),
                       Printable(report.by, 200), report.reason.empty() ? "" : ": ",
                       Printable(report.reason, 1000));
  }
  output.Print(text);
  output.PrintDocument(wire::Encode(report));
  return 0;
}

void AddFreezeCommand(CLI::App& admin, Invocation& invocation) {
  CLI::App* command = admin.add_subcommand("freeze", "Refuse all changes, or accept them again");
  auto arguments = std::make_shared<FreezeArguments>();
  command->add_option("STATE", arguments->state, "on or off; default: show the state")
      ->check(CLI::IsMember({"on", "off"}))
      ->type_name("");
  command->add_option("--reason", arguments->reason, "Shown to callers whose change is refused")
      ->type_name("TEXT");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kFreezeFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return FreezeRegistry(*arguments, output); };
  });
}

// Of a command that works on the catalog itself.
void AddCatalogFlags(CLI::App& command, PlaceFlags& flags) {
  command.add_option("--data", flags.data, "The data folder, while no server runs on it")
      ->type_name("DIR");
  command
      .add_option("--config", flags.config,
                  "The settings, as \"koya serve\" reads them: they name the catalog")
      ->type_name("FILE");
}

void AddMigrateCommand(CLI::App& admin, Invocation& invocation) {
  CLI::App* command =
      admin.add_subcommand("migrate", "Apply the pending migrations of the catalog");
  auto flags = std::make_shared<PlaceFlags>();
  auto contract = std::make_shared<bool>(false);
  AddCatalogFlags(*command, *flags);
  command->add_flag("--contract", *contract,
                    "Also apply migrations that running servers do not know: they then fail");
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kMigrateFooter));
  command->callback([flags, contract, &invocation] {
    invocation.action = [flags, contract](Output& output) {
      return TakeSteps(*flags, *contract, output);
    };
  });
}

// A command that works on what the settings name, with no further flags.
void AddCareCommand(CLI::App& admin, Invocation& invocation, const char* name, const char* text,
                    std::string_view footer, Result<int> (*action)(const PlaceFlags&, Output&)) {
  CLI::App* command = admin.add_subcommand(name, text);
  auto flags = std::make_shared<PlaceFlags>();
  AddCatalogFlags(*command, *flags);
  if (action == &Compact) AddJsonFlag(*command, invocation);  // the others print no document
  command->footer(std::string(footer));
  command->callback([flags, action, &invocation] {
    invocation.action = [flags, action](Output& output) { return action(*flags, output); };
  });
}

}  // namespace

void AddAdminCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* admin = program.add_subcommand("admin", "Administer a server (scope admin)");
  admin->require_subcommand(1);
  AddPlacedCommand(*admin, invocation, "reseal", "Seal every secret with server.secret",
                   kResealFooter, Reseal);
  AddPlacedCommand(*admin, invocation, "replicas", "The servers that run on the catalog",
                   kReplicasFooter, ShowReplicas);
  AddFreezeCommand(*admin, invocation);
  AddGarbageCommand(*admin, invocation);
  AddMigrateCommand(*admin, invocation);
  AddCareCommand(*admin, invocation, "compact", "Compact a SQLite catalog", kCompactFooter,
                 Compact);
  AddCareCommand(*admin, invocation, "forget-secret", "Replace a lost server.secret", kForgetFooter,
                 ForgetSecret);
  AddCareCommand(*admin, invocation, "adopt-storage",
                 "Assign the bucket of blobs.url to this catalog", kAdoptFooter, AdoptStorage);
  AddBackupCommands(*admin, invocation);
}

}  // namespace koya::cli
