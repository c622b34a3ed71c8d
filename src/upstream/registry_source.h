// Providers of other registries: the client side of discovery and of providers.v1.
#pragma once

#include "upstream/fetcher.h"
#include "upstream/provider_source.h"
#include "upstream/service_directory.h"

namespace koya::upstream {

class RegistrySource final : public ProviderSource {
 public:
  // Both must outlive the source.
  RegistrySource(Fetcher& fetcher, ServiceDirectory& services, TokenSource tokens)
      : fetcher_(fetcher), services_(services), tokens_(std::move(tokens)) {}

  // Every call, including discovery, ends within options.timeout.
  Result<FetchedVersions> Versions(const HostName& host, const ProviderAddress& address,
                                   const Validators& held, const Deadline& patience) override;
  // Also fails with kBadUpstream if SHA256SUMS or its signature is missing, or the document
  // describes another platform.
  Result<FetchedDownload> Download(const HostName& host, const ProviderAddress& address,
                                   const Version& version, const Platform& platform,
                                   const Deadline& patience) override;
  Result<wire::ForeignDetails> Details(const HostName& host, const ProviderAddress& address,
                                       const Version& version, const Deadline& patience) override;
  Status FetchArchive(const ArchiveTransfer& transfer) override;

 private:
  Result<Document> FetchDocument(const HostName& host, const std::string& path, std::string what,
                                 const Validators& held, const Deadline& patience);
  Result<std::string> FetchPlain(const http::Url& url, std::string what, std::uint64_t max_bytes,
                                 const Deadline& patience);
  Status FetchSigned(const wire::ProviderDownload& document, const http::Url& base,
                     const Deadline& patience, FetchedDownload& download);

  Fetcher& fetcher_;
  ServiceDirectory& services_;
  const TokenSource tokens_;
};

// "NAMESPACE/TYPE", escaped for a path.
std::string PathOf(const ProviderAddress& address);

}  // namespace koya::upstream
