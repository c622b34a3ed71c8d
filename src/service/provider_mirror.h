// Other registries' providers, pulled through, verified and kept.
//
// The first request for something fetches it from upstream and verifies it; every later one is
// served from here. What was seen first of a release is pinned: nothing from upstream ever replaces
// it. Any number of callers who ask for one thing make one upstream request, which goes on when
// they have left.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/offload.h"
#include "base/single_flight.h"
#include "blobs/blob_store.h"
#include "catalog/upstream_catalog.h"
#include "obs/log.h"
#include "service/held_lists.h"
#include "service/pull_policy.h"
#include "service/upstream_fetch.h"
#include "service/use_notes.h"
#include "upstream/provider_source.h"
#include "wire/providers.h"

namespace koya::service {

struct MirrorOptions {
  std::vector<HostName> hosts;  // that may be pulled from
  // Clients wait for a package as long as they are told nothing: not for ever.
  std::chrono::milliseconds patience{60'000};
};

struct MirroredVersions {
  wire::ProviderVersions document;
  bool stale = false;          // upstream is failing: this is what it said last
  UnixSeconds checked_at = 0;  // when upstream said so
};

// A file of a mirrored release: whole, or arriving (Blob::growth).
struct MirroredFile {
  Digest digest;
  std::shared_ptr<Blob> blob;
};

class ProviderMirror {
 public:
  // Everything given must outlive this. `metadata` runs exchanges with upstream.
  ProviderMirror(UpstreamCatalog& catalog, BlobStore& blobs, upstream::ProviderSource& source,
                 UpstreamFetch& fetch, HeldLists& lists, const PullPolicy& policy,
                 WorkerPool& metadata, const Clock& clock, Logger& log, MirrorOptions options)
      : catalog_(catalog),
        blobs_(blobs),
        source_(source),
        fetch_(fetch),
        lists_(lists),
        policy_(policy),
        clock_(clock),
        log_(log),
        options_(std::move(options)),
        releases_(metadata) {}

  // Every call fails with kForbidden when the policy denies the provider, with kNotFound when it
  // is neither held nor to be had, and as upstream::ProviderSource.

  // What upstream offers, no older than the freshness; while upstream fails, what is held. And
  // always the versions of which packages are held: what was imported, and what upstream removed.
  Task<MirroredVersions> ListVersions(UpstreamProvider provider);
  // The release as it was seen first, which may be now. `wanted`: the platform that the caller is
  // after, if it is known.
  Task<UpstreamRelease> FindRelease(UpstreamProvider provider, Version version,
                                    std::optional<Platform> wanted);
  // The same, with its author's documents where they can be had: what was imported without them
  // gets them from its registry now, unless they contradict what is kept.
  Task<UpstreamRelease> FindSigned(UpstreamProvider provider, Version version, Platform wanted);
  // A zip, SHA256SUMS or its signature, by its name; a zip's says which platform to ask for,
  // without a look at the list of versions. Waits until a zip that has to be fetched begins to
  // arrive. Fails, besides: kUnavailable with retry_after when that takes too long; kCorrupt for
  // documents that are gone and cannot be had again.
  Task<MirroredFile> Open(UpstreamProvider provider, Version version, std::string file);

  std::chrono::seconds freshness() const { return lists_.freshness(); }
  const std::vector<HostName>& hosts() const { return options_.hosts; }
  // Whether the host is one of those that may be pulled from.
  bool MayPull(const HostName& host) const;
  // Whether the package is here or could be fetched.
  bool CanServe(const UpstreamRelease& release, const UpstreamPackage& package) const {
    return package.held || MayPull(release.provider.host);
  }

 private:
  Task<MirroredVersions> ListOffered(UpstreamProvider provider);
  Task<MirroredVersions> ListPinned(UpstreamProvider provider, Error why);
  Task<MirroredVersions> AddHeld(UpstreamProvider provider, MirroredVersions list);
  wire::ProviderVersion Listed(const UpstreamRelease& release) const;
  Task<UpstreamRelease> FindBy(UpstreamProvider provider, Version version,
                               std::optional<Platform> wanted, Time deadline);
  Task<Platform> ChoosePlatform(UpstreamProvider provider, Version version,
                                std::optional<Platform> wanted, Time deadline);
  Task<MirroredFile> OpenOf(UpstreamRelease release, std::string file, UpstreamFetch::Ended ended);
  Task<MirroredFile> OpenDocument(UpstreamRelease release, Digest digest, std::string file);
  Task<MirroredFile> OpenPackage(UpstreamRelease release, UpstreamPackage package,
                                 UpstreamFetch::Ended ended);
  Task<MirroredFile> Follow(PackageWish wish, UpstreamFetch::Ended ended);

  UpstreamCatalog& catalog_;
  BlobStore& blobs_;
  upstream::ProviderSource& source_;
  UpstreamFetch& fetch_;
  HeldLists& lists_;
  const PullPolicy& policy_;
  const Clock& clock_;
  Logger& log_;
  UseNotes uses_{log_};
  MirrorOptions options_;
  SingleFlight<UpstreamRelease> releases_;
};

}  // namespace koya::service
