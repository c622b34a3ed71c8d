#include "upstream/registry_source.h"

#include <fmt/format.h>

#include "base/text.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "signing/openpgp.h"
#include "signing/sha256sums.h"
#include "upstream/foreign_answers.h"
#include "wire/foreign/foreign_versions.h"

namespace koya::upstream {
namespace {

// A URL that stands in a document, seen from where the document was.
Result<http::Url> Linked(const Fetcher& fetcher, const http::Url& base, const std::string& what,
                         const std::string& reference) {
  Result<http::Url> url = http::ResolveUrl(base, reference);
  if (!url) return BadDocument(what, base, "its location is not a URL");
  RETURN_IF_ERROR(fetcher.CheckUrl(what, *url));
  return url;
}

// Makes their URLs absolute, and drops those that may not be fetched.
void LocateAttachments(const Fetcher& fetcher, const http::Url& base, FetchedDownload& download) {
  std::erase_if(download.attachments, [&](wire::ForeignAttachment& each) {
    const Result<http::Url> url = Linked(fetcher, base, each.name, each.url);
    if (url) {
      each.url = url->ToString();
      return false;
    }
    std::string& dropped = download.attachments_dropped;
    dropped += fmt::format("{}{}", dropped.empty() ? "" : "; ", url.error().message);
    return true;
  });
}

Status CheckPlatform(const wire::ProviderDownload& document, const Platform& platform,
                     const http::Url& url) {
  if (document.os == platform.os() && document.arch == platform.arch()) return {};
  return BadDocument("the download document", url,
                     fmt::format("it describes {}_{}, not {}", Printable(document.os, 40),
                                 Printable(document.arch, 40), platform.ToString()));
}

}  // namespace

std::string PathOf(const ProviderAddress& address) {
  return http::PercentEncode(address.ns()) + "/" + http::PercentEncode(address.type());
}

Result<Document> RegistrySource::FetchDocument(const HostName& host, const std::string& path,
                                               std::string what, const Validators& held,
                                               const Deadline& patience) {
  ASSIGN_OR_RETURN(http::Url base, services_.FindService(host, "providers.v1", patience));
  // Clients resolve the path against the service's URL, whether that ends in a slash or not.
  Result<http::Url> url = http::ResolveUrl(base, path);
  if (!url) return BadDocument(what, base, "it cannot have a URL there");
  return fetcher_.Get({.url = *url,
                       .what = std::move(what),
                       .token = TokenFor(host, *url, tokens_),
                       .fields = {{"X-Terraform-Version", std::string(kClientVersion)}},
                       .held = held,
                       .patience = patience});
}

Result<FetchedVersions> RegistrySource::Versions(const HostName& host,
                                                 const ProviderAddress& address,
                                                 const Validators& held, const Deadline& patience) {
  const std::string what = fmt::format("the list of versions of {}", address.ToString());
  ASSIGN_OR_RETURN(Document document, FetchDocument(host, PathOf(address) + "/versions", what, held,
                                                    fetcher_.ForDocuments(patience)));
  FetchedVersions fetched{.unchanged = document.unchanged, .validators = document.validators};
  if (document.unchanged) return fetched;
  auto read = wire::DecodeForeignVersions(document.body);
  if (!read) return BadDocument(what, document.url, read.error().message, read.error().limit);
  fetched.document = std::move(read->document);
  fetched.skipped = read->skipped + DropUnusableVersions(fetched.document);
  return fetched;
}

Result<FetchedDownload> RegistrySource::Download(const HostName& host,
                                                 const ProviderAddress& address,
                                                 const Version& version, const Platform& platform,
                                                 const Deadline& caller) {
  Deadline patience = fetcher_.ForDocuments(caller);
  const std::string what = fmt::format("the download document of {} {} for {}", address.ToString(),
                                       version.ToString(), platform.ToString());
  // The version's "+" stands as it is, as clients write it.
  std::string path = fmt::format("{}/{}/download/{}/{}", PathOf(address), version.ToString(),
                                 platform.os(), platform.arch());
  ASSIGN_OR_RETURN(Document answer, FetchDocument(host, path, what, {}, patience));
  auto read = wire::DecodeForeignDownload(answer.body);
  if (!read) return BadDocument(what, answer.url, read.error().message, read.error().limit);
  const wire::ProviderDownload* document = &read->document;
  RETURN_IF_ERROR(CheckPlatform(*document, platform, answer.url));
  auto shasum = ReadHexDigest(document->shasum);
  if (!shasum) return BadDocument(what, answer.url, "its shasum is not 64 hexadecimal digits");
  FetchedDownload download{.protocols = document->protocols,
                           .os = document->os,
                           .arch = document->arch,
                           .filename = document->filename,
                           .shasum = shasum->hex()};
  ASSIGN_OR_RETURN(http::Url package,
                   Linked(fetcher_, answer.url, "the package", document->download_url));
  download.download_url = package.ToString();
  download.keys = document->keys;
  download.packages = document->packages;
  download.attachments = std::move(read->attachments);
  download.attachments_dropped = std::move(read->attachments_dropped);
  LocateAttachments(fetcher_, answer.url, download);
  RETURN_IF_ERROR(FetchSigned(*document, answer.url, patience, download));
  return download;
}

Result<wire::ForeignDetails> RegistrySource::Details(const HostName& host,
                                                     const ProviderAddress& address,
                                                     const Version& version,
                                                     const Deadline& patience) {
  const std::string what =
      fmt::format("the details of {} {}", address.ToString(), version.ToString());
  ASSIGN_OR_RETURN(Document document,
                   FetchDocument(host, PathOf(address) + "/" + version.ToString(), what, {},
                                 fetcher_.ForDocuments(patience)));
  auto details = wire::DecodeForeignDetails(document.body);
  if (!details) {
    return BadDocument(what, document.url, details.error().message, details.error().limit);
  }
  return details;
}

// Fetches public files: sends no token, whatever the host.
Result<std::string> RegistrySource::FetchPlain(const http::Url& url, std::string what,
                                               std::uint64_t max_bytes, const Deadline& patience) {
  ASSIGN_OR_RETURN(
      Document document,
      NotFoundAsBadGateway(fetcher_.Get(
          {.url = url, .what = std::move(what), .max_bytes = max_bytes, .patience = patience})));
  return std::move(document.body);
}

Status RegistrySource::FetchSigned(const wire::ProviderDownload& document, const http::Url& base,
                                   const Deadline& patience, FetchedDownload& download) {
  ASSIGN_OR_RETURN(http::Url sums, Linked(fetcher_, base, "SHA256SUMS", document.shasums_url));
  ASSIGN_OR_RETURN(download.sums, FetchPlain(sums, "SHA256SUMS", signing::kMaxSums, patience));
  // Releases without keys are unsigned; whether that will do is for the verification to say.
  if (document.shasums_signature_url.empty() && document.keys.empty()) return {};
  const std::string what = "the signature of SHA256SUMS";
  if (document.shasums_signature_url.empty()) {
    return BadDocument(what, base, "the document does not say where it is");
  }
  ASSIGN_OR_RETURN(http::Url place, Linked(fetcher_, base, what, document.shasums_signature_url));
  auto signature = FetchPlain(place, what, signing::kMaxSignature, patience);
  if (!signature && document.keys.empty()) return {};
  if (!signature) return Failure(std::move(signature).error());
  download.signature = *std::move(signature);
  return {};
}

Status RegistrySource::FetchArchive(const ArchiveTransfer& transfer) {
  return NotFoundAsBadGateway(fetcher_.FetchArchive(transfer));
}

}  // namespace koya::upstream
