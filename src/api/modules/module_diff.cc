#include "api/common/call.h"
#include "api/common/compared_versions.h"
#include "api/common/documents.h"
#include "api/common/links.h"
#include "api/common/services.h"
#include "api/route_tables.h"
#include "domain/topic.h"
#include "http/server/router.h"
#include "service/modules/module_comparison.h"
#include "wire/comparison.h"

namespace koya::api {
namespace {

Task<Rendering> RenderModuleDiff(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(ComparedVersions versions, ReadComparedVersions(call.request()));
  Rendering rendering{.topic = ModuleTopic(address)};
  ASSIGN_OR_CO_RETURN(
      service::SharedComparison comparison,
      co_await call.services.modules.comparison.Compare(
          std::move(address), std::move(versions.from), std::move(versions.to), call.reading));
  rendering.weight = comparison->changes.size();
  rendering.encode = [comparison = std::move(comparison)](const Links& /*links*/) {
    return wire::EncodeComparison(*comparison);
  };
  co_return rendering;
}

// What changed between two versions: module_diff.cc. Kept until the module changes.
Task<http::Response> GetModuleDiff(Call& call) {
  ASSIGN_OR_CO_RETURN(ComparedVersions versions, ReadComparedVersions(call.request()));
  const std::string variant = versions.Variant();
  co_return co_await CachedDocument(call, variant, RenderModuleDiff);
}

std::optional<http::Response> KeptModuleDiff(const http::Exchange& exchange, Services& services) {
  Result<ComparedVersions> versions = ReadComparedVersions(exchange.request);
  if (!versions) return std::nullopt;
  return KeptDocument(exchange, services, versions->Variant());
}

}  // namespace

std::span<const Route> ModuleDiffRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/api/v1/modules/{namespace}/{name}/{system}/diff", Access::kRead,
                 ResourceScope::kNamespace, GetModuleDiff, "Compare two versions of a module",
                 KeptModuleDiff),
  };
  return kRoutes;
}

}  // namespace koya::api
