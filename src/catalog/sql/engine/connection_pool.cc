#include "catalog/sql/engine/connection_pool.h"

#include <algorithm>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <optional>
#include <utility>

#include "base/offload.h"
#include "base/traced_executor.h"

namespace koya::sql {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::seconds kBetweenProbes{1};

}  // namespace

DatabaseCircuitBreaker::Admission DatabaseCircuitBreaker::Admit(Time now, bool elsewhere) {
  std::lock_guard lock(mutex_);
  if (!open_ && !elsewhere) return {Decision::kAdmit, {}};
  if (probing_ || now < next_probe_) {
    return {Decision::kReject, open_ ? std::optional(why_) : std::nullopt};
  }
  probing_ = true;
  next_probe_ = now + kBetweenProbes;
  return {Decision::kProbe, {}};
}

void DatabaseCircuitBreaker::Close() {
  std::lock_guard lock(mutex_);
  open_ = probing_ = false;
}

void DatabaseCircuitBreaker::Open(Time now, Error why) {
  std::lock_guard lock(mutex_);
  open_ = true;
  probing_ = false;
  next_probe_ = now + kBetweenProbes;
  why_ = std::move(why);
}

bool DatabaseCircuitBreaker::is_open() const {
  std::lock_guard lock(mutex_);
  return open_;
}

Error DatabaseCircuitBreaker::why() const {
  std::lock_guard lock(mutex_);
  return why_;
}

namespace {

constexpr std::size_t kMostWaiting = 1000;

// Transactions that join another one; and shares of the pool's timeout: none joins after the first
// of them, counted from the first that joined. After the second they are cut off, and each runs by
// itself, so that one that is slow does not take the time of the others.
constexpr std::size_t kMostJoining = 63;
constexpr int kJoiningShare = 200;
constexpr int kTogetherShare = 16;

Error Full(Access access) {
  return {.kind = ErrorKind::kUnavailable,
          .message = "the server's catalog is overloaded: try again later",
          .detail = "a thousand operations wait for the database",
          .retry_after = TooLate(access).retry_after,
          .limit = "fixed.catalog_queue"};
}

}  // namespace

struct ConnectionPool::Job {
  Transaction unit;
  std::move_only_function<void(Status)> finish;  // resumes who waits; called once
  Time deadline;
  bool probe = false;
  bool begun = false;  // once, whatever became of it
  bool alone = false;  // it was together with others, and they were undone
  Status joined;       // its outcome, if that of the transaction that it joined is success
  std::optional<SpanScope> span;
};

struct ConnectionPool::Worker {
  Worker(Engine& engine, std::chrono::milliseconds patience) : session(engine, patience) {}
  Session session;
  bool busy = false;         // it has taken a job, and is not done with it, answered or not
  std::unique_ptr<Job> job;  // until it has a result, from any thread
  bool running = false;      // the job is at work: who waits for it must go on waiting
  bool cut = false;
  std::deque<std::unique_ptr<Job>> joining;  // committed together with the job
  Time joining_until;
  Time together_until = Time::max();  // when they are cut off
  std::thread thread;
};

// What the job holds may be gone as soon as its owner goes on.
void ConnectionPool::CompleteJob(std::unique_ptr<Job> job, Status outcome) {
  auto finish = std::move(job->finish);
  if (!outcome && job->span) job->span->SetFailed();
  job.reset();
  finish(std::move(outcome));
}

ConnectionPool::ConnectionPool(Engine& engine, Options options)
    : engine_(engine), options_(options) {
  for (std::size_t i = 0; i < options_.threads; ++i) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>(engine_, options_.patience));
    worker.thread = std::thread([this, &worker] { Serve(worker); });
  }
}

ConnectionPool::~ConnectionPool() { Stop(); }

void ConnectionPool::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  news_.notify_all();
  for (auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
}

Task<void> ConnectionPool::Run(Transaction unit) {
  auto job = std::make_unique<Job>();
  job->unit = std::move(unit);
  job->deadline = Time::clock::now() + options_.patience;
  CO_RETURN_IF_ERROR(Admit(*job));
  auto start = [this](auto handler, std::unique_ptr<Job> waiting) {
    auto resume = asio::get_associated_executor(handler);
    // The executor must not run out of work while the lane is busy on its behalf.
    auto kept_alive = asio::prefer(resume, asio::execution::outstanding_work.tracked);
    if (TracePtr trace = TraceOf(resume)) {
      waiting->span.emplace(std::move(trace),
                            options_.access == Access::kRead ? "catalog read" : "catalog write");
    }
    waiting->finish = [handler = std::move(handler),
                       kept_alive = std::move(kept_alive)](Status status) mutable {
      NoteHandOver();
      asio::post(kept_alive, [handler = std::move(handler), status = std::move(status)]() mutable {
        std::move(handler)(std::move(status));
      });
    };
    NoteHandOver();
    Enqueue(std::move(waiting));
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Status)>(
      start, asio::use_awaitable, std::move(job));
}

