#include "obs/line_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/file.h"
#include "obs/json_line.h"

namespace koya {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Threads append to different shards, so that loops do not wait for each other's lock.
constexpr std::size_t kShards = 8;
// What a buffer keeps while nothing is logged; a burst may have made it larger.
constexpr std::size_t kKeptCapacity = std::size_t{32} << 10;

struct alignas(64) Shard {
  std::mutex mutex;
  std::string lines;
};

// Which shard this thread uses, the same one for its whole life.
std::size_t ShardOfThread() {
  static constinit std::atomic<std::size_t> next{0};
  thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed) % kShards;
  return mine;
}

std::uint64_t CountLines(std::string_view text) {
  return static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

bool IsRegularFile(int descriptor) {
  struct stat status{};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// How much to hand to one write(). A pipe that polls as writable takes 4 KiB without blocking, and
// takes them as one piece (PIPE_BUF); whole lines when they fit.
std::size_t ChunkSize(std::string_view text, bool regular_file) {
  std::size_t limit = regular_file ? std::size_t{256} << 10 : 4096;
  if (text.size() <= limit) return text.size();
  std::size_t newline = text.rfind('\n', limit - 1);
  return newline == std::string_view::npos ? limit : newline + 1;
}

}  // namespace

struct LineWriter::Impl {
  explicit Impl(Options wanted)
      : options(wanted),
        shard_limit(std::max<std::size_t>(wanted.max_buffered_bytes / kShards, 1)),
        descriptor(wanted.descriptor < 0 ? -1 : ::fcntl(wanted.descriptor, F_DUPFD_CLOEXEC, 3)),
        regular_file(IsRegularFile(descriptor.get())) {
    // Without this reserve the first lines after each swap would grow the buffer step by step.
    for (Shard& shard : shards) shard.lines.reserve(std::size_t{16} << 10);
  }

  void Run();
  void Wait();
  bool IsEmpty();
  std::string_view WriteAll(std::string_view text);
  bool WaitWritable();
  void ReportDropped();
  bool TimeIsUp() const { return stopping.load() && SteadyClock::now() > stop_deadline; }

  const Options options;
  const std::size_t shard_limit;
  const UniqueFd descriptor;
  const bool regular_file;
  std::array<Shard, kShards> shards;
  std::string batch;  // being written; thread of Run() only

  std::atomic<bool> idle{true};  // the thread sleeps: the first append wakes it
  std::atomic<bool> urgent{false};
  std::atomic<std::uint64_t> dropped{0};
  std::uint64_t reported = 0;  // of the dropped ones; thread of Run() only

  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable round_ended;
  std::uint64_t rounds = 0;
  std::uint64_t wanted_rounds = 0;  // Flush() waits for this one
  std::atomic<bool> stopping{false};
  SteadyClock::time_point stop_deadline;  // written before `stopping`
  std::thread thread;
};

LineWriter::LineWriter(Options options) : impl_(std::make_unique<Impl>(options)) {
  impl_->thread = std::thread([impl = impl_.get()] { impl->Run(); });
}

LineWriter::~LineWriter() {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->stop_deadline = SteadyClock::now() + impl_->options.stop_limit;
    impl_->stopping.store(true);
  }
  impl_->wake.notify_one();
  impl_->thread.join();
}

