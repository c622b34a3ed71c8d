// Bytes of other registries that an administrator brings, instead of upstream: from a static
// mirror, or from another Koya.
//
// Nothing that comes with them is believed: digests and h1 hashes are computed here, and signatures
// verified as upstream's are. What is pinned already stays: other bytes are refused.
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
  bool created = false;  // false: exactly these bytes were held already
};

struct ImportedRelease {
  UpstreamRelease release;
  bool created = false;
};

struct ImportedModule {
  UpstreamModuleVersion version;
  bool created = false;
};

// `by`: who brings it, for the audit log. Every call fails with kForbidden, naming the rule, for
// what the policy denies; with kConflict, naming both digests, when something else is pinned; with
// kStorageFull.
class MirrorImport {
 public:
  MirrorImport(MirrorContext context, ImportOptions options)
      : context_(context), options_(options) {}

  // A zip. Its release needs no documents, but then it is served by /mirror/ only. Fails, besides:
  // kTooLarge, kRefused (a zip that clients could not unpack, or must not).
  Task<ImportedPackage> Package(Actor by, PackageId id, ByteSource& upload);
  // SHA256SUMS with its signature and keys: pins the digests of all platforms, whose zips may
  // follow. Fails, besides: kRefused when they do not verify.
  Task<ImportedRelease> Release(Actor by, UpstreamProvider provider, Version version,
                                ReleaseDocuments documents);
  // An archive with the module at its root, as koya mirror export writes it: what the mirror takes
  // of other people's modules is taken here. `source`: where it came from, for people. Fails,
  // besides: kTooLarge, kRefused.
  Task<ImportedModule> Module(Actor by, ModuleId id, std::string source, ByteSource& upload);

 private:
  Task<std::optional<UpstreamRelease>> FindPinned(UpstreamProvider provider, Version version);
  Task<std::vector<std::string>> ComputeH1(const PackageId& id, const StagedBlob& staged);
  Task<void> Keep(Actor by, PackageId id, UpstreamPackage package);
  Task<UpstreamRelease> Verify(UpstreamProvider provider, Version version,
                               const ReleaseDocuments& documents);
  Task<ArchiveKind> InspectMirrored(const ModuleId& id, const StagedBlob& staged);
  Task<bool> IsHeldWhole(bool held, BlobInfo blob);

  MirrorContext context_;
  ImportOptions options_;
};

}  // namespace koya::service
