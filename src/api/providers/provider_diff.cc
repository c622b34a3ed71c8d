#include "api/common/call.h"
#include "api/common/compared_versions.h"
#include "api/common/documents.h"
#include "api/common/links.h"
#include "api/common/services.h"
#include "api/route_tables.h"
#include "domain/topic.h"
#include "http/server/router.h"
#include "service/modules/module_comparison.h"
#include "service/providers/provider_comparison.h"
#include "wire/comparison.h"

namespace koya::api {
namespace {

Task<Rendering> RenderProviderDiff(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(ComparedVersions versions, ReadComparedVersions(call.request()));
  Rendering rendering{.topic = ProviderTopic(address)};
  ASSIGN_OR_CO_RETURN(
      service::SharedComparison comparison,
      co_await call.services.providers.comparison.Compare(
          std::move(address), std::move(versions.from), std::move(versions.to), call.reading));
  rendering.weight = comparison->changes.size();
  rendering.encode = [comparison = std::move(comparison)](const Links& /*links*/) {
    return wire::EncodeComparison(*comparison);
  };
  co_return rendering;
}

// The same of a provider: provider_diff.cc.
Task<http::Response> GetProviderDiff(Call& call) {
  ASSIGN_OR_CO_RETURN(ComparedVersions versions, ReadComparedVersions(call.request()));
  const std::string variant = versions.Variant();
  co_return co_await CachedDocument(call, variant, RenderProviderDiff);
}

std::optional<http::Response> KeptProviderDiff(const http::Exchange& exchange, Services& services) {
  Result<ComparedVersions> versions = ReadComparedVersions(exchange.request);
  if (!versions) return std::nullopt;
  return KeptDocument(exchange, services, versions->Variant());
}

}  // namespace

std::span<const Route> ProviderDiffRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/api/v1/providers/{namespace}/{type}/diff", Access::kRead,
                 ResourceScope::kNamespace, GetProviderDiff, "Compare two versions of a provider",
                 KeptProviderDiff),
  };
  return kRoutes;
}

}  // namespace koya::api
