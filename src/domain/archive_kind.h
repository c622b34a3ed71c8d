// The archive formats of modules, their names on the wire, and how clients learn where they are.
#pragma once

#include <cstdint>
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

// Setting modules.location: how download documents give an archive's location to clients that know
// both forms (OpenTofu 1.12 and later).
enum class ModuleLocationForm {
  kIndirect,  // an address for the fetcher: with a checksum, from any host, cached by no client
  kDirect,    // hosted here ("use_registry_credentials"): what OpenTofu can cache and lock
  kAuto,  // directly, unless the archive is too large for the ten seconds that OpenTofu gives it
};
// Up to this size kAuto gives direct locations.
inline constexpr std::uint64_t kMostDirectBytes = 16ULL << 20;

}  // namespace koya
