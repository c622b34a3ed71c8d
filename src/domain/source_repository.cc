#include "domain/source_repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "domain/host_name.h"

namespace koya {
namespace {

Failure Unusable(std::string_view why) {
  return FailInvalid(
      "the source URL {}: write the https URL of the repository, for example "
      "https://github.com/acme/vpc, with //FOLDER behind it for a folder",
      why);
}

bool IsUrlLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// What a URL may have unescaped in a segment, without what a shell or a page could mistake.
bool IsPlain(char c) { return IsUrlLetter(c) || std::string_view("-_.~+@%").contains(c); }

// Every "%" begins an escape that stands for no control character, dot, slash or backslash.
bool HasHarmlessEscapes(std::string_view segment) {
  for (std::size_t at = segment.find('%'); at != std::string_view::npos;
       at = segment.find('%', at + 1)) {
    const std::string code = AsciiLower(segment.substr(at + 1, 2));
    const bool hexadecimal =
        code.size() == 2 && code.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!hexadecimal || code < "20") return false;
    if (code == "2e" || code == "2f" || code == "5c" || code == "7f") return false;
  }
  return true;
}

// "acme/vpc": segments of plain characters, none of which leads upwards.
bool IsPath(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    if (segment.empty() || segment == "." || segment == "..") return false;
    if (!std::ranges::all_of(segment, IsPlain) || !HasHarmlessEscapes(segment)) return false;
    begin = end + 1;
  }
  return true;
}

void DropSuffix(std::string_view& text, std::string_view suffix) {
  while (text.ends_with(suffix)) text.remove_suffix(suffix.size());
}

// An address of a repository in parts.
struct AddressParts {
  std::string_view authority;  // with user information, and a port if its scheme is https
  std::string_view path;       // without "/" in front
  bool is_ssh = false;
};

Result<AddressParts> SplitRepository(std::string_view text) {
  const bool is_https = text.starts_with("https://");
  const bool is_ssh = text.starts_with("ssh://");
  if (is_https || is_ssh) {
    text.remove_prefix(is_https ? 8 : 6);
    const std::size_t slash = std::min(text.find('/'), text.size());
    AddressParts parts{text.substr(0, slash), text.substr(std::min(slash + 1, text.size())),
                       is_ssh};
    return parts;
  }
  const std::size_t colon = text.find(':');
  if (text.starts_with("git@") && colon < text.find('/')) {
    std::string_view path = text.substr(colon + 1);
    if (path.starts_with('/')) path.remove_prefix(1);
    return AddressParts{text.substr(0, colon), path, true};
  }
  return Unusable("begins neither with https:// nor with ssh:// or git@");
}

}  // namespace

Result<SourceRepository> SourceRepository::Parse(std::string_view text) {
  if (text.size() > kMostBytes) {
    return Unusable(fmt::format("has {} bytes, and {} are allowed", text.size(), kMostBytes));
  }
  if (text.starts_with("git::")) text.remove_prefix(5);
  ASSIGN_OR_RETURN(AddressParts parts, SplitRepository(text));
  if (parts.path.find_first_of("?#") != std::string_view::npos) {
    return Unusable("has a query or a fragment");
  }
  parts.authority.remove_prefix(parts.authority.rfind('@') + 1);  // npos + 1 is 0
  if (parts.is_ssh) parts.authority = parts.authority.substr(0, parts.authority.find(':'));
  const Result<HostName> host = HostName::ParseWire(parts.authority);
  if (!host) return Unusable("has no usable host");
  const std::size_t folder = std::min(parts.path.find("//"), parts.path.size());
  std::string_view path = parts.path.substr(0, folder);
  std::string_view directory = parts.path.substr(folder);
  if (directory.starts_with("//")) directory.remove_prefix(2);
  DropSuffix(path, "/");
  DropSuffix(path, ".git");
  DropSuffix(directory, "/");
  if (path.empty()) return Unusable("names no repository behind its host");
  if (!IsPath(path)) {
    return Unusable(
        "has a path with \"..\" or with characters that a repository's URL does not have");
  }
  if (!directory.empty() && !IsPath(directory)) {
    return Unusable("names a folder that is not relative to the repository, or has \"..\" in it");
  }
  return SourceRepository(fmt::format("https://{}/{}", host->ascii(), path),
                          std::string(directory));
}

std::string SourceRepository::ToString() const {
  return directory_.empty() ? url_ : fmt::format("{}//{}", url_, directory_);
}

}  // namespace koya
