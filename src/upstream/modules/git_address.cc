#include "upstream/modules/git_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "domain/host_name.h"

namespace koya::upstream {
namespace {

constexpr std::array<std::string_view, 3> kKnownHosts{"github.com/", "gitlab.com/",
                                                      "bitbucket.org/"};

Failure BadGitAddress(std::string why) { return Fail(ErrorKind::kBadUpstream, std::move(why)); }

// The path of "github.com/OWNER/REPO/more/folders" cut behind REPO.
Result<AddressText> ExpandKnownHost(const AddressText& address) {
  const std::string& place = address.place;
  std::size_t owner_end = place.find('/', place.find('/') + 1);
  std::size_t end = owner_end == std::string::npos ? owner_end : place.find('/', owner_end + 1);
  bool whole = owner_end != std::string::npos && owner_end + 1 < place.size() &&
               owner_end + 1 != end && place[owner_end - 1] != '/';
  if (!whole) return BadGitAddress("it names no repository: HOST/OWNER/REPOSITORY is needed");
  AddressText out{
      .place = "https://" + place.substr(0, end), .folder = address.folder, .query = address.query};
  if (!out.place.ends_with(".git")) out.place += ".git";
  if (end != std::string::npos) out.folder = place.substr(end + 1) + "/" + address.folder;
  return out;
}

bool IsUserName(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_' || c == '.';
  });
}

// "git@host:path"; clients take no other user without a scheme.
std::optional<AddressText> ExpandScp(const AddressText& address) {
  std::string_view place = address.place;
  if (!place.starts_with("git@")) return std::nullopt;
  std::size_t colon = place.find(':');
  bool fits = colon != std::string_view::npos && colon > 4 && colon < place.find('/');
  if (!fits) return std::nullopt;
  std::string_view path = place.substr(colon + 1);
  if (path.starts_with('/')) path.remove_prefix(1);
  return AddressText{fmt::format("ssh://{}/{}", place.substr(0, colon), path), address.folder,
                     address.query};
}

// Which user logs in. A name before an https host opens nothing by itself, so it is left out.
Result<std::string> UserOf(const std::string& scheme, const Authority& authority) {
  if (!authority.user_info) return std::string();
  if (authority.user_info->find(':') != std::string::npos) {
    return BadGitAddress("it contains a password: every client can see the location");
  }
  if (scheme == "https") return std::string();
  if (!IsUserName(*authority.user_info)) return BadGitAddress("its user is not a user name");
  return *authority.user_info;
}

Result<http::Url> RepositoryUrl(const std::string& place) {
  if (!HasPlainHost(place)) return BadGitAddress("it is not a URL of a repository");
  Result<http::Url> url = http::ParseUrl(place);
  if (!url) return BadGitAddress("it is not a URL of a repository");
  // Strict: it will stand in a command, and "-oProxyCommand=…" was a host name once.
  if (!HostName::ParseWire(url->Authority())) return BadGitAddress("its host is not a host name");
  if (url->path == "/") return BadGitAddress("it names a host, but no repository there");
  // Git decodes escapes, and sends the result in a line of its protocol.
  for (std::string_view escape : {"%0", "%1", "%7f", "%7F"}) {
    if (url->path.find(escape) != std::string::npos)
      return BadGitAddress("its path contains control characters");
  }
  return url;
}

Result<std::string> TakeRef(std::string_view text) {
  AddressQuery query(text);
  ASSIGN_OR_RETURN(auto ref, query.TakeParameter("ref"));
  ASSIGN_OR_RETURN(auto depth, query.TakeParameter("depth"));
  bool number = !depth || std::ranges::all_of(*depth, [](char c) { return c >= '0' && c <= '9'; });
  if (!number) return BadGitAddress("its depth is not a number");
  std::string left = query.FirstName();
  if (left == "sshkey") return BadGitAddress("it contains a private key (sshkey)");
  if (!left.empty()) {
    return BadGitAddress(
        fmt::format("its parameter \"{}\" is not one for git: only ref and depth are supported",
                    Printable(left, 40)));
  }
  if (!ref || ref->empty()) return std::string();
  RETURN_IF_ERROR(CheckGitRef(*ref));
  return *ref;
}

}  // namespace

Result<std::optional<AddressText>> ExpandGitShorthand(const AddressText& address) {
  bool known = std::ranges::any_of(
      kKnownHosts, [&](std::string_view host) { return address.place.starts_with(host); });
  if (!known) return ExpandScp(address);
  ASSIGN_OR_RETURN(AddressText expanded, ExpandKnownHost(address));
  return std::optional(std::move(expanded));
}

Result<GitLocation> ParseGitAddress(const AddressText& address) {
  std::string scheme = SchemeOf(address.place);
  if (scheme.empty()) {
    ASSIGN_OR_RETURN(auto expanded, ExpandGitShorthand(address));
    if (!expanded)
      return BadGitAddress("it is a path on the machine that follows it, or not an address of git");
    return ParseGitAddress(*expanded);
  }
  if (scheme != "https" && scheme != "ssh") {
    return BadGitAddress(
        fmt::format("git works over https and ssh only, not over {}", Printable(scheme, 20)));
  }
  Authority authority = SplitUserInfo(address.place);
  GitLocation location;
  ASSIGN_OR_RETURN(location.user, UserOf(scheme, authority));
  ASSIGN_OR_RETURN(location.url, RepositoryUrl(authority.place));
  ASSIGN_OR_RETURN(location.ref, TakeRef(address.query));
  ASSIGN_OR_RETURN(location.folder, NormalFolder(address.folder));
  if (location.folder.starts_with('*'))
    return BadGitAddress("a repository has no one top folder (\"*\")");
  return location;
}

}  // namespace koya::upstream
