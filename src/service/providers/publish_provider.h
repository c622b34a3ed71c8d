// Publishes provider releases: a draft is created, its files are uploaded in any order, and a
// commit checks all of them and turns them into a release in one transaction.
//
// Data first, record last: a file streams into a staged blob while it is hashed, is inspected if it
// is a zip, and is committed durably; only then it is recorded in the draft. Readers see nothing of
// a draft. A crash at any point leaves the draft with whole files, or the release whole.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/archive_limits.h"
#include "auth/principal.h"
#include "domain/provider_record.h"
#include "domain/release_file.h"
#include "service/common/attachments.h"
#include "service/common/new_namespace.h"
#include "service/common/version_rules.h"
#include "service/modules/semver_check.h"
#include "service/providers/release_reading.h"

namespace koya {
class ByteSource;
struct ProviderPackageInspection;
struct ReleaseOutcome;
class WorkerPool;
}  // namespace koya

namespace koya::service {

class ChangeFeed;
class IndexQueue;
class ReleaseSemverCheck;
struct ReleaseMaterial;
class SigningKeys;
struct UploadLimit;

struct ProviderPublishOptions {
  std::uint64_t zip_bytes = 1ULL << 30;
  ArchiveLimits archive{.unpacked_bytes = 4ULL << 30};
  DocsLimits docs = {};
  AttachmentLimits attachments = {};
  std::chrono::seconds draft_ttl = std::chrono::hours(24);
  DefaultVisibility new_namespaces = Visibility::kPublic;
};

struct CommitOutcome {
  // All problems that keep the draft from being a release, as sentences; then `release` is empty,
  // and the draft is unchanged.
  std::vector<std::string> problems;
  std::optional<ProviderRelease> release;
  // Parts of docs and schema that could not be read, and what some clients reject.
  std::vector<ReadWarning> warnings;
  bool created = false;  // false: the same SHA256SUMS had been published before
  // Comparison with the release before; only at the first publish.
  std::optional<SemverVerdict> judgement;
};

class ProviderPublisher {
 public:
  // All arguments must outlive the publisher. `pool` runs the inspection of archives and the
  // verification of signatures.
  ProviderPublisher(Catalog& catalog, BlobStore& blobs, SigningKeys& keys, WorkerPool& pool,
                    ChangeFeed& changes, ReleaseSemverCheck& judge, IndexQueue& index,
                    const Clock& clock, ProviderPublishOptions options)
      : catalog_(catalog),
        blobs_(blobs),
        keys_(keys),
        pool_(pool),
        changes_(changes),
        judge_(judge),
        index_(index),
        clock_(clock),
        options_(options),
        reader_(blobs, pool, options.docs) {}

  struct Request {
    auth::Principal publisher;
    ProviderAddress address;
    Version version;
    std::string break_glass = {};  // see Publishing
  };

  // Creates a draft. `upload`: see DraftRecord. Fails: kForbidden, kInvalid (a reserved address, or
  // an invalid name of an upload), kConflict (withdrawn, another build of the same version exists,
  // or the namespace has too many drafts).
  Task<DraftRecord> OpenDraft(Request request, std::string upload = {});
  // Drafts of this release that this publisher opened, newest first, without their files.
  Task<std::vector<DraftRecord>> ListDrafts(Request request);
  // All methods with a draft's id fail with kNotFound if it is not an open draft of this release
  // and publisher.
  Task<DraftRecord> Show(Request request, std::string id);
  // Checks all that can be checked before the upload. Fails: kForbidden, kInvalid (the name),
  // kNotFound.
  Task<void> CheckUpload(Request request, std::string id, std::string name);
  // Stores a file, in place of one of the same name. A zip that cannot be published is accepted all
  // the same: its faults are in `problems`, and the commit lists them. Fails: as CheckUpload;
  // kTooLarge, kStorageFull, and the errors of `upload`: then nothing is stored.
  Task<DraftFile> Upload(Request request, std::string id, std::string name, ByteSource& upload);
  Task<void> Abandon(Request request, std::string id);

  struct Commit {
    bool sign = false;                   // create SHA256SUMS and sign it with the namespace's key
    std::vector<std::string> protocols;  // empty: those of the manifest, else 5.0
    std::optional<SourceRepository> source = {};  // nullopt: not known
    // Names of the draft's files that are no files of the release, but its attachments.
    std::vector<std::string> attachments = {};
    // Of an import, which only owners may do: keys that were removed, or that are there to verify
    // only, may have signed it.
    std::optional<ImportOrigin> origin = {};
    // Checks everything, but stores nothing, signs nothing and does not repair an earlier publish;
    // the draft is unchanged.
    bool dry_run = false;
  };
  // Commits a draft. If a release with the same SHA256SUMS was published before, repairs its
  // damaged or missing files, and adds the draft's attachments; it stays byte for byte. Fails:
  // kForbidden, kNotFound, kConflict (other packages under this version, another build, withdrawn:
  // the draft is deleted, since it can never be published), kCorrupt (the published signature is
  // damaged, and the draft has another), kStorageFull. Problems of the files are no failure: see
  // CommitOutcome.
  Task<CommitOutcome> CommitDraft(Request request, std::string id, Commit commit);

 private:
  struct Prepared;
  static Publishing PublishingOf(const Request& request);
  Status CheckRights(const Request& request) const;
  Task<DraftRecord> FindDraft(const Request& request, std::string id);
  UploadLimit BoundOf(const std::string& name, ReleaseFile::Kind kind) const;
  Task<void> Inspect(const Request& request, ReleaseFile::Kind kind, const StagedBlob& staged,
                     DraftFile& file);
  Task<ProviderPackageInspection> InspectPackage(const Request& request, int descriptor,
                                                 std::uint64_t size);
  Task<void> ReadDocuments(const DraftRecord& draft, ReleaseMaterial& material);
  Task<void> CheckAttachments(std::vector<DraftFile> attached, const DraftRecord& release,
                              Prepared& prepared);
  Task<Prepared> Prepare(DraftRecord draft, Commit commit);
  ProviderRelease Describe(const Request& request, const Prepared& prepared) const;
  Task<ProviderRelease> MakeRelease(Request request, Prepared prepared);
  Awaitable<void> CheckSemver(const ProviderRelease& release, const ReleaseReading& reading,
                              CommitOutcome& outcome);
  Task<CommitOutcome> TryOut(Request request, Commit commit, ReleaseOutcome outlook,
                             Prepared prepared);
  Task<CommitOutcome> Repeat(Request request, std::string id, ReleaseOutcome outlook,
                             Prepared prepared);
  Task<void> AddAttachments(const Request& request, std::vector<Attachment> attachments);
  Task<void> RepairFiles(ProviderRelease published, Prepared prepared);
  Task<void> RepairSignature(const ProviderRelease& published, Prepared prepared);
  Task<CommitOutcome> Conclude(Request request, std::string id, ReleaseOutcome outcome);

  Catalog& catalog_;
  BlobStore& blobs_;
  SigningKeys& keys_;
  WorkerPool& pool_;
  ChangeFeed& changes_;
  ReleaseSemverCheck& judge_;
  IndexQueue& index_;
  const Clock& clock_;
  ProviderPublishOptions options_;
  ReleaseReader reader_;
};

}  // namespace koya::service
