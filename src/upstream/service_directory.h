// Which services a host has and where: remote service discovery, remembered for a while.
//
// Thread-safe and blocking. Remembers at most kMaxHosts hosts. That a host has no services at all
// is remembered as everything missing is (fetcher.h); failures are not remembered.
#pragma once

#include <functional>
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

// The bearer token that is kept for a host, or "". Called from any thread; may block for a moment.
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

  // The base URL of service `id`, as clients read it ("providers.v1", "modules.v1"): without query
  // and fragment, with or without a slash at its end, as the host wrote it. What is remembered is
  // still used when its time is over and the host does not answer: then it is asked for half of the
  // time there is, at most. Fails: kNotFound when the host
  // has no such service; kBadUpstream for a document that clients do not take; as Fetcher::Get.
  Result<http::Url> Find(const HostName& host, std::string_view id, const Patience& patience);

 private:
  struct Services {
    http::Url document;  // where it was found, redirects followed
    // By id: the value, or nullopt when it is no string.
    std::unordered_map<std::string, std::optional<std::string>> values;
  };
  Result<Services> Fetch(const HostName& host, const Patience& patience);
  Result<Services> Discover(const HostName& host, const Patience& patience);

  Fetcher& fetcher_;
  const TokenSource tokens_;
  ExpiringMap<std::string, Services, SteadyTime> hosts_{kMaxHosts};
};

}  // namespace koya::upstream
