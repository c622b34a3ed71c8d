#include "cli/text/terminal.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.h"

namespace koya::cli {
namespace {

constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// As the terminal was, for the handler of a signal.
termios shown_terminal;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void ShowAgainAndEnd(int number) {
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown_terminal);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

// "" when there is none.
std::string FindProgram(const Variables& variables, std::string_view name) {
  std::string path = Variable(variables, "PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t end = std::min(path.find(':', begin), path.size());
    std::filesystem::path folder = path.substr(begin, end - begin);
    if (std::string file = folder / name; folder.is_absolute() && ::access(file.c_str(), X_OK) == 0)
      return file;
    begin = end + 1;
  }
  return {};
}

bool HasDesktop(const Variables& variables) {
  for (std::string_view name : {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"}) {
    if (!Variable(variables, name).empty()) return true;
  }
  return false;
}

// Starts it with /dev/null for its streams. xdg-open may stay as long as the browser does: it is
// not waited for, and init inherits it.
bool StartDetached(const std::string& program, const std::string& argument) {
  posix_spawn_file_actions_t files;
  if (::posix_spawn_file_actions_init(&files) != 0) return false;
  ScopeGuard destroy_files([&files] { ::posix_spawn_file_actions_destroy(&files); });
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  if (::posix_spawnattr_init(&attributes) != 0) return false;
  ScopeGuard destroy_attributes([&attributes] { ::posix_spawnattr_destroy(&attributes); });
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::array<std::string, 2> words{program, argument};
  std::array<char*, 3> arguments{words[0].data(), words[1].data(), nullptr};
  pid_t child = 0;
  return ::posix_spawn(&child, program.c_str(), &files, &attributes, arguments.data(), environ) ==
         0;
}

}  // namespace

void ShowInput(bool shown) {
  if (shown) {
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown_terminal);
    for (int number : kEndingSignals) std::signal(number, SIG_DFL);
    return;
  }
  if (::tcgetattr(STDIN_FILENO, &shown_terminal) != 0) return;
  for (int number : kEndingSignals) std::signal(number, ShowAgainAndEnd);
  termios hidden = shown_terminal;
  hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
}

bool OpenBrowser(const Variables& variables, const std::string& url) {
  std::string program = FindProgram(variables, "xdg-open");
  return !program.empty() && HasDesktop(variables) && StartDetached(program, url);
}

}  // namespace koya::cli
