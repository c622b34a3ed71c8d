// Compares two versions of a provider published here, for a caller who may read it: platforms,
// protocols, keys, the schema, and pages of the docs.
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
#include "service/modules/module_comparison.h"

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

// A release that is not in the catalog, or not yet. All members must outlive the comparison.
struct NewRelease {
  const ProviderRelease& release;  // key_fingerprint "": a key that is still to be created
  const ReleaseExtras& extras;
  int schema_file = -1;  // a local file: the zip that extras.schema indexes
};

// Threads: any. The destructor waits for running comparisons.
class ProviderComparison {
 public:
  // All arguments must outlive this. `pool` runs the computations of a publish. `bounds.bytes`:
  // size limit of both schemas, which are read one item at a time.
  ProviderComparison(Catalog& catalog, ProviderDocs& docs, WorkerPool& pool,
                     ComparisonLimits bounds = {})
      : catalog_(catalog), docs_(docs), pool_(pool), bounds_(bounds) {}

  // Compares two versions, in either order. Concurrent calls for the same versions share the work,
  // which continues after they have left and claims memory on behalf of the first of them. Docs or
  // a schema that a version was published without are unknown: reported, but requiring no other
  // version number. Fails: kNotFound, naming the version that does not exist or was withdrawn;
  // kUnavailable: beyond the limits; kCorrupt: a schema is damaged or lost.
  Task<SharedComparison> Compare(ProviderAddress address, Version from, Version to,
                                 Reading reading);

  // The same for a release that is about to be published. The work is not shared, and ends when the
  // timeout `bounds.patience` expires. Fails: as Compare.
  Task<SharedComparison> CompareNew(ProviderAddress address, Version from, NewRelease to);

 private:
  struct Known;
  using Moment = std::chrono::steady_clock::time_point;
  Task<Known> FindKnown(ProviderRelease release, Reading reading);
  static Known Describe(const NewRelease& release, Reading reading);
  Error Late(const Version& from, const Version& to, std::string_view then) const;
  Task<SharedComparison> Work(ProviderRelease from, ProviderRelease to, Reading reading);
  // `until`: deadline.
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
  const ComparisonLimits bounds_;
  std::atomic<std::size_t> working_ = 0;
  SingleFlight<SharedComparison> flights_{waiters_};
  FairPool waiters_{2, 1};  // has priority: its work uses all the others
};

}  // namespace koya::service
