#include "cli/text/invocation.h"

#include <CLI/CLI.hpp>

namespace koya::cli {

void AddJsonFlag(CLI::App& command, Invocation& invocation) {
  command.add_flag("--json", invocation.json, "Print the result as one JSON document");
}

}  // namespace koya::cli
