#include "api/route_tables.h"

#include <fmt/format.h>

#include <utility>

#include "api/call.h"
#include "api/inventory.h"
#include "api/paging.h"
#include "api/query.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "domain/role.h"
#include "service/blob_check.h"
#include "service/kept_list.h"
#include "service/mirror/check.h"
#include "service/mirror/inventory.h"
#include "service/published_check.h"
#include "wire/verify.h"

namespace koya::api {
namespace {

std::string_view StateName(service::CheckReport::State state) {
  switch (state) {
    case service::CheckReport::State::kOk:
      return "ok";
    case service::CheckReport::State::kNotHeld:
      return "not_held";
    case service::CheckReport::State::kDamaged:
      return "damaged";
    case service::CheckReport::State::kMissing:
      return "missing";
  }
  return "ok";
}

std::string_view KindName(service::KeptThing::Kind kind) {
  switch (kind) {
    case service::KeptThing::Kind::kModule:
      return "module";
    case service::KeptThing::Kind::kPackage:
      return "package";
    case service::KeptThing::Kind::kDocuments:
      return "documents";
    case service::KeptThing::Kind::kDocs:
      return "docs";
    case service::KeptThing::Kind::kSchema:
      return "schema";
    case service::KeptThing::Kind::kObject:
      return "object";
  }
  return "module";
}

wire::KeptThing WireOf(const service::KeptThing& thing) {
  return {.kind = std::string(KindName(thing.kind)),
          .hostname = thing.host ? thing.host->ascii() : "",
          .address = thing.address,
          .version = thing.version ? thing.version->ToString() : "",
          .platform = thing.platform ? thing.platform->ToString() : "",
          .size = thing.size};
}

http::Response CheckReply(service::CheckReport report) {
  wire::CheckOutcome outcome{.state = std::string(StateName(report.state)),
                             .repaired = report.repaired,
                             .problem = std::move(report.problem),
                             .warnings = std::move(report.warnings)};
  return JsonReply(200, wire::EncodeCheckOutcome(outcome));
}

Task<service::CheckRequest> ReadWish(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::CheckWish wish, wire::DecodeCheckWish(body));
  co_return service::CheckRequest{.quick = wish.quick, .repair = wish.repair};
}

using CheckRelease = Task<service::CheckReport> (service::PublishedCheck::*)(ProviderAddress,
                                                                             Version,
                                                                             service::CheckRequest);

Task<http::Response> CheckOf(Call& call, CheckRelease check) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  CO_RETURN_IF_ERROR(call.principal.RequireNamespace(address.ns(), Role::kPublisher));
  ASSIGN_OR_CO_RETURN(service::CheckRequest wish, co_await ReadWish(call));
  ASSIGN_OR_CO_RETURN(service::CheckReport report,
                      co_await (call.services.upkeep.published_check.*check)(
                          std::move(address), std::move(version), wish));
  co_return CheckReply(std::move(report));
}

// Everything that can be checked, page by page.
Task<http::Response> ListKeptThings(Call& call) {
  std::string_view query = call.request().query;
  ASSIGN_OR_CO_RETURN(std::optional<std::string> after, QueryParameter(query, "after"));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> of, QueryParameter(query, "of"));
  if (of && *of != "mirror" && *of != "storage") {
    co_return Fail(
        ErrorKind::kInvalid,
        "\"of\" may be \"mirror\" or \"storage\": leave it out to have everything listed");
  }
  service::KeptList& kept = call.services.upkeep.kept;
  service::KeptListing listing{.after = std::move(after).value_or(""),
                               .mirrored_only = of.has_value()};
  const bool of_storage = of == "storage";
  ASSIGN_OR_CO_RETURN(service::KeptPage page,
                      co_await (of_storage ? kept.UnknownObjects(std::move(listing.after))
                                           : kept.Page(std::move(listing))));
  wire::KeptThings out{.things = {}, .next = std::move(page.next)};
  for (const service::KeptThing& thing : page.things) out.things.push_back(WireOf(thing));
  co_return PageReply(call, wire::EncodeKeptThings(out));
}

// Of what was published here: an author may check what they may publish.
Task<http::Response> CheckModule(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  CO_RETURN_IF_ERROR(call.principal.RequireNamespace(address.ns(), Role::kPublisher));
  ASSIGN_OR_CO_RETURN(service::CheckRequest wish, co_await ReadWish(call));
  ASSIGN_OR_CO_RETURN(service::CheckReport report,
                      co_await call.services.upkeep.published_check.Module(
                          std::move(address), std::move(version), wish));
  co_return CheckReply(std::move(report));
}

