// Publishes module versions; there is no other way to publish one.
//
// Data first, record last: the upload streams into a staged blob while it is hashed; it is
// validated, repacked if its module lies in a single top folder or if it is not a plain .tar.gz,
// analyzed, compared with the version before, and committed durably. Only then one transaction
// records it in the catalog, together with its contents. Searches find it a moment later. A crash
// at any point leaves the old state or the new one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/archive_limits.h"
#include "auth/principal.h"
#include "domain/module_record.h"
#include "domain/version_step.h"
#include "service/common/new_namespace.h"
#include "service/common/version_rules.h"
#include "service/modules/semver_check.h"
#include "wire/read_warning.h"

namespace koya {
class BlobStore;
class ByteSource;
class Catalog;
struct ModuleInspection;
struct StagedBlob;
struct VersionExtras;
class WorkerPool;
}  // namespace koya

namespace koya::service {

class ChangeFeed;
class IndexQueue;
class ModuleMetadata;

struct PublishOptions {
  std::uint64_t upload_bytes = 500ULL << 20;
  ArchiveLimits archive;
  DefaultVisibility new_namespaces = Visibility::kPublic;
  SemverRule secrets = SemverRule::kWarn;  // rule for files that seem to hold secrets
};

struct PublishOutcome {
  ModuleVersionRecord record;
  bool created = false;   // false: the same bytes had been published before
  bool repacked = false;  // the served archive is a repack of the upload
  bool repaired = false;  // the stored archive was damaged or missing, and has been repaired
  // Warnings of the analysis, secrets first; only at the first publish.
  std::vector<wire::ReadWarning> warnings;
  std::uint64_t warnings_left_out = 0;
  std::optional<SemverVerdict> judgement;
};

class ModulePublisher {
 public:
  // All arguments must outlive the publisher. `pool` runs the inspection of archives.
  ModulePublisher(Catalog& catalog, BlobStore& blobs, WorkerPool& pool, ChangeFeed& changes,
                  ModuleMetadata& insides, SemverCheck& judge, IndexQueue& index,
                  const Clock& clock, PublishOptions options)
      : catalog_(catalog),
        blobs_(blobs),
        pool_(pool),
        changes_(changes),
        insides_(insides),
        judge_(judge),
        index_(index),
        clock_(clock),
        options_(options) {}

  struct Request {
    auth::Principal publisher;
    ModuleAddress address;
    Version version;
    std::string description;
    std::optional<SourceRepository> source = {};  // nullopt: not known
    // Checks everything, but stores nothing and does not repair an earlier publish.
    bool dry_run = false;
    std::string break_glass = {};  // see Publishing
    // Of an import, which only owners may do: its number is not checked by publish.semver.
    std::optional<ImportOrigin> origin = {};
  };

  // Checks all that can be checked before the upload: rights, reserved names, conflicts. That other
  // bytes were published under the same version shows only once the upload is known, so not here.
  // Fails: kForbidden, kInvalid, kConflict (withdrawn, or another build of the same version
  // exists).
  Task<void> Check(Request request);

  // Publishes an upload. Publishing the same bytes again repairs a damaged or missing archive; what
  // was published stays byte for byte. Fails: as Check; kTooLarge, kRefused (the archive),
  // kConflict (other bytes, withdrawn), kCorrupt (the same bytes, but the published archive can no
  // longer be made of them), kStorageFull, and the errors of `upload`; kRefused, too, for secrets
  // where the rule rejects them, and if the rule for version numbers rejects this one, except that
  // a dry run reports that in `judgement`. On failure nothing is recorded; bytes stored by then are
  // garbage.
  Task<PublishOutcome> Publish(Request request, ByteSource& upload);

 private:
  static Publishing PublishingOf(const Request& request);
  Task<bool> CheckMayAdd(Request request);

  struct Served;
  struct Understood;
  Task<StagedBlob> Stage(ByteSource& upload);
  Task<Served> MakeServed(StagedBlob uploaded);
  Task<StagedBlob> StageRepack(int descriptor, std::uint64_t size, ModuleInspection inspection);
  Task<PublishOutcome> Confirm(ModuleVersionRecord record, StagedBlob uploaded);
  Task<std::vector<wire::ReadWarning>> FindSecrets(const Served& served);
  Task<SharedContents> ReadInside(const Request& request, const Served& served);
  Task<Understood> Understand(const Request& request, const Served& served, SemverRule rule);
  Task<Understood> Store(const Request& request, const Served& served);
  Task<PublishOutcome> Record(Request request, ModuleVersionRecord record, VersionExtras extras);

  Catalog& catalog_;
  BlobStore& blobs_;
  WorkerPool& pool_;
  ChangeFeed& changes_;
  ModuleMetadata& insides_;
  SemverCheck& judge_;
  IndexQueue& index_;
  const Clock& clock_;
  PublishOptions options_;
};

}  // namespace koya::service
