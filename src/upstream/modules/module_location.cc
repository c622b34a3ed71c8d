#include "upstream/modules/module_location.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"
#include "domain/host_name.h"
#include "upstream/module_source.h"
#include "upstream/modules/location_text.h"

namespace koya::upstream {
namespace {

constexpr std::array<std::string_view, 3> kKnownHosts{"github.com/", "gitlab.com/",
                                                      "bitbucket.org/"};

Failure BadGitAddress(std::string why) { return Fail(ErrorKind::kBadUpstream, std::move(why)); }

// The spellings of a git repository's location: git::https://…, git::ssh://…, git@host:path, and
// the short ones of well-known hosts.

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

// Expands "github.com/acme/vpc/sub" (without "git::") to the https address, with its folders
// joined; "git@host:path" to ssh. nullopt if `address` is neither. Fails for a short one that names
// no repository.
Result<std::optional<AddressText>> ExpandGitShorthand(const AddressText& address) {
  bool known = std::ranges::any_of(
      kKnownHosts, [&](std::string_view host) { return address.place.starts_with(host); });
  if (!known) return ExpandScp(address);
  ASSIGN_OR_RETURN(AddressText expanded, ExpandKnownHost(address));
  return std::optional(std::move(expanded));
}

// `address.place` is the text after "git::", or an https URL that ends in ".git".
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

constexpr std::size_t kMaxLocation = 8192;

struct Suffix {
  std::string_view name;
  PackageFormat format;
};
constexpr Suffix kPackages[] = {
    {"zip", PackageFormat::kZip},     {"tar.gz", PackageFormat::kTarGz},
    {"tgz", PackageFormat::kTarGz},   {"tar.bz2", PackageFormat::kTarBz2},
    {"tbz2", PackageFormat::kTarBz2}, {"tar.xz", PackageFormat::kTarXz},
    {"txz", PackageFormat::kTarXz},
};
// What clients unpack as one file, which is no module.
constexpr std::array<std::string_view, 3> kSingleFiles{"gz", "bz2", "xz"};

struct DigestForm {
  std::string_view name;
  PackageChecksum::Algorithm algorithm;
  std::size_t hex_length;
};
constexpr DigestForm kDigests[] = {
    {"md5", PackageChecksum::Algorithm::kMd5, 32},
    {"sha1", PackageChecksum::Algorithm::kSha1, 40},
    {"sha256", PackageChecksum::Algorithm::kSha256, 64},
    {"sha512", PackageChecksum::Algorithm::kSha512, 128},
};

Failure BadLocation(std::string why) { return Fail(ErrorKind::kBadUpstream, std::move(why)); }

Status CheckCharacters(std::string_view text) {
  if (text.empty()) return BadLocation("it is empty");
  if (text.size() > kMaxLocation) return BadLocation("it is too long");
  bool odd =
      std::ranges::any_of(text, [](unsigned char c) { return c <= ' ' || c >= 0x7F || c == '\\'; });
  return odd ? BadLocation("it contains characters that are not allowed in a URL") : Status();
}

bool IsRelative(std::string_view text) {
  return text.starts_with('/') || text.starts_with("./") || text.starts_with("../");
}

// As Go's strconv.ParseBool reads a no.
bool SaysNo(std::string_view value) {
  constexpr std::array<std::string_view, 6> kNo{"0", "f", "F", "false", "FALSE", "False"};
  return std::ranges::find(kNo, value) != kNo.end();
}

// Nothing when the bytes are no archive.
Result<std::optional<PackageFormat>> FormatOf(const http::Url& url,
                                              const std::optional<std::string>& archive) {
  bool named = archive && !archive->empty();
  if (named && SaysNo(*archive)) return std::optional<PackageFormat>();
  auto is = [&](std::string_view name) {
    return named ? *archive == name : url.path.ends_with("." + std::string(name));
  };
  for (const Suffix& each : kPackages) {
    if (is(each.name)) return std::optional(each.format);
  }
  if (std::ranges::any_of(kSingleFiles, is)) {
    return BadLocation("it is a single compressed file, not a module's folder");
  }
  if (!named) return std::optional<PackageFormat>();
  return BadLocation(
      fmt::format("archive=\"{}\" is not a format of packages: use zip, tar.gz, tar.bz2 or tar.xz",
                  Printable(*archive, 40)));
}

Result<PackageChecksum> ParseChecksum(std::string_view text) {
  std::size_t colon = text.find(':');
  std::string_view name = colon == std::string_view::npos ? "" : text.substr(0, colon);
  std::string hex = AsciiLower(colon == std::string_view::npos ? text : text.substr(colon + 1));
  if (name == "file") return BadLocation("its checksum is in another file, which is not fetched");
  const auto* digest = std::ranges::find_if(kDigests, [&](const DigestForm& each) {
    return colon == std::string_view::npos ? each.hex_length == hex.size() : each.name == name;
  });
  if (digest == std::end(kDigests)) {
    return BadLocation("its checksum is of an unknown kind: use md5, sha1, sha256 or sha512");
  }
  bool fits = hex.size() == digest->hex_length && std::ranges::all_of(hex, [](char c) {
                return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
              });
  if (!fits) {
    return BadLocation(
        fmt::format("its checksum is not {} hexadecimal digits", digest->hex_length));
  }
  return PackageChecksum{digest->algorithm, std::move(hex)};
}

Result<http::Url> WebUrl(const std::string& place) {
  if (SplitUserInfo(place).user_info) {
    return BadLocation("it contains a user name or password: clients reject those");
  }
  if (!HasPlainHost(place)) return BadLocation("it is not a URL");
  Result<http::Url> url = http::ParseUrl(place);
  if (!url) return BadLocation("it is not a URL");
  if (url->scheme != "https") {
    return BadLocation(
        fmt::format("it uses {}, and Koya fetches over https only", Printable(url->scheme, 20)));
  }
  url->fragment.clear();
  return url;
}

Result<ModuleLocation> ParsePage(http::Url url, const AddressQuery& query, std::string folder) {
  if (folder.starts_with('*'))
    return BadLocation("\"*\" stands for the top folder of an archive only");
  url.query = query.ToString();
  url.query += url.query.empty() ? "terraform-get=1" : "&terraform-get=1";
  return PageLocation{std::move(url), std::move(folder)};
}

// An https URL: an archive, a repository, or a page.
Result<ModuleLocation> ParseWeb(const AddressText& address) {
  ASSIGN_OR_RETURN(http::Url url, WebUrl(address.place));
  AddressQuery query(address.query);
  ASSIGN_OR_RETURN(auto archive, query.TakeParameter("archive"));
  ASSIGN_OR_RETURN(auto checksum, query.TakeParameter("checksum"));
  ASSIGN_OR_RETURN(auto format, FormatOf(url, archive));
  if (!format && checksum) return BadLocation("only an archive can have a checksum");
  if (!format && url.path.ends_with(".git")) {
    return ParseGitAddress({address.place, address.folder, query.ToString()});
  }
  ASSIGN_OR_RETURN(std::string folder, NormalFolder(address.folder));
  if (!format) return ParsePage(std::move(url), query, std::move(folder));
  PackedLocation location{.url = std::move(url), .format = *format, .folder = std::move(folder)};
  location.url.query = query.ToString();
  if (checksum) {
    ASSIGN_OR_RETURN(location.checksum, ParseChecksum(*checksum));
  }
  return location;
}

Result<ModuleLocation> ParseRelative(const http::Url& asked, AddressText address) {
  // "//host/x" would be another host's.
  if (address.place.empty()) return BadLocation("it begins with two slashes");
  Result<http::Url> url = http::ResolveUrl(asked, address.place);
  if (!url) return BadLocation("it is not a URL relative to its source");
  url->query.clear();
  url->fragment.clear();
  address.place = url->ToString();
  return ParseWeb(address);
}

// "git" of "git::…".
std::string_view ForcedGetter(std::string_view place) {
  std::size_t end = place.find("::");
  bool letters = end != std::string_view::npos && end > 0 &&
                 std::ranges::all_of(place.substr(0, end),
                                     [](unsigned char c) { return std::isalnum(c) != 0; });
  return letters ? place.substr(0, end) : std::string_view();
}

Result<ModuleLocation> Parse(const http::Url& asked, std::string_view text) {
  RETURN_IF_ERROR(CheckCharacters(text));
  AddressText address = SplitAddress(text);
  if (IsRelative(text)) return ParseRelative(asked, std::move(address));
  std::string getter = AsciiLower(ForcedGetter(address.place));
  if (!getter.empty()) address.place.erase(0, getter.size() + 2);
  if (getter == "git") return ParseGitAddress(address);
  bool web = getter.empty() || getter == "https" || getter == "http";
  if (!web) return BadLocation(fmt::format("{}:: is not supported: use https or git", getter));
  ASSIGN_OR_RETURN(auto git, ExpandGitShorthand(address));
  if (git) return ParseGitAddress(*git);
  std::string scheme = SchemeOf(address.place);
  if (scheme == "https") return ParseWeb(address);
  if (scheme == "ssh") return BadLocation("clients accept ssh:// only with git:: before it");
  if (!scheme.empty()) {
    return BadLocation(
        fmt::format("{}: is not supported: use https or git", Printable(scheme, 20)));
  }
  return BadLocation("it is not a URL: a path or an address in a registry is not allowed there");
}

// Says of what.
Result<ModuleLocation> Explained(Result<ModuleLocation> parsed, std::string_view text) {
  if (!parsed) {
    parsed.error().message = fmt::format("the location \"{}\" cannot be followed: {}",
                                         ShownLocation(text), parsed.error().message);
  }
  return parsed;
}

}  // namespace

Result<ModuleLocation> ParseModuleLocation(const http::Url& asked, std::string_view text) {
  return Explained(Parse(asked, text), text);
}

Result<ModuleLocation> ParseDirectLocation(const http::Url& asked, std::string_view text) {
  auto parse = [&]() -> Result<ModuleLocation> {
    RETURN_IF_ERROR(CheckCharacters(text));
    if (text.find('#') != std::string_view::npos) return BadLocation("it has a fragment");
    if (text.starts_with("//")) return BadLocation("it begins with two slashes");
    bool relative = text.substr(0, text.find('/')).find(':') == std::string_view::npos;
    if (!relative && !HasPlainHost(text)) return BadLocation("it is not a URL");
    if (SplitUserInfo(text.substr(0, text.find('?'))).user_info) {
      return BadLocation("it contains a user name or password: clients reject those");
    }
    Result<http::Url> url = http::ResolveUrl(asked, text);
    if (!url || url->has_user_info) return BadLocation("it is not a URL relative to its source");
    RETURN_IF_ERROR(WebUrl(url->Origin() + "/"));
    return PackedLocation{.url = *std::move(url)};
  };
  return Explained(parse(), text);
}

std::string JoinFolders(std::string_view outer, std::string_view inner) {
  std::string joined(outer);
  if (!outer.empty() && !inner.empty()) joined += '/';
  return joined.append(inner);
}

std::string ShownLocation(std::string_view text) {
  std::string place(text.substr(0, text.find_first_of("?#")));
  std::size_t scheme = place.find("://");
  std::size_t forced = place.find("::");
  std::size_t begin = scheme != std::string::npos   ? scheme + 3
                      : forced != std::string::npos ? forced + 2
                                                    : 0;
  // Also after slashes: the author of "https://user:pass/word@host" meant a password.
  std::size_t at = place.rfind('@');
  bool user = at != std::string::npos && at >= begin && place.substr(begin, at - begin) != "git";
  if (user) place.replace(begin, at - begin, "…");
  return Printable(place, 200);
}

}  // namespace koya::upstream
