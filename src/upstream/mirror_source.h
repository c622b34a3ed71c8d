// Providers out of somebody else's network mirror: the client side of its protocol. Static mirrors
// on any web server are such ones too.
#pragma once

#include <string_view>

#include "upstream/fetcher.h"
#include "upstream/provider_source.h"
#include "upstream/service_directory.h"

namespace koya::upstream {

class MirrorSource final : public ProviderSource {
 public:
  // `base` as in a client's configuration: "https://mirror.example.com/providers/"; the slash at
  // its end is added when it is missing. `fetcher` must outlive the source. Fails: kInvalid for
  // what is no such URL.
  static Result<MirrorSource> Create(Fetcher& fetcher, TokenSource tokens, std::string_view base);

  // The versions of index.json, without protocols and platforms, which mirrors do not say.
  Result<FetchedVersions> Versions(const HostName& host, const ProviderAddress& address,
                                   const Validators& held, const Patience& patience) override;
  // Of several different "zh:" hashes the first counts; `packages` are the platforms that have one.
  // When those do not include the one that was asked for, the answer has no place and no hash.
  // Fails, besides, with kNotFound when the mirror has no package for the platform, and says no
  // "zh:" hash of any other.
  Result<FetchedDownload> Download(const HostName& host, const ProviderAddress& address,
                                   const Version& version, const Platform& platform,
                                   const Patience& patience) override;
  Status FetchArchive(const ArchiveTransfer& transfer) override;

 private:
  MirrorSource(Fetcher& fetcher, TokenSource tokens, http::Url base, HostName mirror)
      : fetcher_(fetcher),
        tokens_(std::move(tokens)),
        base_(std::move(base)),
        mirror_(std::move(mirror)) {}
  Result<Document> Ask(const HostName& host, const ProviderAddress& address,
                       const std::string& file, DocumentRequest request);

  Fetcher& fetcher_;
  TokenSource tokens_;
  http::Url base_;
  HostName mirror_;  // whose token is sent
};

}  // namespace koya::upstream
