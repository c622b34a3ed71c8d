#include "api/compared_versions.h"
#include "api/documents.h"
#include "api/handlers.h"
#include "domain/topic.h"
#include "inspect/changes.h"
#include "service/module_comparison.h"
#include "wire/comparison.h"

namespace koya::api {
namespace {

Task<Rendering> RenderModuleDiff(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(ComparedVersions versions, ReadComparedVersions(call.request()));
  Rendering rendering{.topic = ModuleTopic(address)};
  ASSIGN_OR_CO_RETURN(service::SharedComparison comparison,
                      co_await call.services.comparison.Compare(
                          std::move(address), std::move(versions.from), std::move(versions.to)));
  rendering.weight = comparison->changes.size();
  rendering.encode = [comparison = std::move(comparison)](const Links& /*links*/) {
    return wire::EncodeComparison(*comparison);
  };
  co_return rendering;
}

}  // namespace

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

}  // namespace koya::api
