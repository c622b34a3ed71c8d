// Declares the commands below "koya mirror", and "koya verify", which checks the same bytes.
#pragma once

#include <cstdint>
#include <string>

#include "cli/text/invocation.h"

namespace koya::cli {

// "381.6 MiB", for people.
std::string ReadableSize(std::uint64_t bytes);

void AddVerifyCommand(CLI::App& program, Invocation& invocation);
void AddMirrorCommand(CLI::App& program, Invocation& invocation);

// Below "mirror".
void AddMirrorFetchCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorImportCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorExportCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorListCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorVerifyCommand(CLI::App& mirror, Invocation& invocation);
void AddMirrorPruneCommand(CLI::App& mirror, Invocation& invocation);

}  // namespace koya::cli
