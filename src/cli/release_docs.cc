#include "cli/release_docs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "base/file_io.h"
#include "base/text.h"
#include "cli/api/local_file.h"
#include "cli/docs_folder.h"
#include "domain/release_file.h"

namespace koya::cli {
namespace {

using Kind = ReleaseFile::Kind;

Status RefuseTwice(const ReleaseFolder& folder, Kind kind, std::string_view flag) {
  auto there = std::ranges::find(folder.files, kind, &FolderFile::kind);
  if (there == folder.files.end()) return {};
  return Fail(ErrorKind::kInvalid,
              fmt::format("{} already has {}: leave {} out, or remove that file",
                          folder.path.string(), Printable(there->name, 260), flag));
}

Result<bool> IsGzip(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(UniqueFd file, OpenForReading(path));
  std::array<std::byte, 2> magic{};
  auto got = ReadSome(file.get(), magic);
  if (!got) return LocalFailure("cannot read", path, got.error());
  return *got == 2 && magic == std::array{std::byte{0x1F}, std::byte{0x8B}};
}

Result<FolderFile> SchemaFile(const DocsQuestion& question, const Version& version) {
  ASSIGN_OR_RETURN(bool gzip, IsGzip(question.schema));
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(question.schema, failed);
  if (failed || size == 0) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("{} is {}: use the output of \"tofu providers schema -json\"",
                            Printable(question.schema.string()),
                            failed ? failed.message() : std::string("empty")));
  }
  return FolderFile{.name = SchemaFileName(question.address, version) + (gzip ? ".gz" : ""),
                    .size = size,
                    .kind = Kind::kSchema,
                    .source = question.schema};
}

std::string PackedNote(const PackedDocs& packed) {
  std::string note =
      fmt::format("{} of docs", packed.pages == 1 ? std::string("1 page")
                                                  : fmt::format("{} pages", packed.pages));
  if (packed.links > 0) note += fmt::format("; symbolic links left out: {}", packed.links);
  return note;
}

}  // namespace

Result<ReleaseDocs> AddDocs(const DocsQuestion& question, ReleaseFolder& folder) {
  ReleaseDocs kept;
  if (!question.docs.empty()) {
    RETURN_IF_ERROR(RefuseTwice(folder, Kind::kDocs, "--docs"));
    ASSIGN_OR_RETURN(PackedDocs packed, PackDocs(question.docs, question.temporary_folder));
    folder.notes.push_back(PackedNote(packed));
    // A file without a name is opened by its descriptor's.
    folder.files.push_back({.name = DocsFileName(question.address, folder.version),
                            .size = packed.size,
                            .kind = Kind::kDocs,
                            .source = fmt::format("/proc/self/fd/{}", packed.file.get())});
    kept.packed = std::move(packed.file);
  }
  if (!question.schema.empty()) {
    RETURN_IF_ERROR(RefuseTwice(folder, Kind::kSchema, "--schema"));
    ASSIGN_OR_RETURN(FolderFile schema, SchemaFile(question, folder.version));
    folder.files.push_back(std::move(schema));
  }
  std::ranges::sort(folder.files, {}, &FolderFile::name);
  return kept;
}

bool HasDocs(const ReleaseFolder& folder) {
  return std::ranges::any_of(folder.files, [](const FolderFile& file) {
    return file.kind == Kind::kDocs || file.kind == Kind::kSchema;
  });
}

std::string DocsWarningText(const wire::ReadWarning& warning) {
  const std::string text = Printable(warning.text, 1000);
  if (warning.file.empty()) return text;
  const std::string file = Printable(warning.file, 300);
  return warning.line == 0 ? fmt::format("{}: {}", file, text)
                           : fmt::format("{}:{}: {}", file, warning.line, text);
}

}  // namespace koya::cli
