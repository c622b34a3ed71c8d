#include "app/background.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/process_limits.h"
#include "base/file.h"
#include "base/offload.h"
#include "service/audit/audit.h"
#include "service/mirror/mirror_space.h"
#include "service/modules/reading_upkeep.h"
#include "service/operate/collect_garbage.h"
#include "service/search/search_upkeep.h"

namespace koya {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::minutes kFirstCollection(1);
constexpr std::chrono::seconds kFirstReading(5);
constexpr std::chrono::hours kBetweenTrims(1);
constexpr std::chrono::minutes kBetweenBounds(1);
constexpr std::chrono::minutes kBetweenTidying(1);
constexpr std::chrono::seconds kBetweenLooksAtMemory(10);
constexpr std::chrono::seconds kBetweenLooks(3);
constexpr std::chrono::seconds kBetweenNotes(1);
constexpr std::chrono::seconds kBetweenLinks(1);
constexpr std::chrono::seconds kBetweenDenials(5);
constexpr std::chrono::minutes kBetweenSignInSweeps(10);
constexpr std::chrono::minutes kIdleFile(10);
constexpr std::chrono::hours kBetweenSigners(24);
// The names of leases.
using service::kGarbageLease;
constexpr const char* kBoundLease = "mirror-bound";
constexpr const char* kSignInLease = "sign-ins";
constexpr const char* kWatchLease = "mirror-watch";
constexpr const char* kSignersLease = "signers";
constexpr const char* kMailLease = "mail";

Awaitable<void> Collect(BackgroundWork work, const std::atomic<bool>& stopping) {
  service::GarbageOptions options{.grace = work.garbage_grace,
                                  .now = work.clock.Now(),
                                  .stop = stopping,
                                  .totals = &work.garbage};
  const service::RunTimer timer;
  auto report = co_await service::CollectGarbage(work.catalog, work.catalog, work.blobs, options);
  if (!report) {
    work.jobs.NoteFailed(kGarbageLease, report.error(), {.took = timer.Took()});
    work.log.Failure("garbage collection failed; retrying after blobs.gc_every", report.error());
    co_return;
  }
  work.jobs.NoteDone(
      kGarbageLease,
      fmt::format("checked {} blobs; removed {} unused ones ({} bytes) and {} expired drafts",
                  report->examined, report->removed, report->removed_bytes, report->drafts),
      {.took = timer.Took()});
  if (report->removed > 0 || report->drafts > 0) {
    work.log.Info("garbage collected", {{"drafts", report->drafts},
                                        {"examined", report->examined},
                                        {"removed", report->removed},
                                        {"removed_bytes", report->removed_bytes}});
  }
}

Awaitable<void> CollectAndSweep(BackgroundWork work, const std::atomic<bool>& stopping) {
  co_await Collect(work, stopping);
  if (work.bucket != nullptr) co_await work.bucket->Sweep(work.jobs, stopping);
}

Awaitable<void> BoundOnce(BackgroundWork work, const std::atomic<bool>& stopping) {
  const service::RunTimer timer;
  auto report = co_await service::EnforceMirrorBound(work.catalog, work.catalog, work.blobs,
                                                     work.mirror_bound, stopping);
  if (!report) {
    work.jobs.NoteFailed(kBoundLease, report.error(), {.took = timer.Took()});
    work.log.Failure("mirror eviction failed; retrying", report.error());
    co_return;
  }
  work.jobs.NoteDone(
      kBoundLease,
      fmt::format("evicted {} mirrored packages ({} bytes)", report->packages, report->bytes),
      {.took = timer.Took()});
  if (report->packages > 0) {
    work.log.Info("evicted the least recently used mirrored packages",
                  {{"packages", report->packages}, {"bytes", report->bytes}});
  }
}

Awaitable<void> WatchOnce(BackgroundWork work, const std::atomic<bool>& stopping) {
  const service::RunTimer timer;
  Result<service::WatchReport> report = co_await work.mirror_watch.watch.Run(stopping);
  if (!report) {
    work.jobs.NoteFailed(kWatchLease, report.error(), {.took = timer.Took()});
    work.log.Failure("the watch over mirrored packages failed; retrying after policy.watch",
                     report.error());
    co_return;
  }
  work.jobs.NoteDone(kWatchLease,
                     fmt::format("read {} lists; pinned {} releases; {} changed; {} failed",
                                 report->lists, report->pinned, report->changed, report->failed),
                     {.took = timer.Took()});
}

// After the first run there are only those whose documents are missing or damaged.
Awaitable<void> RecordSigners(BackgroundWork work, const std::atomic<bool>& stopping) {
  const service::RunTimer timer;
  Result<service::SignerBackfill::Report> report = co_await work.signers.Run(stopping);
  if (!report) {
    work.jobs.NoteFailed(kSignersLease, report.error(), {.took = timer.Took()});
    work.log.Failure("the signers of old releases could not be recorded; retrying in a day",
                     report.error());
    co_return;
  }
  work.jobs.NoteDone(kSignersLease,
                     fmt::format("recorded who signed {} releases; {} are not known",
                                 report->recorded, report->unknown),
                     {.took = timer.Took()});
}

// Sessions and codes that have expired are refused anyway; what goes is their rows.
Awaitable<void> SweepSignIns(BackgroundWork work) {
  const service::RunTimer timer;
  Result<std::uint64_t> removed = co_await work.catalog.RemoveExpiredSignIns(SystemClock().Now());
  if (removed) {
    work.jobs.NoteDone(kSignInLease, fmt::format("removed {} expired sign-ins", *removed),
                       {.took = timer.Took()});
    co_return;
  }
  work.jobs.NoteFailed(kSignInLease, removed.error(), {.took = timer.Took()});
  work.log.Failure("expired sign-ins could not be removed; retrying", removed.error());
}

Awaitable<void> SendMail(BackgroundWork work, const std::atomic<bool>& stopping) {
  const service::RunTimer timer;
  Result<service::MailReport> report = co_await work.mail->Run(stopping);
  if (!report) {
    work.jobs.NoteFailed(kMailLease, report.error(), {.took = timer.Took()});
    co_return;
  }
  if (report->sent + report->refused + report->later == 0) co_return;
  work.jobs.NoteDone(kMailLease,
                     fmt::format("sent {} mails; {} were refused and given up; {} are sent later",
                                 report->sent, report->refused, report->later),
                     {.took = timer.Took()});
}

// The timer's end, or its cancellation at the end of the server.
Awaitable<void> Pause(asio::steady_timer& timer, std::chrono::milliseconds wait) {
  boost::system::error_code cancelled;
  timer.expires_after(wait);
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

// Work that is done again and again.
struct PeriodicJob {
  std::string_view name;  // for the log
  std::chrono::milliseconds every;
  std::function<Awaitable<void>()> run;
  // Of several servers the one with this lease does it: several at once would only do the same work
  // twice. Such a job changes stored packages, and rests while the registry is frozen. "": each
  // server does its own.
  const char* lease = "";
  std::optional<std::chrono::milliseconds> first =
      std::nullopt;        // the first wait, if it is another
  bool once_more = false;  // when the server stops, for what was recorded meanwhile
};

Awaitable<void> RunWithLease(BackgroundWork work, const PeriodicJob& job) {
  if (co_await work.freeze.IsFrozen()) co_return;
  Result<bool> ours = co_await work.leases.TakeLease(job.lease);
  if (!ours) {
    work.jobs.NoteFailed(job.lease, ours.error(), {});
    work.log.Failure(fmt::format("{} could not start; retrying", job.name), ours.error());
    co_return;
  }
  if (!*ours) co_return;  // another server is at it
  co_await job.run();
  // What cannot be given back ends by itself.
  co_await work.leases.GiveBack(job.lease);
}

Awaitable<void> Repeat(PeriodicJob job, BackgroundWork work, asio::steady_timer& timer,
                       const std::atomic<bool>& stopping) {
  std::chrono::milliseconds wait = job.first.value_or(job.every);
  while (!stopping) {
    co_await Pause(timer, wait);
    if (stopping && !job.once_more) break;
    if (*job.lease != '\0') {
      co_await RunWithLease(work, job);
    } else {
      co_await job.run();
    }
    wait = job.every;
  }
}

// Registers this server with the others and renews the registration and the leases.
Awaitable<void> ServeVisibly(BackgroundWork work, asio::steady_timer& timer,
                             const std::atomic<bool>& stopping) {
  while (!stopping) {
    // What cannot be kept ends by itself.
    co_await work.replica.RenewRegistration();
    if (stopping) break;
    co_await Pause(timer, service::Leases::kKeepEvery);
  }
  co_await work.replica.Unregister();
}

using SteadyTime = std::chrono::steady_clock::time_point;

Awaitable<void> ChainAndTrim(service::AuditUpkeep& audit, SteadyTime& trim_at,
                             const std::atomic<bool>& stopping) {
  co_await audit.Chain();
  if (stopping || std::chrono::steady_clock::now() < trim_at) co_return;
  // Several at once would only do the same work twice, and take turns.
  co_await audit.Trim(SystemClock().Now());
  trim_at = std::chrono::steady_clock::now() + kBetweenTrims;
}

Awaitable<void> WriteDenials(BackgroundWork work) {
  co_await work.denied.Write(SystemClock().Now());
}

Awaitable<void> CountAndTidy(BackgroundWork work, service::UsageUpkeep& upkeep, SteadyTime& tidy_at,
                             const std::atomic<bool>& stopping) {
  co_await work.usage.Write();
  co_await work.mirror_counter.Write();
  if (stopping || std::chrono::steady_clock::now() < tidy_at) co_return;
  co_await upkeep.Tidy(work.clock.Now());
  tidy_at = std::chrono::steady_clock::now() + kBetweenTrims;
}

Awaitable<void> ShareLimits(BackgroundWork work) { co_await work.limits.Share(); }
Awaitable<void> WriteUses(BackgroundWork work) { co_await work.uses.Write(); }
Awaitable<void> AskTime(BackgroundWork work) { co_await work.clock.Synchronize(); }
Awaitable<void> CheckBucket(BackgroundWork work) { co_await work.bucket->CheckAgain(work.marker); }

Awaitable<void> TidyFiles(BackgroundWork work) {
  std::function<void()> tidy = [&files = work.open_files, bucket = work.bucket] {
    files.Tidy(kIdleFile);
    if (bucket != nullptr) bucket->TidyCache();
  };
  co_await work.workers.Run(std::move(tidy));
}

Awaitable<void> GiveBackMemory(BackgroundWork work) {
  std::function<void()> give_back = GiveBackFreeMemory;
  co_await work.workers.Run(std::move(give_back));
}

// Analyzes modules that an older program published and mirrored modules, then indexes what the
// search index still lacks. Analysis of a module also indexes it. So nothing is indexed here while
// modules are analyzed, and both together use one tenth of a core.
Awaitable<void> ReadAndIndexRegularly(BackgroundWork work, asio::steady_timer& timer,
                                      const std::atomic<bool>& stopping) {
  service::ReadingUpkeep reading(work.catalog, work.readings, work.leases, work.log, &work.jobs);
  service::SearchUpkeep indexing(work.catalog, work.reindexing, work.leases, work.log, &work.jobs);
  using Clock = std::chrono::steady_clock;
  Clock::time_point read_at = Clock::now() + kFirstReading;
  Clock::time_point index_at = read_at;
  while (!stopping) {
    boost::system::error_code cancelled;
    timer.expires_at(std::min(read_at, index_at));
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    if (stopping) break;
    if (co_await work.freeze.IsFrozen()) {
      read_at = index_at = Clock::now() + service::ReadingUpkeep::kPause;
      continue;
    }
    if (read_at > index_at) {
      const std::chrono::milliseconds rest = co_await indexing.Work();
      index_at = Clock::now() + rest;
      continue;
    }
    const std::chrono::milliseconds rest = co_await reading.Work();
    read_at = Clock::now() + rest;
    if (rest < service::ReadingUpkeep::kBetweenLooks) index_at = std::max(index_at, read_at);
  }
}

// Every publish wakes this, from any thread. It checks the queue before it waits, on the loop's
// thread only, so that no wake-up is missed.
Awaitable<void> IndexWhatIsPublished(BackgroundWork work, asio::steady_timer& timer,
                                     const std::atomic<bool>& stopping) {
  work.index_queue.WakeWith(
      [&timer] { asio::post(timer.get_executor(), [&timer] { timer.cancel(); }); });
  ScopeGuard quiet([&queue = work.index_queue] { queue.WakeWith({}); });
  while (!stopping) {
    co_await work.index_queue.Work(work.reindexing, work.log, stopping, &work.jobs);
    if (stopping) break;
    co_await Pause(timer, service::SearchUpkeep::kBetweenLooks);
  }
}

Awaitable<void> FollowChanges(BackgroundWork work) {
  service::ChangeFeed::Outage outage{
      .begins =
          [&log = work.log, grace = work.offline_grace](const Error& error) {
            log.Failure("the catalog does not respond: serving cached responses only", error);
            if (grace.count() == 0) return;
            log.Warn("tokens that were checked before stay valid without the catalog",
                     {{"for_s", grace.count()}});
          },
      .is_over = [&log = work.log] { log.Info("the catalog responds again"); },
      .hearing =
          [&log = work.log](bool hears) {
            if (hears) return log.Info("the database's notifications arrive again");
            log.Warn(
                "the database's notifications do not arrive: changes by other servers appear up to "
                "a second later (behind a pooler, catalog.url needs one in session mode)");
          }};
  co_await work.changes.Run(std::move(outage));
}

// The completion handler of every coroutine here: logs an exception, which is a bug.
auto ReportTo(Logger& log, std::string_view what) {
  return [&log, what](const std::exception_ptr& failure) {
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& exception) {
      log.Error("background work stopped: unhandled exception",
                {{"work", what}, {"detail", exception.what()}});
    }
  };
}

// Each kind of work has a timer of its own.
class Timers {
 public:
  explicit Timers(asio::io_context& loop) : loop_(loop) {}
  // Good for as long as this.
  asio::steady_timer& Add() { return timers_.emplace_back(loop_); }
  // Wakes every waiting coroutine at once.
  void Cancel() {
    for (asio::steady_timer& timer : timers_) timer.cancel();
  }

