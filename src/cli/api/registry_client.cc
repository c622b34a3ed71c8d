#include "cli/api/registry_client.h"

#include <fmt/format.h>

#include <utility>

#include "domain/archive_kind.h"
#include "http/url.h"
#include "wire/provider_publishing.h"

namespace koya::cli {
namespace {

// A server stores at most 32 MiB of contents per version; the JSON of the API is longer.
constexpr std::uint64_t kMostContents = 128U << 20;

std::string ModulePath(const ModuleAddress& address) { return "/v1/modules/" + address.ToString(); }

// Of a version, whatever is done with it. "+" of build metadata is encoded: some proxies read a
// bare one as a space.
std::string VersionPath(const ModuleAddress& address, const Version& version) {
  return fmt::format("/api/v1/modules/{}/{}", address.ToString(),
                     http::PercentEncode(version.ToString()));
}

}  // namespace

RegistryClient::RegistryClient(RegistryClientOptions options) : api_(std::move(options)) {}

Result<PublishOutcome> RegistryClient::Publish(const ModuleAddress& address, const Version& version,
                                               ArchiveKind kind, http::FileUpload archive,
                                               bool dry_run) {
  http::ClientRequest request;
  request.method = "PUT";
  request.fields.emplace_back("Content-Type", MediaType(kind));
  request.upload = std::move(archive);
  std::string path = VersionPath(address, version);
  if (dry_run) path += "?dry_run=true";
  ASSIGN_OR_RETURN(http::ClientResponse response, api_.Call(std::move(request), path));
  ASSIGN_OR_RETURN(wire::PublishedModule module,
                   wire::Decode<wire::PublishedModule>(response.body));
  return PublishOutcome{std::move(module), response.status == 201};
}

Status RegistryClient::Withdraw(const ModuleAddress& address, const Version& version,
                                const wire::WithdrawalRequest& request) {
  RETURN_IF_ERROR(api_.Send("DELETE", VersionPath(address, version), wire::Encode(request)));
  return {};
}

Status RegistryClient::Restore(const ModuleAddress& address, const Version& version,
                               std::string_view reason) {
  RETURN_IF_ERROR(
      api_.Send("POST", VersionPath(address, version) + "/restore", wire::EncodeRestore(reason)));
  return {};
}

Status RegistryClient::Deprecate(const ModuleAddress& address, const Version& version,
                                 std::string_view message) {
  RETURN_IF_ERROR(api_.Send("PUT", VersionPath(address, version) + "/deprecation",
                            wire::EncodeDeprecation(message)));
  return {};
}

Result<wire::ModuleList> RegistryClient::ListModules(std::string_view ns) {
  std::string path =
      ns.empty() ? "/v1/modules?" : fmt::format("/v1/modules/{}?", http::PercentEncode(ns));
  return AllPages(api_, path, wire::DecodeModuleList, &wire::ModuleList::modules);
}

Result<wire::ModuleDetails> RegistryClient::ShowModule(const ModuleAddress& address,
                                                       const std::optional<Version>& version) {
  std::string path = ModulePath(address);
  if (version) path += "/" + http::PercentEncode(version->ToString());
  ASSIGN_OR_RETURN(std::string body, api_.Get(path));
  return wire::Decode<wire::ModuleDetails>(body);
}

Result<std::string> RegistryClient::ModuleContents(const ModuleAddress& address,
                                                   const Version& version) {
  http::ClientRequest request;
  request.max_body = kMostContents;
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Call(std::move(request), VersionPath(address, version)));
  return std::move(response.body);
}

Result<wire::Comparison> RegistryClient::CompareModule(const ModuleAddress& address,
                                                       const Version& from, const Version& to) {
  ASSIGN_OR_RETURN(std::string body,
                   api_.Get(fmt::format("/api/v1/modules/{}/diff?from={}&to={}", address.ToString(),
                                        http::PercentEncode(from.ToString()),
                                        http::PercentEncode(to.ToString()))));
  return wire::Decode<wire::Comparison>(body);
}

Result<wire::Comparison> RegistryClient::CompareProvider(const ProviderAddress& address,
                                                         const Version& from, const Version& to) {
  ASSIGN_OR_RETURN(std::string body,
                   api_.Get(fmt::format("/api/v1/providers/{}/diff?from={}&to={}",
                                        address.ToString(), http::PercentEncode(from.ToString()),
                                        http::PercentEncode(to.ToString()))));
  return wire::Decode<wire::Comparison>(body);
}

Result<wire::Token> RegistryClient::CreateToken(const wire::TokenRequest& token) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/tokens", wire::Encode(token)));
  return wire::Decode<wire::Token>(response.body);
}

Result<std::vector<wire::Token>> RegistryClient::ListTokens() {
  ASSIGN_OR_RETURN(std::string body, api_.Get("/api/v1/tokens"));
  return wire::DecodeTokenList(body);
}

Result<wire::Token> RegistryClient::RotateToken(std::string_view name, const std::string& expires) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/tokens/" + http::PercentEncode(name) + "/rotate",
                             wire::Encode<wire::TokenRotation>({expires})));
  return wire::Decode<wire::Token>(response.body);
}

Status RegistryClient::RevokeToken(std::string_view name) {
  RETURN_IF_ERROR(api_.Send("DELETE", "/api/v1/tokens/" + http::PercentEncode(name)));
  return {};
}

Result<wire::ResealReport> RegistryClient::ResealSecrets() {
  ASSIGN_OR_RETURN(http::ClientResponse response, api_.Send("POST", "/api/v1/admin/reseal", "{}"));
  return wire::Decode<wire::ResealReport>(response.body);
}

Result<std::vector<wire::Replica>> RegistryClient::ListReplicas() {
  ASSIGN_OR_RETURN(http::ClientResponse response, api_.Send("GET", "/api/v1/admin/replicas"));
  return wire::DecodeReplicaList(response.body);
}

Result<std::string> SearchClient::Search(std::string_view text, std::uint64_t limit,
                                         std::uint64_t offset, std::string_view sort) {
  return api_.Get(fmt::format("/api/v1/search?q={}&limit={}&offset={}{}{}",
                              http::PercentEncode(text), limit, offset,
                              sort.empty() ? "" : "&sort=", http::PercentEncode(sort)));
}

Result<wire::ReindexReport> SearchClient::Reindex(std::string_view after) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/reindex", wire::EncodeReindexRequest(after)));
  return wire::Decode<wire::ReindexReport>(response.body);
}

Result<wire::ReadingReport> SearchClient::InspectUnread(std::string_view after) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/inspect", wire::EncodeReadingRequest(after)));
  return wire::Decode<wire::ReadingReport>(response.body);
}

}  // namespace koya::cli
