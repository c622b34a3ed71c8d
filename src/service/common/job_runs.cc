#include "service/common/job_runs.h"

#include <utility>

namespace koya::service {

JobRun& JobRuns::Of(std::string_view job) {
  auto found = runs_.find(job);
  if (found == runs_.end()) found = runs_.emplace(job, JobRun{.job = std::string(job)}).first;
  return found->second;
}

JobRun& JobRuns::End(std::string_view job, JobMeasure measure) {
  JobRun& run = Of(job);
  run.ended_at = clock_.Now();
  ++run.runs;
  run.measure.took = measure.took;
  if (measure.waiting) run.measure.waiting = measure.waiting;
  return run;
}

void JobRuns::NoteDone(std::string_view job, std::string told, JobMeasure measure) {
  std::lock_guard lock(mutex_);
  JobRun& run = End(job, measure);
  run.failed = false;
  run.told = std::move(told);
}

void JobRuns::NoteFailed(std::string_view job, const Error& error, JobMeasure measure) {
  std::lock_guard lock(mutex_);
  JobRun& run = End(job, measure);
  run.failed = true;
  run.told = error.message;
  ++run.failures;
  run.failed_at = run.ended_at;
  run.last_failure = error.message;
}

void JobRuns::NoteWaiting(std::string_view job, std::uint64_t waiting) {
  std::lock_guard lock(mutex_);
  Of(job).measure.waiting = waiting;
}

std::vector<JobRun> JobRuns::All() const {
  std::lock_guard lock(mutex_);
  std::vector<JobRun> all;
  all.reserve(runs_.size());
  for (const auto& [job, run] : runs_) all.push_back(run);
  return all;
}

void NoteRun(JobRuns* runs, std::string_view job, const Status& done, std::string told,
             JobMeasure measure) {
  if (runs == nullptr) return;
  if (done) {
    runs->NoteDone(job, std::move(told), measure);
  } else {
    runs->NoteFailed(job, done.error(), measure);
  }
}

std::chrono::milliseconds RunTimer::Took() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               began_);
}

}  // namespace koya::service
