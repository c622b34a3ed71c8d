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

#include "base/file.h"

extern char** environ;

namespace koya::upstream {
namespace {

using Time = std::chrono::steady_clock::time_point;

// A started program. Whatever happens, none of it is left when this is destroyed.
class Running {
 public:
  Running(pid_t pid, UniqueFd output) : pid_(pid), output_(std::move(output)) {}
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

  // Appends to `text` until the output ends. False when the time or the room was over first.
  bool ReadAll(std::string& text, std::size_t max, Time deadline) {
    std::array<char, 4096> buffer{};
    while (text.size() <= max) {
      pollfd readable{.fd = output_.get(), .events = POLLIN, .revents = 0};
      int ready = ::poll(&readable, 1, Left(deadline));
      if (ready == 0) return false;
      ssize_t got = ready < 0 ? -1 : ::read(output_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return got == 0;
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return false;
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
  UniqueFd output_;
};

int Spawn(const std::vector<std::string>& command, int output, pid_t& pid) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  int code = ::posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return code;
}

}  // namespace

Result<std::string> RunChild(const ChildProgram& child) {
  Time deadline = std::chrono::steady_clock::now() + child.timeout;
  const std::string& name = child.command.at(0);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Failure(ErrnoError("pipe", errno));
  UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  pid_t pid = 0;
  if (int code = Spawn(child.command, writing.get(), pid); code != 0) {
    return Fail(ErrorKind::kUnavailable,
                fmt::format("\"{}\" cannot be started: {}", name, std::strerror(code)));
  }
  writing.Reset();
  Running running(pid, std::move(reading));
  std::string output;
  bool whole = running.ReadAll(output, child.max_output, deadline);
  if (output.size() > child.max_output) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("\"{}\" wrote more than {} bytes", name, child.max_output));
  }
  int status = whole ? running.Wait(deadline) : -1;
  if (status < 0) {
    return Fail(ErrorKind::kTimeout, fmt::format("\"{}\" did not end within {} milliseconds", name,
                                                 child.timeout.count()));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return Fail(ErrorKind::kRefused,
                WIFEXITED(status)
                    ? fmt::format("\"{}\" ended with status {}", name, WEXITSTATUS(status))
                    : fmt::format("\"{}\" was ended by a signal", name));
  }
  return output;
}

}  // namespace koya::upstream
