// Fetches docs of providers from the docs APIs of public registries.
//
// registry.terraform.io has JSON:API on its own host:
// /v2/providers/NS/TYPE?include=provider-versions gives the number of a version,
// /v2/provider-versions/ID?include=provider-docs lists its pages, and /v2/provider-docs/ID has one.
// registry.opentofu.org has files on api.opentofu.org:
// /registry/docs/providers/NS/TYPE/vVERSION/index.json and the pages beside it
// (opentofu/registry-ui, openapi.yml). No credentials are sent there.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/host_name.h"
#include "http/url.h"
#include "upstream/fetcher.h"
#include "upstream/provider_source.h"

namespace koya::upstream {

enum class DocsFamily { kJsonApi, kTofuFiles };

struct DocsApi {
  HostName registry;
  DocsFamily family = DocsFamily::kJsonApi;
  http::Url base;  // ends in "/"; no other host is contacted, redirects or not
};

// The docs APIs of the public registries.
std::vector<DocsApi> PublicDocsApis();

struct DocsLimits {
  std::size_t files = 20'000;              // limits.docs_files
  std::uint64_t list_bytes = 16ULL << 20;  // a response with a list of pages
  std::uint64_t page_bytes = 1ULL << 20;   // a page, as for docs that are published here
};

class RegistryDocs final : public DocsSource {
 public:
  // `fetcher` must outlive this.
  RegistryDocs(Fetcher& fetcher, std::vector<DocsApi> apis, DocsLimits bounds)
      : fetcher_(fetcher), apis_(std::move(apis)), bounds_(bounds) {}

  std::optional<HostName> HostOf(const HostName& registry) const override;
  Result<FetchedDocs> List(const HostName& registry, const ProviderAddress& address,
                           const Version& version, const Validators& held,
                           const Deadline& caller) override;
  Result<std::string> Page(const HostName& registry, const ProviderAddress& address,
                           const Version& version, const wire::ForeignDoc& page,
                           const Deadline& caller) override;

 private:
  struct Question;
  Result<const DocsApi*> ApiOf(const HostName& registry) const;
  Result<Document> FetchDocument(const DocsApi& api, Question question);
  // The path of the list of pages.
  Result<std::string> ListPath(const DocsApi& api, const ProviderAddress& address,
                               const Version& version, const Deadline& patience);

  Fetcher& fetcher_;
  const std::vector<DocsApi> apis_;
  const DocsLimits bounds_;
};

}  // namespace koya::upstream
