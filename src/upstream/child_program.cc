#include "upstream/child_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/file.h"

namespace koya::upstream {
namespace {

using Time = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

constexpr milliseconds kCheckEvery{250};

// What arrives at our end of a pipe.
class Intake {
 public:
  // Invalid `pipe`: nothing arrives. Over `max` bytes the begin goes when `keep_end`, else IsFull.
  Intake(UniqueFd pipe, std::size_t max, bool keep_end)
      : pipe_(std::move(pipe)), max_(max), keep_end_(keep_end) {}

  int descriptor() const { return pipe_.get(); }
  bool open() const { return pipe_.valid(); }
  bool IsFull() const { return !keep_end_ && text_.size() > max_; }
  std::string TakeText() {
    if (text_.size() > max_) text_.erase(0, text_.size() - max_);
    return std::move(text_);
  }

  // REQUIRES: open, and something is there.
  void Read() {
    std::array<char, 4096> buffer{};
    ssize_t got = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return pipe_.Reset();
    text_.append(buffer.data(), static_cast<std::size_t>(got));
    if (keep_end_ && text_.size() > 2 * max_ + buffer.size()) {
      text_.erase(0, text_.size() - max_);
    }
  }

 private:
  UniqueFd pipe_;
  const std::size_t max_;
  const bool keep_end_;
  std::string text_;
};

// Whether a program may go on.
class Watch {
 public:
  explicit Watch(const ChildProgram& child)
      : child_(child),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        deadline_(std::chrono::steady_clock::now() + child.timeout),
        callback_(child.stop, Wake{wake_.get()}) {}

  // Readable once stop is requested.
  int descriptor() const { return wake_.get(); }

  // Fails: why it may not.
  Status Look() {
    Time now = std::chrono::steady_clock::now();
    if (child_.stop.stop_requested()) {
      return FailUnavailable("\"{}\" was canceled", name());
    }
    if (now >= deadline_) {
      return Fail(ErrorKind::kTimeout, fmt::format("\"{}\" did not end within {} milliseconds",
                                                   name(), child_.timeout.count()));
    }
    if (!child_.check || now < next_check_) return {};
    Status checked = child_.check();
    // A check that takes long is made less often.
    Time after = std::chrono::steady_clock::now();
    next_check_ = after + std::max<Time::duration>(kCheckEvery, 10 * (after - now));
    return checked;
  }

  // How long nothing needs a look, in milliseconds.
  int Quiet() const {
    Time next = child_.check ? std::min(deadline_, next_check_) : deadline_;
    auto left = std::chrono::ceil<milliseconds>(next - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
  }

 private:
  struct Wake {
    int descriptor;
    void operator()() const { ::eventfd_write(descriptor, 1); }
  };
  const std::string& name() const { return child_.command.at(0); }

  const ChildProgram& child_;
  const UniqueFd wake_;
  const Time deadline_;
  Time next_check_{};
  std::stop_callback<Wake> callback_;
};

// A started program. Whatever happens, none of it is left when this is destroyed.
class Running {
 public:
  explicit Running(pid_t pid) : pid_(pid) {}
  ~Running() {
    if (pid_ <= 0) return;
    KillGroup();
    ::kill(pid_, SIGKILL);  // it may have left the group
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Until both have ended, or `output` is full. Fails as Watch::Look.
  static Status ReadAll(Intake& output, Intake& errors, Watch& watch) {
    while ((output.open() || errors.open()) && !output.IsFull()) {
      RETURN_IF_ERROR(watch.Look());
      // poll passes over those that are closed: their descriptor is -1.
      std::array<pollfd, 3> ready{{{.fd = output.descriptor(), .events = POLLIN, .revents = 0},
                                   {.fd = errors.descriptor(), .events = POLLIN, .revents = 0},
                                   {.fd = watch.descriptor(), .events = POLLIN, .revents = 0}}};
      if (::poll(ready.data(), ready.size(), watch.Quiet()) <= 0) continue;
      if (ready[0].revents != 0) output.Read();
      if (ready[1].revents != 0) errors.Read();
    }
    return {};
  }

  // The status of waitpid. Fails as Watch::Look.
  Result<int> Wait(Watch& watch) {
    int status = 0;
    while (true) {
      pid_t ended = ::waitpid(pid_, &status, WNOHANG);
      if (ended == pid_) {
        // Processes that the program started must not survive it.
        KillGroup();
        pid_ = 0;
        return status;
      }
      if (ended < 0 && errno != EINTR) return Failure(ErrnoError("waitpid", errno));
      RETURN_IF_ERROR(watch.Look());
      ::poll(nullptr, 0, std::min(watch.Quiet(), 5));
    }
  }

 private:
  void KillGroup() const { ::kill(-pid_, SIGKILL); }

  pid_t pid_;
};

// As exec wants them; they point into `texts`.
std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& each : texts) out.push_back(const_cast<char*>(each.c_str()));
  out.push_back(nullptr);
  return out;
}

struct Pipe {
  UniqueFd reading;
  UniqueFd writing;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Failure(ErrnoError("pipe", errno));
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Between fork and exec, where other threads' locks are held for ever: system calls on what was
// made ready before, and nothing else.
struct Start {
  const char* folder;  // null: stays
  char* const* arguments;
  char* const* variables;
  int input;
  int output;
  int errors;
  int report;  // takes the errno of what failed; what came before exec, negative
  ChildLimits limits;

