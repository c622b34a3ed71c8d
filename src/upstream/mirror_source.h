// Fetches providers from a network mirror: the client side of its protocol. Static mirrors on any
// web server work too.
#pragma once

#include <string_view>

#include "upstream/fetcher.h"
#include "upstream/provider_source.h"
#include "upstream/service_directory.h"

namespace koya::upstream {

class MirrorSource final : public ProviderSource {
 public:
  // `base` as in a client's configuration: "https://mirror.example.com/providers/"; a missing slash
  // at the end is added. `fetcher` must outlive the source. Fails: kInvalid for any other kind of
  // text.
  static Result<MirrorSource> Create(Fetcher& fetcher, TokenSource tokens, std::string_view base);

  // The versions of index.json, without protocols and platforms, which mirrors do not provide.
  Result<FetchedVersions> Versions(const HostName& host, const ProviderAddress& address,
                                   const Validators& held, const Deadline& patience) override;
  // Of several different "zh:" hashes the first counts; `packages` has the platforms with one. If
  // the requested platform is not among them, the result has no URL and no hash. Also fails with
  // kNotFound if the mirror has no package for the platform, and no "zh:" hash for any other.
  Result<FetchedDownload> Download(const HostName& host, const ProviderAddress& address,
                                   const Version& version, const Platform& platform,
                                   const Deadline& patience) override;
  // Network mirrors have no details.
  Result<wire::ForeignDetails> Details(const HostName& host, const ProviderAddress& address,
                                       const Version& version, const Deadline& patience) override;
  Status FetchArchive(const ArchiveTransfer& transfer) override;

 private:
  MirrorSource(Fetcher& fetcher, TokenSource tokens, http::Url base, HostName mirror)
      : fetcher_(fetcher),
        tokens_(std::move(tokens)),
        base_(std::move(base)),
        mirror_(std::move(mirror)) {}
  Result<Document> FetchDocument(const HostName& host, const ProviderAddress& address,
                                 const std::string& file, DocumentRequest request);

  Fetcher& fetcher_;
  TokenSource tokens_;
  http::Url base_;
  HostName mirror_;  // the host whose token is sent
};

}  // namespace koya::upstream
