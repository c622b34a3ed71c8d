#include "cli/docs_folder.h"

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

}  // namespace koya::cli
