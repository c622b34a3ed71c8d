#include "cli/api/provider_client.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "wire/error_document.h"
#include "wire/modules.h"

namespace koya::cli {
namespace {

// Parts may be in any script, and "+" of build metadata is read as a space by some proxies.
std::string AddressPath(std::string_view base, const ProviderAddress& address) {
  return fmt::format("{}/{}/{}", base, http::PercentEncode(address.ns()),
                     http::PercentEncode(address.type()));
}

std::string ReadPath(const ReleaseId& release) {
  return AddressPath("/v1/providers", release.address) + "/" +
         http::PercentEncode(release.version.ToString());
}

}  // namespace

Result<wire::ProviderList> ProviderClient::ListProviders(std::string_view ns) {
  std::string path =
      ns.empty() ? "/v1/providers?" : fmt::format("/v1/providers/{}?", http::PercentEncode(ns));
  return AllPages(*this, path, wire::DecodeProviderList, &wire::ProviderList::providers);
}

Result<wire::ProviderDetails> ProviderClient::ShowProvider(const ProviderAddress& address,
                                                           const std::optional<Version>& version) {
  std::string path =
      version ? ReadPath({address, *version}) : AddressPath("/v1/providers", address);
  ASSIGN_OR_RETURN(std::string body, Get(path));
  return wire::Decode<wire::ProviderDetails>(body);
}

Result<wire::ProviderInside> ProviderClient::ShowInside(const ProviderAddress& address,
                                                        std::string_view version) {
  Result<wire::ProviderInside> inside = Send(At(wire::kGetProviderInside, address, version));
  // Servers of before know no such thing.
  if (!inside && inside.error().kind == ErrorKind::kNotFound) return wire::ProviderInside();
  return inside;
}

Result<wire::PublishedPackage> ProviderClient::FindPackage(const ReleaseId& release,
                                                           const wire::PlatformName& platform) {
  std::string path =
      fmt::format("{}/download/{}/{}", ReadPath(release), http::PercentEncode(platform.os),
                  http::PercentEncode(platform.arch));
  ASSIGN_OR_RETURN(std::string body, Get(path));
  ASSIGN_OR_RETURN(wire::ProviderDownload download, wire::DecodeProviderDownload(body));
  wire::PublishedPackage package{.platform = platform.os + "_" + platform.arch,
                                 .filename = std::move(download.filename),
                                 .digest = "sha256:" + download.shasum,
                                 .size = 0,
                                 .hashes = {"zh:" + download.shasum}};
  auto hashes = download.packages.find(package.platform);
  if (hashes != download.packages.end()) {
    package.size = hashes->second.package_size;
    package.hashes = hashes->second.hashes;
  }
  return package;
}

Result<std::optional<wire::PublishedProvider>> ProviderClient::FindPublished(
    const ReleaseId& release) {
  Result<wire::ProviderDetails> details = ShowProvider(release.address, release.version);
  if (!details && details.error().kind == ErrorKind::kNotFound) return std::nullopt;
  if (!details) return Failure(std::move(details).error());
  wire::PublishedProvider published{.address = release.address.ToString(),
                                    .version = details->version,
                                    .source = details->source,
                                    .protocols = details->protocols,
                                    .shasums_digest = details->shasums_digest,
                                    .key_fingerprint = details->key_fingerprint,
                                    .packages = {}};
  for (const wire::PlatformName& platform : details->platforms) {
    ASSIGN_OR_RETURN(wire::PublishedPackage package, FindPackage(release, platform));
    published.packages.push_back(std::move(package));
  }
  return published;
}

Result<CommitAnswer> ProviderClient::Commit(const ReleaseId& release, std::string_view draft,
                                            const wire::CommitRequest& commit) {
  return Finish(At(wire::kCommitDraft, release, draft), commit);
}

Result<CommitAnswer> ProviderClient::Check(const ReleaseId& release, std::string_view draft,
                                           const wire::CommitRequest& commit) {
  Result<CommitAnswer> answer = Finish(At(wire::kCheckDraft, release, draft), commit);
  // The draft is there: it was opened a moment ago.
  if (answer || answer.error().kind != ErrorKind::kNotFound) return answer;
  return Fail(ErrorKind::kRefused,
              "this server is too old for dry runs of providers: nothing was published",
              answer.error().message);
}

Result<CommitAnswer> ProviderClient::Finish(
    RequestLine<wire::CommitRequest, wire::PublishedProvider> line,
    const wire::CommitRequest& commit) {
  http::ClientRequest request;
  request.method = line.method;
  request.fields.emplace_back("Content-Type", "application/json");
  request.body = wire::Encode(commit);
  ASSIGN_OR_RETURN(http::ClientResponse response, Exchange(std::move(request), line.path));
  CommitAnswer answer;
  if (response.status == 422) {
    for (const std::string& problem : wire::DecodeErrors(response.body)) {
      answer.problems.push_back(Printable(problem, 4000));
    }
    if (!answer.problems.empty()) return answer;
  }
  if (response.status != 200 && response.status != 201) {
    return Failure(Explain(response, line.method, line.path));
  }
  ASSIGN_OR_RETURN(answer.provider, wire::Decode<wire::PublishedProvider>(response.body));
  answer.created = response.status == 201;
  return answer;
}

}  // namespace koya::cli
