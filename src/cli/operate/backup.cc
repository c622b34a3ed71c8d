// koya admin backup | restore | move

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/backup.h"
#include "base/file_io.h"
#include "base/text.h"
#include "cli/api/api_client.h"
#include "cli/api/place.h"
#include "cli/program.h"
#include "wire/backup.h"

namespace koya::cli {
namespace {

constexpr std::string_view kBackupFooter =
    R"(TO is a folder of this machine, to which the command copies what the server sends, or
s3://BUCKET/PREFIX, to which the server writes with its access blobs.s3.*. A backup has the records as
they are at one moment, and all archives; archives that TO has from earlier backups are not copied
again. A run that was interrupted is continued by the next one. server.secret is not in it: store that
elsewhere. --check verifies a backup without a server: its digests, its records by restoring them, and
a sample of its archives (--all: every one).
Exit status 1 when --check finds a problem, or the store lacks archives.

Examples:
  koya admin backup /mnt/backup/koya
  koya admin backup s3://koya-backups/main
  koya admin backup /mnt/backup/koya --config /etc/koya/koya.toml      while no server runs
  koya admin backup --check /mnt/backup/koya --all)";

constexpr std::string_view kRestoreFooter =
    R"(Restores the newest backup in FROM, or that of --at, into the catalog and the store that --config
names, of any kind. Both must be empty, and no server may run on them. The catalog becomes another one:
a bucket of the original stays that of the original. Users, tokens and keys are restored; set
server.secret to the original's, or keys that the server signs with stay sealed. The search index is
rebuilt while the server runs; "koya reindex" does so at once. An interrupted run can be repeated.

Examples:
  koya admin restore /mnt/backup/koya --config /etc/koya/koya.toml
  koya admin restore /mnt/backup/koya --at 20261130T041842Z --config /etc/koya/koya.toml)";

constexpr std::string_view kMoveFooter =
    R"(Copies a registry to the catalog and the store that the settings TO name, of any kind: archives first,
then all records. Both sides are stopped, and TO is empty; an interrupted run can be repeated. TO has
the same server.secret. Then the sums of each table are compared, and the original is marked as moved:
it loses nothing, and servers refuse to start on it. --take-back removes the mark.

Examples:
  koya admin move --config /etc/koya/koya.toml --to /etc/koya/postgresql.toml
  koya admin move --config /etc/koya/koya.toml --take-back)";

constexpr std::string_view kBucketScheme = "s3://";
// How long another backup, one that was killed, or a collection of garbage is waited for.
constexpr std::chrono::seconds kSessionPatience{120};
constexpr std::chrono::seconds kBetweenTries{2};
// Of a request for all records, which the server reads first.
constexpr std::chrono::minutes kRecordsTimeout{60};

// A server, by its API.
class ServerSource final : public service::BackupSource {
 public:
  // `scratch`: a folder that exists when blobs are read.
  ServerSource(const RegistryClientOptions& connection, std::filesystem::path scratch)
      : api_(connection), renewing_(connection), scratch_(std::move(scratch)) {}
  ~ServerSource() override {
    if (session_.id.empty()) return;
    Status ended = api_.Send(At(wire::kEndBackupSession, session_.id));  // else it expires
    static_cast<void>(ended);
  }
  ServerSource(const ServerSource&) = delete;
  ServerSource& operator=(const ServerSource&) = delete;

  Status OpenSession(Output& output) {
    const auto until = std::chrono::steady_clock::now() + kSessionPatience;
    bool noted = false;
    while (true) {
      Result<wire::BackupSession> session = api_.Send(At(wire::kOpenBackupSession), {});
      if (session) {
        session_ = *std::move(session);
        return {};
      }
      const ErrorKind kind = session.error().kind;
      const bool again = kind == ErrorKind::kConflict || kind == ErrorKind::kUnavailable;
      if (!again || std::chrono::steady_clock::now() > until) {
        return Failure(std::move(session).error());
      }
      if (!std::exchange(noted, true)) output.Note("koya: waiting: " + session.error().message);
      std::this_thread::sleep_for(kBetweenTries);
    }
  }

  const wire::BackupOrigin& origin() const override { return session_.origin; }

  Status ReadRecords(const ByteSink& sink) override {
    http::ClientRequest request;
    request.sink = sink;
    request.stall_timeout = kRecordsTimeout;
    RETURN_IF_ERROR(
        api_.Call(At(wire::kReadBackupRecords).With("session", session_.id), std::move(request)));
    return {};
  }

  Result<std::vector<BlobInfo>> ListBlobs(std::optional<Digest> after) override {
    ASSIGN_OR_RETURN(const wire::BackupBlobs page,
                     api_.Send(At(wire::kListBackupBlobs)
                                   .With("session", session_.id)
                                   .WithAny("after", after ? after->hex() : "")));
    std::vector<BlobInfo> blobs;
    for (const wire::BackupBlob& each : page.items) {
      ASSIGN_OR_RETURN(const Digest digest, Digest::Parse(each.digest));
      blobs.push_back({.digest = digest, .size = each.size});
    }
    return blobs;
  }

