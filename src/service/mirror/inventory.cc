#include "service/mirror/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "blobs/blob_store.h"
#include "catalog/upstream_catalog.h"
#include "domain/audit_record.h"
#include "service/common/blob_io.h"
#include "service/mirror/mirror_space.h"
#include "service/mirror/module_fetch.h"
#include "service/mirror/provider_fetch.h"

namespace koya::service {
namespace {

Failure NoPackage(const PackageId& id) {
  return FailNotFound("{} is not known here: koya mirror list shows the known packages",
                      id.ToString());
}

}  // namespace

std::string PackageId::ToString() const {
  return fmt::format("{} {} {}", provider.Key(), version.ToString(), platform.ToString());
}

std::string ModuleId::ToString() const {
  return fmt::format("{} {}", module.Key(), version.ToString());
}

const UpstreamPackage* FindPackage(const UpstreamRelease& release, const Platform& platform) {
  auto found = std::ranges::find(release.packages, platform, &UpstreamPackage::platform);
  return found == release.packages.end() ? nullptr : &*found;
}

Task<std::vector<UpstreamRelease>> Inventory::ListReleases(
    std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit) {
  co_return co_await context_.catalog.ListUpstreamReleases(std::move(after), limit);
}

Task<std::vector<UpstreamModuleVersion>> Inventory::ListModules(
    std::optional<std::pair<UpstreamModule, Version>> after, std::uint64_t limit) {
  co_return co_await context_.catalog.ListUpstreamModuleArchives(std::move(after), limit);
}

Task<std::vector<Version>> Inventory::ListVersions(UpstreamProvider provider) {
  co_return co_await context_.catalog.ListUpstreamVersions(std::move(provider));
}

Task<UpstreamRelease> Inventory::FindRelease(UpstreamProvider provider, Version version) {
  co_return co_await context_.catalog.FindUpstreamRelease(std::move(provider), std::move(version));
}

Task<UpstreamCounts> Inventory::Counts() { co_return co_await context_.catalog.CountMirrored(); }

Task<std::uint64_t> Inventory::HeldBytes() { co_return co_await context_.catalog.HeldBytes(); }

Task<ReleaseDocuments> Inventory::ReadDocuments(UpstreamProvider provider, Version version) {
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await context_.catalog.FindUpstreamRelease(provider, version));
  if (!release.sums || !release.signature) {
    co_return FailNotFound(
        "{} {} was imported, or came from a network mirror, without its "
        "author's signature",
        provider.Key(), version.ToString());
  }
  ReleaseDocuments documents{
      .protocols = release.protocols, .sums = {}, .signature = {}, .keys = {}};
  ASSIGN_OR_CO_RETURN(documents.sums, co_await ReadText(context_.blobs, *release.sums));
  ASSIGN_OR_CO_RETURN(documents.signature, co_await ReadText(context_.blobs, *release.signature));
  ASSIGN_OR_CO_RETURN(documents.keys, wire::DecodeSigningKeys(release.keys));
  co_return documents;
}

Task<UpstreamModuleVersion> Inventory::FindModule(ModuleId id) {
  co_return co_await context_.catalog.FindUpstreamModule(std::move(id.module),
                                                         std::move(id.version));
}

Task<Inventory::OpenModule> Inventory::OpenModuleArchive(ModuleId id) {
  ASSIGN_OR_CO_RETURN(UpstreamModuleVersion version,
                      co_await context_.catalog.FindUpstreamModule(id.module, id.version));
  if (!version.held) {
    co_return FailNotFound("the archive of {} is not stored here", id.ToString());
  }
  Result<std::shared_ptr<Blob>> blob = co_await context_.blobs.Open(version.digest);
  if (!blob && blob.error().kind == ErrorKind::kNotFound) {
    co_return FailCorrupt(
        "the archive of {} is missing from this server's storage: import it "
        "again, and run koya verify to find other missing files",
        id.ToString());
  }
  if (!blob) co_return Failure(std::move(blob).error());
  co_return OpenModule{*std::move(blob), std::move(version)};
}

// After one that held the bytes let go.
Task<void> Inventory::Remove(Digest digest, bool last) {
  if (!last) co_return Status();
  std::vector<Digest> digests = {digest};
  co_return co_await RemoveUnneeded(context_.references, context_.blobs, std::move(digests));
}

Task<void> Inventory::ReleasePackage(Actor by, PackageId id) {
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await context_.catalog.FindUpstreamRelease(id.provider, id.version));
  const UpstreamPackage* package = FindPackage(release, id.platform);
  if (package == nullptr) co_return NoPackage(id);
  ASSIGN_OR_CO_RETURN(bool last, co_await context_.catalog.ReleasePackage(
                                     std::move(by), id.provider, id.version, id.platform));
  co_return co_await Remove(package->digest, last);
}

Task<void> Inventory::ReleaseModule(Actor by, ModuleId id) {
  ASSIGN_OR_CO_RETURN(UpstreamModuleVersion version,
                      co_await context_.catalog.FindUpstreamModule(id.module, id.version));
  ASSIGN_OR_CO_RETURN(
      bool last, co_await context_.catalog.ReleaseModule(std::move(by), id.module, id.version));
  co_return co_await Remove(version.digest, last);
}

}  // namespace koya::service
