// Lists of versions that change upstream, as they are held here: asked for again when they are no
// longer fresh, and served as they are while upstream fails.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/single_flight.h"
#include "domain/upstream_record.h"
#include "service/mirror/context.h"
#include "service/mirror/mirror_pools.h"
#include "upstream/provider_source.h"

namespace koya::upstream {
class DocsSource;
class ModuleSource;
}  // namespace koya::upstream
namespace koya::wire {
struct ForeignDocs;
struct ModuleVersions;
}  // namespace koya::wire

namespace koya::service {

// What upstream answered: a list, or that the one held is still it.
template <class Document>
struct AnsweredList {
  bool unchanged = false;
  Document document;
  std::size_t skipped = 0;  // versions that no client would take
  upstream::Validators validators;
};

// The sorts of lists: what they are of, how they are kept, and who is asked.
struct ProviderLists {
  using Subject = UpstreamProvider;
  using Document = wire::ProviderVersions;
  static std::string DocumentKey(const Subject& provider);
  static std::string Encode(const Document& document);
  static Result<Document> Decode(const std::string& body);
  // How long a list is fresh; `usual`: what the setting says.
  static std::chrono::seconds Freshness(const HeldDocument& /*held*/, std::chrono::seconds usual) {
    return usual;
  }
  // Blocks. Fails: as upstream::ProviderSource.
  Result<AnsweredList<Document>> Ask(const Subject& provider, const upstream::Validators& held,
                                     const upstream::Patience& patience);
  upstream::ProviderSource& source;
};
struct ModuleLists {
  using Subject = UpstreamModule;
  using Document = wire::ModuleVersions;
  static std::string DocumentKey(const Subject& module);
  static std::string Encode(const Document& document);
  static Result<Document> Decode(const std::string& body);
  static std::chrono::seconds Freshness(const HeldDocument& /*held*/, std::chrono::seconds usual) {
    return usual;
  }
  Result<AnsweredList<Document>> Ask(const Subject& module, const upstream::Validators& held,
                                     const upstream::Patience& patience);
  upstream::ModuleSource& source;
};

// The docs of a version of a provider: lists of their pages (docs_mirror.cc).
struct MirroredDocs {
  UpstreamProvider provider;
  Version version;
  HostName host;  // who is asked for them, which need not be the registry
  // "registry.opentofu.org/hashicorp/aws@6.0.0".
  std::string Key() const;
};
struct DocLists {
  using Subject = MirroredDocs;
  using Document = wire::ForeignDocs;
  static std::string DocumentKey(const Subject& docs);
  static std::string Encode(const Document& document);
  static Result<Document> Decode(const std::string& body);
  static std::chrono::seconds Freshness(const HeldDocument& held, std::chrono::seconds usual);
  Result<AnsweredList<Document>> Ask(const Subject& docs, const upstream::Validators& held,
                                     const upstream::Patience& patience);
  upstream::DocsSource& source;
};

template <class Document>
struct HeldList {
  std::shared_ptr<const Document> document;
  bool stale = false;          // upstream is failing: this is what it said last
  UnixSeconds checked_at = 0;  // when upstream said so
};

// What happened so far, for metrics.
struct ListCounters {
  std::atomic<std::uint64_t> failures = 0;  // exchanges that failed; "there is none" is no failure
  std::atomic<std::uint64_t> stale = 0;     // lists handed on although upstream failed
};

// Threads: any number of coroutines anywhere; callers who ask for one list share one exchange.
template <class Kind>
class HeldLists {
 public:
  using Subject = typename Kind::Subject;
  using List = HeldList<typename Kind::Document>;
  using Time = std::chrono::steady_clock::time_point;

  HeldLists(MirrorContext context, Kind kind, std::chrono::seconds freshness)
      : context_(context), kind_(kind), freshness_(freshness) {}

  // No older than the freshness; while upstream fails, or has not answered at the deadline, what is
  // held. Fails: as the source, when nothing is held.
  Task<List> Read(Subject subject, Time deadline);
  // What is held, whatever its age; upstream is not asked. Fails: kNotFound.
  Task<List> ReadHeld(Subject subject);

  std::chrono::seconds freshness() const { return freshness_; }
  const ListCounters& counters() const { return counters_; }

 private:
  using Held = std::shared_ptr<const HeldDocument>;
  bool IsFresh(const HeldDocument& document) const;
  Task<List> Decoded(Held held, bool stale);
  Task<List> Fetch(Subject subject, Held held, std::uint64_t landed, Time deadline);
  Task<List> Keep(Subject subject, Held held, AnsweredList<typename Kind::Document> answer);

  MirrorContext context_;
  Kind kind_;
  std::chrono::seconds freshness_;
  ListCounters counters_;
  SingleFlight<List> flights_{context_.pools.documents};
};

extern template class HeldLists<ProviderLists>;
extern template class HeldLists<ModuleLists>;
extern template class HeldLists<DocLists>;

}  // namespace koya::service
