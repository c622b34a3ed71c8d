// VerifyRunCatalog stores what runs of koya verify report: for people, nothing depends on it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {

struct VerifyProgress;
struct VerifyRun;

class VerifyRunCatalog {
 public:
  static constexpr std::size_t kMostRuns = 10;

  virtual ~VerifyRunCatalog() = default;
  // Stores a run that starts now, and deletes all but the kMostRuns that started last. Fails:
  // kConflict: there is one of this id; kInvalid: a text cannot be stored.
  virtual Task<void> AddVerifyRun(VerifyRun run) = 0;
  // Replaces the progress that the run reported before. Fails: kNotFound: the run is not stored any
  // more, or has ended; kInvalid: a text cannot be stored.
  virtual Task<void> ReportVerifyRun(std::string id, VerifyProgress progress) = 0;
  // The stored runs; the one that started last comes first.
  virtual Task<std::vector<VerifyRun>> ListVerifyRuns() = 0;
};

}  // namespace koya
