#include "cli/release_docs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "archive/entry_name.h"
#include "archive/zip_writer.h"
#include "base/file_io.h"
#include "base/text.h"
#include "cli/api/local_file.h"
#include "domain/release_file.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;

// Far more than docs have; they end the walk of a folder that was named by mistake. The server has
// its own limits.
constexpr std::size_t kMostDocsEntries = 400'000;
constexpr std::uint64_t kLargestPage = 16U << 20;

struct FoundPage {
  std::string name;  // in the zip
  fs::path path;
};

struct FoundPages {
  std::vector<FoundPage> pages;
  std::size_t links = 0;
};

Failure RefuseDocs(std::string message) { return Fail(ErrorKind::kInvalid, std::move(message)); }

bool IsPage(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".md") || name.ends_with(".markdown");
}

// All Markdown below `folder`, under `prefix`, by name.
Result<FoundPages> FindPages(const fs::path& folder, std::string_view prefix) {
  FoundPages found;
  std::error_code failed;
  std::size_t entries = 0;
  fs::recursive_directory_iterator each(folder, failed);
  for (; !failed && each != fs::recursive_directory_iterator(); each.increment(failed)) {
    if (++entries > kMostDocsEntries) {
      return RefuseDocs(fmt::format("{} has more than {} files: is it the folder of docs?",
                                    Printable(folder.string()), kMostDocsEntries));
    }
    std::error_code vanished;
    if (each->is_symlink(vanished)) {
      ++found.links;
    } else if (each->is_regular_file(vanished) && IsPage(each->path())) {
      std::string name =
          fmt::format("{}{}", prefix, each->path().lexically_relative(folder).string());
      if (auto parsed = ParseEntryName(name); !parsed) return RefuseDocs(parsed.error().message);
      found.pages.push_back({std::move(name), each->path()});
    }
  }
  if (failed) {
    return RefuseDocs(
        fmt::format("cannot read {}: {}", Printable(folder.string()), failed.message()));
  }
  std::ranges::sort(found.pages, {}, &FoundPage::name);
  return found;
}

Result<FoundPages> FindDocs(const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    return RefuseDocs(fmt::format("{} is not a folder: use the folder with the docs, usually docs",
                                  Printable(folder.string())));
  }
  for (const std::string_view below : {"website/docs", "docs"}) {
    if (!fs::is_directory(folder / below, failed)) continue;
    ASSIGN_OR_RETURN(FoundPages found, FindPages(folder / below, fmt::format("{}/", below)));
    if (!found.pages.empty()) return found;
  }
  ASSIGN_OR_RETURN(FoundPages found, FindPages(folder, "docs/"));
  if (!found.pages.empty()) return found;
  return RefuseDocs(fmt::format(
      "{} has no docs pages (.md or .markdown): use the folder with index.md, resources/ and so on",
      Printable(folder.string())));
}

Result<std::string> ReadPage(const fs::path& path) {
  ASSIGN_OR_RETURN(UniqueFd file, OpenForReading(path));
  std::string text;
  std::array<std::byte, 65536> buffer;
  while (true) {
    auto got = ReadSome(file.get(), buffer);
    if (!got) return LocalFailure("cannot read", path, got.error());
    if (*got == 0) return text;
    text.append(reinterpret_cast<const char*>(buffer.data()), *got);
    if (text.size() > kLargestPage) {
      return RefuseDocs(
          fmt::format("{} is larger than 16 MiB, too large for a docs page: leave it out",
                      Printable(path.string())));
    }
  }
}

using Kind = ReleaseFile::Kind;

Status RefuseTwice(const ReleaseFolder& folder, Kind kind, std::string_view flag) {
  auto there = std::ranges::find(folder.files, kind, &FolderFile::kind);
  if (there == folder.files.end()) return {};
  return FailInvalid("{} already has {}: leave {} out, or remove that file", folder.path.string(),
                     Printable(there->name, 260), flag);
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
    return FailInvalid("{} is {}: use the output of \"tofu providers schema -json\"",
                       Printable(question.schema.string()),
                       failed ? failed.message() : std::string("empty"));
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

Result<PackedDocs> PackDocs(const fs::path& folder, const fs::path& temporary_folder) {
  ASSIGN_OR_RETURN(FoundPages found, FindDocs(folder));
  auto file = MakeTemporaryFile(temporary_folder);
  if (!file)
    return LocalFailure("cannot create a temporary file in", temporary_folder, file.error());
  PackedDocs packed{.file = *std::move(file), .pages = found.pages.size(), .links = found.links};
  const ByteSink sink = [&](std::span<const std::byte> bytes) -> Status {
    packed.size += bytes.size();
    const int number = WriteAll(packed.file.get(), bytes);
    if (number == 0) return {};
    return LocalFailure("cannot write the packed docs in", temporary_folder, number);
  };
  ZipWriter zip(sink);
  for (const FoundPage& page : found.pages) {
    ASSIGN_OR_RETURN(std::string text, ReadPage(page.path));
    auto added = zip.Add(page.name, text);
    if (!added) return Failure(std::move(added).error());
  }
  RETURN_IF_ERROR(zip.Finish());
  return packed;
}

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
