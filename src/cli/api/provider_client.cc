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

std::string PublishPath(const ReleaseId& release) {
  return AddressPath("/api/v1/providers", release.address) + "/" +
         http::PercentEncode(release.version.ToString());
}

std::string InsidePath(const ProviderAddress& address, std::string_view version) {
  return AddressPath("/api/v1/providers", address) + "/" + http::PercentEncode(version);
}

std::string DraftPath(const ReleaseId& release, std::string_view id) {
  return PublishPath(release) + "/drafts/" + http::PercentEncode(id);
}

std::string KeysPath(std::string_view ns) {
  return fmt::format("/api/v1/namespaces/{}/keys", http::PercentEncode(ns));
}

}  // namespace

Result<wire::ProviderList> ProviderClient::ListProviders(std::string_view ns) {
  std::string path =
      ns.empty() ? "/v1/providers?" : fmt::format("/v1/providers/{}?", http::PercentEncode(ns));
  return AllPages(api_, path, wire::DecodeProviderList, &wire::ProviderList::providers);
}

Result<wire::ProviderDetails> ProviderClient::ShowProvider(const ProviderAddress& address,
                                                           const std::optional<Version>& version) {
  std::string path =
      version ? ReadPath({address, *version}) : AddressPath("/v1/providers", address);
  ASSIGN_OR_RETURN(std::string body, api_.Get(path));
  return wire::Decode<wire::ProviderDetails>(body);
}

Result<wire::ProviderInside> ProviderClient::ShowInside(const ProviderAddress& address,
                                                        std::string_view version) {
  Result<std::string> body = api_.Get(InsidePath(address, version));
  // Servers of before know no such thing.
  if (!body && body.error().kind == ErrorKind::kNotFound) return wire::ProviderInside();
  if (!body) return Failure(std::move(body).error());
  return wire::Decode<wire::ProviderInside>(*body);
}

Result<wire::DocList> ProviderClient::ListDocs(const ProviderAddress& address,
                                               std::string_view version) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(InsidePath(address, version) + "/docs"));
  return wire::Decode<wire::DocList>(body);
}

Result<wire::DocList> ProviderClient::ListMirroredDocs(const UpstreamProvider& provider,
                                                       const Version& version) {
  const std::string base = "/api/v1/mirror/providers/" + http::PercentEncode(provider.host.ascii());
  ASSIGN_OR_RETURN(std::string body, api_.Get(AddressPath(base, provider.address) + "/" +
                                              http::PercentEncode(version.ToString()) + "/docs"));
  return wire::Decode<wire::DocList>(body);
}

Result<wire::PublishedPackage> ProviderClient::FindPackage(const ReleaseId& release,
                                                           const wire::PlatformName& platform) {
  std::string path =
      fmt::format("{}/download/{}/{}", ReadPath(release), http::PercentEncode(platform.os),
                  http::PercentEncode(platform.arch));
  ASSIGN_OR_RETURN(std::string body, api_.Get(path));
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

Status ProviderClient::Withdraw(const ReleaseId& release, const wire::WithdrawalRequest& request) {
  RETURN_IF_ERROR(api_.Send("DELETE", PublishPath(release), wire::Encode(request)));
  return {};
}

Status ProviderClient::Restore(const ReleaseId& release, std::string_view reason) {
  RETURN_IF_ERROR(
      api_.Send("POST", PublishPath(release) + "/restore", wire::EncodeRestore(reason)));
  return {};
}

Status ProviderClient::Deprecate(const ReleaseId& release, std::string_view message) {
  RETURN_IF_ERROR(
      api_.Send("PUT", PublishPath(release) + "/deprecation", wire::EncodeDeprecation(message)));
  return {};
}

Result<wire::Draft> ProviderClient::OpenDraft(const ReleaseId& release, std::string upload) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", PublishPath(release) + "/drafts",
                             wire::Encode<wire::DraftRequest>({.upload = std::move(upload)})));
  return wire::Decode<wire::Draft>(response.body);
}

