#include <utility>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/route.h"
#include "api/common/version_query.h"
#include "api/mirror/inventory.h"
#include "domain/module_record.h"
#include "domain/topic.h"
#include "http/server/router.h"
#include "service/common/module_reading.h"
#include "service/mirror/inventory.h"
#include "service/modules/module_comparison.h"
#include "service/modules/module_metadata.h"
#include "service/modules/modules.h"
#include "wire/comparison.h"
#include "wire/modules.h"

namespace koya::api {
namespace {

// Thousands of lines of JSON or HTML: not to be made on a loop.
constexpr std::size_t kHeavyWeight = 100'000;

using Making = service::ContentsRequest::Making;

struct Inside {
  service::SharedContents contents;
  std::string topic;
};

Task<Inside> ReadPublished(Call& call, Making making) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  ASSIGN_OR_CO_RETURN(
      ModuleVersionRecord record,
      co_await call.services.modules.published.FindVersion(std::move(address), std::move(version)));
  ASSIGN_OR_CO_RETURN(service::SharedContents contents,
                      co_await call.services.modules.insides.FindContents(
                          service::ArchiveOf(record), call.reading, {.making = making}));
  co_return Inside{std::move(contents), ModuleTopic(record.address)};
}

Task<Inside> ReadMirrored(Call& call, Making making) {
  ASSIGN_OR_CO_RETURN(service::ModuleId id, InventoryModuleFromPath(call));
  ASSIGN_OR_CO_RETURN(UpstreamModuleVersion version,
                      co_await call.services.mirror.inventory.FindModule(std::move(id)));
  Result<service::SharedContents> contents = co_await call.services.modules.insides.FindContents(
      service::ArchiveOf(version), call.reading, {.making = making});
  if (!contents && contents.error().kind == ErrorKind::kNotFound) {
    co_return FailNotFound(
        "this module's archive isn't stored here and hasn't been analyzed: a client "
        "must request it first");
  }
  if (!contents) co_return Failure(std::move(contents).error());
  co_return Inside{*std::move(contents), MirrorTopic(version.module)};
}

Rendering RenderContents(Inside inside) {
  Rendering rendering{.topic = std::move(inside.topic), .weight = kHeavyWeight, .claimed = true};
  rendering.encode = [contents = std::move(inside.contents)](const Links& /*links*/) {
    return service::TellContents(contents);
  };
  return rendering;
}

Task<Rendering> RenderReadme(Call& call, Inside inside) {
  auto render = [&inside] { return service::TellReadme(inside.contents); };
  ASSIGN_OR_CO_RETURN(std::string text, co_await call.reading.Do(render));
  Rendering rendering{.topic = std::move(inside.topic)};
  rendering.encode = [text = std::move(text)](const Links& /*links*/) { return text; };
  co_return rendering;
}

Task<Rendering> RenderPublishedContents(Call& call) {
  ASSIGN_OR_CO_RETURN(Inside inside, co_await ReadPublished(call, Making::kDocument));
  co_return RenderContents(std::move(inside));
}

Task<Rendering> RenderPublishedReadme(Call& call) {
  ASSIGN_OR_CO_RETURN(Inside inside, co_await ReadPublished(call, Making::kPage));
  co_return co_await RenderReadme(call, std::move(inside));
}

Task<Rendering> RenderMirroredContents(Call& call) {
  ASSIGN_OR_CO_RETURN(Inside inside, co_await ReadMirrored(call, Making::kDocument));
  co_return RenderContents(std::move(inside));
}

Task<Rendering> RenderMirroredReadme(Call& call) {
  ASSIGN_OR_CO_RETURN(Inside inside, co_await ReadMirrored(call, Making::kPage));
  co_return co_await RenderReadme(call, std::move(inside));
}

Task<http::Response> GetModuleInside(Call& call) {
  co_return co_await CachedDocument(call, "", RenderPublishedContents);
}

Task<http::Response> GetModuleReadme(Call& call) {
  co_return co_await CachedDocument(call, "", RenderPublishedReadme);
}

// Of other registries' modules whose bytes are held.
Task<http::Response> GetMirroredModuleInside(Call& call) {
  co_return co_await CachedDocument(call, "", RenderMirroredContents);
}

Task<http::Response> GetMirroredModuleReadme(Call& call) {
  co_return co_await CachedDocument(call, "", RenderMirroredReadme);
}

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
    return wire::Encode(*comparison);
  };
  co_return rendering;
}

// What changed between two versions. Kept until the module changes.
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

// The document is as large as the texts that it shows.
Task<Rendering> RenderSourceDiff(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(ComparedVersions versions, ReadComparedVersions(call.request()));
  Rendering rendering{.topic = ModuleTopic(address), .weight = kHeavyWeight, .claimed = true};
  ASSIGN_OR_CO_RETURN(
      service::SharedSourceDiff diff,
      co_await call.services.modules.comparison.CompareSources(
          std::move(address), std::move(versions.from), std::move(versions.to), call.reading));
  rendering.encode = [diff = std::move(diff)](const Links& /*links*/) {
    return wire::Encode(*diff);
  };
  co_return rendering;
}

Task<http::Response> GetModuleSourceDiff(Call& call) {
  ASSIGN_OR_CO_RETURN(ComparedVersions versions, ReadComparedVersions(call.request()));
  const std::string variant = versions.Variant();
  co_return co_await CachedDocument(call, variant, RenderSourceDiff);
}

}  // namespace

// Contents of modules. Analyzed at publish, else on the first request: 503 when too many requests
// ask for that at once.
std::span<const Route> ModuleInsideRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kGetModuleInside, Access::kRead, ResourceScope::kNamespace, GetModuleInside,
                 "Get the contents of a module version", KeptDocument),
      Route::Get("/api/v1/modules/{namespace}/{name}/{system}/{version}/readme", Access::kRead,
                 ResourceScope::kNamespace, GetModuleReadme,
                 "Get a module version's README as safe HTML", KeptDocument),
      Route::Get("/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/inside",
                 Access::kRead, ResourceScope::kMirror, GetMirroredModuleInside,
                 "Get the contents of a mirrored module", KeptDocument),
      Route::Get("/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/readme",
                 Access::kRead, ResourceScope::kMirror, GetMirroredModuleReadme,
                 "Get a mirrored module's README as safe HTML", KeptDocument),
  };
  return kRoutes;
}

std::span<const Route> ModuleDiffRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kCompareModule, Access::kRead, ResourceScope::kNamespace, GetModuleDiff,
                 "Compare two versions of a module", KeptModuleDiff),
      Route::For(wire::kCompareModuleSource, Access::kRead, ResourceScope::kNamespace,
                 GetModuleSourceDiff, "Compare the files of two versions of a module",
                 KeptModuleDiff),
  };
  return kRoutes;
}

}  // namespace koya::api