  Status ReadBlob(const BlobInfo& blob, const std::function<Status(int)>& use) override {
    ASSIGN_OR_RETURN(ScratchFile file, ScratchFile::Create(scratch_));
    std::uint64_t size = 0;
    http::ClientRequest request;
    request.sink = [&](std::span<const std::byte> bytes) -> Status {
      size += bytes.size();
      return file.Append(bytes);
    };
    RETURN_IF_ERROR(api_.Call(At(wire::kReadBackupBlob, blob.digest.hex()), std::move(request)));
    if (size == blob.size) return use(file.descriptor());
    return Fail(ErrorKind::kCorrupt,
                fmt::format("{} has another size on the server", blob.digest.ToString()));
  }

  Status Renew() override {
    RETURN_IF_ERROR(renewing_.Send(At(wire::kOpenBackupSession), session_));
    return {};
  }

 private:
  ApiClient api_;
  ApiClient renewing_;  // of another thread
  const std::filesystem::path scratch_;
  wire::BackupSession session_;
};

struct BackupArguments {
  std::string place;
  std::string at;
  bool check = false;
  bool all = false;
  PlaceFlags flags;
};

int ReportBackup(const wire::BackupManifest& manifest, std::string_view where, Output& output) {
  output.Print(fmt::format("Made the backup {} in {}: records {}, archives {} ({} bytes)",
                           manifest.id, where, manifest.records.count, manifest.blobs.count,
                           manifest.blobs.bytes));
  output.PrintDocument(wire::Encode(manifest));
  if (manifest.missing.empty()) return 0;
  output.Note(
      fmt::format("koya: the store lacks {} archives, or has them damaged, sha256:{} for "
                  "example: \"koya verify\" names what they belong to",
                  manifest.missing.size(), manifest.missing.front()));
  return 1;
}

Result<int> BackUpHere(const BackupArguments& arguments, Place& place, Output& output) {
  ServerSource source(place.connection(), arguments.place);
  RETURN_IF_ERROR(source.OpenSession(output));
  ASSIGN_OR_RETURN(
      const service::BackupReport report,
      BackUpToFolder(source, arguments.place, [&output](std::uint64_t blobs, std::uint64_t copied) {
        output.Note(fmt::format("koya: {} archives, {} of them copied", blobs, copied));
      }));
  return ReportBackup(report.manifest, arguments.place, output);
}

// The server writes; its state says when it has ended.
Result<int> BackUpThere(const BackupArguments& arguments, Place& place, Output& output) {
  ApiClient api(place.connection());
  ASSIGN_OR_RETURN(const wire::BackupState before, api.Send(At(wire::kShowBackup)));
  RETURN_IF_ERROR(api.Send(At(wire::kStartBackup), {.to = arguments.place}));
  while (true) {
    std::this_thread::sleep_for(kBetweenTries);
    ASSIGN_OR_RETURN(const wire::BackupState state, api.Send(At(wire::kShowBackup)));
    if (state.attempts == before.attempts) continue;
    if (!state.failure.empty()) return FailUnavailable("{}", state.failure);
    output.Print(fmt::format("Made the backup {} in {}", state.last_id, arguments.place));
    output.PrintDocument(wire::Encode(state));
    return 0;
  }
}

Result<int> CheckOne(const BackupArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(const Settings settings, ReadSettingsToBegin(arguments.flags, output));
  ASSIGN_OR_RETURN(const BackupVerdict verdict,
                   VerifyBackup(settings, arguments.place, arguments.at, arguments.all));
  const wire::BackupManifest& manifest = verdict.manifest;
  for (const std::string& problem : verdict.check.problems) {
    output.Note("koya: " + Printable(problem, 1000));
  }
  if (!manifest.missing.empty()) {
    output.Note(fmt::format("koya: the store already lacked {} archives when this was made",
                            manifest.missing.size()));
  }
  output.Print(fmt::format("{} the backup {} of {}: records {}, archives {}, of them read {}",
                           verdict.check.problems.empty() ? "Verified" : "Found problems in",
                           manifest.id, manifest.made_at, manifest.records.count,
                           verdict.check.blobs, verdict.check.hashed));
  output.PrintDocument(wire::Encode(manifest));
  return verdict.check.problems.empty() ? 0 : 1;
}

Result<int> BackUp(const BackupArguments& arguments, Output& output) {
  if (arguments.check) return CheckOne(arguments, output);
  if (arguments.all || !arguments.at.empty()) {
    return FailInvalid("--all and --at are for --check: add that, or leave them out");
  }
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.flags, output));
  if (arguments.place.starts_with(kBucketScheme)) return BackUpThere(arguments, place, output);
  return BackUpHere(arguments, place, output);
}

