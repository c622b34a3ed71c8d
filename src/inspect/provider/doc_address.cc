#include "inspect/provider/doc_address.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace koya::inspect::provider {
namespace {

constexpr std::size_t kLongestName = 200;

struct FolderOfKind {
  std::string_view name;
  DocKind kind;
};
// The first of each kind is the one of addresses.
constexpr std::array kFolders = std::to_array<FolderOfKind>({
    {"", DocKind::kOverview},
    {"guides", DocKind::kGuide},
    {"resources", DocKind::kResource},
    {"r", DocKind::kResource},
    {"data-sources", DocKind::kDataSource},
    {"d", DocKind::kDataSource},
    {"functions", DocKind::kFunction},
    {"f", DocKind::kFunction},
    {"ephemeral-resources", DocKind::kEphemeralResource},
    {"list-resources", DocKind::kListResource},
    {"actions", DocKind::kAction},
    {"state-stores", DocKind::kStateStore},
});

constexpr std::array<std::string_view, 4> kFileEnds = {".html.markdown", ".html.md", ".markdown",
                                                       ".md"};
constexpr std::string_view kOnRegistries = "/docs/providers/";

bool IsDocName(std::string_view name) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kLongestName && name[0] != '.' &&
         std::ranges::all_of(name, fits);
}

bool TakeEnd(std::string_view& name) {
  for (std::string_view end : kFileEnds) {
    if (name.size() > end.size() && name.ends_with(end)) {
      name.remove_suffix(end.size());
      return true;
    }
  }
  return false;
}

// `parts` without an end of a file: {"resources", "a"}, {"index"}.
std::optional<DocAddress> FromParts(const std::vector<std::string_view>& parts) {
  if (parts.empty() || parts.size() > 2 || !IsDocName(parts.back())) return std::nullopt;
  std::optional<DocKind> kind = ParseDocKind(parts.size() == 1 ? "" : parts[0]);
  bool overview = parts.size() == 1 && parts[0] == "index";
  if (!kind || overview != (*kind == DocKind::kOverview)) return std::nullopt;
  return DocAddress{*kind, std::string(parts.back()), {}};
}

std::vector<std::string_view> Split(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == path.npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// Follows "." and ".."; none when it leads out of all folders.
std::optional<std::vector<std::string_view>> Follow(std::vector<std::string_view> at,
                                                    std::string_view path) {
  for (std::string_view part : Split(path)) {
    if (part == "..") {
      if (at.empty()) return std::nullopt;
      at.pop_back();
    } else if (part != "." && !part.empty()) {
      at.push_back(part);
    }
  }
  return at;
}

}  // namespace

std::string_view DocKindFolder(DocKind kind) {
  return std::ranges::find(kFolders, kind, &FolderOfKind::kind)->name;
}

std::optional<DocKind> ParseDocKind(std::string_view folder) {
  const auto* found = std::ranges::find(kFolders, folder, &FolderOfKind::name);
  return found == kFolders.end() ? std::nullopt : std::optional(found->kind);
}

std::optional<DocAddress> ParseDocPath(std::string_view path) {
  if (path.size() > 4 * kLongestName || !TakeEnd(path)) return std::nullopt;
  std::vector<std::string_view> parts = Split(path);
  std::string language;
  if (parts.size() > 2 && parts[0] == "cdktf" && IsDocName(parts[1])) {
    language = parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  std::optional<DocAddress> address = FromParts(parts);
  if (address) address->language = std::move(language);
  return address;
}

std::optional<DocAddress> ResolveDocLink(const DocAddress& from, std::string_view address) {
  address = address.substr(0, address.find('?'));
  if (address.size() > 4 * kLongestName) return std::nullopt;
  std::vector<std::string_view> at = {"docs"};
  if (address.starts_with(kOnRegistries)) {
    address.remove_prefix(kOnRegistries.size());
    std::size_t slash = address.find('/');
    address = slash == address.npos ? "index" : address.substr(slash + 1);
  } else if (address.starts_with('/')) {
    return std::nullopt;
  } else if (from.kind != DocKind::kOverview) {
    at.push_back(DocKindFolder(from.kind));
  }
  constexpr std::string_view kHtml = ".html";
  if (!TakeEnd(address) && address.ends_with(kHtml)) address.remove_suffix(kHtml.size());
  auto parts = Follow(std::move(at), address);
  if (!parts || parts->empty() || parts->front() != "docs") return std::nullopt;
  parts->erase(parts->begin());
  if (parts->empty()) parts->emplace_back("index");
  std::optional<DocAddress> found = FromParts(*parts);
  if (found) found->language = from.language;
  return found;
}

std::string DocAddressPath(const DocAddress& address) {
  std::string out;
  if (!address.language.empty()) out = "cdktf/" + address.language;
  if (address.kind == DocKind::kOverview) return out;
  if (!out.empty()) out += '/';
  return out.append(DocKindFolder(address.kind)).append("/").append(address.name);
}

markup::Resolve LinksOfDoc(DocAddress from, std::string base,
                           std::function<bool(const DocAddress&)> has) {
  return [from = std::move(from), base = std::move(base),
          has = std::move(has)](std::string_view address) -> std::optional<std::string> {
    std::optional<DocAddress> to = ResolveDocLink(from, address);
    if (!to || !has(*to)) return std::nullopt;
    std::string path = DocAddressPath(*to);
    return path.empty() ? base : base + "/" + path;
  };
}

}  // namespace koya::inspect::provider
