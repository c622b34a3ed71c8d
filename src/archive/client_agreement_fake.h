// For tests and fuzzing: does the product see in an archive what clients unpack from it? A second
// reader of archives behaves as the clients' does. Clients are Go programs that unpack modules and
// providers with Go's archive/tar, archive/zip and compress/gzip; the rules here reimplement the
// behaviour of those packages, sensible or not. Every archive that the product accepts must look
// exactly the same to this reader.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/module_package.h"
#include "archive/packed_file.h"
#include "archive/tar_reader.h"
#include "archive/zip_directory.h"
#include "archive/zip_reader.h"

namespace koya {

// What a client unpacks, in the archive's order.
struct ClientFile {
  std::string name;  // cleaned, as a path below the target: "a/main.tf"; "." is the target
  bool folder = false;
  std::string content{};
  friend bool operator==(const ClientFile&, const ClientFile&) = default;
};
using ClientFiles = std::vector<ClientFile>;

// Nothing when a client fails somewhere in the archive. Sparse files count as failure.
std::optional<std::string> ClientGunzip(std::string_view bytes);
std::optional<ClientFiles> ReadTarAsClient(std::string_view tar);
std::optional<ClientFiles> ReadTarGzAsClient(std::string_view bytes);
std::optional<ClientFiles> ReadZipAsClient(std::string_view bytes);

// A path with ".", "..", empty segments and slashes at its end resolved, as Go's path.Clean does.
std::string CleanClientPath(std::string_view path);

inline ClientFile AsClientFile(const ArchiveEntry& entry) {
  return {.name = entry.name.empty() ? "." : entry.name, .folder = entry.directory};
}

// What the product's own readers see; nothing when they refuse the archive.
inline std::optional<ClientFiles> ReadAsProduct(const PackedFile& file, ArchiveKind kind,
                                                const ArchiveLimits& limits) {
  ClientFiles files;
  ByteSink keep = [&files](std::span<const std::byte> bytes) -> Status {
    files.back().content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  if (kind == ArchiveKind::kZip) {
    auto entries = ReadZipDirectory(file, limits);
    if (!entries) return std::nullopt;
    ArchiveBudget budget(limits, file.size());
    ZipReader reader(file, budget);
    for (const ZipEntry& zip : *entries) {
      files.push_back(AsClientFile(zip.entry));
      if (!reader.Read(zip, keep)) return std::nullopt;
    }
    return files;
  }
  TarReader reader(file, limits);
  while (true) {
    auto entry = reader.Next();
    if (!entry) return std::nullopt;
    if (!*entry) return files;
    files.push_back(AsClientFile(**entry));
    for (auto part = reader.Content(); part && !part->empty(); part = reader.Content()) {
      if (!keep(*part)) return std::nullopt;
    }
  }
}

inline ClientFiles Sorted(ClientFiles files) {
  std::ranges::sort(files, {}, [](const ClientFile& file) {
    return std::tie(file.name, file.folder, file.content);
  });
  return files;
}

// "" when all is well with this archive of a module: it is refused; or clients unpack exactly what
// was inspected; or it is not served as it is, and clients that can read it see the same in it.
inline std::string Disagreement(int descriptor, std::string_view bytes,
                                const ArchiveLimits& limits) {
  auto inspection = InspectModule(descriptor, bytes.size(), limits);
  if (!inspection) return "";
  bool zip = inspection->kind == ArchiveKind::kZip;
  std::optional<ClientFiles> client = zip ? ReadZipAsClient(bytes) : ReadTarGzAsClient(bytes);
  std::optional<ClientFiles> ours =
      ReadAsProduct(PackedFile(descriptor, bytes.size()), inspection->kind, limits);
  if (!ours) return "what was inspected cannot be read";
  if (!client) return inspection->plain ? "clients cannot read what is served as it is" : "";
  return Sorted(*client) == Sorted(*ours) ? "" : "clients see other files than the product";
}

}  // namespace koya
