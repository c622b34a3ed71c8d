// Imports bytes of other registries that an administrator uploads instead of upstream: from a
// static mirror, or from another Koya.
//
// Nothing in an import is trusted: digests and h1 hashes are computed here, and signatures verified
// as upstream's are. Existing pins stay: other bytes are rejected.
#pragma once

#include <filesystem>

#include "archive/archive_limits.h"
#include "domain/upstream_record.h"
#include "service/mirror/context.h"

namespace koya {
struct Actor;
struct BlobInfo;
class ByteSource;
struct StagedBlob;
}  // namespace koya

namespace koya::service {

struct ModuleId;
struct PackageId;
struct ReleaseDocuments;

struct ImportOptions {
  std::uint64_t zip_bytes = 1ULL << 30;
  ArchiveLimits zip{.unpacked_bytes = 4ULL << 30};
  std::uint64_t module_bytes = 500ULL << 20;
  ArchiveLimits module{};
};

struct ImportedPackage {
  UpstreamPackage package;
  bool created = false;  // false: exactly these bytes were stored already
};

struct ImportedRelease {
  UpstreamRelease release;
  bool created = false;
};

struct ImportedModule {
  UpstreamModuleVersion version;
  bool created = false;
};

// `by`: the importing actor, for the audit log. Every call fails with kForbidden, naming the rule,
// when the policy denies the subject; with kConflict, naming both digests, when something else is
// pinned; with kStorageFull.
class MirrorImport {
 public:
  MirrorImport(MirrorContext context, ImportOptions options)
      : context_(context), options_(options) {}

  // Imports a zip. Its release needs no documents, but without them only /mirror/ serves it. Also
  // fails: kTooLarge, kRefused (a zip that clients could not unpack, or must not).
  Task<ImportedPackage> Package(Actor by, PackageId id, ByteSource& upload);
  // Imports SHA256SUMS with its signature and keys: pins the digests of all platforms, whose zips
  // may follow. Also fails: kRefused when they do not verify.
  Task<ImportedRelease> Release(Actor by, UpstreamProvider provider, Version version,
                                ReleaseDocuments documents);
  // Imports an archive with the module at its root, as koya mirror export writes it; it must meet
  // the mirror's rules for other registries' modules. `source`: its origin, for people. Also fails:
  // kTooLarge, kRefused.
  Task<ImportedModule> Module(Actor by, ModuleId id, std::string source, ByteSource& upload);

 private:
  Task<std::optional<UpstreamRelease>> FindPinned(UpstreamProvider provider, Version version);
  Task<std::vector<std::string>> ComputeH1(const PackageId& id, const StagedBlob& staged);
  Task<void> StorePackage(Actor by, PackageId id, UpstreamPackage package);
  Task<UpstreamRelease> Verify(UpstreamProvider provider, Version version,
                               const ReleaseDocuments& documents);
  Task<ArchiveKind> InspectMirrored(const ModuleId& id, const StagedBlob& staged);
  Task<bool> IsHeldWhole(bool held, BlobInfo blob);

  MirrorContext context_;
  ImportOptions options_;
};

}  // namespace koya::service
