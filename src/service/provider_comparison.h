// What changed between two versions of a provider that is published here, asked for by whoever may
// read it: platforms, protocols, keys, what the schema declares, and pages of the docs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fair_pool.h"
#include "base/single_flight.h"
#include "base/task.h"
#include "service/module_comparison.h"

namespace koya {
class Catalog;
class ProviderAddress;
struct ProviderRelease;
struct ReleaseExtras;
struct SchemaRecord;
class Version;
class WorkerPool;
}  // namespace koya
namespace koya::inspect {
struct Change;
}
namespace koya::inspect::provider {
struct SchemaItem;
}

namespace koya::service {

class ProviderDocs;
class Reading;

// A release that the catalog does not have, or not yet. All of it outlives the comparison.
struct NewRelease {
  const ProviderRelease& release;  // key_fingerprint "": a key that is still to be made
  const ReleaseExtras& extras;
  int schema_file = -1;  // the zip that extras.schema is an index of, as a file here
};

// Threads: any. The destructor waits for what is under way.
class ProviderComparison {
 public:
  // All of it must outlive this. `pool` runs what is computed for a publish. `bounds.bytes`: of
  // both schemas, which are read one item at a time.
  ProviderComparison(Catalog& catalog, ProviderDocs& docs, WorkerPool& pool,
                     ComparisonBounds bounds = {})
      : catalog_(catalog), docs_(docs), pool_(pool), bounds_(bounds) {}

  // Whatever the order of the two; who asks for the same at once shares the work, which goes on
  // when they have left, and claims on behalf of the first of them. What a version was published
  // without is unknown: told, and no reason for another number. Fails: kNotFound, naming the
  // version that is not there, or was withdrawn; kUnavailable: beyond the bounds; kCorrupt: a
  // schema is damaged, or lost.
  Task<SharedComparison> Compare(ProviderAddress address, Version from, Version to,
                                 Reading reading);

  // The same with what is about to be published. Shared with nobody, and given up at the end of
  // `bounds.patience`. Fails: as Compare.
  Task<SharedComparison> CompareNew(ProviderAddress address, Version from, NewRelease to);

 private:
  struct Known;
  using Moment = std::chrono::steady_clock::time_point;
  Task<Known> Find(ProviderRelease release, Reading reading);
  static Known Describe(const NewRelease& release, Reading reading);
  Error Late(const Version& from, const Version& to, std::string_view then) const;
  Task<SharedComparison> Work(ProviderRelease from, ProviderRelease to, Reading reading);
  // `until`: when to give up.
  Task<SharedComparison> CompareKnown(Known before, Known after, std::optional<Moment> until);
  static SharedComparison JudgeAll(const Known& before, const Known& after,
                                   std::vector<inspect::Change> changes);
  Task<std::vector<inspect::Change>> CompareSchemas(const Known& from, const Known& to,
                                                    std::optional<Moment> until);
  Task<std::string> ReadLine(const Known& known, const SchemaRecord& record);
  Task<std::optional<inspect::provider::SchemaItem>> ReadItem(const Known& known,
                                                              const SchemaRecord* record);

  Catalog& catalog_;
  ProviderDocs& docs_;
  WorkerPool& pool_;
  const ComparisonBounds bounds_;
  std::atomic<std::size_t> working_ = 0;
  SingleFlight<SharedComparison> flights_{waiters_};
  FairPool waiters_{2, 1};  // goes first: its work uses all the others
};

}  // namespace koya::service
