// Mirrors the docs of other registries' providers from the docs APIs of those registries that have
// one (setting mirror.docs): fetches them when they are read, then caches them (ADR 52).
//
// The list of a version's pages is a document of the catalog, as lists of versions are; a page is a
// blob, as packages are, and is evicted as they are. Concurrent callers for the same list or page
// share one upstream request, which goes on when they have left.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/single_flight.h"
#include "domain/page.h"
#include "service/mirror/context.h"
#include "service/mirror/mirror_space.h"
#include "service/providers/provider_docs.h"

namespace koya {
struct UpstreamProvider;
class Version;
}  // namespace koya
namespace koya::upstream {
class DocsSource;
}

namespace koya::service {

struct DocLists;
struct ListCounters;
template <class Kind>
class CachedIndex;

struct DocsMirrorOptions {
  std::chrono::seconds freshness{300};       // of a list that names no page
  std::chrono::milliseconds patience{8000};  // from a request until upstream must have answered
  DiskQuota room{};                          // without space pages are served, not cached
};

// Totals since the start, for metrics.
struct DocsCounters {
  std::atomic<std::uint64_t> pages = 0;     // fetched from upstream
  std::atomic<std::uint64_t> failures = 0;  // failed exchanges for pages
};

// Age of the list behind a result.
struct DocsAge {
  bool stale = false;  // upstream is failing: this is its last answer
  UnixSeconds checked_at = 0;
  std::chrono::seconds freshness{0};
};

struct MirroredDocList {
  DocList list;
  DocsAge age;
};
struct MirroredDocPage {
  DocPage page;
  DocsAge age;
};

class DocsMirror {
 public:
  // All arguments must outlive this. `source`: null while mirror.docs is off.
  DocsMirror(MirrorContext context, upstream::DocsSource* source, DocsMirrorOptions options);
  ~DocsMirror();

  // Whether docs are mirrored at all.
  bool on() const { return source_ != nullptr; }

  // Both fail with kForbidden when the policy denies the provider; with kNotFound when docs are not
  // mirrored, when its registry has no docs API or may not be asked and nothing is cached, or when
  // it has no docs of this version; and as upstream::DocsSource. Cached docs are served while
  // upstream fails.

  Task<MirroredDocList> List(UpstreamProvider provider, Version version);
  // Also fails with kNotFound for a page that the list does not name, or that upstream no longer
  // has.
  Task<MirroredDocPage> Page(UpstreamProvider provider, Version version, DocName name);

  // Topic of everything that is derived from a version's docs.
  static std::string Topic(const UpstreamProvider& provider, const Version& version);

  const DocsCounters& counters() const { return counters_; }
  const ListCounters& list_counters() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  using Text = std::shared_ptr<const std::string>;
  struct Found;
  struct Wish;
  Status CheckMirrored(const UpstreamProvider& provider) const;
  Task<Found> FindDocs(UpstreamProvider provider, Version version, Time deadline);
  Task<Text> ReadPage(Wish wish, bool ask, Time deadline);
  Task<Text> ReadHeld(std::string key);
  Task<Text> Fetch(Wish wish, std::uint64_t landed, Time deadline);
  Awaitable<void> Keep(const Wish& wish, const std::string& text);
  Task<void> Store(const Wish& wish, const std::string& text);

  MirrorContext context_;
  upstream::DocsSource* source_;
  DocsMirrorOptions options_;
  DocsCounters counters_;
  std::unique_ptr<CachedIndex<DocLists>> lists_;  // null without a source
  SingleFlight<Text> flights_{context_.pools.documents};
};

}  // namespace koya::service
