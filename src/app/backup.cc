#include "app/backup.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/server_secret.h"
#include "app/stores.h"
#include "base/clock.h"
#include "base/run_task.h"
#include "base/work_folder.h"
#include "blobs/s3/s3_client.h"
#include "domain/replica_record.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "service/operate/installation.h"
#include "service/operate/move_stores.h"

namespace koya {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBucketScheme = "s3://";

// A bucket: an object appears whole or not at all, and under names that are read at once.
class BackupBucket final : public service::BackupPlace {
 public:
  explicit BackupBucket(std::unique_ptr<S3Client> client) : client_(std::move(client)) {}

  std::string where() const override { return client_->where(); }
  Status Put(const std::string& name, const service::BackupFile& file) override {
    ASSIGN_OR_RETURN(const Digest digest, service::HashFile(file.descriptor, file.size));
    if (digest != file.digest) {
      return Fail(ErrorKind::kCorrupt, fmt::format("the bytes of {} have another digest", name));
    }
    return RunTask(client_->Put(
        name, {.descriptor = file.descriptor, .size = file.size, .digest = file.digest}));
  }
  Status Get(const std::string& name, const ByteSink& sink) override {
    Status got = RunTask(client_->Get(name, {}, sink, {}));
    if (!got && got.error().kind == ErrorKind::kNotFound) {
      return FailNotFound("the backup lacks the file {}/{}", where(), name);
    }
    return got;
  }
  Status Delete(const std::string& name) override { return RunTask(client_->Delete(name)); }
  Status List(const std::string& prefix, const Visit& visit) override {
    std::string after;
    while (true) {
      ASSIGN_OR_RETURN(const std::vector<ObjectInfo> page, RunTask(client_->List(prefix, after)));
      if (page.empty()) return {};
      for (const ObjectInfo& each : page) visit(each.name, each.size);
      after = page.back().name;
    }
  }

 private:
  const std::unique_ptr<S3Client> client_;
};

Result<std::unique_ptr<service::BackupPlace>> OpenBucketPlace(const Settings& settings,
                                                              const std::string& url) {
  ASSIGN_OR_RETURN(std::unique_ptr<S3Client> client, OpenBucketClient(settings, url));
  return std::make_unique<BackupBucket>(std::move(client));
}

Result<std::unique_ptr<service::BackupPlace>> OpenToRead(const Settings& settings,
                                                         const std::string& from) {
  if (from.starts_with(kBucketScheme)) return OpenBucketPlace(settings, from);
  return service::BackupFolder::OpenToRead(from);
}

Status RequireNoServer(Catalog& catalog) {
  ASSIGN_OR_RETURN(const std::vector<ReplicaRecord> running, RunTask(catalog.ListReplicas()));
  if (running.empty()) return {};
  return FailConflict(
      "the server {} runs on this catalog: stop it first; one that crashed counts for {} seconds",
      running.front().address, ReplicaCatalog::kLive.count());
}

// Gives the catalog its identity, and the bucket its owner. Returns the installation's id.
Status ClaimStores(const Settings& settings, Stores& stores,
                   service::InstallationCheck& installation) {
  ASSIGN_OR_RETURN(std::string id, RunTask(installation.Check(SecretPlace(settings))));
  const std::string storage = stores.bucket ? stores.bucket->where() : "folder";
  ASSIGN_OR_RETURN(const std::optional<StorageMismatch> elsewhere,
                   RunTask(stores.catalog->KeepBlobsIn(storage)));
  if (elsewhere) return FailConflict("the catalog has archives in {}", elsewhere->storage);
  if (!stores.bucket) return {};
  return RunTask(stores.bucket->Check(MarkerOf(settings, std::move(id))));
}

}  // namespace

Result<std::unique_ptr<service::BackupPlace>> OpenBackupPlace(const Settings& settings,
                                                              const std::string& to) {
  if (to.starts_with(kBucketScheme)) return OpenBucketPlace(settings, to);
  return service::BackupFolder::OpenToWrite(to);
}

std::unique_ptr<service::Backups> MakeBackups(const Settings& settings, const Stores& stores,
                                              BackupTools tools) {
  return std::make_unique<service::Backups>(
      service::Backups::Parts{.records = *stores.catalog,
                              .blobs = *stores.blobs,
                              .leases = *stores.catalog,
                              .audit = *stores.catalog,
                              .clock = tools.clock,
                              .log = tools.log,
                              .jobs = tools.jobs},
      [&settings](const std::string& to) { return OpenBackupPlace(settings, to); },
      service::BackupSchedule{
          .to = settings.backup.to, .every = settings.backup.every, .keep = settings.backup.keep},
      stores.scratch_folder);
}

Result<service::BackupReport> BackUpToFolder(
    service::BackupSource& source, const fs::path& folder,
    std::function<void(std::uint64_t blobs, std::uint64_t copied)> on_progress) {
  ASSIGN_OR_RETURN(const std::unique_ptr<service::BackupFolder> place,
                   service::BackupFolder::OpenToWrite(folder));
  return service::TakeBackup(
      source, *place,
      {.scratch = folder, .now = SystemClock().Now(), .on_progress = std::move(on_progress)});
}

