// The archive formats of modules, and their names on the wire.
#pragma once

#include <optional>
#include <string_view>

namespace koya {

enum class ArchiveKind { kTarGz, kZip };

// The end of the URL's path, from which the clients' fetcher recognizes the kind.
constexpr std::string_view Suffix(ArchiveKind kind) {
  return kind == ArchiveKind::kZip ? ".zip" : ".tar.gz";
}
constexpr std::string_view MediaType(ArchiveKind kind) {
  return kind == ArchiveKind::kZip ? "application/zip" : "application/gzip";
}
// Stored in the catalog: "zip" or "tar.gz".
constexpr std::string_view ArchiveKindName(ArchiveKind kind) { return Suffix(kind).substr(1); }
constexpr std::optional<ArchiveKind> ParseArchiveKind(std::string_view name) {
  if (name == "zip") return ArchiveKind::kZip;
  if (name == "tar.gz") return ArchiveKind::kTarGz;
  return std::nullopt;
}

}  // namespace koya
