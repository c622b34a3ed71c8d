// Invocation holds the action of one run of the program, set while its command line is parsed.
#pragma once

#include <functional>

#include "base/result.h"
#include "cli/text/output.h"
#include "cli/text/shell.h"

namespace CLI {
class App;
}

namespace koya::cli {

// Returns the exit status: 0, or 1 when the command did its work and found a problem. An Error is
// printed, and gives status 1.
using Action = std::function<Result<int>(Output&)>;

struct Invocation {
  const Shell& shell;
  Action action;
  bool json = false;  // --json was given
};

// Declares --json on `command`.
void AddJsonFlag(CLI::App& command, Invocation& invocation);

}  // namespace koya::cli
