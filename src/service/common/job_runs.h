// Records the last run of each background job of this server, for people: its time, result and
// errors.
//
// Stored in memory: empty after a restart, and separate for each server. Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace koya::service {

// Optional measurements of a run. Unknown values are not shown.
struct JobMeasure {
  std::optional<std::chrono::milliseconds> took = {};  // from start to end of the run
  std::optional<std::uint64_t> waiting = {};           // work left, as far as known
};

struct JobRun {
  std::string job;           // "gc": the name of its lease, if it has one
  UnixSeconds ended_at = 0;  // 0: no run has ended yet; only `job` and `measure` are set
  JobMeasure measure;
  bool failed = false;
  std::string told;  // result or error message; "": nothing to report
  std::uint64_t runs = 0;
  std::uint64_t failures = 0;
  UnixSeconds failed_at = 0;  // time of the last failure; 0: never
  std::string last_failure;   // its error message
};

class JobRuns {
 public:
  // `now`: the clock for all records; must outlive this.
  explicit JobRuns(const Clock& now) : clock_(now) {}

  void NoteDone(std::string_view job, std::string told = {}, JobMeasure measure = {});
  void NoteFailed(std::string_view job, const Error& error, JobMeasure measure = {});
  // Updates the work left while the job runs or is queued. A run that ends without a number leaves
  // it unchanged.
  void NoteWaiting(std::string_view job, std::uint64_t waiting);
  // All recorded jobs, sorted by name.
  std::vector<JobRun> All() const;

 private:
  JobRun& Of(std::string_view job);
  JobRun& End(std::string_view job, JobMeasure measure);

  const Clock& clock_;
  mutable std::mutex mutex_;  // guards the fields below
  std::map<std::string, JobRun, std::less<>> runs_;
};

// Records the run in `runs`, unless that is null.
void NoteRun(JobRuns* runs, std::string_view job, const Status& done, std::string told,
             JobMeasure measure = {});

// Measures the duration of a run, from the construction of this object.
class RunTimer {
 public:
  std::chrono::milliseconds Took() const;

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace koya::service
