// Mirrors other registries' providers: fetches, verifies and stores them.
//
// The first request for a file or release fetches it from upstream and verifies it; every later one
// is served from here. The first seen state of a release is pinned: nothing from upstream ever
// replaces it. Concurrent callers for the same thing share one upstream request, which goes on when
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
struct PackageRequest;
class ProviderFetch;
class SubjectGate;
struct ProviderLists;
template <class Kind>
class CachedIndex;

struct MirrorOptions {
  std::chrono::seconds freshness{300};
  // From a client's request until upstream must have answered for a document, including the queue.
  std::chrono::milliseconds document_timeout{8000};
  // Limits how long clients wait for a package, as they set no limit themselves; then they get
  // retry_after.
  std::chrono::milliseconds package_timeout{60'000};
  unsigned retry_after = 15;  // seconds
  // Releases are fetched from a network mirror, and have no signature.
  bool from_network_mirror = false;
};

struct MirroredVersions {
  std::shared_ptr<const wire::ProviderVersions> document;
  bool stale = false;                           // upstream is failing: this is its last answer
  UnixSeconds checked_at = 0;                   // when upstream said so
  ReleaseTimes times = {};                      // as far as they are known, by version
  std::optional<SourceRepository> source = {};  // as CachedDocument::source
  // Of a list that was judged (GatedList):
  std::optional<UnixSeconds> changes_at = {};
  std::vector<std::string> notes = {};
};

// A file of a mirrored release: whole, or arriving (Blob::growth).
struct MirroredFile {
  Digest digest;
  std::shared_ptr<Blob> blob;
};

class ProviderMirror {
 public:
  // All arguments must outlive this.
  ProviderMirror(MirrorContext context, upstream::ProviderSource& source, ProviderFetch& fetch,
                 MirrorOptions options);
  ~ProviderMirror();

  // Every call fails with kForbidden when the gate does not let the provider or version through,
  // with kNotFound when it is neither stored nor available upstream, and as
  // upstream::ProviderSource.

  // Returns upstream's versions, no older than the freshness, or the cached ones while upstream
  // fails, without those that the gate stops. Includes versions with stored packages: imported
  // ones, and ones that upstream removed.
  Task<MirroredVersions> ListVersions(UpstreamProvider provider);
  // Returns the versions that are known here, for people who browse; asks neither upstream nor the
  // policy. Fails: kNotFound: none is known.
  Task<MirroredVersions> ListKept(UpstreamProvider provider);
  // Returns the release as first seen, which may be now. `wanted`: the platform that the caller
  // needs, if known.
  Task<UpstreamRelease> FindRelease(UpstreamProvider provider, Version version,
                                    std::optional<Platform> wanted);
  // As FindRelease, with the author's documents if available: a release that was imported without
  // them gets them from its registry now, unless they contradict the stored packages. Also fails
  // with kUnavailable or kUpstreamTimeout when they are not available at this moment, and with the
  // registry's error when `wanted` is not among the stored platforms.
  Task<UpstreamRelease> FindSigned(UpstreamProvider provider, Version version, Platform wanted);
  // Opens a zip, SHA256SUMS or its signature by its name; a zip's name gives the platform to ask
  // for, without a look at the list of versions. Waits until a zip that must be fetched begins to
  // arrive. Also fails: kUnavailable with retry_after when that takes too long; kCorrupt for
  // missing documents that cannot be fetched again; kBadUpstream for documents that were never
  // stored, and that a registry which may be asked does not have.
  Task<MirroredFile> OpenFile(UpstreamProvider provider, Version version, std::string file);

  // Opens an attachment of a release, which is found as by FindRelease. Also fails: kNotFound: it
  // has no such attachment; kCorrupt for one that is missing and cannot be fetched again.
  struct OpenAttachment {
    Attachment attachment;
    std::shared_ptr<Blob> blob;
  };
  Task<OpenAttachment> FindAttachment(UpstreamProvider provider, Version version, std::string name);

  // For MirrorWatch. Versions that the policy holds now, which time or another fact may let
  // through: the newest kMostHeld, oldest first. Reads the list as ListVersions does.
  static constexpr std::size_t kMostHeld = 10;
  Task<std::vector<Version>> ListHeld(UpstreamProvider provider);
  // Pins a held release that is not pinned yet; compares one that is with its registry's.
  enum class Ahead { kPinned, kSame, kChanged };
  Task<Ahead> LookAhead(UpstreamProvider provider, Version version);

  std::chrono::seconds freshness() const { return options_.freshness; }
  bool from_network_mirror() const { return options_.from_network_mirror; }
  const ListCounters& list_counters() const;
  // True if the package is stored or could be fetched.
  bool CanServe(const UpstreamRelease& release, const UpstreamPackage& package) const {
    return package.held || context_.policy.MayPull(release.provider.host);
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  Time DocumentDeadline() const {
    return std::chrono::steady_clock::now() + options_.document_timeout;
  }
  Task<MirroredVersions> ListAll(UpstreamProvider provider, Time deadline);
  Task<SubjectGate> OpenGate(std::string subject);
  Task<SubjectGate> JudgeListed(SubjectGate gate, UpstreamProvider provider,
                                std::vector<std::string> versions, ReleaseTimes times,
                                Time deadline);
  Task<void> LetThrough(UpstreamProvider provider, Version version, std::string signer);
  Task<MirroredVersions> ListOffered(UpstreamProvider provider, Time deadline);
  Task<MirroredVersions> ListPinned(UpstreamProvider provider, Error why);
  Task<MirroredVersions> AddHeld(UpstreamProvider provider, MirroredVersions list);
  wire::ProviderVersion Listed(const UpstreamRelease& release) const;
  Task<UpstreamRelease> FindBy(UpstreamProvider provider, Version version,
                               std::optional<Platform> wanted, Time deadline);
  Task<UpstreamRelease> FetchListed(UpstreamProvider provider, Version version,
                                    std::optional<Platform> wanted, FetchesEnded ended,
                                    Time deadline);
  Result<Platform> ChoosePlatform(const UpstreamProvider& provider, const Version& version,
                                  const MirroredVersions& list,
                                  std::optional<Platform> wanted) const;
  // Returns `release` with its author's documents if its registry may be asked for them. Fails: as
  // ProviderFetch::FetchRelease.
  Task<UpstreamRelease> WithDocuments(UpstreamRelease release, Platform wanted, Time deadline);
  // The same, for a request for one of these documents.
  Task<UpstreamRelease> WithPromised(UpstreamRelease release);
  Task<MirroredFile> OpenOf(UpstreamRelease release, std::string file, FetchesEnded ended);
  Task<MirroredFile> OpenDocument(UpstreamRelease release, Platform described_by, Digest digest,
                                  std::string file);
  Task<MirroredFile> OpenPackage(UpstreamRelease release, UpstreamPackage package,
                                 FetchesEnded ended);
  Task<MirroredFile> Follow(PackageRequest wish, FetchesEnded ended);

  MirrorContext context_;
  ProviderFetch& fetch_;
  MirrorOptions options_;
  const std::unique_ptr<CachedIndex<ProviderLists>> lists_;
};

}  // namespace koya::service
