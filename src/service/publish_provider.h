// Publishing a provider release: a draft is opened, its files arrive in any order, and a commit
// checks them all and makes them a release in one transaction.
//
// Data first, record last: a file streams into a staged blob while it is hashed, is inspected when
// it is a zip, committed durably, and only then named in the draft. Nothing of a draft is visible
// to readers. A crash at any point leaves the draft with whole files, or the release whole.
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
#include "service/default_visibility.h"
#include "service/release_reading.h"
#include "service/version_judge.h"

namespace koya {
class ByteSource;
struct ProviderPackageInspection;
struct ReleaseOutcome;
class WorkerPool;
}  // namespace koya

namespace koya::service {

class ChangeFeed;
class IndexQueue;
class ReleaseJudge;
struct ReleaseMaterial;
class SigningKeys;
struct UploadBound;

struct ProviderPublishOptions {
  std::uint64_t zip_bytes = 1ULL << 30;
  ArchiveLimits archive{.unpacked_bytes = 4ULL << 30};
  DocsLimits docs = {};
  std::chrono::seconds draft_ttl = std::chrono::hours(24);
  DefaultVisibility new_namespaces = Visibility::kPublic;
};

struct CommitOutcome {
  // Everything that keeps the draft from being a release, as sentences; then `release` is empty,
  // and the draft stays as it was.
  std::vector<std::string> problems;
  std::optional<ProviderRelease> release;
  std::vector<ReadWarning> warnings;  // what of docs and schema could not be read
  bool created = false;               // false: the same SHA256SUMS had been published before
  // With the release before; when it is published for the first time.
  std::optional<Judgement> judgement;
};

class ProviderPublisher {
 public:
  // Everything given must outlive the publisher. `pool` runs the inspection of archives and the
  // check of signatures.
  ProviderPublisher(Catalog& catalog, BlobStore& blobs, SigningKeys& keys, WorkerPool& pool,
                    ChangeFeed& changes, ReleaseJudge& judge, IndexQueue& index, const Clock& clock,
                    ProviderPublishOptions options)
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
  };

  // `upload`: DraftRecord's. Fails: kForbidden, kInvalid (a reserved address, or no name for an
  // upload), kConflict (withdrawn, another build of the same version exists, or the namespace has
  // too many open drafts).
  Task<DraftRecord> Open(Request request, std::string upload = {});
  // Drafts of this release that this publisher opened, newest first, without their files.
  Task<std::vector<DraftRecord>> ListDrafts(Request request);
  // Every call with a draft's id fails with kNotFound when it is not an open draft of this release
  // and publisher.
  Task<DraftRecord> Show(Request request, std::string id);
  // What can be refused before a byte arrives. Fails: kForbidden, kInvalid (the name), kNotFound.
  Task<void> CheckUpload(Request request, std::string id, std::string name);
  // Takes a file, in place of one of the same name. A zip that is not fit to be published is taken
  // all the same: what is wrong with it is in `problems`, and the commit lists it. Fails: as
  // CheckUpload; kTooLarge, kStorageFull, and what `upload` fails with: nothing is kept then.
  Task<DraftFile> Upload(Request request, std::string id, std::string name, ByteSource& upload);
  Task<void> Abandon(Request request, std::string id);

  struct Commit {
    bool sign = false;                   // make SHA256SUMS and sign it with the namespace's key
    std::vector<std::string> protocols;  // empty: the manifest's, or else 5.0
    // Everything is done but keeping it, signing it and mending what was published; the draft stays
    // as it was.
    bool dry_run = false;
  };
  // What was published with the same SHA256SUMS is mended where it is damaged or missing, and stays
  // byte for byte. Fails: kForbidden, kNotFound, kConflict (other packages under this version,
  // another build, withdrawn: the draft is removed, since it can never be published), kCorrupt (the
  // signature that was published is damaged, and the draft has another), kStorageFull. What is
  // wrong with the files is no failure: see CommitOutcome.
  Task<CommitOutcome> CommitDraft(Request request, std::string id, Commit commit);

 private:
  struct Prepared;
  Status CheckRights(const Request& request) const;
  Task<DraftRecord> Find(const Request& request, std::string id);
  UploadBound BoundOf(ReleaseFile::Kind kind) const;
  Task<void> Inspect(const Request& request, ReleaseFile::Kind kind, const StagedBlob& staged,
                     DraftFile& file);
  Task<ProviderPackageInspection> InspectPackage(const Request& request, int descriptor,
                                                 std::uint64_t size);
  Task<void> ReadDocuments(const DraftRecord& draft, ReleaseMaterial& material);
  Task<Prepared> Prepare(DraftRecord draft, Commit commit);
  ProviderRelease Describe(const Request& request, const Prepared& prepared) const;
  Task<ProviderRelease> MakeRelease(Request request, Prepared prepared);
  Awaitable<void> Judge(const ProviderRelease& release, const ReleaseReading& reading,
                        CommitOutcome& outcome);
  Task<CommitOutcome> TryOut(Request request, Commit commit, ReleaseOutcome outlook,
                             Prepared prepared);
  Task<CommitOutcome> Repeat(Request request, std::string id, ReleaseOutcome outlook,
                             Prepared prepared);
  Task<void> Mend(ProviderRelease published, Prepared prepared);
  Task<void> MendSignature(const ProviderRelease& published, Prepared prepared);
  Task<CommitOutcome> Conclude(Request request, std::string id, ReleaseOutcome outcome);

  Catalog& catalog_;
  BlobStore& blobs_;
  SigningKeys& keys_;
  WorkerPool& pool_;
  ChangeFeed& changes_;
  ReleaseJudge& judge_;
  IndexQueue& index_;
  const Clock& clock_;
  ProviderPublishOptions options_;
  ReleaseReader reader_;
};

}  // namespace koya::service