Result<int> Restore(const BackupArguments& arguments, Output& output) {
  if (arguments.flags.config.empty() && arguments.flags.data.empty()) {
    return FailInvalid(
        "name the empty catalog and store: --config FILE with their settings, or --data DIR");
  }
  ASSIGN_OR_RETURN(const Settings settings, ReadSettingsToBegin(arguments.flags, output));
  constexpr std::uint64_t kEvery = 100;
  ASSIGN_OR_RETURN(
      const Restoration restored,
      RestoreBackup(settings, arguments.place, arguments.at, [&output](std::uint64_t blobs) {
        if (blobs % kEvery != 0) return;
        output.Note(fmt::format("koya: {} archives restored", blobs));
      }));
  output.Print(fmt::format("Restored the backup {} of {}: records {}, archives {}",
                           restored.manifest.id, restored.manifest.made_at, restored.report.rows,
                           restored.report.blobs));
  output.PrintDocument(wire::Encode(restored.manifest));
  if (!restored.manifest.missing.empty()) {
    output.Note(
        fmt::format("koya: the backup lacks {} archives that the store had lost: \"koya "
                    "verify\" names what they belong to",
                    restored.manifest.missing.size()));
  }
  if (!restored.same_secret) {
    output.Note(
        "koya: server.secret is not that of the original: keys that the server signs with, and "
        "secrets of sign-in providers, stay sealed. Set server.secret_previous to the original's "
        "and run \"koya admin reseal\", or replace them");
  }
  return 0;
}

void AddRestoration(CLI::App& admin, Invocation& invocation) {
  CLI::App* command = admin.add_subcommand("restore", "Restore a backup into empty stores");
  auto arguments = std::make_shared<BackupArguments>();
  command->add_option("from", arguments->place, "A folder, or s3://BUCKET/PREFIX")
      ->required()
      ->type_name("FROM");
  command->add_option("--at", arguments->at, "Restore this backup, not the newest")
      ->type_name("ID");
  command->add_option("--data", arguments->flags.data, "The new data folder")->type_name("DIR");
  command
      ->add_option("--config", arguments->flags.config,
                   "The settings, as \"koya serve\" reads them: they name the catalog and store")
      ->type_name("FILE");
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kRestoreFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Restore(*arguments, output); };
  });
}

struct MoveArguments {
  PlaceFlags from;
  std::string to;
  bool take_back = false;
};

Result<int> Move(const MoveArguments& arguments, Output& output) {
  if (arguments.take_back == !arguments.to.empty()) {
    return FailInvalid("name the new settings with --to TO.toml, or use --take-back");
  }
  ASSIGN_OR_RETURN(const Settings from, ReadLocalSettings(arguments.from, output));
  if (arguments.take_back) {
    RETURN_IF_ERROR(TakeBackMove(from));
    output.Print(
        "Servers can start on this catalog again. Start none on the one that it was moved to");
    return 0;
  }
  PlaceFlags flags;
  flags.config = arguments.to;
  ASSIGN_OR_RETURN(const Settings to, ReadSettingsToBegin(flags, output));
  constexpr std::uint64_t kEvery = 100;
  ASSIGN_OR_RETURN(const service::RestoreReport report,
                   MoveRegistry(from, to, arguments.to, [&output](std::uint64_t blobs) {
                     if (blobs % kEvery != 0) return;
                     output.Note(fmt::format("koya: {} archives copied", blobs));
                   }));
  output.Print(
      fmt::format("Moved: records {}, archives {}, of them copied now {}. Start servers with {}",
                  report.rows, report.blobs, report.copied, arguments.to));
  return 0;
}

void AddMove(CLI::App& admin, Invocation& invocation) {
  CLI::App* command =
      admin.add_subcommand("move", "Move a stopped registry to another catalog and store");
  auto arguments = std::make_shared<MoveArguments>();
  command->add_option("--data", arguments->from.data, "The data folder to move")->type_name("DIR");
  command->add_option("--config", arguments->from.config, "The settings of the registry to move")
      ->type_name("FILE");
  command->add_option("--to", arguments->to, "The settings of the empty catalog and store")
      ->type_name("FILE");
  command->add_flag("--take-back", arguments->take_back,
                    "Let servers start again on a catalog that was moved");
  command->footer(std::string(kMoveFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Move(*arguments, output); };
  });
}

}  // namespace

void AddBackupCommands(CLI::App& admin, Invocation& invocation) {
  CLI::App* command =
      admin.add_subcommand("backup", "Back up the catalog and all archives, or verify a backup");
  auto arguments = std::make_shared<BackupArguments>();
  command->add_option("to", arguments->place, "A folder, or s3://BUCKET/PREFIX")
      ->required()
      ->type_name("TO");
  command->add_flag("--check", arguments->check, "Verify the newest backup in TO");
  command->add_flag("--all", arguments->all, "With --check: read every archive, not a sample");
  command->add_option("--at", arguments->at, "With --check: verify this backup")->type_name("ID");
  AddPlaceFlags(*command, arguments->flags);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kBackupFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return BackUp(*arguments, output); };
  });
  AddRestoration(admin, invocation);
  AddMove(admin, invocation);
}

}  // namespace koya::cli