Status ConnectionPool::Admit(Job& job) {
  bool elsewhere = options_.also != nullptr && options_.also->is_open();
  DatabaseCircuitBreaker::Admission admission = breaker_.Admit(Time::clock::now(), elsewhere);
  job.probe = admission.decision == DatabaseCircuitBreaker::Decision::kProbe;
  if (admission.decision != DatabaseCircuitBreaker::Decision::kReject) return {};
  not_admitted_.fetch_add(1, std::memory_order_relaxed);
  // Whether the other breaker has closed meanwhile or not, it still knows why it opened.
  Error why = admission.why ? *std::move(admission.why) : options_.also->why();
  return Failure(std::move(why).During("not tried"));
}

void ConnectionPool::Enqueue(std::unique_ptr<Job> job) {
  {
    std::lock_guard lock(mutex_);
    if (queue_.size() < kMostWaiting || job->probe) {
      queue_.push_back(std::move(job));
    } else {
      ++counts_.full;
    }
  }
  if (job) return CompleteJob(std::move(job), Failure(Full(options_.access)));
  news_.notify_one();
}

void ConnectionPool::Serve(Worker& worker) {
  const Claim claim{
      .take = [this, &worker] { return Begin(worker); },
      .give_back =
          [this, &worker] {
            std::lock_guard lock(mutex_);
            worker.running = false;
          },
      .join = [this, &worker] { return TakeJoining(worker); },
      .joined = [&worker](Status outcome) { worker.joining.back()->joined = std::move(outcome); }};
  const Transaction unit = [&worker](Session& session) { return worker.job->unit(session); };
  while (TakeJob(worker)) {
    TransactionResult outcome = RunUnit(worker.session, options_.access, unit, claim);
    if (outcome.apart) {
      PutBack(worker);
    } else {
      Finish(worker, std::move(outcome));
    }
  }
}

// Returns false when the pool stops and no work is left.
bool ConnectionPool::TakeJob(Worker& worker) {
  std::unique_lock lock(mutex_);
  news_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  if (queue_.empty()) return false;
  worker.job = std::move(queue_.front());
  queue_.pop_front();
  worker.cut = false;
  worker.busy = true;
  worker.session.Begin(worker.job->deadline);
  return true;
}

// What would be cut off before it can end is not begun: it would look like a database that hangs.
bool ConnectionPool::Begin(Worker& worker) {
  std::lock_guard lock(mutex_);
  const Time now = Time::clock::now();
  worker.running = worker.job && now + options_.patience / 4 < worker.job->deadline;
  if (worker.running) NoteBegun(*worker.job, now);
  return worker.running;
}

void ConnectionPool::NoteBegun(Job& job, Time now) {
  if (std::exchange(job.begun, true)) return;
  ++counts_.begun;
  counts_.waited += now - (job.deadline - options_.patience);
}

const Transaction* ConnectionPool::TakeJoining(Worker& worker) {
  if (engine_.dialect() != Dialect::kSqlite) return nullptr;
  std::lock_guard lock(mutex_);
  const Time now = Time::clock::now();
  if (worker.joining.empty()) worker.joining_until = now + options_.patience / kJoiningShare;
  const auto least_left = options_.patience / 4 + options_.patience / kTogetherShare;
  const bool joins = !queue_.empty() && !queue_.front()->probe && !queue_.front()->alone &&
                     !worker.job->alone && worker.joining.size() < kMostJoining &&
                     now < worker.joining_until && now + least_left < worker.job->deadline;
  if (!joins) {
    worker.together_until = Time::max();
    return nullptr;
  }
  if (worker.joining.empty()) worker.together_until = now + options_.patience / kTogetherShare;
  Job& job = *worker.joining.emplace_back(std::move(queue_.front()));
  queue_.pop_front();
  NoteBegun(job, now);
  return &job.unit;
}

