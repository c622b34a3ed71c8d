#include "service/verify/stored_artifacts.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "blobs/blob_store.h"
#include "catalog/catalog.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/provider_address.h"
#include "domain/provider_docs_record.h"
#include "domain/provider_record.h"
#include "domain/storage_record.h"
#include "domain/upstream_record.h"

namespace koya::service {
namespace {

using Kind = StoredArtifact::Kind;

constexpr std::size_t kFull = 100;        // a page with so many things ends
constexpr std::uint64_t kAddresses = 10;  // asked of the catalog at a time
constexpr std::uint64_t kPinned = 100;

// "modules/acme/vpc/aws", "mirror/providers/registry.opentofu.org/acme/demo@1.0.0": a section, and
// its last listed artifact.
constexpr std::array<std::string_view, 6> kSections = {
    "modules", "providers", "mirror/providers", "mirror/modules", "drafts", "records"};
constexpr std::size_t kFirstMirrored = 2;
constexpr std::size_t kAfterMirrored = 4;

struct Place {
  std::size_t section = 0;
  std::string last;  // "": the section begins
};

Failure BadPlace() {
  return FailInvalid(
      "\"after\" is the \"next\" of the previous page, for example modules/acme/vpc/aws");
}

Result<Place> ReadPlace(const ArtifactListing& listing) {
  if (listing.after.empty()) return Place{listing.mirrored_only ? kFirstMirrored : 0, ""};
  for (std::size_t i = 0; i < kSections.size(); ++i) {
    std::string_view rest = listing.after;
    if (!rest.starts_with(kSections[i])) continue;
    rest.remove_prefix(kSections[i].size());
    if (rest.starts_with('/')) return Place{i, std::string(rest.substr(1))};
  }
  return BadPlace();
}

// "HOST/ADDRESS@VERSION".
struct Pinned {
  HostName host;
  std::string address;
  Version version;
};

Result<std::optional<Pinned>> ReadPinned(const std::string& last) {
  if (last.empty()) return std::optional<Pinned>();
  std::size_t slash = last.find('/');
  std::size_t at = last.rfind('@');
  if (slash == std::string::npos || at == std::string::npos || at < slash) return BadPlace();
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(last.substr(0, slash)));
  ASSIGN_OR_RETURN(Version version, Version::Parse(last.substr(at + 1)));
  return Pinned{std::move(host), last.substr(slash + 1, at - slash - 1), std::move(version)};
}

void AddRelease(const ProviderRelease& release, const DocsSummary& docs,
                std::vector<StoredArtifact>& things) {
  StoredArtifact thing{.kind = Kind::kDocuments,
                       .host = {},
                       .address = release.address.ToString(),
                       .version = release.version,
                       .platform = {},
                       .size = release.sums.size + release.signature.size};
  things.push_back(thing);
  thing.kind = Kind::kPackage;
  for (const ProviderPackage& package : release.packages) {
    thing.platform = package.platform;
    thing.size = package.size;
    things.push_back(thing);
  }
  thing.platform.reset();
  auto add = [&](Kind kind, const std::optional<DocArchive>& archive) {
    if (!archive) return;
    thing.kind = kind;
    thing.size = archive->size;
    things.push_back(thing);
  };
  add(Kind::kDocs, docs.docs);
  add(Kind::kSchema, docs.schema);
}

void AddPinned(const UpstreamRelease& release, std::vector<StoredArtifact>& things) {
  StoredArtifact thing{.kind = Kind::kPackage,
                       .host = release.provider.host,
                       .address = release.provider.address.ToString(),
                       .version = release.version,
                       .platform = {},
                       .size = 0};
  for (const UpstreamPackage& package : release.packages) {
    if (!package.held) continue;
    thing.platform = package.platform;
    thing.size = package.size;
    things.push_back(thing);
  }
  if (!release.sums || !release.signature) return;
  thing.kind = Kind::kDocuments;
  thing.platform.reset();
  thing.size = release.sums->size + release.signature->size;
  things.push_back(thing);
}

// Each adds what follows `last` in its section, and moves `last` on; to "" at the section's end.

Task<void> ListModules(Catalog& catalog, std::string& last, std::vector<StoredArtifact>& things) {
  ModuleFilter filter{.ns = {}, .name = {}, .system = {}, .query = {}, .after = last};
  PageRequest request{.offset = 0, .limit = kAddresses};
  ASSIGN_OR_CO_RETURN(Page<ModuleSummary> page, co_await catalog.ListModules(filter, request));
  for (const ModuleSummary& module : page.items) {
    last = module.address.ToString();
    auto versions = co_await catalog.ListVersions(module.address);
    if (!versions && versions.error().kind == ErrorKind::kNotFound) continue;  // withdrawn just now
    if (!versions) co_return Failure(std::move(versions).error());
    for (const ModuleVersionRecord& record : *versions) {
      things.push_back({Kind::kModule, {}, last, record.version, {}, record.size});
    }
    if (things.size() >= kFull) co_return Status();
  }
  if (!page.more) last.clear();
  co_return Status();
}

Task<void> ListProviders(Catalog& catalog, std::string& last, std::vector<StoredArtifact>& things) {
  ProviderFilter filter{.ns = {}, .query = {}, .after = last};
  PageRequest request{.offset = 0, .limit = kAddresses};
  ASSIGN_OR_CO_RETURN(Page<ProviderSummary> page, co_await catalog.ListProviders(filter, request));
  for (const ProviderSummary& provider : page.items) {
    last = provider.address.ToString();
    auto releases = co_await catalog.ListReleases(provider.address);
    if (!releases && releases.error().kind == ErrorKind::kNotFound) continue;
    if (!releases) co_return Failure(std::move(releases).error());
    for (const ReleaseSummary& summary : *releases) {
      auto release = co_await catalog.FindRelease(provider.address, summary.version);
      if (!release && release.error().kind == ErrorKind::kGone) continue;
      if (!release) co_return Failure(std::move(release).error());
      auto docs = co_await catalog.FindDocs(provider.address, summary.version);
      if (!docs && docs.error().kind == ErrorKind::kGone) continue;
      if (!docs) co_return Failure(std::move(docs).error());
      AddRelease(*release, *docs, things);
    }
    if (things.size() >= kFull) co_return Status();
  }
  if (!page.more) last.clear();
  co_return Status();
}

Task<void> ListMirroredProviders(Catalog& catalog, std::string& last,
                                 std::vector<StoredArtifact>& things) {
  ASSIGN_OR_CO_RETURN(std::optional<Pinned> pinned, ReadPinned(last));
  std::optional<std::pair<UpstreamProvider, Version>> after;
  if (pinned) {
    ASSIGN_OR_CO_RETURN(ProviderAddress address, ProviderAddress::Parse(pinned->address));
    after.emplace(UpstreamProvider{pinned->host, std::move(address)}, pinned->version);
  }
  ASSIGN_OR_CO_RETURN(std::vector<UpstreamRelease> releases,
                      co_await catalog.ListUpstreamReleases(std::move(after), kPinned));
  last.clear();
  for (const UpstreamRelease& release : releases) {
    AddPinned(release, things);
    last = fmt::format("{}@{}", release.provider.Key(), release.version.ToString());
  }
  co_return Status();
}

Task<void> ListMirroredModules(Catalog& catalog, std::string& last,
                               std::vector<StoredArtifact>& things) {
  ASSIGN_OR_CO_RETURN(std::optional<Pinned> pinned, ReadPinned(last));
  std::optional<std::pair<UpstreamModule, Version>> after;
  if (pinned) {
    ASSIGN_OR_CO_RETURN(ModuleAddress address, ModuleAddress::Parse(pinned->address));
    after.emplace(UpstreamModule{pinned->host, std::move(address)}, pinned->version);
  }
  ASSIGN_OR_CO_RETURN(std::vector<UpstreamModuleVersion> modules,
                      co_await catalog.ListUpstreamModuleArchives(std::move(after), kPinned));
  last.clear();
  for (const UpstreamModuleVersion& each : modules) {
    last = fmt::format("{}@{}", each.module.Key(), each.version.ToString());
    if (!each.held) continue;
    things.push_back({Kind::kModule,
                      each.module.host,
                      each.module.address.ToString(),
                      each.version,
                      {},
                      each.size});
  }
  co_return Status();
}

// "" or a digest.
Result<std::optional<Digest>> ReadDigest(const std::string& last) {
  if (last.empty()) return std::optional<Digest>();
  Result<Digest> digest = Digest::Parse(last);
  if (!digest) return BadPlace();
  return *digest;
}

Task<void> ListDraftFiles(Catalog& catalog, std::string& last,
                          std::vector<StoredArtifact>& things) {
  ASSIGN_OR_CO_RETURN(std::optional<Digest> after, ReadDigest(last));
  ASSIGN_OR_CO_RETURN(const std::vector<DraftRecord> drafts,
                      co_await catalog.ListDraftFiles(after, kPinned));
  last.clear();
  for (const DraftRecord& draft : drafts) {
    const DraftFile& file = draft.files.front();
    last = file.digest.hex();
    if (file.digest == after) continue;  // the same bytes once more
    after = file.digest;
    things.push_back({.kind = Kind::kDraft,
                      .address = draft.address.ToString(),
                      .version = draft.version,
                      .size = file.size,
                      .digest = file.digest,
                      .file = file.name});
  }
  co_return Status();
}

Task<void> ListRecords(Catalog& catalog, std::string& last, std::vector<StoredArtifact>& things) {
  ASSIGN_OR_CO_RETURN(std::optional<Digest> after, ReadDigest(last));
  ASSIGN_OR_CO_RETURN(const std::vector<BlobObject> objects,
                      co_await catalog.ListStored(after, kPinned));
  last.clear();
  for (const BlobObject& object : objects) {
    last = object.digest.hex();
    if (object.digest == after) continue;
    after = object.digest;
    things.push_back({.kind = Kind::kRecord,
                      .address = object.digest.ToString(),
                      .size = object.size,
                      .digest = object.digest});
  }
  co_return Status();
}

}  // namespace

