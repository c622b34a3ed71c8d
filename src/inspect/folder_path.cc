#include "inspect/folder_path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace koya::inspect {
namespace {

// Adds the parts of a path; false when it leads above the first.
bool AddParts(std::string_view path, std::vector<std::string_view>& parts) {
  while (!path.empty()) {
    std::size_t slash = std::min(path.find('/'), path.size());
    std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return false;
    } else {
      parts.pop_back();
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> JoinFolders(std::string_view folder, std::string_view relative) {
  std::vector<std::string_view> parts;
  if (!AddParts(folder, parts) || !AddParts(relative, parts)) return std::nullopt;
  return fmt::format("{}", fmt::join(parts, "/"));
}

}  // namespace koya::inspect
