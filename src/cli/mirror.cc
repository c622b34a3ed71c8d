// koya mirror …: the group.

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace koya::cli {

void AddMirrorCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* mirror =
      program.add_subcommand("mirror", "Work with what is mirrored of other registries");
  mirror->require_subcommand(1);
  AddMirrorFetchCommand(*mirror, invocation);
}

}  // namespace koya::cli
