#include "upstream/modules/registry_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/file_io.h"
#include "base/text.h"
#include "domain/module_address.h"
#include "upstream/foreign_answers.h"
#include "upstream/modules/package_check.h"
#include "wire/foreign_modules.h"

namespace koya::upstream {
namespace {

constexpr std::uint64_t kMaxPage = 1 << 20;

std::string PathOf(const ModuleAddress& address) {
  return fmt::format("{}/{}/{}", http::PercentEncode(address.ns()),
                     http::PercentEncode(address.name()), http::PercentEncode(address.system()));
}

// What a download document says, by status and form (wire facts §2.3). The body goes before the
// field, as in OpenTofu: who writes both means the same, and only the body can say more. A "direct"
// one gives way to a field: that is for clients who do not know it.
Result<ModuleLocation> ReadLocation(const Document& document, const http::Url& asked) {
  const std::string kWhat = "the download document";
  auto from_field = [&] { return ParseModuleLocation(asked, document.terraform_get); };
  bool field = !document.terraform_get.empty();
  if (document.no_content) {
    if (field) return from_field();
    return BadDocument(kWhat, document.url, "it does not say where the module is");
  }
  auto body = wire::DecodeForeignModuleLocation(document.body);
  // Terraform never looks at the body.
  if (field && (!body || body->location.empty() || body->direct)) return from_field();
  if (!body) return BadDocument(kWhat, document.url, body.error().message, body.error().limit);
  if (body->location.empty()) {
    return BadDocument(kWhat, document.url, "it does not say where the module is");
  }
  return body->direct ? ParseDirectLocation(asked, body->location)
                      : ParseModuleLocation(asked, body->location);
}

}  // namespace

Result<Document> RegistryModules::FetchDocument(const HostName& host, const std::string& path,
                                                DocumentRequest& request) {
  ASSIGN_OR_RETURN(http::Url base, services_.FindService(host, "modules.v1", request.patience));
  // Clients put the slash there that the service's URL should end in.
  if (!base.path.ends_with('/')) base.path += '/';
  Result<http::Url> url = http::ResolveUrl(base, path);
  if (!url) return BadDocument(request.what, base, "it cannot have a URL there");
  request.url = *url;
  request.token = TokenFor(host, *url, tokens_);
  request.fields = {{"X-Terraform-Version", std::string(kClientVersion)}};
  return fetcher_.Get(request);
}

Result<FetchedModuleVersions> RegistryModules::Versions(const HostName& host,
                                                        const ModuleAddress& address,
                                                        const Validators& held,
                                                        const Deadline& patience) {
  DocumentRequest request{
      .what = fmt::format("the list of versions of the module {}", address.ToString()),
      .held = held,
      .patience = fetcher_.ForDocuments(patience)};
  ASSIGN_OR_RETURN(Document document, FetchDocument(host, PathOf(address) + "/versions", request));
  FetchedModuleVersions fetched{.unchanged = document.unchanged, .validators = document.validators};
  if (document.unchanged) return fetched;
  auto read = wire::DecodeForeignModuleVersions(document.body);
  if (!read)
    return BadDocument(request.what, document.url, read.error().message, read.error().limit);
  CanonicalVersions canonical = CanonicalVersionsOf(read->versions);
  fetched.versions = std::move(canonical.versions);
  fetched.skipped = read->skipped + canonical.skipped;
  return fetched;
}

Result<ModuleLocation> RegistryModules::ReadDownload(const HostName& host,
                                                     const ModuleAddress& address,
                                                     const Version& version,
                                                     const Deadline& patience) {
  DocumentRequest request{.what = fmt::format("the download document of the module {} {}",
                                              address.ToString(), version.ToString()),
                          .patience = patience,
                          .or_no_content = true};
  // The version's "+" stands as it is, as clients write it.
  const std::string path = fmt::format("{}/{}/download", PathOf(address), version.ToString());
  ASSIGN_OR_RETURN(Document document, FetchDocument(host, path, request));
  // Relative locations are relative to the requested URL, not to the target of redirects.
  return ReadLocation(document, request.url);
}

// Clients go on from page to page; one is what registries have use for.
Result<ModuleLocation> RegistryModules::ReadPage(const PageLocation& page,
                                                 const Deadline& patience) {
  const std::string kWhat = "the page that says where the module is";
  ASSIGN_OR_RETURN(
      Document document,
      fetcher_.Get({.url = page.url, .what = kWhat, .max_bytes = kMaxPage, .patience = patience}));
  std::string location = document.terraform_get;
  if (location.empty()) location = FindTerraformGet(document.body);
  if (location.empty()) {
    return BadDocument(kWhat, document.url,
                       "its name is not that of an archive, and it does not say where one is "
                       "(X-Terraform-Get, or a meta tag \"terraform-get\")");
  }
  ASSIGN_OR_RETURN(ModuleLocation next, ParseModuleLocation(document.url, location));
  if (std::holds_alternative<PageLocation>(next)) {
    return BadDocument(kWhat, document.url, "it leads to another page");
  }
  std::visit([&](auto& each) { each.folder = JoinFolders(each.folder, page.folder); }, next);
  return next;
}

Result<FetchedModule> RegistryModules::FetchArchive(const PackedLocation& location,
                                                    const ModuleDelivery& delivery) {
  const std::string place = PlaceOf(location.url);
  RETURN_IF_ERROR(fetcher_.CheckUrl("the module's archive", location.url));
  FetchedModule module{.folder = location.folder, .source = place};
  PackageCheck check(location.checksum);
  ArchiveTransfer transfer{.url = location.url.ToString(),
                           .max_bytes = delivery.bounds.package_bytes,
                           .max_bytes_name = kModuleBytesLimit,
                           .on_start = delivery.on_start,
                           .patience = delivery.patience,
                           .time_name = kModuleTimeLimit};
  transfer.sink = [&](std::span<const std::byte> bytes) -> Status {
    if (delivery.on_bytes) RETURN_IF_ERROR(delivery.on_bytes(bytes.size()));
    check.Add(bytes);
    int failed = WriteAll(delivery.file, bytes, module.size);
    if (failed != 0) return Failure(ErrnoError("write a module's archive", failed));
    module.size += bytes.size();
    return {};
  };
  RETURN_IF_ERROR(fetcher_.FetchArchive(transfer));
  auto format = check.Finish(location.format);
  if (!format) {
    return FailBadUpstream("the archive at {} {}", place, format.error().message);
  }
  if (*format == PackageFormat::kZip || *format == PackageFormat::kTarGz) return module;
  return FailBadUpstream(
      "the archive at {} is packed with bzip2 or xz, which this server does "
      "not unpack: use zip or .tar.gz",
      place);
}

Result<FetchedModule> RegistryModules::FetchGit(const GitLocation& location,
                                                const ModuleDelivery& delivery) {
  ASSIGN_OR_RETURN(GitPackage package, git_.Fetch({.location = location,
                                                   .file = delivery.file,
                                                   .scratch = delivery.scratch,
                                                   .max_bytes = delivery.bounds.package_bytes,
                                                   .patience = delivery.patience}));
  std::string at = location.ref.empty() ? std::string() : " at " + location.ref;
  return FetchedModule{.size = package.size,
                       .folder = location.folder,
                       .source = "git repository " + PlaceOf(location.url) + at,
                       .warnings = std::move(package.warnings)};
}

Result<LocatedModule> RegistryModules::Locate(const HostName& host, const ModuleAddress& address,
                                              const Version& version, const Deadline& caller) {
  Deadline patience = fetcher_.ForDocuments(caller);
  ASSIGN_OR_RETURN(ModuleLocation location, ReadDownload(host, address, version, patience));
  if (const auto* page = std::get_if<PageLocation>(&location)) {
    ASSIGN_OR_RETURN(location, NotFoundAsBadGateway(ReadPage(PageLocation(*page), patience)));
  }
  std::string authority =
      std::visit([](const auto& each) { return each.url.Authority(); }, location);
  return LocatedModule{std::move(authority), std::move(location)};
}

Result<FetchedModule> RegistryModules::Fetch(const LocatedModule& located,
                                             const ModuleDelivery& delivery) {
  ModuleDelivery hurried = delivery;
  hurried.patience.deadline =
      std::min(delivery.patience.deadline, fetcher_.clock().Now() + delivery.bounds.time);
  if (const auto* git = std::get_if<GitLocation>(&located.location)) {
    return NotFoundAsBadGateway(FetchGit(*git, hurried));
  }
  return NotFoundAsBadGateway(FetchArchive(std::get<PackedLocation>(located.location), hurried));
}

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// One number off the front of `text`, without leading zeros; "" when none is there.
std::string TakeNumber(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && IsDigit(text[end])) ++end;
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return std::string(digits);
}

}  // namespace

std::optional<Version> CanonicalVersion(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::string canonical;
  for (int numbers = 0; numbers < 3; ++numbers) {
    bool ended = numbers > 0 && !text.starts_with('.');
    if (numbers > 0 && !ended) text.remove_prefix(1);
    std::string number = ended ? "0" : TakeNumber(text);
    if (number.empty()) return std::nullopt;
    canonical += (numbers > 0 ? "." : "") + number;
  }
  bool bare_prerelease = !text.empty() && text.front() != '-' && text.front() != '+';
  // A fourth number begins with a dot, which no prerelease does.
  if (bare_prerelease) canonical += '-';
  auto version = Version::Parse(canonical.append(text));
  return version ? std::optional(*std::move(version)) : std::nullopt;
}

CanonicalVersions CanonicalVersionsOf(const std::vector<std::string>& list) {
  CanonicalVersions out;
  std::unordered_set<std::string> seen;
  for (const std::string& each : list) {
    auto version = CanonicalVersion(each);
    if (!version) {
      ++out.skipped;
    } else if (seen.insert(version->ToString()).second) {
      out.versions.push_back(*std::move(version));
    }
  }
  return out;
}

}  // namespace koya::upstream
