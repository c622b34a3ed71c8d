// Analyzes the module versions on this server that were never analyzed, or only by an older reader,
// and stores the results; for versions that were published here also in the search index.
//
// One version at a time. Versions that are analyzed concurrently elsewhere are skipped; analyzing
// one twice does no harm. Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {
class Catalog;
struct UnreadModule;
}  // namespace koya

namespace koya::service {

struct ModuleArchive;
class ModuleMetadata;

// A version whose archive cannot be read.
struct ReadingProblem {
  std::string address;  // with the host for another registry: "registry.opentofu.org/acme/vpc/aws"
  std::string version;
  std::string problem;
};

struct ReadingStep {
  std::string next;  // where the next step begins; "" at the end
  std::uint64_t read = 0;
  std::uint64_t left = 0;  // unread after this step, including those that cannot be read
  std::vector<ReadingProblem> problems;
};

// Totals since the process started; `unread` is the last count.
struct ReadingTotals {
  std::atomic<std::uint64_t> unread = 0;
  std::atomic<std::uint64_t> read = 0;
  std::atomic<std::uint64_t> failed = 0;
};

class AnalysisProgress {
 public:
  // A step ends after the version with which it reaches either limit.
  static constexpr std::chrono::seconds kStepTime{1};
  static constexpr std::uint64_t kMostOfStep = 100;

  // All arguments must outlive this.
  AnalysisProgress(Catalog& catalog, ModuleMetadata& insides)
      : catalog_(catalog), insides_(insides) {}

  // `after`: "" for the first step, else `next` of the step before. Fails: kInvalid if `after` is
  // not the `next` of a step; as ReadOne.
  Task<ReadingStep> Step(std::string after);

  // Analyzes one version of ListUnread. Returns a problem if its archive can never be read. Fails:
  // as the store or the catalog when they are down or full: this is no statement about the version.
  Task<std::optional<ReadingProblem>> ReadOne(UnreadModule module);

  // Counts the unread versions and updates the totals.
  Task<std::uint64_t> Count();
  const ReadingTotals& totals() const { return totals_; }

 private:
  Task<ModuleArchive> FindArchive(UnreadModule module);

  Catalog& catalog_;
  ModuleMetadata& insides_;
  ReadingTotals totals_;
};

}  // namespace koya::service
