// PackModuleFolder: the publisher's side.
#include <unistd.h>

#include <array>
#include <cerrno>

#include "archive/folder_walk.h"
#include "archive/module_layout.h"
#include "archive/module_package.h"
#include "archive/tar_writer.h"
#include "base/file_io.h"
#include "base/text.h"

namespace koya {
namespace {

// The rules the server will apply, told before anything is sent.
Status CheckFiles(const std::vector<WalkedFile>& files, const std::filesystem::path& folder) {
  ModuleLayout layout;
  for (const WalkedFile& file : files) layout.Add(file.entry);
  if (Status names = layout.CheckNames(); !names) {
    return Fail(ErrorKind::kInvalid, std::move(names).error().message);
  }
  if (Result<std::string> module = layout.FindModule(); module && module->empty()) return {};
  return FailInvalid(
      "the folder \"{}\" has no .tf, .tofu, .tf.json or .tofu.json file at its "
      "root, nor in a folder below \"modules\"; use the module's own folder",
      Printable(folder.string()));
}

Status PackFile(int folder, const WalkedFile& walked, std::span<std::byte> buffer,
                TarWriter& writer) {
  ASSIGN_OR_RETURN(UniqueFd fd, OpenModuleFile(folder, walked));
  const ArchiveEntry& file = walked.entry;
  RETURN_IF_ERROR(writer.BeginFile(file));
  std::uint64_t total = 0;
  while (true) {
    auto got = ReadSome(fd.get(), buffer);
    if (!got) return CannotRead(file.name, got.error());
    total += *got;
    if (total > file.size || (*got == 0 && total < file.size)) {
      return FailInvalid(
          "\"{}\" changed while it was packed; try again "
          "when nothing writes to it",
          Printable(file.name));
    }
    if (*got == 0) return {};
    RETURN_IF_ERROR(writer.Content(buffer.first(*got)));
  }
}

}  // namespace

Result<FolderPackage> PackModuleFolder(const std::filesystem::path& folder,
                                       const ArchiveLimits& limits, const ByteSink& sink) {
  ASSIGN_OR_RETURN(UniqueFd root, OpenModuleFolder(folder));
  ASSIGN_OR_RETURN(WalkedFolder walked, WalkModuleFolder(root.get(), folder, limits));
  RETURN_IF_ERROR(CheckFiles(walked.files, folder));
  TarWriter writer(sink);
  FolderPackage package{.copied_links = std::move(walked.copied)};
  std::vector<std::byte> buffer(64 << 10);
  for (const WalkedFile& file : walked.files) {
    RETURN_IF_ERROR(PackFile(root.get(), file, buffer, writer));
    ++package.files;
    package.unpacked_bytes += file.entry.size;
  }
  RETURN_IF_ERROR(writer.Finish());
  return package;
}

}  // namespace koya
