// What one run of the program is to do, filled in while its command line is read.
#pragma once

#include <functional>

#include "base/result.h"
#include "cli/text/output.h"
#include "cli/text/shell.h"

namespace CLI {
class App;
}

namespace koya::cli {

// Returns the exit status: 0, or 1 when the command did its work and found something wrong.
// An Error is printed and ends in status 1.
using Action = std::function<Result<int>(Output&)>;

struct Invocation {
  const Shell& shell;
  Action action;
  bool json = false;  // --json was given
};

// Declares --json on `command`.
void AddJsonFlag(CLI::App& command, Invocation& invocation);

}  // namespace koya::cli
