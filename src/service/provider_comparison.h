// What changed between two versions of a provider that is published here, asked for by whoever may
// read it: platforms, protocols, keys, what the schema declares, and pages of the docs.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/fair_pool.h"
#include "base/offload.h"
#include "base/single_flight.h"
#include "base/task.h"
#include "catalog/catalog.h"
#include "inspect/changes.h"
#include "inspect/provider/schema.h"
#include "service/module_comparison.h"
#include "service/provider_docs.h"

namespace koya::service {

// Threads: any. The destructor waits for what is under way.
class ProviderComparison {
 public:
  // All of it must outlive this. `pool` runs what computes. `bounds.bytes`: of both schemas, which
  // are read one item at a time.
  ProviderComparison(Catalog& catalog, ProviderDocs& docs, WorkerPool& pool,
                     ComparisonBounds bounds = {})
      : catalog_(catalog), docs_(docs), pool_(pool), bounds_(bounds) {}

  // Whatever the order of the two; who asks for the same at once shares the work, which goes on
  // when they have left. What a version was published without is unknown: told, and no reason for
  // another number. Fails: kNotFound, naming the version that is not there, or was withdrawn;
  // kUnavailable: beyond the bounds; kCorrupt: a schema is damaged, or lost.
  Task<SharedComparison> Compare(ProviderAddress address, Version from, Version to);

 private:
  // What is known of a version before its schema is read.
  struct Known {
    ProviderRelease release;
    DocsSummary summary;
    std::vector<SchemaRecord> items;
    std::vector<DocName> pages;
  };
  Task<Known> Find(ProviderRelease release);
  Task<SharedComparison> Work(ProviderRelease from, ProviderRelease to);
  static SharedComparison JudgeAll(const Known& before, const Known& after,
                                   std::vector<inspect::Change> changes);
  Task<std::vector<inspect::Change>> CompareSchemas(const Known& from, const Known& to);
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
