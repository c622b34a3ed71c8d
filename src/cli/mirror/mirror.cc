// koya mirror …: the group.

#include "cli/mirror/mirror.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace koya::cli {

std::string ReadableSize(std::uint64_t bytes) {
  constexpr double kKiB = 1024.0;
  auto size = static_cast<double>(bytes);
  if (size < kKiB) return fmt::format("{} B", bytes);
  if (size < kKiB * kKiB) return fmt::format("{:.1f} KiB", size / kKiB);
  if (size < kKiB * kKiB * kKiB) return fmt::format("{:.1f} MiB", size / kKiB / kKiB);
  return fmt::format("{:.1f} GiB", size / kKiB / kKiB / kKiB);
}

void AddMirrorCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* mirror = program.add_subcommand("mirror", "Manage the mirror of other registries");
  mirror->require_subcommand(1);
  AddMirrorFetchCommand(*mirror, invocation);
  AddMirrorImportCommand(*mirror, invocation);
  AddMirrorExportCommand(*mirror, invocation);
  AddMirrorListCommand(*mirror, invocation);
  AddMirrorVerifyCommand(*mirror, invocation);
  AddMirrorPruneCommand(*mirror, invocation);
}

}  // namespace koya::cli
