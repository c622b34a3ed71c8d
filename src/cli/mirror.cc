// koya mirror …: the group.

#include "cli/mirror.h"

#include <CLI/CLI.hpp>

namespace koya::cli {

void AddMirrorCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* mirror =
      program.add_subcommand("mirror", "Work with what is mirrored of other registries");
  mirror->require_subcommand(1);
  AddMirrorFetchCommand(*mirror, invocation);
  AddMirrorImportCommand(*mirror, invocation);
  AddMirrorExportCommand(*mirror, invocation);
  AddMirrorListCommand(*mirror, invocation);
  AddMirrorVerifyCommand(*mirror, invocation);
  AddMirrorPruneCommand(*mirror, invocation);
}

}  // namespace koya::cli