 private:
  asio::io_context& loop_;
  std::deque<asio::steady_timer> timers_;  // which do not move
};

// Hears the first signal, and calls `stop` after the delay, or with the second one.
class StopOrder {
 public:
  StopOrder(asio::io_context& loop, const BackgroundEvents& events, std::function<void()> stop)
      : signals_(loop, SIGTERM, SIGINT), delay_(loop), events_(events), stop_(std::move(stop)) {
    signals_.async_wait([this](boost::system::error_code error, int signal) {
      if (!error) Hear(signal);
    });
  }

 private:
  void Hear(int signal) {
    events_.on_signal(signal);
    if (events_.drain_delay.count() == 0) return stop_();
    delay_.expires_after(events_.drain_delay);
    delay_.async_wait([this](boost::system::error_code) {
      signals_.cancel();
      stop_();
    });
    signals_.async_wait([this](boost::system::error_code error, int) {
      if (!error) delay_.cancel();
    });
  }

  asio::signal_set signals_;
  asio::steady_timer delay_;
  const BackgroundEvents& events_;
  const std::function<void()> stop_;
};

// What the jobs keep between their runs.
struct Upkeep {
  explicit Upkeep(BackgroundWork& work)
      : audit(work.catalog, work.leases, work.log, work.audit_retention, &work.jobs),
        usage({work.catalog, work.catalog}, work.leases, work.log, work.usage_retention,
              &work.jobs) {}

