// Finds the services of a host: remote service discovery, with a cache.
//
// Thread-safe and blocking. Caches at most kMaxHosts hosts. That a host has no services at all is
// cached like other missing documents (fetcher.h); failures are not cached.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/expiring_map.h"
#include "base/result.h"
#include "domain/host_name.h"
#include "http/url.h"
#include "upstream/fetcher.h"

namespace koya::upstream {

// Returns the stored bearer token for a host, or "". Called from any thread; may block for a
// moment.
using TokenSource = std::function<std::string(const HostName& host)>;

// The token for a request to `url` on behalf of `host`: only the host itself gets it, and hosts
// below it, where registries have their services ("app.example.com" for "example.com").
std::string TokenFor(const HostName& host, const http::Url& url, const TokenSource& tokens);

class ServiceDirectory {
 public:
  static constexpr std::size_t kMaxHosts = 256;

  // `fetcher` must outlive the directory.
  ServiceDirectory(Fetcher& fetcher, TokenSource tokens)
      : fetcher_(fetcher), tokens_(std::move(tokens)) {}

  // The base URL of service `id` ("providers.v1", "modules.v1"), as clients read it: without query
  // and fragment, with or without a slash at its end, as the host wrote it. An expired cached value
  // is still used if the host does not respond: then at most half of the remaining time is spent on
  // the request. Fails: kNotFound if the host has no such service; kBadUpstream for a document that
  // clients do not accept; as Fetcher::Get.
  Result<http::Url> FindService(const HostName& host, std::string_view id,
                                const Deadline& patience);
  // Sets the services of a host that does not say where they are: URLs, or paths on the host, by
  // id. It is never asked then.
  void SetServices(const HostName& host, const std::map<std::string, std::string>& values);

 private:
  struct Services {
    http::Url document;  // the document's URL, after redirects
    // By id: the value, or nullopt if it is no string.
    std::unordered_map<std::string, std::optional<std::string>> values;
  };
  Result<Services> Fetch(const HostName& host, const Deadline& patience);
  Result<Services> Discover(const HostName& host, const Deadline& patience);

  Fetcher& fetcher_;
  const TokenSource tokens_;
  ExpiringMap<std::string, Services, SteadyTime> hosts_{kMaxHosts};
};

}  // namespace koya::upstream
