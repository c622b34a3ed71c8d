// koya version

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "wire/command_results.h"

namespace koya::cli {

void AddVersionCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("version", "Print this program's version");
  AddJsonFlag(*command, invocation);
  command->callback([&invocation] {
    invocation.action = [](Output& output) -> Result<int> {
      output.Print("koya " KOYA_VERSION);
      output.PrintDocument(wire::EncodeProgramVersion(KOYA_VERSION));
      return 0;
    };
  });
}

}  // namespace koya::cli
