// The process around RunProgram, its terminal and its desktop. Main thread only.

#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/process_limits.h"
#include "app/settings.h"
#include "base/file.h"
#include "cli/program.h"
#include "cli/text/shell.h"

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

// Turns the echo of standard input on or off. While it is off, a signal that ends the program turns
// it on first, so that the user's shell has its echo back.
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

// Of the terminal on stdout; 0: it does not say.
std::size_t TerminalColumns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// Opens `url` with xdg-open, in a session of its own and without this terminal. False: there is no
// xdg-open on PATH, or no desktop (neither DISPLAY nor WAYLAND_DISPLAY nor BROWSER is set).
bool OpenBrowser(const Variables& variables, const std::string& url) {
  std::string program = FindProgram(variables, "xdg-open");
  return !program.empty() && HasDesktop(variables) && StartDetached(program, url);
}

}  // namespace
}  // namespace koya::cli

int main(int argc, char** argv) {
  koya::EnterReleaseTree();
  // A closed pipe or connection is an error value where it happens, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  koya::cli::Shell shell{.variables = koya::ProcessEnvironment(),
                         .out = std::cout,
                         .err = std::cerr,
                         .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
                         .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
                         .out_columns = koya::cli::TerminalColumns(),
                         .in = &std::cin};
  if (::isatty(STDIN_FILENO) == 1) shell.show_input = koya::cli::ShowInput;
  shell.open_browser = [&shell](const std::string& url) {
    return koya::cli::OpenBrowser(shell.variables, url);
  };
  std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  try {
    int status = koya::cli::RunProgram(shell, arguments);
    // A full disk or a closed pipe: a result that did not arrive is no success.
    if (std::cout.flush()) return status;
    std::fprintf(stderr, "koya: the result could not be written to stdout\n");
    return koya::cli::kFailed;
  } catch (const std::exception& unexpected) {
    std::fprintf(stderr, "koya: internal error: %s; please report it with the command line\n",
                 unexpected.what());
    return koya::cli::kFailed;
  }
}
