#include "api/common/route.h"

#include <utility>

#include "api/common/call.h"
#include "api/common/paging.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/mirror/inventory.h"
#include "domain/access.h"
#include "service/common/blob_check.h"
#include "service/mirror/check.h"
#include "service/mirror/inventory.h"
#include "service/verify/published_check.h"
#include "service/verify/stored_artifacts.h"
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

std::string_view KindName(service::StoredArtifact::Kind kind) {
  switch (kind) {
    case service::StoredArtifact::Kind::kModule:
      return "module";
    case service::StoredArtifact::Kind::kPackage:
      return "package";
    case service::StoredArtifact::Kind::kDocuments:
      return "documents";
    case service::StoredArtifact::Kind::kDocs:
      return "docs";
    case service::StoredArtifact::Kind::kSchema:
      return "schema";
    case service::StoredArtifact::Kind::kDraft:
      return "draft";
    case service::StoredArtifact::Kind::kRecord:
      return "record";
    case service::StoredArtifact::Kind::kObject:
      return "object";
  }
  return "module";
}

wire::StoredArtifact WireOf(const service::StoredArtifact& thing) {
  return {.kind = std::string(KindName(thing.kind)),
          .hostname = thing.host ? thing.host->ascii() : "",
          .address = thing.address,
          .version = thing.version ? thing.version->ToString() : "",
          .platform = thing.platform ? thing.platform->ToString() : "",
          .size = thing.size,
          .digest = thing.digest ? thing.digest->ToString() : "",
          .file = thing.file};
}

http::Response CheckReply(service::CheckReport report) {
  wire::CheckOutcome outcome{.state = std::string(StateName(report.state)),
                             .repaired = report.repaired,
                             .problem = std::move(report.problem),
                             .warnings = std::move(report.warnings)};
  return JsonReply(200, wire::Encode(outcome));
}

Task<service::CheckRequest> ReadWish(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::VerifyRequest wish, wire::Decode<wire::VerifyRequest>(body));
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
    co_return FailInvalid(
        "\"of\" must be \"mirror\" or \"storage\": leave it out to list everything");
  }
  service::StoredArtifacts& kept = call.services.upkeep.kept;
  service::ArtifactListing listing{.after = std::move(after).value_or(""),
                                   .mirrored_only = of.has_value()};
  const bool of_storage = of == "storage";
  ASSIGN_OR_CO_RETURN(service::ArtifactPage page,
                      co_await (of_storage ? kept.UnknownObjects(std::move(listing.after))
                                           : kept.Page(std::move(listing))));
  wire::StoredArtifacts out{.things = {}, .next = std::move(page.next)};
  for (const service::StoredArtifact& thing : page.things) out.things.push_back(WireOf(thing));
  co_return PageReply(call, wire::Encode(out));
}

// For packages that are published here: an author may check packages that they may publish.
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

Task<http::Response> CheckBlob(Call& call) {
  ASSIGN_OR_CO_RETURN(Digest digest, Digest::Parse(call.path("id")));
  ASSIGN_OR_CO_RETURN(const std::uint64_t size, QueryNumber(call.request().query, "size", 0));
  ASSIGN_OR_CO_RETURN(service::CheckRequest wish, co_await ReadWish(call));
  ASSIGN_OR_CO_RETURN(service::CheckReport report,
                      co_await call.services.upkeep.published_check.Blob(digest, size, wish));
  co_return CheckReply(std::move(report));
}

// For stored packages of other registries.
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

// Verification of stored bytes.
std::span<const Route> VerifyRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kListStored, Access::kAdmin, ResourceScope::kNone, ListKeptThings,
                 "List everything that can be verified"),
      Route::For(wire::kCheckBlob, Access::kAdmin, BodyLimit::kSmall, CheckBlob,
                 "Verify a draft's file or an object")
          .WhileFrozen(),
      Route::For(wire::kCheckModule, Access::kPublish, BodyLimit::kSmall, CheckModule,
                 "Verify a published module's archive")
          .WhileFrozen(),
      Route::For(wire::kCheckProviderDocuments, Access::kPublish, BodyLimit::kSmall,
                 CheckProviderDocuments, "Verify a release's documents")
          .WhileFrozen(),
      Route::For(wire::kCheckProviderDocs, Access::kPublish, BodyLimit::kSmall, CheckProviderDocs,
                 "Verify a release's documentation")
          .WhileFrozen(),
      Route::For(wire::kCheckProviderSchema, Access::kPublish, BodyLimit::kSmall,
                 CheckProviderSchema, "Verify a release's schema")
          .WhileFrozen(),
      Route::For(wire::kCheckProviderPackage, Access::kPublish, BodyLimit::kSmall,
                 CheckProviderPackage, "Verify a release's package")
          .WhileFrozen(),
      Route::For(wire::kCheckMirroredDocuments, Access::kAdmin, BodyLimit::kSmall,
                 CheckInventoryDocuments, "Verify a mirrored release's documents")
          .WhileFrozen(),
      Route::For(wire::kCheckMirroredPackage, Access::kAdmin, BodyLimit::kSmall,
                 CheckInventoryPackage, "Verify a mirrored package")
          .WhileFrozen(),
      Route::For(wire::kCheckMirroredModule, Access::kAdmin, BodyLimit::kSmall,
                 CheckInventoryModule, "Verify a mirrored module's archive")
          .WhileFrozen(),
  };
  return kRoutes;
}

}  // namespace koya::api
