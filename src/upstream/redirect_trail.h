// Follows redirects one by one, and tracks whether the token of the first request may still be
// sent. No other code follows redirects. The caller checks each URL on the way.
#pragma once

#include <cstddef>
#include <vector>

#include "http/client/client.h"
#include "http/url.h"

namespace koya::upstream {

enum class RedirectStep {
  kAnswer,   // no redirect: the final response
  kOnward,   // here() is to be requested next
  kNowhere,  // a redirect without a target
  kNoUrl,    // a redirect to something that is not a fetchable URL
  kTooMany,  // more redirects than kMaxRedirects
};

class RedirectTrail {
 public:
  // More than any client follows: a longer trail is most likely a loop.
  static constexpr std::size_t kMaxRedirects = 10;

  explicit RedirectTrail(http::Url first) : first_(std::move(first)) {}

  const http::Url& first() const { return first_; }
  const http::Url& here() const { return redirects_.empty() ? first_ : redirects_.back(); }
  // The target of each redirect.
  const std::vector<http::Url>& redirects() const { return redirects_; }
  // False for good after a redirect to another scheme, host or port: a host in between may have
  // written the way back.
  bool keeps_token() const { return keeps_token_; }

  // Takes the response of here(); continues only for kOnward.
  RedirectStep FollowRedirect(const http::ClientResponse& response);

 private:
  http::Url first_;
  std::vector<http::Url> redirects_;
  bool keeps_token_ = true;
};

bool IsRedirect(unsigned status);

}  // namespace koya::upstream
