// Module packages: is this upload a module that every client can unpack, and what is served?
//
// Everything here blocks and is meant for a worker pool. Functions keep no state: any thread.
// Input is hostile: names, sizes, ratios and nesting are checked against limits while reading,
// never after unpacking; nothing is written to disk but through the given sink.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_limits.h"
#include "base/byte_sink.h"
#include "base/result.h"
#include "domain/archive_kind.h"

namespace koya {

// What an upload turned out to hold.
struct ModuleInspection {
  ArchiveKind kind = ArchiveKind::kTarGz;
  // When not empty, the module lies in this single top folder ("vpc-1.2.3"), and what is served is
  // a repack with the module at the root.
  std::string top_folder;
  // A .tar.gz that can be read in one way only (see TarReader::plain). Zips are judged so strictly
  // that all of them can.
  bool plain = true;
  // Whether the upload may be served as it is. Otherwise its repack is.
  bool MayBeServed() const { return plain && top_folder.empty(); }
  std::uint64_t entries = 0;
  std::uint64_t folders = 0;  // of the entries; repacks have none
  std::uint64_t unpacked_bytes = 0;
};

// Reads the archive in `descriptor` (from offset 0, `size` bytes; the file offset is not used) to
// its end. The kind is read from the bytes. Fails: kRefused, naming the entry, the rule and the
// way to mend it; kInternal when the file cannot be read.
Result<ModuleInspection> InspectModule(int descriptor, std::uint64_t size,
                                       const ArchiveLimits& limits);

// The same by the rules for what other people made and RepackForeignModule brought into our form:
// names that differ only in letter case may stand side by side, and configuration may lie anywhere,
// also where only its submodules are modules. A repack may have all its files in one folder, which
// is a `top_folder` then. What archives may not have at all is refused as above: links, "..", names
// that are taken twice, and what unpacks to more than the limits.
Result<ModuleInspection> InspectForeignModule(int descriptor, std::uint64_t size,
                                              const ArchiveLimits& limits);

// Writes the module of an inspected archive as a deterministic .tar.gz with the module at the
// root: files only, sorted bytewise, no times, no owners, modes 0644/0755, no extended headers
// unless a name needs them, and without what macOS packers add at the top (__MACOSX, ._x,
// .DS_Store). The same files give the same bytes, whatever kind and order they came in. Reads the
// archive again; a .tar.gz that is not sorted is read once for each 8 MiB of its content, so that
// memory stays bounded. Fails as InspectModule does, and with what the sink fails with.
Status RepackModule(int descriptor, std::uint64_t size, const ModuleInspection& inspection,
                    const ArchiveLimits& limits, const ByteSink& sink);

struct ForeignRepack {
  std::uint64_t files = 0;
  std::vector<std::string> left_out;  // links that lead nowhere, as sentences for the log
};

// The same for an archive that somebody else made, and clients would take: what lies in `folder`
// ("" for the archive's root; a first part "*" stands for its one top folder) becomes the module.
// Links within the archive are replaced by copies of what they lead to, others are left out; names
// that differ in letter case only are kept; configuration need not lie at the root, since some
// modules are only used by their submodules. Fails: as InspectModule.
Result<ForeignRepack> RepackForeignModule(int descriptor, std::uint64_t size,
                                          std::string_view folder, const ArchiveLimits& limits,
                                          const ByteSink& sink);

struct FolderPackage {
  std::uint64_t files = 0;
  std::uint64_t unpacked_bytes = 0;
  std::vector<std::string> copied_links = {};  // in whose place copies stand, sorted
};

// Writes a folder as the same deterministic .tar.gz. .git and .terraform are left out at any depth,
// and so is what the .terraformignore at its root names (see terraform_ignore.h). A symbolic link
// to what lies in the folder is packed as a copy of it. Fails: kInvalid (no such folder, no .tf at
// its root nor in a folder below its "modules", another link, a special file, a name that archives
// may not have, a file that cannot be read or changes meanwhile: each named), kTooLarge (files or
// bytes over the limits), and with what the sink fails with.
Result<FolderPackage> PackModuleFolder(const std::filesystem::path& folder,
                                       const ArchiveLimits& limits, const ByteSink& sink);

}  // namespace koya
