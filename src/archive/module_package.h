// Inspects and repacks module packages: can every client unpack this upload, and is it served
// unchanged or repacked?
//
// Everything here blocks and is meant for a worker pool. Functions keep no state: any thread. Input
// is hostile: names, sizes, ratios and nesting are checked against limits while reading, never
// after unpacking; nothing is written to disk except through the given sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_limits.h"
#include "base/byte_sink.h"
#include "base/result.h"
#include "domain/archive_kind.h"

namespace koya {

// The result of inspecting an upload.
struct ModuleInspection {
  ArchiveKind kind = ArchiveKind::kTarGz;
  // When not empty, the module is in this single top folder ("vpc-1.2.3"), and a repack with the
  // module at the root is served.
  std::string top_folder;
  // A .tar.gz that can be read in one way only (see TarReader::plain). The zip rules are strict
  // enough that this holds for every accepted zip.
  bool plain = true;
  // True if the upload may be served unchanged. Otherwise its repack is.
  bool MayBeServed() const { return plain && top_folder.empty(); }
  std::uint64_t entries = 0;
  std::uint64_t folders = 0;  // of the entries; repacks contain none
  std::uint64_t unpacked_bytes = 0;
};

// Reads the archive in `descriptor` (from offset 0, `size` bytes; the file offset is not used) to
// its end. The kind is detected from the bytes. Fails: kRefused, naming the entry, the rule and the
// remedy; kInternal when the file cannot be read.
Result<ModuleInspection> InspectModule(int descriptor, std::uint64_t size,
                                       const ArchiveLimits& limits);

// The same by the rules for third-party modules that RepackForeignModule converted: names that
// differ only in letter case are allowed, and configuration may be anywhere, also where only
// submodules are modules. A repack may have all its files in one folder, which is a `top_folder`
// then. Content that no archive may have is rejected as above: links, "..", duplicate names, and
// sizes over the limits.
Result<ModuleInspection> InspectForeignModule(int descriptor, std::uint64_t size,
                                              const ArchiveLimits& limits);

// Writes the module of an inspected archive as a deterministic .tar.gz with the module at the root:
// files only, sorted bytewise, no times, no owners, modes 0644/0755, no extended headers unless a
// name needs them, and without the entries that macOS packers add at the top (__MACOSX, ._x,
// .DS_Store). The same files give the same bytes, whatever their archive format and order. Reads
// the archive again; a .tar.gz that is not sorted is read once for each 8 MiB of its content, so
// that memory stays bounded. Fails as InspectModule does, and with the sink's failure.
Status RepackModule(int descriptor, std::uint64_t size, const ModuleInspection& inspection,
                    const ArchiveLimits& limits, const ByteSink& sink);

struct ForeignRepack {
  std::uint64_t files = 0;
  std::vector<std::string> left_out;  // dangling links, as sentences for the log
};

// The same for a third-party archive that clients would accept: the content of `folder` ("" for the
// archive's root; a first part "*" stands for its one top folder) becomes the module. Links within
// the archive are replaced by copies of their targets, others are left out; names that differ only
// in letter case are kept; configuration need not be at the root, since some modules are only used
// by their submodules. Fails: as InspectModule.
Result<ForeignRepack> RepackForeignModule(int descriptor, std::uint64_t size,
                                          std::string_view folder, const ArchiveLimits& limits,
                                          const ByteSink& sink);

struct FolderPackage {
  std::uint64_t files = 0;
  std::uint64_t unpacked_bytes = 0;
  std::vector<std::string> copied_links = {};  // replaced by copies, sorted
};

// Writes a folder as the same deterministic .tar.gz. .git and .terraform are left out at any depth,
// and so are paths excluded by the .terraformignore at its root (see terraform_ignore.h). A
// symbolic link to a target in the folder is packed as a copy of it. Fails: kInvalid (no such
// folder, no .tf at its root nor in a folder below its "modules", another link, a special file, a
// name that archives may not have, a file that cannot be read or changes meanwhile: each named),
// kTooLarge (files or bytes over the limits), and with the sink's failure.
Result<FolderPackage> PackModuleFolder(const std::filesystem::path& folder,
                                       const ArchiveLimits& limits, const ByteSink& sink);

// Visits the files of a module archive one after the other, for analysis.
struct ModuleFileVisitor {
  // How many bytes are wanted from the file's beginning. Called before it is read.
  std::function<std::size_t(std::string_view path)> wanted;
  // Called with the pieces of a file of which bytes are wanted, in order and whole. May be empty.
  std::function<void(std::span<const std::byte> piece)> see = {};
  // Called for every file: its path from the module's root, its whole size, and the wanted bytes.
  std::function<void(std::string path, std::uint64_t size, std::string bytes)> take;
};

// Reads an archive that InspectModule or InspectForeignModule accepted. Folders and links are
// skipped. Blocks; holds one file's wanted bytes in memory at a time. Fails: as InspectModule.
Status ReadModuleFiles(int descriptor, std::uint64_t size, const ModuleInspection& inspection,
                       const ArchiveLimits& limits, const ModuleFileVisitor& visitor);

}  // namespace koya
