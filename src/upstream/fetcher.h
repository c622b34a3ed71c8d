// Fetches documents and archives from other registries, under the rules that hold for all of them:
// https only, also after redirects; public addresses only; bounded sizes and times; one retry; a
// host that keeps failing is left alone; what is missing is not asked for again at once.
//
// Thread-safe and blocking: meant for a worker pool. Errors are those of provider_source.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/exchange_clock.h"
#include "base/result.h"
#include "http/url.h"
#include "upstream/address_policy.h"
#include "upstream/patience.h"
#include "upstream/provider_source.h"
#include "upstream/upstream_options.h"

namespace koya::upstream {

inline constexpr std::uint64_t kMaxDiscovery = 1 << 20;
inline constexpr std::uint64_t kMaxMetadata = 4 << 20;  // the longest lists known have 1 MiB
// Registries tell old clients apart by it (X-Terraform-Version), and some turn away who does not
// say.
inline constexpr std::string_view kClientVersion = "1.12.0";

struct DocumentRequest {
  http::Url url = {};
  // What is fetched, for messages: "the list of versions".
  std::string what = {};
  // Sent as a bearer token with `url` and with redirects on its own host and port; after one that
  // led elsewhere, never again.
  std::string token = {};
  std::vector<std::pair<std::string, std::string>> fields = {};
  Validators held = {};
  std::uint64_t max_bytes = kMaxMetadata;
  Patience patience = {};      // for the whole exchange, see Fetcher::ForDocuments
  bool or_no_content = false;  // 204 is a success too
  bool same_host = false;      // a redirect to another host and port is refused
  // What to do about 401 and 403, in place of the advice to keep a token.
  std::string closed_advice = {};
};

struct Document {
  http::Url url;           // after redirects: what relative URLs inside are relative to
  bool unchanged = false;  // 304: `body` is empty
  std::string body;
  std::string content_type;  // "" when there was none
  Validators validators;
  bool no_content = false;      // 204
  std::string address{};        // of who answered, see http::ClientResponse
  std::string terraform_get{};  // X-Terraform-Get, "" when there was none
};

class Fetcher {
 public:
  // `clock` must outlive the fetcher. Fails: kInvalid for options that cannot be read.
  static Result<std::unique_ptr<Fetcher>> Create(UpstreamOptions options, ExchangeClock& clock);
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  // What is left of a caller's patience for documents, from now on: options.timeout at most. One
  // answer to a client may take several documents, which share it.
  Patience ForDocuments(Patience caller) const;

  // Fetches one document: redirects, and one retry after a dropped connection, 429 or 5xx where
  // the time is enough. Fails as ProviderSource does.
  Result<Document> Get(const DocumentRequest& request);

  // ProviderSource::FetchArchive: options.archive_timeout in all, options.timeout without a byte,
  // options.min_rate over each minute. Tried again only while no byte has come. A 404 is kNotFound
  // here: the caller knows what was promised.
  Status FetchArchive(const ArchiveTransfer& transfer);

  // Whether `url` is one that may be fetched at all. `what` begins the message. Fails:
  // kBadUpstream.
  Status CheckUrl(const std::string& what, const http::Url& url) const;

  // For those who connect by other means.
  const AddressPolicy& addresses() const;
  const UpstreamOptions& options() const;
  ExchangeClock& clock() const;

 private:
  struct Impl;
  explicit Fetcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// For `what`, found at `url`, that is not what clients take: "the list of versions at … : `words`".
Failure BadDocument(const std::string& what, const http::Url& url, std::string_view words,
                    LimitName limit = {});

// The host and port that `url` is fetched from; "" for what is no URL.
std::string AuthorityOf(std::string_view url);

}  // namespace koya::upstream
