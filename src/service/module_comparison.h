// What changed between two versions of a module that is published here, asked for by whoever may
// read it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/fair_pool.h"
#include "base/single_flight.h"
#include "base/task.h"
#include "service/module_reading.h"
#include "service/reading.h"

namespace koya {
class ModuleAddress;
class ModuleCatalog;
class Version;
}  // namespace koya
namespace koya::wire {
struct Comparison;
}

namespace koya::service {

struct ModuleArchive;
class ModuleInsides;

using SharedComparison = std::shared_ptr<const wire::Comparison>;

struct ComparisonBounds {
  std::size_t at_once = 2;
  std::uint64_t bytes = 64U << 20;  // of the schemas of two versions of a provider
  std::chrono::milliseconds patience = std::chrono::seconds(5);  // of who asks
};

// Threads: any. The destructor waits for what is under way.
class ModuleComparison {
 public:
  // All of it must outlive this.
  ModuleComparison(ModuleCatalog& catalog, ModuleInsides& insides, ComparisonBounds bounds = {})
      : catalog_(catalog), insides_(insides), bounds_(bounds) {}

  // Whatever the order of the two; who asks for the same at once shares the work, which goes on
  // when they have left, and claims on behalf of the first of them. What was not read yet is read.
  // Fails: kNotFound, naming the version that is not there, or was withdrawn; kUnavailable: beyond
  // the bounds; kCorrupt: an archive is lost; as ModuleInsides::Find.
  Task<SharedComparison> Compare(ModuleAddress address, Version from, Version to, Reading reading);

 private:
  Task<ModuleArchive> FindArchive(ModuleAddress address, Version version);
  Task<SharedComparison> Work(ModuleArchive from, ModuleArchive to, Reading reading);
  Task<SharedContents> Read(ModuleArchive archive, Reading reading, std::uint64_t beside);

  ModuleCatalog& catalog_;
  ModuleInsides& insides_;
  const ComparisonBounds bounds_;
  std::atomic<std::size_t> working_ = 0;
  SingleFlight<SharedComparison> flights_{waiters_};
  FairPool waiters_{2, 1};  // goes first: its work uses all the others
};

}  // namespace koya::service
