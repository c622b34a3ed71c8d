// What is kept of other registries, for those who look after it: what there is, its documents, and
// letting go of bytes. Coming in is import.h, looking for damage check.h.
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

// A release's documents by its author, as they travel from one mirror to another.
struct ReleaseDocuments {
  std::vector<std::string> protocols;
  std::string sums;  // byte for byte
  std::string signature;
  std::vector<wire::SigningKey> keys;
};

class Inventory {
 public:
  explicit Inventory(MirrorContext context) : context_(context) {}

  // Pages of what is pinned, as the catalog has them.
  Task<std::vector<UpstreamRelease>> ListReleases(
      std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit);
  Task<std::vector<UpstreamModuleVersion>> ListModules(
      std::optional<std::pair<UpstreamModule, Version>> after, std::uint64_t limit);

  // What is pinned of a provider, newest first, and of one version, whether it is held or not; its
  // registry is not asked. Fails: kNotFound for a version that is not pinned.
  Task<std::vector<Version>> ListVersions(UpstreamProvider provider);
  Task<UpstreamRelease> FindRelease(UpstreamProvider provider, Version version);
  // The same for people who look through it: by address, and how much there is.
  Task<Page<UpstreamSummary>> BrowseProviders(UpstreamFilter filter, PageRequest page);
  Task<Page<UpstreamSummary>> BrowseModules(UpstreamFilter filter, PageRequest page);
  Task<UpstreamCounts> Counts();
  Task<std::uint64_t> HeldBytes();

  // Fails: kNotFound, also for a release without them; kCorrupt when they are not what they were.
  Task<ReleaseDocuments> ReadDocuments(UpstreamProvider provider, Version version);
  // What is pinned, whether it is held or not. Fails: kNotFound.
  Task<UpstreamModuleVersion> FindModule(ModuleId id);
  // A module's archive. Fails: kNotFound when it is not held.
  struct OpenModule {
    std::shared_ptr<Blob> blob;
    UpstreamModuleVersion version;
  };
  Task<OpenModule> OpenModuleArchive(ModuleId id);

  // Forgets the bytes; whatever else has the same ones keeps them. What is pinned stays, so that
  // the same bytes must come back. Nothing happens when they are not held. Fails: kNotFound for
  // what is not pinned.
  Task<void> ReleasePackage(Actor by, PackageId id);
  Task<void> ReleaseModule(Actor by, ModuleId id);

 private:
  Task<void> Remove(Digest digest, bool last);

  MirrorContext context_;
};

// The package for a platform; nullptr when the release has none.
const UpstreamPackage* FindPackage(const UpstreamRelease& release, const Platform& platform);

}  // namespace koya::service
