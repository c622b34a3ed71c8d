// The program without its process: reads a command line and does what it says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/text/shell.h"

namespace koya::cli {

enum ExitStatus { kDone = 0, kFailed = 1, kUsage = 2 };

// `arguments` without the program's name. Returns the exit status. Prints what was wrong, where
// and what to do; a word that names nothing is answered with the nearest one that does.
int RunProgram(const Shell& shell, const std::vector<std::string>& arguments);

// The whole tree of commands, for help, completion and the generated pages. `invocation` must
// outlive it.
std::unique_ptr<CLI::App> BuildCommands(Invocation& invocation);

}  // namespace koya::cli
