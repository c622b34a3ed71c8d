#include "upstream/mirror_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "http/media_type.h"
#include "upstream/foreign_answers.h"
#include "upstream/registry_source.h"
#include "wire/mirror.h"

namespace koya::upstream {
namespace {

Failure BadBase(std::string_view shown) {
  return FailInvalid(
      "\"{}\" is not the address of a network mirror: write "
      "https://HOST[:PORT]/PATH/",
      Printable(shown));
}

// The digest that the mirror's "zh:" hashes say, or "".
std::string ZipDigest(const std::vector<std::string>& hashes) {
  constexpr std::string_view kScheme = "zh:";
  auto zip = std::ranges::find_if(
      hashes, [&](const std::string& hash) { return hash.starts_with(kScheme); });
  return zip == hashes.end() ? std::string() : AsciiLower(zip->substr(kScheme.size()));
}

// The platforms whose zip's digest is known.
std::map<std::string, wire::PackageHashes> PackagesOf(const wire::MirrorVersion& document) {
  std::map<std::string, wire::PackageHashes> packages;
  for (const auto& [platform, archive] : document.archives) {
    if (ZipDigest(archive.hashes).empty()) continue;
    packages.emplace(platform, wire::PackageHashes{.hashes = archive.hashes, .package_size = 0});
  }
  return packages;
}

}  // namespace

Result<MirrorSource> MirrorSource::Create(Fetcher& fetcher, TokenSource tokens,
                                          std::string_view base) {
  Result<http::Url> url = http::ParseUrl(base);
  if (!url) return BadBase(base.substr(base.rfind('@') + 1));
  // Shown without what stands before the host: it may be a password.
  bool usable = !url->has_user_info && url->query.empty() && url->fragment.empty() &&
                fetcher.CheckUrl("the network mirror", *url);
  Result<HostName> mirror = HostName::ParseWire(url->Authority());
  if (!usable || !mirror) return BadBase(PlaceOf(*url));
  if (!url->path.ends_with('/')) url->path += '/';
  return MirrorSource(fetcher, std::move(tokens), *std::move(url), *std::move(mirror));
}

Result<Document> MirrorSource::FetchDocument(const HostName& host, const ProviderAddress& address,
                                             const std::string& file, DocumentRequest request) {
  request.url = base_;
  request.url.path += fmt::format("{}/{}/{}", host.ascii(), PathOf(address), file);
  request.patience = fetcher_.ForDocuments(request.patience);
  request.token = TokenFor(mirror_, request.url, tokens_);
  ASSIGN_OR_RETURN(Document document, fetcher_.Get(request));
  // Clients check the type here: it distinguishes a mirror from a web page that reports an error
  // with status 200.
  if (!document.unchanged && !http::IsJsonMediaType(document.content_type)) {
    return BadDocument(request.what, document.url,
                       fmt::format("its Content-Type is \"{}\", not application/json",
                                   Printable(document.content_type, 80)));
  }
  return document;
}

Result<FetchedVersions> MirrorSource::Versions(const HostName& host, const ProviderAddress& address,
                                               const Validators& held, const Deadline& patience) {
  const std::string what =
      fmt::format("the mirror's list of versions of {}/{}", host.display(), address.ToString());
  ASSIGN_OR_RETURN(Document document,
                   FetchDocument(host, address, "index.json",
                                 {.what = what, .held = held, .patience = patience}));
  FetchedVersions fetched{.unchanged = document.unchanged, .validators = document.validators};
  if (document.unchanged) return fetched;
  auto versions = wire::DecodeMirrorIndex(document.body);
  if (!versions)
    return BadDocument(what, document.url, versions.error().message, versions.error().limit);
  for (std::string& version : *versions) {
    fetched.document.versions.push_back({.version = std::move(version)});
  }
  fetched.skipped = DropUnusableVersions(fetched.document);
  return fetched;
}

Result<FetchedDownload> MirrorSource::Download(const HostName& host, const ProviderAddress& address,
                                               const Version& version, const Platform& platform,
                                               const Deadline& patience) {
  const std::string what = fmt::format("the mirror's document of {}/{} {}", host.display(),
                                       address.ToString(), version.ToString());
  ASSIGN_OR_RETURN(Document answer, FetchDocument(host, address, version.ToString() + ".json",
                                                  {.what = what, .patience = patience}));
  auto document = wire::DecodeMirrorVersion(answer.body);
  if (!document)
    return BadDocument(what, answer.url, document.error().message, document.error().limit);
  FetchedDownload download{.os = platform.os(),
                           .arch = platform.arch(),
                           .packages = PackagesOf(*document),
                           .from_mirror = true};
  auto archive = document->archives.find(platform.ToString());
  if (archive == document->archives.end()) {
    // What the mirror says of the other platforms is of use all the same.
    if (!download.packages.empty()) return download;
    return FailNotFound("{} at {} has no package for {}", what, PlaceOf(answer.url),
                        platform.ToString());
  }
  Result<http::Url> url = http::ResolveUrl(answer.url, archive->second.url);
  if (!url) return BadDocument(what, answer.url, "the package's location is not a URL");
  RETURN_IF_ERROR(fetcher_.CheckUrl("the package", *url));
  download.filename = url->path.substr(url->path.rfind('/') + 1);
  download.shasum = ZipDigest(archive->second.hashes);
  download.download_url = url->ToString();
  download.hashes = archive->second.hashes;
  return download;
}

Result<wire::ForeignDetails> MirrorSource::Details(const HostName& /*host*/,
                                                   const ProviderAddress& address,
                                                   const Version& version,
                                                   const Deadline& /*patience*/) {
  return FailNotFound("a network mirror has no details of {} {}", address.ToString(),
                      version.ToString());
}

Status MirrorSource::FetchArchive(const ArchiveTransfer& transfer) {
  return NotFoundAsBadGateway(fetcher_.FetchArchive(transfer));
}

}  // namespace koya::upstream