bool LineWriter::Append(std::string_view line) {
  Impl& impl = *impl_;
  Shard& shard = impl.shards[ShardOfThread()];
  bool filling = false;
  {
    std::lock_guard lock(shard.mutex);
    if (shard.lines.size() + line.size() > impl.shard_limit) {
      impl.dropped.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    shard.lines.append(line);
    filling = shard.lines.size() > impl.shard_limit / 2;
  }
  // Sequentially consistent with the store in Wait(): either the thread sees the line before it
  // sleeps, or this sees that it sleeps.
  bool wake = impl.idle.load() && impl.idle.exchange(false);
  if (filling && !impl.urgent.load(std::memory_order_relaxed)) wake |= !impl.urgent.exchange(true);
  if (wake) {
    std::lock_guard lock(impl.mutex);
    impl.wake.notify_one();
  }
  return true;
}

void LineWriter::Flush(std::chrono::milliseconds limit) {
  std::unique_lock lock(impl_->mutex);
  // The round that runs now may have passed our shard already; the next one takes everything.
  std::uint64_t goal = impl_->rounds + 2;
  impl_->wanted_rounds = std::max(impl_->wanted_rounds, goal);
  impl_->wake.notify_one();
  impl_->round_ended.wait_for(lock, limit, [&] { return impl_->rounds >= goal; });
}

std::uint64_t LineWriter::dropped() const { return impl_->dropped.load(std::memory_order_relaxed); }

void LineWriter::Impl::Run() {
  // write() to a pipe without reader raises SIGPIPE in this thread only: blocked, it is EPIPE.
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);

  for (bool last = false; !last;) {
    Wait();
    last = stopping.load();
    urgent.store(false);
    for (Shard& shard : shards) {
      batch.clear();
      {
        std::lock_guard lock(shard.mutex);
        if (shard.lines.empty()) continue;
        std::swap(batch, shard.lines);
      }
      std::string_view lost = WriteAll(batch);
      if (options.descriptor >= 0) dropped.fetch_add(CountLines(lost));
    }
    ReportDropped();
    {
      std::lock_guard lock(mutex);
      ++rounds;
    }
    round_ended.notify_all();
  }
}

// Whether there is no line to write. Memory that a burst took is given back then, and not between
// the batches of a burst.
bool LineWriter::Impl::IsEmpty() {
  const bool empty = std::ranges::all_of(shards, [](Shard& shard) {
    std::lock_guard shard_lock(shard.mutex);
    if (!shard.lines.empty()) return false;
    if (shard.lines.capacity() > kKeptCapacity) shard.lines = std::string();
    return true;
  });
  if (empty && batch.capacity() > kKeptCapacity) batch = std::string();
  return empty;
}

// Sleeps until there is a line, then a moment longer, for more of them to share one write.
void LineWriter::Impl::Wait() {
  std::unique_lock lock(mutex);
  idle.store(true);
  const bool empty = IsEmpty();
  auto hurry = [&] { return stopping.load() || rounds < wanted_rounds; };
  if (empty) wake.wait(lock, [&] { return !idle.load() || hurry(); });
  idle.store(false);
  wake.wait_for(lock, options.batch, [&] { return urgent.load() || hurry(); });
}

// Returns what could not be written.
std::string_view LineWriter::Impl::WriteAll(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = -1;
    if (regular_file || WaitWritable()) {
      written = ::write(descriptor.get(), text.data(), ChunkSize(text, regular_file));
      if (written < 0 && (errno == EINTR || errno == EAGAIN) && !TimeIsUp()) continue;
    }
    if (written < 0) break;  // the reader is gone, or the disk is full
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return text;
}

// Waits for the reader. False: there is none, or it is too slow for the end of the program.
bool LineWriter::Impl::WaitWritable() {
  if (!descriptor.valid()) return false;
  while (true) {
    pollfd query{.fd = descriptor.get(), .events = POLLOUT, .revents = 0};
    int ready = ::poll(&query, 1, 100);
    if (ready > 0) return (query.revents & (POLLERR | POLLNVAL)) == 0;
    if (ready < 0 && errno != EINTR) return false;
    if (TimeIsUp()) return false;
  }
}

void LineWriter::Impl::ReportDropped() {
  std::uint64_t now = dropped.load();
  if (now == reported || options.descriptor < 0) return;
  JsonLine line;
  line.Time("time", std::chrono::system_clock::now());
  line.Text("level", "warn");
  line.Text("message", "log lines were dropped: the reader of the log is too slow or gone");
  line.Unsigned("lines", now - reported);
  if (WriteAll(line.Finish()).empty()) reported = now;
}

}  // namespace koya