// All that were undone together run by themselves next.
void ConnectionPool::PutBack(Worker& worker) {
  std::lock_guard lock(mutex_);
  worker.running = worker.busy = false;
  worker.together_until = Time::max();
  worker.joining.push_front(std::move(worker.job));
  for (auto& job : worker.joining) job->alone = true;
  queue_.insert(queue_.begin(), std::move_iterator(worker.joining.begin()),
                std::move_iterator(worker.joining.end()));
  worker.joining.clear();
}

void ConnectionPool::Finish(Worker& worker, TransactionResult outcome) {
  std::unique_ptr<Job> job;
  std::deque<std::unique_ptr<Job>> joined;
  bool ran = false, too_late = false;
  {
    std::lock_guard lock(mutex_);
    ran = std::exchange(worker.running, false);
    worker.busy = false;
    job = std::move(worker.job);
    joined.swap(worker.joining);
    too_late = job && !ran && outcome.status;
    if (too_late) ++counts_.late;
  }
  if (too_late) outcome.status = Failure(TooLate(options_.access));
  if (too_late && job->probe) outcome.silence = TooLate(options_.access);
  // It found nothing out, so the breaker stays open, and the next probe comes.
  const bool failed_early = job && !ran && !outcome.status && !outcome.silence;
  if (failed_early && job->probe) outcome.silence = outcome.status.error();
  if (outcome.silence) {
    OpenBreaker(*std::move(outcome.silence));
  } else if (ran) {
    breaker_.Close();
  }
  if (!job) return;
  if (ran && job->span) {
    // The last one that it ran.
    job->span->Describe("db.query.summary", std::string(worker.session.running()));
  }
  CompleteJob(std::move(job), outcome.status);
  for (auto& each : joined) {
    Status status = outcome.status ? std::move(each->joined) : outcome.status;
    CompleteJob(std::move(each), std::move(status));
  }
}

void ConnectionPool::OpenBreaker(Error why) {
  why.kind = ErrorKind::kUnavailable;
  why.limit = {};  // who is not tried has reached none
  if (why.retry_after == 0) why.retry_after = TooLate(options_.access).retry_after;
  breaker_.Open(Time::clock::now(), why);
  std::deque<std::unique_ptr<Job>> refused;
  {
    std::lock_guard lock(mutex_);
    refused.swap(queue_);
    counts_.not_tried += refused.size();
  }
  for (auto& job : refused) CompleteJob(std::move(job), Failure(Error(why).During("not tried")));
}

PoolLoad ConnectionPool::Load() const {
  std::lock_guard lock(mutex_);
  PoolLoad load = counts_;
  load.name = options_.access == Access::kRead ? "read" : "write";
  load.queued = queue_.size();
  load.breaker_open = breaker_.is_open() || (options_.also != nullptr && options_.also->is_open());
  load.not_tried += not_admitted_.load(std::memory_order_relaxed);
  for (const auto& worker : workers_) {
    load.running += worker->busy ? 1 + worker->joining.size() : 0;
    load.connections += worker->session.opened();
  }
  return load;
}

ConnectionPool::Time ConnectionPool::EndLate(Time now) {
  // Whatever comes from here on is not late before that.
  Time next = now + options_.patience / kTogetherShare;
  std::vector<std::unique_ptr<Job>> late;
  bool silent = false;
  {
    std::lock_guard lock(mutex_);
    while (!queue_.empty() && queue_.front()->deadline <= now) {
      silent = silent || queue_.front()->probe;
      late.push_back(std::move(queue_.front()));
      queue_.pop_front();
      ++counts_.late;
    }
    if (!queue_.empty()) next = std::min(next, queue_.front()->deadline);
    for (auto& worker : workers_) {
      if (!worker->job || worker->cut) continue;
      if (worker->together_until <= now) {
        worker->together_until = Time::max();
        worker->session.Cut();
      }
      next = std::min(next, worker->together_until);
      if (worker->job->deadline > now) {
        next = std::min(next, worker->job->deadline);
        continue;
      }
      worker->cut = silent = true;
      ++counts_.cut_off;
      worker->session.Cut();
      if (!worker->running) late.push_back(std::move(worker->job));
    }
  }
  if (silent) OpenBreaker(TooLate(options_.access));
  for (auto& job : late) CompleteJob(std::move(job), Failure(TooLate(options_.access)));
  return next;
}

}  // namespace koya::sql
