// Reads what nobody has read yet of the versions that are here, or only a worse reader has, and
// keeps what it finds: of what is published here the search index, too.
//
// One version at a time. What is read meanwhile by others is not met any more; doing it twice does
// no harm. Threads: any.
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
class ModuleInsides;

// A version whose archive cannot be read.
struct ReadingProblem {
  std::string address;  // of another registry with its host: "registry.opentofu.org/acme/vpc/aws"
  std::string version;
  std::string problem;
};

struct ReadingStep {
  std::string next;  // where the next step begins; "" at the end
  std::uint64_t read = 0;
  std::uint64_t left = 0;  // unread after it, those that cannot be read included
  std::vector<ReadingProblem> problems;
};

// Since this process began; `unread` as it was counted last.
struct ReadingTotals {
  std::atomic<std::uint64_t> unread = 0;
  std::atomic<std::uint64_t> read = 0;
  std::atomic<std::uint64_t> failed = 0;
};

class Readings {
 public:
  // A step ends with the version after which it has taken so long, or met so many.
  static constexpr std::chrono::seconds kStepTime{1};
  static constexpr std::uint64_t kMostOfStep = 100;

  // Everything given must outlive this.
  Readings(Catalog& catalog, ModuleInsides& insides) : catalog_(catalog), insides_(insides) {}

  // `after`: "" for the first step, or what the step before calls `next`. Fails: kInvalid for an
  // `after` that no step ends with; as ReadOne.
  Task<ReadingStep> Step(std::string after);

  // Reads one of what ListUnread tells of. A problem: its archive cannot be read, now or ever.
  // Fails: as the store or the catalog when they are away, or full: it says nothing of the version.
  Task<std::optional<ReadingProblem>> ReadOne(UnreadModule module);

  // Counts what is unread, for the totals too.
  Task<std::uint64_t> Count();
  const ReadingTotals& totals() const { return totals_; }

 private:
  Task<ModuleArchive> FindArchive(UnreadModule module);

  Catalog& catalog_;
  ModuleInsides& insides_;
  ReadingTotals totals_;
};

}  // namespace koya::service