Result<std::vector<wire::Draft>> ProviderClient::ListDrafts(const ReleaseId& release) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(PublishPath(release) + "/drafts"));
  return wire::DecodeDraftList(body);
}

Result<wire::Draft> ProviderClient::ShowDraft(const ReleaseId& release, std::string_view id) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(DraftPath(release, id)));
  return wire::Decode<wire::Draft>(body);
}

Status ProviderClient::AbandonDraft(const ReleaseId& release, std::string_view id) {
  RETURN_IF_ERROR(api_.Send("DELETE", DraftPath(release, id)));
  return {};
}

Result<wire::DraftFile> ProviderClient::UploadFile(const ReleaseId& release, std::string_view draft,
                                                   std::string_view name, http::FileUpload upload) {
  http::ClientRequest request;
  request.method = "PUT";
  request.fields.emplace_back("Content-Type", "application/octet-stream");
  request.upload = std::move(upload);
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Call(std::move(request),
                             DraftPath(release, draft) + "/files/" + http::PercentEncode(name)));
  return wire::Decode<wire::DraftFile>(response.body);
}

Result<CommitAnswer> ProviderClient::Commit(const ReleaseId& release, std::string_view draft,
                                            const wire::CommitRequest& commit) {
  return Finish("commit", release, draft, commit);
}

Result<CommitAnswer> ProviderClient::Check(const ReleaseId& release, std::string_view draft,
                                           const wire::CommitRequest& commit) {
  Result<CommitAnswer> answer = Finish("check", release, draft, commit);
  // The draft is there: it was opened a moment ago.
  if (answer || answer.error().kind != ErrorKind::kNotFound) return answer;
  return Fail(ErrorKind::kRefused,
              "this server is too old for dry runs of providers: nothing was published",
              answer.error().message);
}

Result<CommitAnswer> ProviderClient::Finish(std::string_view how, const ReleaseId& release,
                                            std::string_view draft,
                                            const wire::CommitRequest& commit) {
  http::ClientRequest request;
  request.method = "POST";
  request.fields.emplace_back("Content-Type", "application/json");
  request.body = wire::Encode(commit);
  std::string path = fmt::format("{}/{}", DraftPath(release, draft), how);
  ASSIGN_OR_RETURN(http::ClientResponse response, api_.Exchange(std::move(request), path));
  CommitAnswer answer;
  if (response.status == 422) {
    for (const std::string& problem : wire::DecodeErrors(response.body)) {
      answer.problems.push_back(Printable(problem, 4000));
    }
    if (!answer.problems.empty()) return answer;
  }
  if (response.status != 200 && response.status != 201) {
    return Failure(api_.Explain(response, "POST", path));
  }
  ASSIGN_OR_RETURN(answer.provider, wire::Decode<wire::PublishedProvider>(response.body));
  answer.created = response.status == 201;
  return answer;
}

Result<std::vector<wire::NamespaceKey>> ProviderClient::AddKeys(std::string_view ns,
                                                                std::string text) {
  http::ClientRequest request;
  request.method = "POST";
  request.fields.emplace_back("Content-Type", "application/pgp-keys");
  request.body = std::move(text);
  ASSIGN_OR_RETURN(http::ClientResponse response, api_.Call(std::move(request), KeysPath(ns)));
  return wire::DecodeKeyList(response.body);
}

Result<std::vector<wire::NamespaceKey>> ProviderClient::ListKeys(std::string_view ns) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(KeysPath(ns)));
  return wire::DecodeKeyList(body);
}

Status ProviderClient::RemoveKey(std::string_view ns, std::string_view key_id) {
  RETURN_IF_ERROR(api_.Send("DELETE", KeysPath(ns) + "/" + http::PercentEncode(key_id)));
  return {};
}

Result<std::vector<wire::NamespaceKey>> ProviderClient::RotateKey(std::string_view ns) {
  ASSIGN_OR_RETURN(http::ClientResponse response, api_.Send("POST", KeysPath(ns) + "/rotate"));
  return wire::DecodeKeyList(response.body);
}

}  // namespace koya::cli