Task<http::Response> CheckProviderDocuments(Call& call) {
  co_return co_await CheckOf(call, &service::PublishedCheck::Documents);
}

Task<http::Response> CheckProviderDocs(Call& call) {
  co_return co_await CheckOf(call, &service::PublishedCheck::Docs);
}

Task<http::Response> CheckProviderSchema(Call& call) {
  co_return co_await CheckOf(call, &service::PublishedCheck::Schema);
}

Task<http::Response> CheckProviderPackage(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  ASSIGN_OR_CO_RETURN(Platform platform, Platform::FromParts(call.path("os"), call.path("arch")));
  CO_RETURN_IF_ERROR(call.principal.RequireNamespace(address.ns(), Role::kPublisher));
  ASSIGN_OR_CO_RETURN(service::CheckRequest wish, co_await ReadWish(call));
  ASSIGN_OR_CO_RETURN(service::CheckReport report,
                      co_await call.services.upkeep.published_check.Package(
                          std::move(address), std::move(version), std::move(platform), wish));
  co_return CheckReply(std::move(report));
}

// Of what is kept of other registries.
Task<http::Response> CheckInventoryDocuments(Call& call) {
  ASSIGN_OR_CO_RETURN(InventoryReleaseId id, InventoryReleaseFromPath(call));
  ASSIGN_OR_CO_RETURN(service::CheckRequest wish, co_await ReadWish(call));
  ASSIGN_OR_CO_RETURN(service::CheckReport report,
                      co_await call.services.mirror.check.Documents(std::move(id.provider),
                                                                    std::move(id.version), wish));
  co_return CheckReply(std::move(report));
}

Task<http::Response> CheckInventoryPackage(Call& call) {
  ASSIGN_OR_CO_RETURN(service::PackageId id, InventoryPackageFromPath(call));
  ASSIGN_OR_CO_RETURN(service::CheckRequest wish, co_await ReadWish(call));
  ASSIGN_OR_CO_RETURN(service::CheckReport report, co_await call.services.mirror.check.Package(
                                                       call.principal.actor, std::move(id), wish));
  co_return CheckReply(std::move(report));
}

Task<http::Response> CheckInventoryModule(Call& call) {
  ASSIGN_OR_CO_RETURN(service::ModuleId id, InventoryModuleFromPath(call));
  ASSIGN_OR_CO_RETURN(service::CheckRequest wish, co_await ReadWish(call));
  ASSIGN_OR_CO_RETURN(service::CheckReport report, co_await call.services.mirror.check.Module(
                                                       call.principal.actor, std::move(id), wish));
  co_return CheckReply(std::move(report));
}

}  // namespace

// Whether what is kept is still what it was.
std::span<const Route> VerifyRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/api/v1/verify", Access::kEverything, About::kNobody, ListKeptThings,
                 "Everything whose bytes can be checked"),
      Route::Post("/api/v1/modules/{namespace}/{name}/{system}/{version}/verify", Access::kPublish,
                  BodyLimit::kSmall, CheckModule, "Check a published module for damage"),
      Route::Post("/api/v1/providers/{namespace}/{type}/{version}/verify", Access::kPublish,
                  BodyLimit::kSmall, CheckProviderDocuments,
                  "Check a release's documents for damage"),
      Route::Post("/api/v1/providers/{namespace}/{type}/{version}/docs/verify", Access::kPublish,
                  BodyLimit::kSmall, CheckProviderDocs, "Check a release's docs for damage"),
      Route::Post("/api/v1/providers/{namespace}/{type}/{version}/schema/verify", Access::kPublish,
                  BodyLimit::kSmall, CheckProviderSchema, "Check a release's schema for damage"),
      Route::Post("/api/v1/providers/{namespace}/{type}/{version}/{os}/{arch}/verify",
                  Access::kPublish, BodyLimit::kSmall, CheckProviderPackage,
                  "Check a release's package for damage"),
      Route::Post("/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/verify",
                  Access::kEverything, BodyLimit::kSmall, CheckInventoryDocuments,
                  "Check a release's documents for damage"),
      Route::Post(
          "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}/verify",
          Access::kEverything, BodyLimit::kSmall, CheckInventoryPackage,
          "Check a package for damage"),
      Route::Post("/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/verify",
                  Access::kEverything, BodyLimit::kSmall, CheckInventoryModule,
                  "Check a module for damage"),
  };
  return kRoutes;
}

}  // namespace koya::api
