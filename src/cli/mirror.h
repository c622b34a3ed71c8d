// The commands below "koya mirror".
#pragma once

#include <cstdint>
#include <string>

#include "cli/commands.h"

namespace koya::cli {

// "381.6 MiB", for people.
std::string ReadableSize(std::uint64_t bytes);

void AddMirrorImportCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorExportCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorListCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorVerifyCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorPruneCommand(CLI::App& mirror, Invocation& invocation);

}  // namespace koya::cli
