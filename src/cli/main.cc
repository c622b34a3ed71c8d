// The process around RunProgram.

#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings.h"
#include "cli/program.h"
#include "cli/text/terminal.h"

int main(int argc, char** argv) {
  // Lets host names be written in the user's script: libcurl reads them in the locale's encoding.
  std::setlocale(LC_CTYPE, "");
  // A closed pipe or connection is an error value where it happens, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  koya::cli::Shell shell{.variables = koya::ProcessEnvironment(),
                         .out = std::cout,
                         .err = std::cerr,
                         .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
                         .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
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