Task<ArtifactPage> StoredArtifacts::Page(ArtifactListing listing) {
  using ListFunction = Task<void> (*)(Catalog&, std::string&, std::vector<StoredArtifact>&);
  constexpr std::array<ListFunction, kSections.size()> kLists = {
      ListModules,         ListProviders,  ListMirroredProviders,
      ListMirroredModules, ListDraftFiles, ListRecords};
  ASSIGN_OR_CO_RETURN(Place place, ReadPlace(listing));
  if (listing.mirrored_only && place.section < kFirstMirrored) place = {kFirstMirrored, ""};
  const std::size_t end = listing.mirrored_only ? kAfterMirrored : kSections.size();
  ArtifactPage page;
  while (place.section < end && page.things.size() < kFull) {
    CO_RETURN_IF_ERROR(co_await kLists[place.section](catalog_, place.last, page.things));
    if (place.last.empty()) ++place.section;
  }
  if (place.section >= end) co_return page;
  page.next = fmt::format("{}/{}", kSections[place.section], place.last);
  co_return page;
}

Task<ArtifactPage> StoredArtifacts::UnknownObjects(std::string after) {
  ASSIGN_OR_CO_RETURN(koya::UnknownObjects found, co_await blobs_.ListUnknown(std::move(after)));
  ArtifactPage page{.things = {}, .next = std::move(found.next)};
  for (koya::UnknownObjects::Object& object : found.objects) {
    page.things.push_back(
        {.kind = Kind::kObject, .address = std::move(object.name), .size = object.size});
  }
  co_return page;
}

}  // namespace koya::service
