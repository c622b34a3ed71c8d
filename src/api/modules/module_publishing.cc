#include "api/common/route.h"

#include "api/common/call.h"
#include "api/common/package_urls.h"
#include "api/common/provenance.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/repository_url.h"
#include "domain/access.h"
#include "domain/version_step.h"
#include "obs/log.h"
#include "service/access/namespaces.h"
#include "service/modules/modules.h"
#include "service/modules/publish_module.h"
#include "wire/modules.h"
#include "wire/provider_publishing.h"

namespace koya::api {
namespace {

// Publishing is strict where reading is lenient: it reports errors and guesses nothing.
Result<service::ModulePublisher::Request> ReadModuleRequest(Call& call) {
  ASSIGN_OR_RETURN(
      ModuleAddress address,
      ModuleAddress::FromParts(call.path("namespace"), call.path("name"), call.path("system")));
  ASSIGN_OR_RETURN(Version version, Version::Parse(call.path("version")));
  ASSIGN_OR_RETURN(std::optional<std::string> description,
                   QueryParameter(call.request().query, "description"));
  ASSIGN_OR_RETURN(std::string break_glass, ReadBreakGlass(call));
  return service::ModulePublisher::Request{.publisher = call.principal,
                                           .address = std::move(address),
                                           .version = std::move(version),
                                           .description = std::move(description).value_or(""),
                                           .break_glass = std::move(break_glass)};
}

// As ReadModuleRequest, with what only a publish has.
Result<service::ModulePublisher::Request> ReadPublishRequest(Call& call) {
  ASSIGN_OR_RETURN(service::ModulePublisher::Request request, ReadModuleRequest(call));
  ASSIGN_OR_RETURN(std::optional<std::string> url,
                   QueryParameter(call.request().query, "source_url"));
  ASSIGN_OR_RETURN(request.source,
                   SourceToPublish(call.principal.provenance, std::move(url).value_or("")));
  std::vector<std::string> origin;
  for (const char* name : {"imported_from", "imported_digest", "published_at"}) {
    ASSIGN_OR_RETURN(std::optional<std::string> value, QueryParameter(call.request().query, name));
    origin.push_back(std::move(value).value_or(""));
  }
  ASSIGN_OR_RETURN(request.origin, ReadImportOrigin(origin[0], origin[1], origin[2]));
  return request;
}

// Strict, since a misspelled dry run must not publish.
Result<bool> ReadDryRun(const Call& call) {
  ASSIGN_OR_RETURN(std::optional<std::string> text,
                   QueryParameter(call.request().query, "dry_run"));
  if (!text || text == "false") return false;
  if (text == "true") return true;
  return FailInvalid("dry_run must be true or false: nothing was published");
}

wire::PublishedModule Describe(const Call& call, service::PublishOutcome& outcome, bool dry_run) {
  const ModuleVersionRecord& record = outcome.record;
  wire::PublishedModule published{.address = record.address.ToString(),
                                  .version = record.version.ToString(),
                                  .digest = record.digest.ToString(),
                                  .size = record.size,
                                  .location = ArchiveLocation(call.services.url, record),
                                  .repacked = outcome.repacked,
                                  .dry_run = dry_run,
                                  .warnings = std::move(outcome.warnings),
                                  .warnings_left_out = outcome.warnings_left_out};
  if (outcome.judgement) {
    published.semver = SemverRuleName(outcome.judgement->rule);
    published.comparison = std::move(outcome.judgement->comparison);
    published.refusal = std::move(outcome.judgement->refusal);
  }
  return published;
}

Task<http::Response> PublishModule(Call& call) {
  ASSIGN_OR_CO_RETURN(service::ModulePublisher::Request request, ReadPublishRequest(call));
  ASSIGN_OR_CO_RETURN(request.dry_run, ReadDryRun(call));
  const bool dry_run = request.dry_run;
  ASSIGN_OR_CO_RETURN(const service::NamespaceState before,
                      co_await call.services.rights.namespaces.FindNamespace(request.address.ns()));
  ASSIGN_OR_CO_RETURN(
      service::PublishOutcome outcome,
      co_await call.services.modules.publisher.Publish(std::move(request), call.exchange.body));
  wire::PublishedModule published = Describe(call, outcome, dry_run);
  const Visibility visibility =
      before.recorded ? before.visibility : call.services.rights.namespaces.of_new();
  published.visibility = VisibilityName(call.services.access.Effective(visibility));
  if (outcome.created && !before.recorded)
    published.made_namespace = VisibilityName(call.services.rights.namespaces.of_new());
  http::Response reply = JsonReply(outcome.created ? 201 : 200, wire::Encode(published));
  if (outcome.repaired) {
    call.services.log.Warn("the archive of a published module was damaged; it was published again",
                           {{"request_id", call.request().request_id},
                            {"by", call.principal.name},
                            {"address", published.address},
                            {"version", published.version},
                            {"digest", published.digest}});
  }
  if (outcome.created) {
    reply.fields.emplace_back("Location", published.location);
    call.services.log.Info("module published", {{"request_id", call.request().request_id},
                                                {"by", outcome.record.published_by},
                                                {"address", published.address},
                                                {"version", published.version},
                                                {"digest", published.digest},
                                                {"bytes", published.size}});
  }
  co_return reply;
}

Task<http::Response> DeprecateModule(Call& call) {
  ASSIGN_OR_CO_RETURN(service::ModulePublisher::Request request, ReadModuleRequest(call));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(auto [message], wire::Decode<wire::Deprecation>(body));
  CO_RETURN_IF_ERROR(co_await call.services.modules.published.Deprecate(
      request.publisher, request.address, request.version, message));
  call.services.log.Info("module deprecated", {{"request_id", call.request().request_id},
                                               {"by", request.publisher.name},
                                               {"address", request.address.ToString()},
                                               {"version", request.version.ToString()},
                                               {"message", message}});
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

Task<http::Response> WithdrawModule(Call& call) {
  ASSIGN_OR_CO_RETURN(service::ModulePublisher::Request request, ReadModuleRequest(call));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::Withdrawal wanted, wire::Decode<wire::Withdrawal>(body));
  CO_RETURN_IF_ERROR(co_await call.services.modules.published.Withdraw(
      request.publisher, request.address, request.version, wanted.reason, wanted.successor));
  call.services.log.Info("module withdrawn", {{"request_id", call.request().request_id},
                                              {"by", request.publisher.name},
                                              {"address", request.address.ToString()},
                                              {"version", request.version.ToString()},
                                              {"reason", wanted.reason},
                                              {"successor", wanted.successor}});
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

Task<http::Response> RestoreModule(Call& call) {
  ASSIGN_OR_CO_RETURN(service::ModulePublisher::Request request, ReadModuleRequest(call));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(auto [reason], wire::Decode<wire::Restore>(body));
  CO_RETURN_IF_ERROR(co_await call.services.modules.published.Restore(
      request.publisher, request.address, request.version, reason));
  call.services.log.Info("module restored", {{"request_id", call.request().request_id},
                                             {"by", request.publisher.name},
                                             {"address", request.address.ToString()},
                                             {"version", request.version.ToString()},
                                             {"reason", reason}});
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

}  // namespace

// Publishing, deprecating, withdrawing and restoring modules.
std::span<const Route> ModulePublishingRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kPublishModule, Access::kPublish, BodyLimit::kModuleArchive, PublishModule,
                 "Publish a module version"),
      Route::For(wire::kDeprecateModule, Access::kPublish, BodyLimit::kSmall, DeprecateModule,
                 "Deprecate a module version"),
      Route::For(wire::kWithdrawModule, Access::kOwner, BodyLimit::kSmall, WithdrawModule,
                 "Withdraw a module version"),
      Route::For(wire::kRestoreModule, Access::kOwner, BodyLimit::kSmall, RestoreModule,
                 "Restore a withdrawn module version"),
  };
  return kRoutes;
}

}  // namespace koya::api
