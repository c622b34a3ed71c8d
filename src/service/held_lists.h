// Lists that change upstream, as they are held here: asked for again when they are no longer fresh,
// and served as they are while upstream fails.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/offload.h"
#include "base/single_flight.h"
#include "catalog/upstream_catalog.h"
#include "obs/log.h"
#include "service/change_feed.h"
#include "upstream/provider_source.h"

namespace koya::service {

// What upstream answered: a list in this server's own encoding, or that the one held is still it.
struct FetchedList {
  bool unchanged = false;
  std::string body;
  upstream::Validators validators;
};

// The two sorts of lists: what they are of, how they are kept, and who is asked.
struct ProviderLists {
  using Subject = UpstreamProvider;
  using Document = wire::ProviderVersions;
  static std::string DocumentKey(const Subject& provider);
  static std::string Encode(const Document& document);
  static Result<Document> Decode(const std::string& body);
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
  Result<AnsweredList<Document>> Ask(const Subject& module, const upstream::Validators& held,
                                     const upstream::Patience& patience);
  upstream::ModuleSource& source;
};

struct HeldList {
  std::string body;
  bool stale = false;          // upstream is failing: this is what it said last
  UnixSeconds checked_at = 0;  // when upstream said so
};

// What happened so far, for metrics.
struct ListCounters {
  std::atomic<std::uint64_t> failures = 0;  // exchanges that failed; "there is none" is no failure
  std::atomic<std::uint64_t> stale = 0;     // lists handed on although upstream failed
};

// Threads: any number of coroutines anywhere; callers who ask for one list share one exchange.
class HeldLists {
 public:
  // Everything given must outlive this. `pool` runs the exchanges.
  HeldLists(UpstreamCatalog& catalog, WorkerPool& pool, ChangeFeed& changes, const Clock& clock,
            Logger& log, std::chrono::seconds freshness)
      : catalog_(catalog),
        changes_(changes),
        clock_(clock),
        log_(log),
        freshness_(freshness),
        flights_(pool) {}

  // No older than the freshness; while upstream fails, what is held. Fails: as `fetch`, when
  // nothing is held.
  Task<HeldList> Read(ListRequest request);
  // What is held, whatever its age; upstream is not asked. Fails: kNotFound.
  Task<HeldList> ReadHeld(std::string key);

  std::chrono::seconds freshness() const { return freshness_; }
  const ListCounters& counters() const { return counters_; }

 private:
  bool IsFresh(const HeldDocument& document) const;
  Result<HeldDocument> Fetch(const ListRequest& request, const std::optional<HeldDocument>& held);

  UpstreamCatalog& catalog_;
  ChangeFeed& changes_;
  const Clock& clock_;
  Logger& log_;
  std::chrono::seconds freshness_;
  ListCounters counters_;
  SingleFlight<HeldDocument> flights_;
};

}  // namespace koya::service
