// Fetches documents and archives from other registries, under the rules that apply to all of them:
// https only, also after redirects; public addresses only; limited sizes and times; one retry; a
// circuit breaker for hosts that keep failing; missing documents are not requested again at once.
//
// Thread-safe and blocking: meant for a worker pool. Errors are those of provider_source.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/expiring_map.h"
#include "base/result.h"
#include "http/url.h"
#include "upstream/address_policy.h"
#include "upstream/deadline.h"
#include "upstream/provider_source.h"
#include "upstream/upstream_options.h"

namespace koya::upstream {

// Caches for a short time that upstreams do not have something. Thread-safe.
class NegativeCache {
 public:
  explicit NegativeCache(std::chrono::milliseconds ttl, std::size_t max_entries = 4096)
      : ttl_(ttl), failures_(max_entries) {}

  // The recent failure of a request for `url`, if any.
  std::optional<Error> FindFailure(const std::string& url, SteadyTime now) const {
    return failures_.Find(url, now);
  }
  void Remember(const std::string& url, Error error, SteadyTime now) {
    if (ttl_.count() > 0) failures_.Put(url, std::move(error), now + ttl_);
  }

 private:
  const std::chrono::milliseconds ttl_;
  ExpiringMap<std::string, Error, SteadyTime> failures_;
};

inline constexpr std::uint64_t kMaxDiscovery = 1 << 20;
inline constexpr std::uint64_t kMaxMetadata = 4 << 20;  // the longest known lists have 1 MiB
// Sent as X-Terraform-Version: registries recognize old clients by it, and some reject clients that
// do not send it.
inline constexpr std::string_view kClientVersion = "1.12.0";

struct DocumentRequest {
  http::Url url = {};
  // The thing that is fetched, for messages: "the list of versions".
  std::string what = {};
  // Sent as a bearer token with `url` and with redirects on its own host and port; never again
  // after a redirect to another one.
  std::string token = {};
  std::vector<std::pair<std::string, std::string>> fields = {};
  Validators held = {};
  std::uint64_t max_bytes = kMaxMetadata;
  Deadline patience = {};      // for the whole exchange, see Fetcher::ForDocuments
  bool or_no_content = false;  // 204 is a success too
  bool same_host = false;      // reject a redirect to another host and port
  // Advice for 401 and 403, in place of the advice to store a token.
  std::string closed_advice = {};
};

struct Document {
  http::Url url;           // after redirects: the base of relative URLs inside
  bool unchanged = false;  // 304: `body` is empty
  std::string body;
  std::string content_type;  // "" when there was none
  Validators validators;
  bool no_content = false;      // 204
  std::string address{};        // of the responder, see http::ClientResponse
  std::string terraform_get{};  // X-Terraform-Get, "" when there was none
};

class Fetcher {
 public:
  // `clock` must outlive the fetcher. Fails: kInvalid for options that cannot be read.
  static Result<std::unique_ptr<Fetcher>> Create(UpstreamOptions options, ExchangeClock& clock);
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  // A deadline for documents, from now on: the caller's, options.timeout at most. Several documents
  // for one response to a client share it.
  Deadline ForDocuments(Deadline caller) const;

  // Fetches one document: follows redirects, and retries once after a dropped connection, 429 or
  // 5xx if there is time. Fails as ProviderSource does.
  Result<Document> Get(const DocumentRequest& request);

  // Implements ProviderSource::FetchArchive: options.archive_timeout in all, options.timeout
  // without a byte, options.min_rate over each minute. Retries only while no byte has arrived. A
  // 404 is kNotFound here: the caller knows whether upstream promised the archive.
  Status FetchArchive(const ArchiveTransfer& transfer);

  // Checks that `url` may be fetched at all. `what` begins the message. Fails: kBadUpstream.
  Status CheckUrl(const std::string& what, const http::Url& url) const;

  // For code that connects by other means.
  const AddressPolicy& addresses() const;
  const UpstreamOptions& options() const;
  ExchangeClock& clock() const;

 private:
  struct Impl;
  explicit Fetcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The error for `what`, found at `url`, that clients would not accept: "the list of versions at … :
// `words`".
Failure BadDocument(const std::string& what, const http::Url& url, std::string_view words,
                    LimitName limit = {});

// The host and port that `url` is fetched from; "" for a text that is not a URL.
std::string AuthorityOf(std::string_view url);

}  // namespace koya::upstream
