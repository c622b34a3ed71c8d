#include "upstream/redirect_trail.h"

#include <utility>

namespace koya::upstream {

bool IsRedirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

RedirectStep RedirectTrail::FollowRedirect(const http::ClientResponse& response) {
  if (!IsRedirect(response.status)) return RedirectStep::kAnswer;
  auto location = response.Get("Location");
  if (!location) return RedirectStep::kNowhere;
  if (redirects_.size() >= kMaxRedirects) return RedirectStep::kTooMany;
  Result<http::Url> next = http::ResolveUrl(here(), *location);
  if (!next) return RedirectStep::kNoUrl;
  keeps_token_ &= next->scheme == first_.scheme && next->Authority() == first_.Authority();
  redirects_.push_back(*std::move(next));
  return RedirectStep::kOnward;
}

}  // namespace koya::upstream
