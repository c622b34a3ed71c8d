#include "api/common/links.h"

#include <stdexcept>

#include "api/common/call.h"
#include "api/common/services.h"
#include "auth/capability.h"
#include "domain/visibility.h"
#include "http/server/target.h"

namespace koya::api {

Links Links::For(const Call& call) {
  Links links;
  if (call.visibility == Visibility::kPublic || !call.principal.bearer) return links;
  const Services& services = call.services;
  links.services_ = &services;
  links.bearer_ = *call.principal.bearer;
  links.expires_ = auth::CapabilitySigner::ExpiryFor(services.clock.Now(), services.access.url_ttl);
  return links;
}

std::string Links::operator()(std::string url) const {
  if (services_ == nullptr) return url;
  std::string decoded;
  std::string_view target = std::string_view(url).substr(services_->url.size());
  auto parsed = http::ParseTarget(http::Method::kGet, target, decoded);
  if (!parsed) throw std::logic_error("a location that no client can request: " + url);
  std::string signature = services_->signer.Sign(parsed->path, bearer_, expires_);
  url += parsed->query.empty() ? "?" : "&";
  return url += signature;
}

}  // namespace koya::api
