// Runs the program without its process: parses a command line and executes its command.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/text/shell.h"

namespace koya::cli {

enum ExitStatus { kDone = 0, kFailed = 1, kUsage = 2 };

// `arguments` excludes the program's name. Returns the exit status. Errors say what failed, where,
// and what to do; for an unknown word they suggest the nearest known one.
int RunProgram(const Shell& shell, const std::vector<std::string>& arguments);

// Builds the whole tree of commands, for help, completion and the generated pages. `invocation`
// must outlive it.
std::unique_ptr<CLI::App> BuildCommands(Invocation& invocation);

}  // namespace koya::cli
