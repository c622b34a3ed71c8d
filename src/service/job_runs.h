// What this server's background work did last, for people: when, and what was wrong.
//
// Kept in memory: it begins anew with the process, and each server tells of itself alone.
// Threads: any.
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

// What a run says of itself besides. What is not known is not shown.
struct JobMeasure {
  std::optional<std::chrono::milliseconds> took = {};  // from its beginning to its end
  std::optional<std::uint64_t> waiting = {};           // is left to do, as far as it is known
};

struct JobRun {
  std::string job;           // "gc": as its lease, if it has one
  UnixSeconds ended_at = 0;  // 0: none has ended yet, and only `job` and `measure` say something
  JobMeasure measure;
  bool failed = false;
  std::string told;  // what it did, or why it failed; "": nothing to tell
  std::uint64_t runs = 0;
  std::uint64_t failures = 0;
  UnixSeconds failed_at = 0;  // the last time; 0: never
  std::string last_failure;   // what it said then
};

class JobRuns {
 public:
  // `now` is asked at each note; it outlives this.
  explicit JobRuns(const Clock& now) : clock_(now) {}

  void NoteDone(std::string_view job, std::string told = {}, JobMeasure measure = {});
  void NoteFailed(std::string_view job, const Error& error, JobMeasure measure = {});
  // While it runs, or waits for its turn. What a run notes at its end without a number stays.
  void NoteWaiting(std::string_view job, std::uint64_t waiting);
  // Those that were noted, by name.
  std::vector<JobRun> All() const;

 private:
  JobRun& Of(std::string_view job);
  JobRun& End(std::string_view job, JobMeasure measure);

  const Clock& clock_;
  mutable std::mutex mutex_;  // of what follows
  std::map<std::string, JobRun, std::less<>> runs_;
};

// Notes it where there is somebody to note it.
void NoteRun(JobRuns* runs, std::string_view job, const Status& done, std::string told,
             JobMeasure measure = {});

// How long a run takes that begins where this is made.
class RunTimer {
 public:
  std::chrono::milliseconds Took() const;

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace koya::service
