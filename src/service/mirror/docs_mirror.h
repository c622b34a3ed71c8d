// Docs of other registries' providers, from the docs APIs of those registries that have one
// (setting mirror.docs), asked for when somebody reads them and then kept (ADR 52).
//
// The list of a version's pages is a document of the catalog, as lists of versions are; a page is a
// blob, as packages are, and gives way as they do. Any number of callers who ask for one thing make
// one request upstream, which goes on when they have left.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/single_flight.h"
#include "domain/page.h"
#include "service/mirror/context.h"
#include "service/mirror/disk_room.h"
#include "service/mirror/mirror_pools.h"
#include "service/provider_docs.h"

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
class HeldLists;

struct DocsMirrorOptions {
  std::chrono::seconds freshness{300};       // of a list that names no page
  std::chrono::milliseconds patience{8000};  // from a request until upstream must have answered
  DiskRoom room{};                           // without it pages are served, and not kept
};

// What happened so far, for metrics.
struct DocsCounters {
  std::atomic<std::uint64_t> pages = 0;     // that upstream answered
  std::atomic<std::uint64_t> failures = 0;  // exchanges for pages that failed
};

// How old the list behind an answer is.
struct DocsAge {
  bool stale = false;  // upstream is failing: this is what it said last
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
  // All of it must outlive this. `source`: null while mirror.docs is off.
  DocsMirror(MirrorContext context, upstream::DocsSource* source, DocsMirrorOptions options);
  ~DocsMirror();

  // Whether docs are mirrored at all.
  bool on() const { return source_ != nullptr; }

  // Both fail with kForbidden when the policy denies the provider; with kNotFound when docs are not
  // mirrored, its registry has no docs API or may not be asked and nothing is held, or it has none
  // of this version; and as upstream::DocsSource. What is held is served while upstream fails.

  Task<MirroredDocList> List(UpstreamProvider provider, Version version);
  // Fails, besides, with kNotFound for a page that the list does not name, or that upstream has no
  // more.
  Task<MirroredDocPage> Page(UpstreamProvider provider, Version version, DocName name);

  // The topic of whatever is made of a version's docs.
  static std::string Topic(const UpstreamProvider& provider, const Version& version);

  const DocsCounters& counters() const { return counters_; }
  const ListCounters& list_counters() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  using Text = std::shared_ptr<const std::string>;
  struct Found;
  struct Wish;
  Status CheckMirrored(const UpstreamProvider& provider) const;
  Task<Found> Find(UpstreamProvider provider, Version version, Time deadline);
  Task<Text> ReadPage(Wish wish, bool ask, Time deadline);
  Task<Text> ReadHeld(std::string key);
  Task<Text> Fetch(Wish wish, std::uint64_t landed, Time deadline);
  Awaitable<void> Keep(const Wish& wish, const std::string& text);
  Task<void> Store(const Wish& wish, const std::string& text);

  MirrorContext context_;
  upstream::DocsSource* source_;
  DocsMirrorOptions options_;
  DocsCounters counters_;
  std::unique_ptr<HeldLists<DocLists>> lists_;  // where there is a source
  SingleFlight<Text> flights_{context_.pools.documents};
};

}  // namespace koya::service