  service::AuditUpkeep audit;
  service::UsageUpkeep usage;
  SteadyTime trim_at = std::chrono::steady_clock::now() + kFirstCollection;
  SteadyTime tidy_at = trim_at;
};

// Those that settings turn on. All arguments must outlive the jobs.
void AddChosenJobs(BackgroundWork& work, const std::atomic<bool>& stopping,
                   std::vector<PeriodicJob>& jobs) {
  if (work.mirror_bound.max_bytes > 0) {
    jobs.push_back({.name = "mirror eviction",
                    .every = kBetweenBounds,
                    .run = [&] { return BoundOnce(work, stopping); },
                    .lease = kBoundLease});
  }
  if (work.mirror_watch.every.count() > 0) {
    jobs.push_back(
        {.name = "the watch over mirrored packages",
         .every = work.mirror_watch.every,
         .run = [&] { return WatchOnce(work, stopping); },
         .lease = kWatchLease,
         .first = std::min<std::chrono::seconds>(kFirstCollection, work.mirror_watch.every)});
  }
  if (!work.backups.schedule().to.empty()) {
    jobs.push_back({.name = "backups",
                    .every = service::Backups::kLookEvery,
                    .run = [&] { return work.backups.RunDue(); },
                    .first = kFirstReading});
  }
  if (work.mail != nullptr) {
    jobs.push_back({.name = "mail",
                    .every = service::MailNotices::kLookEvery,
                    .run = [&] { return SendMail(work, stopping); },
                    .lease = kMailLease,
                    .first = std::chrono::milliseconds(0)});
  }
  if (work.limits.on()) {
    jobs.push_back({.name = "limits",
                    .every = service::RequestLimits::kShareEvery,
                    .run = [&] { return ShareLimits(work); },
                    .once_more = true});
  }
  if (work.bucket == nullptr) return;
  jobs.push_back(
      {.name = "object store", .every = kBetweenLooks, .run = [&] { return CheckBucket(work); }});
}

// All arguments must outlive the jobs.
std::vector<PeriodicJob> PeriodicJobs(BackgroundWork& work, Upkeep& upkeep,
                                      const std::atomic<bool>& stopping) {
  std::vector<PeriodicJob> jobs{
      {.name = "garbage collection",
       .every = work.garbage_every,
       .run = [&] { return CollectAndSweep(work, stopping); },
       .lease = kGarbageLease,
       .first = std::min<std::chrono::seconds>(kFirstCollection, work.garbage_every)},
      {.name = "the removal of expired sign-ins",
       .every = kBetweenSignInSweeps,
       .run = [&] { return SweepSignIns(work); },
       .lease = kSignInLease},
      {.name = "the signers of old releases",
       .every = kBetweenSigners,
       .run = [&] { return RecordSigners(work, stopping); },
       .lease = kSignersLease,
       .first = kFirstReading},
      {.name = "open files", .every = kBetweenTidying, .run = [&] { return TidyFiles(work); }},
      {.name = "memory",
       .every = kBetweenLooksAtMemory,
       .run = [&] { return GiveBackMemory(work); }},
      {.name = "audit",
       .every = kBetweenLinks,
       .run = [&] { return ChainAndTrim(upkeep.audit, upkeep.trim_at, stopping); },
       .once_more = true},
      // Those of the minute that runs, and fetches that are counted until the server stops, are
      // written once it has answered its last request.
      {.name = "denials", .every = kBetweenDenials, .run = [&] { return WriteDenials(work); }},
      {.name = "usage",
       .every = service::UsageCounter::kWriteEvery,
       .run = [&] { return CountAndTidy(work, upkeep.usage, upkeep.tidy_at, stopping); }},
      {.name = "clock",
       .every = service::DatabaseClock::kAskEvery,
       .run = [&] { return AskTime(work); }},
      {.name = "uses",
       .every = kBetweenNotes,
       .run = [&] { return WriteUses(work); },
       .once_more = true},
  };
  AddChosenJobs(work, stopping, jobs);
  return jobs;
}

}  // namespace

