// Compares two versions of a module published here, for a caller who may read it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/fair_pool.h"
#include "base/single_flight.h"
#include "base/task.h"
#include "service/common/module_reading.h"
#include "service/common/reading.h"

namespace koya {
class ModuleAddress;
class ModuleCatalog;
class Version;
}  // namespace koya
namespace koya::wire {
struct Comparison;
struct SourceDiff;
}  // namespace koya::wire

namespace koya::service {

struct ModuleArchive;
class ModuleMetadata;

using SharedComparison = std::shared_ptr<const wire::Comparison>;
using SharedSourceDiff = std::shared_ptr<const wire::SourceDiff>;

struct ComparisonLimits {
  std::size_t at_once = 2;
  std::uint64_t bytes = 64U << 20;  // of the schemas of two versions of a provider
  std::chrono::milliseconds patience = std::chrono::seconds(5);  // timeout of a caller
};

// Threads: any. The destructor waits for running comparisons.
class ModuleComparison {
 public:
  // All arguments must outlive this.
  ModuleComparison(ModuleCatalog& catalog, ModuleMetadata& insides, ComparisonLimits bounds = {})
      : catalog_(catalog), insides_(insides), bounds_(bounds) {}

  // Compares two versions, in either order. Concurrent calls for the same versions share the work,
  // which continues after they have left and claims memory on behalf of the first of them. Versions
  // without an analysis are analyzed. Fails: kNotFound, naming the version that does not exist or
  // was withdrawn; kUnavailable: beyond the limits; kCorrupt: an archive is lost; as
  // ModuleMetadata::FindContents.
  Task<SharedComparison> Compare(ModuleAddress address, Version from, Version to, Reading reading);

  // Compares the files of two versions, in either order, within the limits of SourceDiffer; shares
  // the work likewise. Fails: kNotFound, kUnavailable, kCorrupt, as Compare; as
  // ModuleMetadata::VisitFiles.
  Task<SharedSourceDiff> CompareSources(ModuleAddress address, Version from, Version to,
                                        Reading reading);

 private:
  // Two versions to compare, and the key of the work on them.
  struct Pair;
  Task<Pair> FindPair(ModuleAddress address, Version from, Version to);
  // The error of a caller whose timeout has passed.
  Error Late(const Pair& pair) const;
  Task<SharedSourceDiff> WorkOnSources(ModuleArchive from, ModuleArchive to, Reading reading);
  Task<ModuleArchive> FindArchive(ModuleAddress address, Version version);
  Task<SharedComparison> Work(ModuleArchive from, ModuleArchive to, Reading reading);
  Task<SharedContents> Read(ModuleArchive archive, Reading reading, std::uint64_t beside);

  ModuleCatalog& catalog_;
  ModuleMetadata& insides_;
  const ComparisonLimits bounds_;
  std::atomic<std::size_t> working_ = 0;
  SingleFlight<SharedComparison> flights_{waiters_};
  SingleFlight<SharedSourceDiff> source_flights_{waiters_};
  FairPool waiters_{2, 1};  // has priority: its work uses all the others
};

}  // namespace koya::service
