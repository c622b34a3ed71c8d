// Publishing a module version: the one way in.
//
// Data first, record last: the upload streams into a staged blob while it is hashed, is validated,
// repacked when its module lies in a single top folder, or when it is no plain .tar.gz, read and
// compared with the version before, committed durably, and only then named in the catalog by one
// transaction, with what was read in it. It is found in searches a moment later. A crash at any
// point leaves the old state or the new one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/archive_limits.h"
#include "auth/principal.h"
#include "domain/module_record.h"
#include "domain/semver_rule.h"
#include "service/default_visibility.h"
#include "service/version_judge.h"
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
class ModuleInsides;

struct PublishOptions {
  std::uint64_t upload_bytes = 500ULL << 20;
  ArchiveLimits archive;
  DefaultVisibility new_namespaces = Visibility::kPublic;
  SemverRule secrets = SemverRule::kWarn;  // what is done about files that seem to hold secrets
};

struct PublishOutcome {
  ModuleVersionRecord record;
  bool created = false;   // false: the same bytes had been published before
  bool repacked = false;  // what is served is not the upload, but its repack
  bool mended = false;    // it was damaged or missing here, and is whole again
  // Of what was read in it, secrets first; when it is published for the first time.
  std::vector<wire::ReadWarning> warnings;
  std::uint64_t warnings_left_out = 0;
  std::optional<Judgement> judgement;
};

class ModulePublisher {
 public:
  // Everything given must outlive the publisher. `pool` runs the inspection of archives.
  ModulePublisher(Catalog& catalog, BlobStore& blobs, WorkerPool& pool, ChangeFeed& changes,
                  ModuleInsides& insides, VersionJudge& judge, IndexQueue& index,
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
    // Everything is done but keeping it; what was published before is not mended.
    bool dry_run = false;
  };

  // What can be refused before a byte arrives: rights, reserved names, a version that is taken by
  // other bytes only once the upload is known, so not here. Fails: kForbidden, kInvalid, kConflict
  // (withdrawn, or another build of the same version exists).
  Task<void> Check(Request request);

  // The same bytes as before mend what is stored, if it is damaged or missing; what was published
  // stays byte for byte. Fails: as Check; kTooLarge, kRefused (the archive), kConflict (other
  // bytes, withdrawn), kCorrupt (the same bytes, but what was published cannot be made of them any
  // more), kStorageFull, and what `upload` fails with; kRefused, too, for secrets where they are
  // refused, and when the rule for numbers of versions refuses this one, except that a dry run
  // tells that in `judgement`. On failure nothing is recorded; bytes that were stored meanwhile are
  // garbage.
  Task<PublishOutcome> Publish(Request request, ByteSource& upload);

 private:
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
  ModuleInsides& insides_;
  VersionJudge& judge_;
  IndexQueue& index_;
  const Clock& clock_;
  PublishOptions options_;
};

}  // namespace koya::service