void RunBackground(BackgroundWork work, const BackgroundEvents& events) {
  asio::io_context loop(1);
  std::atomic<bool> stopping = false;
  Timers timers(loop);
  StopOrder order(loop, events, [&] {
    stopping = true;
    events.on_stop();
    work.backups.Stop();
    work.changes.Stop();
    timers.Cancel();
  });
  events.on_ready();
  auto spawn = [&](Awaitable<void> task, std::string_view name) {
    asio::co_spawn(loop, std::move(task), ReportTo(work.log, name));
  };
  Upkeep upkeep(work);
  for (PeriodicJob& each : PeriodicJobs(work, upkeep, stopping)) {
    const std::string_view name = each.name;
    spawn(Repeat(std::move(each), work, timers.Add(), stopping), name);
  }
  if (work.bucket != nullptr) {
    spawn(work.bucket->Scrub(work.workers, work.jobs), "cache scrub");
  }
  spawn(FollowChanges(work), "changes");
  spawn(ServeVisibly(work, timers.Add(), stopping), "leases");
  spawn(ReadAndIndexRegularly(work, timers.Add(), stopping), "module analysis and search index");
  spawn(IndexWhatIsPublished(work, timers.Add(), stopping), "search index");
  if (work.set_up != nullptr) spawn(work.set_up->Run(timers.Add(), stopping), "set-up");
  loop.run();
}

}  // namespace koya
