#include "api/handlers.h"

#include <fmt/format.h>

#include <utility>

#include "api/inventory.h"
#include "api/paging.h"
#include "api/query.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "service/blob_check.h"
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
  }
  return "module";
}

wire::KeptThing ToWire(const service::KeptThing& thing) {
  return {.kind = std::string(KindName(thing.kind)),
          .hostname = thing.host ? thing.host->ascii() : "",
          .address = thing.address,
          .version = thing.version.ToString(),
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
                      co_await (call.services.published_check.*check)(std::move(address),
                                                                      std::move(version), wish));
  co_return CheckReply(std::move(report));
}

}  // namespace

Task<http::Response> ListKeptThings(Call& call) {
  std::string_view query = call.request().query;
  ASSIGN_OR_CO_RETURN(std::optional<std::string> after, QueryParameter(query, "after"));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> of, QueryParameter(query, "of"));
  if (of && *of != "mirror") {
    co_return Fail(ErrorKind::kInvalid,
                   "\"of\" may be \"mirror\": leave it out to have everything listed");
  }
  service::KeptListing listing{.after = std::move(after).value_or(""),
                               .mirrored_only = of.has_value()};
  ASSIGN_OR_CO_RETURN(service::KeptPage page, co_await call.services.kept.Page(std::move(listing)));
  wire::KeptThings out{.things = {}, .next = std::move(page.next)};
  for (const service::KeptThing& thing : page.things) out.things.push_back(ToWire(thing));
  co_return PageReply(call, wire::EncodeKeptThings(out));
}

Task<http::Response> CheckModule(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  CO_RETURN_IF_ERROR(call.principal.RequireNamespace(address.ns(), Role::kPublisher));
  ASSIGN_OR_CO_RETURN(service::CheckRequest wish, co_await ReadWish(call));
  ASSIGN_OR_CO_RETURN(
      service::CheckReport report,
      co_await call.services.published_check.Module(std::move(address), std::move(version), wish));
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
                      co_await call.services.published_check.Package(
                          std::move(address), std::move(version), std::move(platform), wish));
  co_return CheckReply(std::move(report));
}

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

}  // namespace koya::api
