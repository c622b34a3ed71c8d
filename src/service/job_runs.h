// What this server's background work did last, for people: when, and what was wrong.
//
// Kept in memory: it begins anew with the process, and each server tells of itself alone.
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace koya::service {

struct JobRun {
  std::string job;  // "gc": as its lease, if it has one
  UnixSeconds ended_at = 0;
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

  void NoteDone(std::string_view job, std::string told = {});
  void NoteFailed(std::string_view job, const Error& error);
  // Those that have ended at least once, by name.
  std::vector<JobRun> All() const;

 private:
  JobRun& Of(std::string_view job);

  const Clock& clock_;
  mutable std::mutex mutex_;  // of what follows
  std::map<std::string, JobRun, std::less<>> runs_;
};

// Notes it where there is somebody to note it.
void NoteRun(JobRuns* runs, std::string_view job, const Status& done, std::string told);

}  // namespace koya::service
