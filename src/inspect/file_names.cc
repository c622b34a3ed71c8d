#include "inspect/file_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace koya::inspect {
namespace {

struct Ending {
  std::string_view text;
  bool json;
  bool tofu;
};

template <std::size_t N>
std::optional<ConfigName> ByEnding(std::string_view name, const std::array<Ending, N>& endings) {
  // Other editors' copies ("x.tf~", "#x.tf#") have none of the endings; "#x.tf" is read by clients.
  if (name.starts_with('.')) return std::nullopt;
  for (const Ending& each : endings) {
    if (name.size() <= each.text.size() || !name.ends_with(each.text)) continue;
    return ConfigName{.stem = std::string(name.substr(0, name.size() - each.text.size())),
                      .json = each.json,
                      .tofu = each.tofu};
  }
  return std::nullopt;
}

// The rank of a name that is one of `stems`, whatever its letter case, with one of the endings
// that documents have.
template <std::size_t N>
std::optional<int> DocumentRank(std::string_view name,
                                const std::array<std::string_view, N>& stems) {
  constexpr std::array<std::string_view, 6> kEndings{".md",  ".markdown", ".mdown",
                                                     ".rst", ".txt",      ""};
  std::string lower = AsciiLower(name);
  for (std::size_t stem = 0; stem < N; ++stem) {
    if (!lower.starts_with(stems[stem])) continue;
    std::string_view rest = std::string_view(lower).substr(stems[stem].size());
    const auto* ending = std::ranges::find(kEndings, rest);
    if (ending == kEndings.end()) continue;
    return static_cast<int>(stem * kEndings.size()) + static_cast<int>(ending - kEndings.begin());
  }
  return std::nullopt;
}

}  // namespace

std::string_view FolderOf(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

std::string_view NameOf(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::optional<ConfigName> ParseConfigName(std::string_view name) {
  constexpr std::array<Ending, 4> kEndings{{{".tf", false, false},
                                            {".tf.json", true, false},
                                            {".tofu", false, true},
                                            {".tofu.json", true, true}}};
  std::optional<ConfigName> config = ByEnding(name, kEndings);
  if (config)
    config->override_file = config->stem == "override" || config->stem.ends_with("_override");
  return config;
}

std::optional<ConfigName> ParseTestName(std::string_view name) {
  constexpr std::array<Ending, 4> kEndings{{{".tftest.hcl", false, false},
                                            {".tftest.json", true, false},
                                            {".tofutest.hcl", false, true},
                                            {".tofutest.json", true, true}}};
  return ByEnding(name, kEndings);
}

std::optional<int> ReadmeRank(std::string_view name) {
  constexpr std::array<std::string_view, 1> kStems{"readme"};
  return DocumentRank(name, kStems);
}

std::optional<int> ChangelogRank(std::string_view name) {
  constexpr std::array<std::string_view, 4> kStems{"changelog", "changes", "history", "releases"};
  return DocumentRank(name, kStems);
}

std::optional<int> LicenceRank(std::string_view name) {
  constexpr std::array<std::string_view, 5> kStems{"license", "licence", "copying", "unlicense",
                                                   "copyright"};
  return DocumentRank(name, kStems);
}

bool IsHidden(std::string_view path) {
  for (std::size_t begin = 0; begin < path.size();) {
    std::size_t end = std::min(path.find('/', begin), path.size());
    std::string_view part = path.substr(begin, end - begin);
    bool folder = end < path.size();
    if (folder && part.starts_with('.')) return true;
    begin = end + 1;
  }
  return false;
}

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

namespace {

constexpr std::string_view kEndOfMark = "PRIVATE KEY";  // "-----BEGIN RSA PRIVATE KEY-----"
constexpr std::size_t kLongestMark = 64;
// How far behind the mark the key begins (headers may stand between), and how much of it has to be
// there: documents show the mark and three dots.
constexpr std::size_t kKeyWithin = 400;
constexpr std::size_t kLeastKey = 40;

bool IsBase64(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/' || c == '=';
}

bool BeginsKey(std::string_view text) {
  std::size_t run = 0;
  for (char c : text.substr(0, kKeyWithin)) {
    run = IsBase64(c) ? run + 1 : 0;
    if (run == kLeastKey) return true;
  }
  return false;
}

bool HoldsPrivateKey(std::string_view content) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  for (std::size_t at = content.find(kBegin); at != content.npos;
       at = content.find(kBegin, at + 1)) {
    std::string_view rest = content.substr(at + kBegin.size());
    const std::size_t end = rest.substr(0, kLongestMark).find("-----");
    if (end == rest.npos || rest.substr(0, end).find(kEndOfMark) == rest.npos) continue;
    if (BeginsKey(rest.substr(end))) return true;
  }
  return false;
}

bool IsExample(std::string_view path, std::string_view name) {
  return name.contains("example") || name.contains("sample") || path.starts_with("examples/") ||
         path.contains("/examples/");
}

}  // namespace

std::string_view SecretIn(std::string_view path, std::string_view content) {
  const std::string lower_path = AsciiLower(path);
  const std::string_view name = NameOf(lower_path);
  if (name.starts_with("terraform.tfstate") || name.ends_with(".tfstate")) {
    return "the state of created resources, with their passwords and keys";
  }
  const bool values = name.ends_with(".tfvars") || name.ends_with(".tfvars.json");
  if (values && !IsExample(lower_path, name)) return "values of variables";
  if (name == ".env") return "an environment, as programs take passwords from";
  return HoldsPrivateKey(content) ? "a private key" : "";
}

}  // namespace koya::inspect
