// The commands below "koya mirror".
#pragma once

#include "cli/commands.h"

namespace koya::cli {

void AddMirrorImportCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorExportCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorListCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorVerifyCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorPruneCommand(CLI::App& mirror, Invocation& invocation);

}  // namespace koya::cli
