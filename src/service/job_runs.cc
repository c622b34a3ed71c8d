#include "service/job_runs.h"

#include <utility>

namespace koya::service {

JobRun& JobRuns::Of(std::string_view job) {
  auto found = runs_.find(job);
  if (found == runs_.end()) found = runs_.emplace(job, JobRun{.job = std::string(job)}).first;
  JobRun& run = found->second;
  run.ended_at = clock_.Now();
  ++run.runs;
  return run;
}

void JobRuns::NoteDone(std::string_view job, std::string told) {
  std::lock_guard lock(mutex_);
  JobRun& run = Of(job);
  run.failed = false;
  run.told = std::move(told);
}

void JobRuns::NoteFailed(std::string_view job, const Error& error) {
  std::lock_guard lock(mutex_);
  JobRun& run = Of(job);
  run.failed = true;
  run.told = error.message;
  ++run.failures;
  run.failed_at = run.ended_at;
  run.last_failure = error.message;
}

std::vector<JobRun> JobRuns::All() const {
  std::lock_guard lock(mutex_);
  std::vector<JobRun> all;
  all.reserve(runs_.size());
  for (const auto& [job, run] : runs_) all.push_back(run);
  return all;
}

void NoteRun(JobRuns* runs, std::string_view job, const Status& done, std::string told) {
  if (runs == nullptr) return;
  if (done) {
    runs->NoteDone(job, std::move(told));
  } else {
    runs->NoteFailed(job, done.error());
  }
}

}  // namespace koya::service
