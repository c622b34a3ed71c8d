// Where redirects lead, one after the other, and whether the token of the first request may still
// be shown: the one place that follows any. Whoever asks judges what is found on the way.
#pragma once

#include <cstddef>
#include <vector>

#include "http/client/client.h"
#include "http/url.h"

namespace koya::upstream {

enum class RedirectStep {
  kAnswer,   // no redirect: this answer counts
  kOnward,   // here() is to be asked next
  kNowhere,  // a redirect that does not say where to
  kNoUrl,    // a redirect to what is no URL to fetch
  kTooMany,  // a further redirect than kMaxRedirects
};

class RedirectTrail {
 public:
  // More than any client follows: going on would only find a circle.
  static constexpr std::size_t kMaxRedirects = 10;

  explicit RedirectTrail(http::Url first) : first_(std::move(first)) {}

  const http::Url& first() const { return first_; }
  const http::Url& here() const { return redirects_.empty() ? first_ : redirects_.back(); }
  // Where each led.
  const std::vector<http::Url>& redirects() const { return redirects_; }
  // False for good after a redirect to another scheme, host or port: who stands between may have
  // written the way back.
  bool keeps_token() const { return keeps_token_; }

  // Takes what here() answered; goes on only for kOnward.
  RedirectStep Take(const http::ClientResponse& response);

 private:
  http::Url first_;
  std::vector<http::Url> redirects_;
  bool keeps_token_ = true;
};

bool IsRedirect(unsigned status);

}  // namespace koya::upstream
