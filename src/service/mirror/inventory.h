// Lists what the mirror has stored of other registries, reads its documents, and releases bytes,
// for administrators. Imports are in import.h, damage checks in check.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/page.h"
#include "domain/upstream_record.h"
#include "service/mirror/context.h"
#include "wire/providers.h"

namespace koya {
struct Actor;
class Blob;
}  // namespace koya

namespace koya::service {

// One platform's package of a release.
struct PackageId {
  UpstreamProvider provider;
  Version version;
  Platform platform;
  std::string ToString() const;  // "registry.opentofu.org/acme/demo 1.0.0 linux_amd64"
};

struct ModuleId {
  UpstreamModule module;
  Version version;
  std::string ToString() const;
};

// The author's documents of a release, as mirrors exchange them.
struct ReleaseDocuments {
  std::vector<std::string> protocols;
  std::string sums;  // byte for byte
  std::string signature;
  std::vector<wire::SigningKey> keys;
};

class Inventory {
 public:
  explicit Inventory(MirrorContext context) : context_(context) {}

  // Pages of pinned releases and modules, in the catalog's order.
  Task<std::vector<UpstreamRelease>> ListReleases(
      std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit);
  Task<std::vector<UpstreamModuleVersion>> ListModules(
      std::optional<std::pair<UpstreamModule, Version>> after, std::uint64_t limit);

  // Pinned versions of a provider, newest first, and one pinned release, whether stored or not;
  // does not ask its registry. Fails: kNotFound for a version that is not pinned.
  Task<std::vector<Version>> ListVersions(UpstreamProvider provider);
  Task<UpstreamRelease> FindRelease(UpstreamProvider provider, Version version);
  // How much is pinned and stored.
  Task<UpstreamCounts> Counts();
  Task<std::uint64_t> HeldBytes();

  // Fails: kNotFound, also for a release without documents; kCorrupt when they are damaged.
  Task<ReleaseDocuments> ReadDocuments(UpstreamProvider provider, Version version);
  // The pinned version, whether its bytes are stored or not. Fails: kNotFound.
  Task<UpstreamModuleVersion> FindModule(ModuleId id);
  // A module's archive. Fails: kNotFound when it is not stored.
  struct OpenModule {
    std::shared_ptr<Blob> blob;
    UpstreamModuleVersion version;
  };
  Task<OpenModule> OpenModuleArchive(ModuleId id);

  // Releases the bytes; other records with the same bytes keep them. The pin stays, so that the
  // same bytes must come back. Does nothing when the bytes are not stored. Fails: kNotFound when
  // not pinned.
  Task<void> ReleasePackage(Actor by, PackageId id);
  Task<void> ReleaseModule(Actor by, ModuleId id);

 private:
  Task<void> Remove(Digest digest, bool last);

  MirrorContext context_;
};

// The package for a platform; nullptr when the release has none.
const UpstreamPackage* FindPackage(const UpstreamRelease& release, const Platform& platform);

}  // namespace koya::service
