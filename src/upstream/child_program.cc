#include "upstream/child_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/file.h"

extern char** environ;

namespace koya::upstream {
namespace {

using Time = std::chrono::steady_clock::time_point;

constexpr int kNotFoundByShell = 127;

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

  // Until both have ended. False when the time or the room was over first.
  static bool ReadAll(Intake& output, Intake& errors, Time deadline) {
    while (output.open() || errors.open()) {
      // poll passes over those that are closed: their descriptor is -1.
      std::array<pollfd, 2> ready{{{.fd = output.descriptor(), .events = POLLIN, .revents = 0},
                                   {.fd = errors.descriptor(), .events = POLLIN, .revents = 0}}};
      int count = ::poll(ready.data(), ready.size(), Left(deadline));
      if (count == 0 && Left(deadline) == 0) return false;
      if (count <= 0) continue;
      if (ready[0].revents != 0) output.Read();
      if (ready[1].revents != 0) errors.Read();
      if (output.IsFull()) return false;
    }
    return true;
  }

  // The status of waitpid, or -1 when the program did not end in time.
  int Wait(Time deadline) {
    int status = 0;
    while (true) {
      pid_t ended = ::waitpid(pid_, &status, WNOHANG);
      if (ended == pid_) {
        // What it started itself must not stay.
        KillGroup();
        pid_ = 0;
        return status;
      }
      if (ended < 0 && errno != EINTR) return -1;
      int left = Left(deadline);
      if (left == 0) return -1;
      ::poll(nullptr, 0, std::min(left, 5));
    }
  }

 private:
  static int Left(Time deadline) {
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
  }
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

// posix_spawn sets no limits. The shell that does sees the command as its arguments, not as text.
std::vector<std::string> Limited(const ChildProgram& child) {
  if (child.max_file == 0) return child.command;
  std::vector<std::string> command{"/bin/sh", "-c", "ulimit -f \"$0\" && exec \"$@\"",
                                   std::to_string(child.max_file / 512)};
  command.insert(command.end(), child.command.begin(), child.command.end());
  return command;
}

struct Outputs {
  int output;
  int errors;  // -1: dropped
};

int Spawn(const ChildProgram& child, const Outputs& to, pid_t& pid) {
  const std::vector<std::string> command = Limited(child);
  std::vector<char*> arguments = Pointers(command);
  std::vector<char*> variables;
  if (child.environment) variables = Pointers(*child.environment);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, to.output, 1);
  if (to.errors < 0) ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  if (to.errors >= 0) ::posix_spawn_file_actions_adddup2(&actions, to.errors, 2);
  if (!child.folder.empty()) {
    ::posix_spawn_file_actions_addchdir_np(&actions, child.folder.c_str());
  }
  // What a server blocks or ignores would stay so in programs that count on it.
  sigset_t none;
  sigset_t usual;
  ::sigemptyset(&none);
  ::sigemptyset(&usual);
  ::sigaddset(&usual, SIGPIPE);
  ::sigaddset(&usual, SIGXFSZ);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int code = ::posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(),
                            child.environment ? variables.data() : environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return code;
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

Failure Ended(const std::string& name, int status, std::string errors) {
  std::string how = WIFEXITED(status) ? fmt::format("ended with status {}", WEXITSTATUS(status))
                                      : std::string("was ended by a signal");
  return Fail(ErrorKind::kRefused, fmt::format("\"{}\" {}", name, how), std::move(errors));
}

}  // namespace

Result<std::string> RunChild(const ChildProgram& child) {
  Time deadline = std::chrono::steady_clock::now() + child.timeout;
  const std::string& name = child.command.at(0);
  Pipe output;
  Pipe errors;
  if (child.output < 0) {
    ASSIGN_OR_RETURN(output, MakePipe());
  }
  if (child.max_errors > 0) {
    ASSIGN_OR_RETURN(errors, MakePipe());
  }
  pid_t pid = 0;
  Outputs to{child.output < 0 ? output.writing.get() : child.output, errors.writing.get()};
  if (int code = Spawn(child, to, pid); code != 0) {
    return Fail(ErrorKind::kUnavailable,
                fmt::format("\"{}\" cannot be started: {}", name, std::strerror(code)));
  }
  output.writing.Reset();
  errors.writing.Reset();
  Running running(pid);
  Intake said(std::move(output.reading), child.max_output, false);
  Intake complained(std::move(errors.reading), child.max_errors, true);
  bool whole = Running::ReadAll(said, complained, deadline);
  if (said.IsFull()) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("\"{}\" wrote more than {} bytes", name, child.max_output));
  }
  int status = whole ? running.Wait(deadline) : -1;
  if (status < 0) {
    return Fail(
        ErrorKind::kTimeout,
        fmt::format("\"{}\" did not end within {} milliseconds", name, child.timeout.count()),
        complained.TakeText());
  }
  if (child.max_file > 0 && WIFEXITED(status) && WEXITSTATUS(status) == kNotFoundByShell) {
    return Fail(ErrorKind::kUnavailable, fmt::format("\"{}\" cannot be started", name),
                complained.TakeText());
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return Ended(name, status, complained.TakeText());
  }
  return said.TakeText();
}

}  // namespace koya::upstream
