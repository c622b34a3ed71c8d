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

#include "domain/upstream_record.h"
#include "service/mirror/context.h"
#include "service/mirror/pull_policy.h"

namespace koya {
class Blob;
class Platform;
class Version;
}  // namespace koya
namespace koya::upstream {
class ProviderSource;
}
namespace koya::wire {
struct ProviderVersion;
struct ProviderVersions;
}  // namespace koya::wire

namespace koya::service {

struct FetchesEnded;
struct ListCounters;
struct PackageWish;
class ProviderFetch;
struct ProviderLists;
template <class Kind>
class HeldLists;

struct MirrorOptions {
  std::chrono::seconds freshness{300};
  // From a client's request until upstream must have answered for a document, queueing included.
  std::chrono::milliseconds document_patience{8000};
  // Clients wait for a package without an end: not here. Then they are told to come back.
  std::chrono::milliseconds package_patience{60'000};
  unsigned retry_after = 15;  // seconds
  // What is fetched comes from a network mirror, and has no signature.
  bool from_network_mirror = false;
};

struct MirroredVersions {
  std::shared_ptr<const wire::ProviderVersions> document;
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
  // Everything given must outlive this.
  ProviderMirror(MirrorContext context, upstream::ProviderSource& source, ProviderFetch& fetch,
                 MirrorOptions options);
  ~ProviderMirror();

  // Every call fails with kForbidden when the policy denies the provider, with kNotFound when it
  // is neither held nor to be had, and as upstream::ProviderSource.

  // What upstream offers, no older than the freshness; while upstream fails, what is held. And
  // always the versions of which packages are held: what was imported, and what upstream removed.
  Task<MirroredVersions> ListVersions(UpstreamProvider provider);
  // The same as it is known here: upstream is not asked, nor the policy. For people who look at it.
  // Fails: kNotFound: nothing of it is known.
  Task<MirroredVersions> ListKept(UpstreamProvider provider);
  // The release as it was seen first, which may be now. `wanted`: the platform that the caller is
  // after, if it is known.
  Task<UpstreamRelease> FindRelease(UpstreamProvider provider, Version version,
                                    std::optional<Platform> wanted);
  // The same, with its author's documents where they can be had: what was imported without them
  // gets them from its registry now, unless they contradict what is kept. Fails, besides, when they
  // cannot be had at this moment: kUnavailable, kUpstreamTimeout; and with whatever the registry
  // says when `wanted` is not among what is kept.
  Task<UpstreamRelease> FindSigned(UpstreamProvider provider, Version version, Platform wanted);
  // A zip, SHA256SUMS or its signature, by its name; a zip's says which platform to ask for,
  // without a look at the list of versions. Waits until a zip that has to be fetched begins to
  // arrive. Fails, besides: kUnavailable with retry_after when that takes too long; kCorrupt for
  // documents that are gone and cannot be had again; kBadUpstream for documents that were never
  // stored, and that a registry which may be asked does not have.
  Task<MirroredFile> Open(UpstreamProvider provider, Version version, std::string file);

  std::chrono::seconds freshness() const { return options_.freshness; }
  bool from_network_mirror() const { return options_.from_network_mirror; }
  const ListCounters& list_counters() const;
  // Whether the package is here or could be fetched.
  bool CanServe(const UpstreamRelease& release, const UpstreamPackage& package) const {
    return package.held || context_.policy.MayPull(release.provider.host);
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  Time DocumentDeadline() const {
    return std::chrono::steady_clock::now() + options_.document_patience;
  }
  Task<MirroredVersions> ListBy(UpstreamProvider provider, Time deadline);
  Task<MirroredVersions> ListOffered(UpstreamProvider provider, Time deadline);
  Task<MirroredVersions> ListPinned(UpstreamProvider provider, Error why);
  Task<MirroredVersions> AddHeld(UpstreamProvider provider, MirroredVersions list);
  wire::ProviderVersion Listed(const UpstreamRelease& release) const;
  Task<UpstreamRelease> FindBy(UpstreamProvider provider, Version version,
                               std::optional<Platform> wanted, Time deadline);
  Task<Platform> ChoosePlatform(UpstreamProvider provider, Version version,
                                std::optional<Platform> wanted, Time deadline);
  // `release` with its author's documents where its registry may be asked for them. Fails: as
  // ProviderFetch::FetchRelease.
  Task<UpstreamRelease> WithDocuments(UpstreamRelease release, Platform wanted, Time deadline);
  // The same, where somebody asks for one of them.
  Task<UpstreamRelease> WithPromised(UpstreamRelease release);
  Task<MirroredFile> OpenOf(UpstreamRelease release, std::string file, FetchesEnded ended);
  Task<MirroredFile> OpenDocument(UpstreamRelease release, Digest digest, std::string file);
  Task<MirroredFile> OpenPackage(UpstreamRelease release, UpstreamPackage package,
                                 FetchesEnded ended);
  Task<MirroredFile> Follow(PackageWish wish, FetchesEnded ended);

  MirrorContext context_;
  ProviderFetch& fetch_;
  MirrorOptions options_;
  const std::unique_ptr<HeldLists<ProviderLists>> lists_;
};

}  // namespace koya::service