Result<BackupVerdict> VerifyBackup(const Settings& settings, const std::string& from,
                                   std::string id, bool all) {
  ASSIGN_OR_RETURN(const std::unique_ptr<service::BackupPlace> place, OpenToRead(settings, from));
  const auto schema = static_cast<std::uint64_t>(KnownSchemaStep());
  BackupVerdict verdict;
  ASSIGN_OR_RETURN(verdict.manifest, service::ReadManifest(*place, std::move(id), schema));
  ASSIGN_OR_RETURN(const WorkFolder work,
                   WorkFolder::Create(fs::temp_directory_path(), "koya-backup-check"));
  ASSIGN_OR_RETURN(
      const std::unique_ptr<Catalog> empty,
      OpenCatalog({.url = "sqlite:" + (work.path() / "koya.db").string(), .durable = false}));
  ASSIGN_OR_RETURN(
      verdict.check,
      service::CheckBackup(
          *place, verdict.manifest, *empty,
          {.scratch = work.path(), .schema = schema, .all = all, .now = SystemClock().Now()}));
  return verdict;
}

Result<Restoration> RestoreBackup(const Settings& settings, const std::string& from, std::string id,
                                  const std::function<void(std::uint64_t blobs)>& on_progress) {
  ASSIGN_OR_RETURN(const std::unique_ptr<service::BackupPlace> place, OpenToRead(settings, from));
  const auto schema = static_cast<std::uint64_t>(KnownSchemaStep());
  Restoration restored;
  ASSIGN_OR_RETURN(restored.manifest, service::ReadManifest(*place, std::move(id), schema));
  LineWriter lines;
  Logger log(lines, LogLevel::kWarning);
  ASSIGN_OR_RETURN(Stores stores, OpenStores(settings, log));
  RETURN_IF_ERROR(stores.catalog->RequireEmpty());
  RETURN_IF_ERROR(RequireNoServer(*stores.catalog));
  ASSIGN_OR_RETURN(std::string secret, LoadServerSecret(settings));
  const wire::BackupOrigin& origin = restored.manifest.origin;
  restored.same_secret = service::SecretMark(secret, origin.catalog) == origin.secret_mark;
  service::InstallationCheck installation(*stores.catalog, std::move(secret),
                                          settings.server.secret_previous);
  RETURN_IF_ERROR(ClaimStores(settings, stores, installation));
  ASSIGN_OR_RETURN(
      restored.report,
      service::RestoreBackup(*place, restored.manifest,
                             {.records = *stores.catalog, .blobs = *stores.blobs, .schema = schema},
                             stores.scratch_folder, on_progress));
  return restored;
}

namespace {

// The registry that is moved: stopped, with its own secret, and not moved before.
struct MovedFrom {
  Stores stores;
  std::string secret;
  wire::BackupOrigin origin;
};

Result<MovedFrom> OpenOriginal(const Settings& from, Logger& log) {
  ASSIGN_OR_RETURN(Stores stores, OpenStores(from, log));
  RETURN_IF_ERROR(RequireNoServer(*stores.catalog));
  ASSIGN_OR_RETURN(std::string secret, LoadServerSecret(from));
  service::InstallationCheck installation(*stores.catalog, secret, from.server.secret_previous);
  ASSIGN_OR_RETURN(const std::string id, RunTask(installation.Check(SecretPlace(from))));
  if (stores.bucket) RETURN_IF_ERROR(RunTask(stores.bucket->Check(MarkerOf(from, id))));
  ASSIGN_OR_RETURN(const std::string moved_to, RunTask(service::MovedMark(*stores.catalog).Find()));
  if (!moved_to.empty()) return FailConflict("the catalog was moved before, to {}", moved_to);
  return MovedFrom{.stores = std::move(stores), .secret = std::move(secret), .origin = {}};
}

}  // namespace

Result<service::RestoreReport> MoveRegistry(
    const Settings& from, const Settings& to, const std::string& name,
    const std::function<void(std::uint64_t blobs)>& on_progress) {
  if (!from.blobs.url.empty() && from.blobs.url == to.blobs.url) {
    return FailInvalid(
        "both settings have blobs.url {}: name another bucket or prefix in {}, to which the "
        "archives "
        "are copied",
        to.blobs.url, name);
  }
  LineWriter lines;
  Logger log(lines, LogLevel::kWarning);
  ASSIGN_OR_RETURN(const MovedFrom original, OpenOriginal(from, log));
  ASSIGN_OR_RETURN(Stores stores, OpenStores(to, log));
  RETURN_IF_ERROR(RequireNoServer(*stores.catalog));
  ASSIGN_OR_RETURN(std::string secret, LoadServerSecret(to));
  if (secret != original.secret) {
    return FailInvalid(
        "server.secret of {} is not that of the original, so sealed keys could not be opened: set "
        "it "
        "to the same ({})",
        name, SecretPlace(from));
  }
  service::InstallationCheck installation(*stores.catalog, std::move(secret),
                                          to.server.secret_previous);
  RETURN_IF_ERROR(ClaimStores(to, stores, installation));
  service::BackupLeases leases(*original.stores.catalog, "koya admin move");
  ASSIGN_OR_RETURN(const std::string holder, RunTask(leases.Take()));
  service::StoredSource source({.records = *original.stores.catalog,
                                .blobs = *original.stores.blobs,
                                .leases = leases,
                                .scratch = original.stores.scratch_folder},
                               original.origin, holder);
  Result<service::RestoreReport> report =
      service::MoveStores(source,
                          {.records = *stores.catalog,
                           .blobs = *stores.blobs,
                           .schema = static_cast<std::uint64_t>(KnownSchemaStep())},
                          stores.scratch_folder, on_progress);
  RETURN_IF_ERROR(RunTask(leases.GiveBack(holder)));
  if (report) RETURN_IF_ERROR(RunTask(service::MovedMark(*original.stores.catalog).Set(name)));
  return report;
}

Status TakeBackMove(const Settings& settings) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(CatalogOptionsOf(settings)));
  return RunTask(service::MovedMark(*catalog).TakeBack());
}

}  // namespace koya
