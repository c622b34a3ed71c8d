// A registry server from its first request to its last: the work beside requests, and the end.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "app/background.h"
#include "app/backup.h"
#include "app/mirror_parts.h"
#include "app/process_limits.h"
#include "app/registry_server.h"
#include "app/set_up.h"
#include "base/run_task.h"
#include "service/mirror/pull_policy.h"

namespace koya {
namespace {

constexpr std::chrono::seconds kAloneRest{20};  // SQLite has one server
constexpr std::chrono::seconds kSharedRest{0};
constexpr unsigned kDrainGrace = 5;  // seconds after the drain deadline

service::Replica::Program ProgramOf(const Settings& settings, const service::PullPolicy& policy) {
  return {.version = KOYA_VERSION,
          .schema_step = KnownSchemaStep(),
          .rest = settings.catalog.url.empty() ? kAloneRest : kSharedRest,
          .settings = policy.SettingDigests()};
}

}  // namespace

void RegistryServer::Stop() {
  server_->Stop();
  peers_->Stop();
  RunTask(uses_.Write());
  RunTask(denied_.WriteAll());
  RunTask(usage_.Write());
  RunTask(mirror_->mirror().counter.Write());
}

// Other registries, sign-in providers, the object store.
void RegistryServer::EndWhatIsWaitedFor() {
  mirror_->Stop();
  identity_->Stop();
  if (mail_) mail_->Stop();
  if (stores_.bucket) stores_.bucket->Stop();
}

// A request that is cut off at the deadline stays until those that it asks have answered or are
// given up: an upload to a store that is silent would take longer than a stop may.
void RegistryServer::EndRequests() {
  std::jthread at_the_deadline([this](const std::stop_token& ended) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait_for(lock, ended, settings_.timeouts.drain, [] { return false; });
    if (!ended.stop_requested()) EndWhatIsWaitedFor();
  });
  server_->Stop();
  at_the_deadline.request_stop();
  at_the_deadline.join();
  // No request waits any more for data that was not sent yet.
  EndWhatIsWaitedFor();
}

void RegistryServer::AnnounceStop(int signal) {
  NotifyServiceManager("STOPPING=1");
  log_.Info("stopping: running requests may finish",
            {{"signal", signal},
             {"delay_s", settings_.timeouts.drain_delay.count()},
             {"deadline_s", settings_.timeouts.drain.count()}});
  operations_.status().SetPhase(ServingPhase::kStopping);
}

void RegistryServer::Run(const std::function<void(std::string_view line)>& announce) {
  farewell_.NoteServed();
  WarnOfFewDescriptors();
  std::jthread stopper;
  service::Replica replica(*stores_.catalog, *leases_, changes_, clock_,
                           ProgramOf(settings_, mirror_->mirror().policy));
  SetUp set_up(first_run_, *leases_, clock_, log_,
               {.file = SetUpFile(), .url = services_->url, .on_terminal = ::isatty(1) == 1},
               announce);
  BackgroundWork work{
      .clock = clock_,
      .catalog = *stores_.catalog,
      .blobs = *stores_.blobs,
      .bucket = stores_.bucket.get(),
      .marker = marker_,
      .open_files = *stores_.open_files,
      .workers = *stores_.blob_readers,
      .changes = changes_,
      .uses = uses_,
      .denied = denied_,
      .leases = *leases_,
      .replica = replica,
      .limits = limits_,
      .usage = usage_,
      .mirror_counter = mirror_->mirror().counter,
      .readings = readings_,
      .reindexing = reindexing_,
      .index_queue = index_queue_,
      .backups = *backups_,
      .jobs = job_runs_,
      .log = log_,
      .set_up = settings_.server.dev ? nullptr : &set_up,  // --dev has an administrator's token
      .garbage = garbage_,
      .garbage_grace = settings_.blobs.gc_grace,
      .garbage_every = settings_.blobs.gc_every,
      .audit_retention = {settings_.audit.retention, settings_.audit.denied_retention},
      .usage_retention = {settings_.usage.keep_detail, settings_.usage.keep_totals},
      .offline_grace = settings_.access.offline_grace,
      .mirror_bound = {settings_.mirror.max_bytes, mirror_->mirror().policy.hosts()},
      .mirror_watch = {mirror_->mirror().watch, settings_.policy.watch},
      .signers = {mirror_->mirror().context, mirror_->mirror().inventory},
      .freeze = freeze_,
      .mail = mail_ ? &mail_->notices() : nullptr,
  };
  BackgroundEvents events;
  events.drain_delay = settings_.timeouts.drain_delay;
  events.on_ready = [&] {
    announce("koya: ready " + services_->url);
    NotifyServiceManager("READY=1");
  };
  events.on_signal = [this](int signal) { AnnounceStop(signal); };
  events.on_stop = [&] {
    // A disk or a database that hangs must not keep the process for ever: what would have been
    // written is either whole or absent, as after a crash.
    ::alarm(static_cast<unsigned>(settings_.timeouts.drain.count()) + kDrainGrace);
    stopper = std::jthread([this] { EndRequests(); });
  };
  RunBackground(work, events);
  if (stopper.joinable()) stopper.join();
  RunTask(denied_.WriteAll());
  RunTask(usage_.Write());
  RunTask(mirror_->mirror().counter.Write());
  peers_->Stop();
  operations_.Stop();
}

}  // namespace koya
