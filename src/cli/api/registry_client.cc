#include "cli/api/registry_client.h"

#include <fmt/format.h>

#include <utility>

namespace koya::cli {
namespace {

// A server stores at most 32 MiB of contents per version; the JSON of the API is longer.
constexpr std::uint64_t kMostContents = 128U << 20;

}  // namespace

Result<PublishOutcome> RegistryClient::Publish(const ModuleAddress& address, const Version& version,
                                               ArchiveKind kind, http::FileUpload archive,
                                               bool dry_run, std::string_view source_url) {
  http::ClientRequest request;
  request.fields.emplace_back("Content-Type", MediaType(kind));
  request.upload = std::move(archive);
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   Call(At(wire::kPublishModule, address, version)
                            .WithAny("dry_run", dry_run ? "true" : "")
                            .WithAny("source_url", source_url),
                        std::move(request)));
  ASSIGN_OR_RETURN(wire::PublishedModule module,
                   wire::Decode<wire::PublishedModule>(response.body));
  return PublishOutcome{std::move(module), response.status == 201};
}

Result<wire::ModuleList> RegistryClient::ListModules(std::string_view ns) {
  std::string path =
      ns.empty() ? "/v1/modules?" : fmt::format("/v1/modules/{}?", http::PercentEncode(ns));
  return AllPages(*this, path, wire::DecodeModuleList, &wire::ModuleList::modules);
}

Result<wire::ModuleDetails> RegistryClient::ShowModule(const ModuleAddress& address,
                                                       const std::optional<Version>& version) {
  std::string path = "/v1/modules/" + address.ToString();
  if (version) path += "/" + http::PercentEncode(version->ToString());
  ASSIGN_OR_RETURN(std::string body, Get(path));
  return wire::Decode<wire::ModuleDetails>(body);
}

Result<std::string> RegistryClient::ModuleContents(const ModuleAddress& address,
                                                   const Version& version) {
  http::ClientRequest request;
  request.max_body = kMostContents;
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   Call(At(wire::kGetModuleInside, address, version), std::move(request)));
  return std::move(response.body);
}

}  // namespace koya::cli
