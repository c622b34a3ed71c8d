// Caches lists that change upstream (versions, pages of docs): refreshes them when they are stale,
// and serves the cached ones while upstream fails.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/single_flight.h"
#include "domain/upstream_record.h"
#include "service/mirror/context.h"
#include "upstream/provider_source.h"

namespace koya::upstream {
class DocsSource;
class ModuleSource;
}  // namespace koya::upstream
namespace koya::wire {
struct ForeignDetails;
struct ForeignDocs;
struct ModuleVersions;
}  // namespace koya::wire

namespace koya::service {

// Upstream's answer: a list, or that the cached one is still current.
template <class Document>
struct FetchedList {
  bool unchanged = false;
  Document document;
  std::size_t skipped = 0;  // versions that clients cannot use
  upstream::Validators validators;
};

// The kinds of lists: their subject, their encoding in the catalog, and their source.
struct ProviderLists {
  using Subject = UpstreamProvider;
  using Document = wire::ProviderVersions;
  static constexpr bool kHasTimes = true;
  static std::string DocumentKey(const Subject& provider);
  static std::string Encode(const Document& document);
  static Result<Document> Decode(const std::string& body);
  // The versions of a list, with the release times that upstream states; views of `document`.
  static std::vector<ListedRelease> Releases(const Document& document);
  // Removes these times, which the catalog stores apart.
  static void DropTimes(Document& document);
  // How long a list is fresh; `usual`: the setting's value.
  static std::chrono::seconds Freshness(const CachedDocument& /*held*/,
                                        std::chrono::seconds usual) {
    return usual;
  }
  // Blocks. Fails: as upstream::ProviderSource.
  Result<FetchedList<Document>> FetchList(const Subject& provider, const upstream::Validators& held,
                                          const upstream::Deadline& patience);
  // What upstream's details of a version state. Blocks, and fails likewise.
  Result<wire::ForeignDetails> FetchDetails(const Subject& provider, const Version& version,
                                            const upstream::Deadline& patience);
  upstream::ProviderSource& source;
};
struct ModuleLists {
  using Subject = UpstreamModule;
  using Document = wire::ModuleVersions;
  static constexpr bool kHasTimes = true;
  static std::string DocumentKey(const Subject& module);
  static std::string Encode(const Document& document);
  static Result<Document> Decode(const std::string& body);
  static std::vector<ListedRelease> Releases(const Document& document);
  static void DropTimes(Document& document);
  static std::chrono::seconds Freshness(const CachedDocument& /*held*/,
                                        std::chrono::seconds usual) {
    return usual;
  }
  Result<FetchedList<Document>> FetchList(const Subject& module, const upstream::Validators& held,
                                          const upstream::Deadline& patience);
  Result<wire::ForeignDetails> FetchDetails(const Subject& module, const Version& version,
                                            const upstream::Deadline& patience);
  upstream::ModuleSource& source;
};

// The docs of a version of a provider: lists of their pages (docs_mirror.cc).
struct MirroredDocs {
  UpstreamProvider provider;
  Version version;
  HostName host;  // serves the docs; may differ from the registry
  // "registry.opentofu.org/hashicorp/aws@6.0.0".
  std::string Key() const;
};
struct DocLists {
  using Subject = MirroredDocs;
  using Document = wire::ForeignDocs;
  static constexpr bool kHasTimes = false;
  static std::string DocumentKey(const Subject& docs);
  static std::string Encode(const Document& document);
  static Result<Document> Decode(const std::string& body);
  static std::chrono::seconds Freshness(const CachedDocument& held, std::chrono::seconds usual);
  Result<FetchedList<Document>> FetchList(const Subject& docs, const upstream::Validators& held,
                                          const upstream::Deadline& patience);
  upstream::DocsSource& source;
};

template <class Document>
struct CachedList {
  std::shared_ptr<const Document> document;
  bool stale = false;                           // upstream is failing: this is its last answer
  UnixSeconds checked_at = 0;                   // when upstream said so
  ReleaseTimes times = {};                      // of a list of versions
  std::optional<SourceRepository> source = {};  // likewise
};

// Totals since the start, for metrics.
struct ListCounters {
  std::atomic<std::uint64_t> failures = 0;  // failed exchanges; "not found" is no failure
  std::atomic<std::uint64_t> stale = 0;     // lists served while upstream failed
};

// Threads: any number of coroutines on any thread; concurrent callers for one list share one
// exchange.
template <class Kind>
class CachedIndex {
 public:
  using Subject = typename Kind::Subject;
  using List = CachedList<typename Kind::Document>;
  using Time = std::chrono::steady_clock::time_point;

  CachedIndex(MirrorContext context, Kind kind, std::chrono::seconds freshness)
      : context_(context), kind_(kind), freshness_(freshness) {}

  // Returns a list no older than the freshness; the cached one while upstream fails or has not
  // answered at the deadline. Fails: as the source, when nothing is cached.
  Task<List> Read(Subject subject, Time deadline);
  // Returns the cached list of any age; does not ask upstream. Fails: kNotFound.
  Task<List> ReadHeld(Subject subject);

  // Asks upstream once for the details of a version that the cached list has without a release
  // time, in the background, and stores the time and the source that they state. Its failures
  // change nothing.
  void LearnDetails(Subject subject, Version version)
    requires Kind::kHasTimes;

  // Asks upstream likewise for the details of several versions, and waits for them until the
  // deadline. Returns the stored times. Fails: as the catalog.
  Task<ReleaseTimes> LearnTimes(Subject subject, std::vector<Version> versions, Time deadline)
    requires Kind::kHasTimes;

  std::chrono::seconds freshness() const { return freshness_; }
  const ListCounters& counters() const { return counters_; }

 private:
  using Held = std::shared_ptr<const CachedDocument>;
  bool IsFresh(const CachedDocument& document) const;
  Task<List> Decoded(Held held, bool stale);
  Task<List> Fetch(Subject subject, Held held, std::uint64_t landed, Time deadline);
  Task<void> FetchDetails(Subject subject, Version version)
    requires Kind::kHasTimes;
  Task<List> StoreList(Subject subject, Held held, FetchedList<typename Kind::Document> answer);

  MirrorContext context_;
  Kind kind_;
  std::chrono::seconds freshness_;
  ListCounters counters_;
  SingleFlight<List> flights_{context_.pools.documents};
  SingleFlight<void> details_{context_.pools.documents};
};

extern template class CachedIndex<ProviderLists>;
extern template class CachedIndex<ModuleLists>;
extern template class CachedIndex<DocLists>;

}  // namespace koya::service
