// What runs of koya verify told of themselves: for people, nothing depends on it.
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
  // Keeps a run that begins now, and lets go of all but the kMostRuns that began last. Fails:
  // kConflict: there is one of this id; kInvalid: a text cannot be stored.
  virtual Task<void> AddVerifyRun(VerifyRun run) = 0;
  // What the run says of itself now, in the place of what it said before. Fails: kNotFound: there
  // is no such run any more, or it has ended; kInvalid: a text cannot be stored.
  virtual Task<void> TellVerifyRun(std::string id, VerifyProgress progress) = 0;
  // Those that are kept; the one that began last comes first.
  virtual Task<std::vector<VerifyRun>> ListVerifyRuns() = 0;
};

}  // namespace koya