  [[noreturn]] void Become() const {
    bool prepared = Prepare();
    if (prepared) ::execvpe(arguments[0], arguments, variables);
    int code = prepared ? errno : -errno;
    static_cast<void>(!::write(report, &code, sizeof(code)));
    ::_exit(127);
  }

 private:
  bool Prepare() const {
    ::setpgid(0, 0);
    // What a server blocks or ignores would stay so in programs that count on it.
    for (int signal : {SIGPIPE, SIGXFSZ, SIGXCPU, SIGTERM, SIGINT}) ::signal(signal, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // When memory runs out, the kernel should kill this program before any other process.
    int badness = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    static_cast<void>(!::write(badness, "500", 3));
    // Ours say so themselves; those of libraries may not.
    ::close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC);
    return ::dup2(input, 0) == 0 && ::dup2(output, 1) == 1 && ::dup2(errors, 2) == 2 &&
           (folder == nullptr || ::chdir(folder) == 0) &&
           Limit(RLIMIT_FSIZE, limits.file_bytes, 0) && Limit(RLIMIT_AS, limits.memory_bytes, 0) &&
           // The first is a signal that can be told from others, the second the end.
           Limit(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu.count()), 1);
  }

  static bool Limit(__rlimit_resource which, rlim_t most, rlim_t slack) {
    if (most == 0) return true;
    rlimit now{};
    ::getrlimit(which, &now);
    rlimit wanted{std::min(most, now.rlim_max), std::min(most + slack, now.rlim_max)};
    return ::setrlimit(which, &wanted) == 0;
  }
};

// `code` as Start::report has it.
Failure NotStarted(const std::string& name, int code) {
  bool absent = code == ENOENT || code == EACCES;
  return Fail(absent ? ErrorKind::kNotFound : ErrorKind::kUnavailable,
              fmt::format("\"{}\" cannot be started: {}", name, std::strerror(std::abs(code))));
}

// Fails: kNotFound, kUnavailable.
Result<pid_t> Spawn(const ChildProgram& child, int output, int errors) {
  std::vector<char*> arguments = Pointers(child.command);
  std::vector<char*> variables;
  if (child.environment) variables = Pointers(*child.environment);
  UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nothing.valid()) return Failure(ErrnoError("open /dev/null", errno));
  ASSIGN_OR_RETURN(Pipe report, MakePipe());
  const Start start{.folder = child.folder.empty() ? nullptr : child.folder.c_str(),
                    .arguments = arguments.data(),
                    .variables = child.environment ? variables.data() : environ,
                    .input = nothing.get(),
                    .output = output,
                    .errors = errors < 0 ? nothing.get() : errors,
                    .report = report.writing.get(),
                    .limits = child.limits};
  pid_t pid = ::fork();
  if (pid == 0) start.Become();
  int code = pid < 0 ? -errno : 0;
  report.writing.Reset();
  // Empty once exec has closed it.
  while (pid > 0 && ::read(report.reading.get(), &code, sizeof(code)) < 0 && errno == EINTR) {
  }
  if (code == 0) return pid;
  if (pid > 0) ::waitpid(pid, nullptr, 0);
  return NotStarted(child.command.at(0), code);
}

Status Judge(const std::string& name, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  std::string how = WIFEXITED(status) ? fmt::format("ended with status {}", WEXITSTATUS(status))
                                      : fmt::format("was ended by signal {}", WTERMSIG(status));
  return FailRefused("\"{}\" {}", name, how);
}

Status Finish(const ChildProgram& child, Running& running, Intake& said, Intake& complained) {
  const std::string& name = child.command.at(0);
  Watch watch(child);
  RETURN_IF_ERROR(Running::ReadAll(said, complained, watch));
  if (said.IsFull()) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("\"{}\" wrote more than {} bytes", name, child.max_output));
  }
  ASSIGN_OR_RETURN(int status, running.Wait(watch));
  return Judge(name, status);
}

}  // namespace

Result<std::string> RunChild(const ChildProgram& child) {
  Pipe output;
  Pipe errors;
  if (child.output < 0) {
    ASSIGN_OR_RETURN(output, MakePipe());
  }
  if (child.max_errors > 0) {
    ASSIGN_OR_RETURN(errors, MakePipe());
  }
  ASSIGN_OR_RETURN(pid_t pid, Spawn(child, child.output < 0 ? output.writing.get() : child.output,
                                    errors.writing.get()));
  Running running(pid);
  output.writing.Reset();
  errors.writing.Reset();
  Intake said(std::move(output.reading), child.max_output, false);
  Intake complained(std::move(errors.reading), child.max_errors, true);
  Status ended = Finish(child, running, said, complained);
  if (ended) return said.TakeText();
  ended.error().detail = complained.TakeText();
  return Failure(std::move(ended).error());
}

}  // namespace koya::upstream
