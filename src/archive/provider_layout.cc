#include "archive/provider_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace koya {
namespace {

constexpr std::string_view kProviderPrefix = "terraform-provider-";

// Whether clients take a file of this name for the program (OpenTofu CachedProvider,
// ExecutableFile): whatever stands behind "_" or "." does not matter to them.
bool LooksLikeBinary(std::string_view name, std::string_view wanted) {
  if (!name.starts_with(wanted)) return false;
  std::string_view rest = name.substr(wanted.size());
  return rest.empty() || rest.front() == '_' || rest.front() == '.';
}

// Whether its author can have meant it: not "terraform-provider-demo.txt".
bool IsNamedAsProgram(std::string_view name, std::string_view wanted) {
  std::string_view rest = name.substr(wanted.size());
  return rest.empty() || rest.front() == '_' || rest == ".exe";
}

// What lies where clients look, and what they would have taken elsewhere. Views into the entries.
struct Found {
  std::vector<std::string_view> binaries;
  std::vector<std::string_view> others;  // at the root
  std::string_view in_folder;
  std::string_view other_type;
};

Found Search(std::span<const ArchiveEntry> entries, std::string_view wanted) {
  Found found;
  for (const ArchiveEntry& entry : entries) {
    if (entry.directory) continue;
    std::string_view name = entry.name;
    std::size_t slash = name.rfind('/');
    if (slash != std::string_view::npos) {
      bool first = found.in_folder.empty() || name < found.in_folder;
      if (first && LooksLikeBinary(name.substr(slash + 1), wanted)) found.in_folder = name;
    } else if (LooksLikeBinary(name, wanted)) {
      found.binaries.push_back(name);
    } else {
      bool first = found.other_type.empty() || name < found.other_type;
      if (first && name.starts_with(kProviderPrefix)) found.other_type = name;
      found.others.push_back(name);
    }
  }
  std::ranges::sort(found.binaries);
  auto repeated = std::ranges::unique(found.binaries);
  found.binaries.erase(repeated.begin(), repeated.end());
  std::ranges::sort(found.others);
  return found;
}

// The first few names, quoted.
std::string Some(std::span<const std::string_view> names) {
  std::vector<std::string> quoted;
  for (std::string_view name : names) quoted.push_back(fmt::format("\"{}\"", Printable(name, 80)));
  return Listed(quoted, 4);
}

std::string DescribeMissing(const Found& found, std::string_view wanted) {
  if (!found.in_folder.empty()) {
    return fmt::format(
        "the program \"{}\" lies in a folder, and clients look at the root of the zip only; pack "
        "it at the root (zip -j leaves folders out)",
        Printable(found.in_folder));
  }
  std::string missing = fmt::format(
      "no file at the root of the zip is named \"{0}\" or \"{0}_…\", which is what clients run",
      wanted);
  if (!found.other_type.empty()) {
    return fmt::format(
        "{}; \"{}\" is named for another provider: rename it, or publish it as that provider",
        missing, Printable(found.other_type));
  }
  if (found.others.empty()) return missing + "; pack the program at the root";
  return fmt::format("{}; there is {}: build the program under that name", missing,
                     Some(found.others));
}

}  // namespace

std::string FindProviderBinary(std::span<const ArchiveEntry> entries, std::string_view type,
                               std::vector<std::string>& problems) {
  std::string wanted = fmt::format("{}{}", kProviderPrefix, type);
  Found found = Search(entries, wanted);
  if (found.binaries.empty()) {
    problems.push_back(DescribeMissing(found, wanted));
    return {};
  }
  std::string_view binary = found.binaries.front();
  if (found.binaries.size() > 1) {
    problems.push_back(fmt::format(
        "{} are all named as the program, of which clients run the first; keep one, and rename or "
        "leave out the others",
        Some(found.binaries)));
  } else if (!IsNamedAsProgram(binary, wanted)) {
    problems.push_back(fmt::format(
        "\"{}\" is what clients would run, as nothing else is named \"{}\" or \"{}_…\"; name the "
        "program so",
        Printable(binary), wanted, wanted));
  }
  return std::string(binary);
}

}  // namespace koya
