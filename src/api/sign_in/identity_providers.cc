#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "base/secrets.h"
#include "domain/identity_record.h"
#include "obs/log.h"
#include "service/sign_in/identity_providers.h"
#include "wire/identity.h"

namespace koya::api {
namespace {

wire::IdentityProvider WireOf(const Services& services, const IdentityProviderRecord& record) {
  wire::IdentityProvider provider{
      .name = record.name,
      .issuer = record.issuer,
      .client_id = record.client_id,
      .groups_claim = record.groups_claim,
      .callback = fmt::format("{}/-/oidc/{}/callback", services.url, record.name),
      .created = FormatRfc3339(record.created_at),
      .created_by = record.created_by,
      .enabled = record.enabled};
  for (const GroupMapping& each : record.groups)
    provider.groups.push_back({each.theirs, each.ours});
  return provider;
}

service::NewIdentityProvider ReadWire(wire::IdentityProvider wanted) {
  service::NewIdentityProvider provider{.name = std::move(wanted.name),
                                        .issuer = std::move(wanted.issuer),
                                        .client_id = std::move(wanted.client_id),
                                        .client_secret = std::move(wanted.client_secret),
                                        .groups_claim = std::move(wanted.groups_claim)};
  for (wire::MappedGroup& each : wanted.groups) {
    provider.groups.push_back({std::move(each.theirs), std::move(each.ours)});
  }
  return provider;
}

void LogProvider(const Call& call, std::string_view what, std::string_view name) {
  call.services.log.Info(
      what,
      {{"request_id", call.request().request_id}, {"by", call.principal.name}, {"provider", name}});
}

Task<http::Response> AddIdentityProvider(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  Result<wire::IdentityProvider> wanted = wire::Decode<wire::IdentityProvider>(body);
  WipeSecret(body);
  if (!wanted) co_return Failure(std::move(wanted).error());
  service::NewIdentityProvider provider = ReadWire(*std::move(wanted));
  ASSIGN_OR_CO_RETURN(IdentityProviderRecord record, co_await call.services.identity.providers.Add(
                                                         call.principal, std::move(provider)));
  LogProvider(call, "sign-in provider added", record.name);
  co_return JsonReply(201, wire::Encode(WireOf(call.services, record)));
}

Task<http::Response> ListIdentityProviders(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<IdentityProviderRecord> records,
                      co_await call.services.identity.providers.List(call.principal));
  std::vector<wire::IdentityProvider> providers;
  providers.reserve(records.size());
  for (const auto& record : records) providers.push_back(WireOf(call.services, record));
  co_return JsonReply(200, wire::Encode(wire::IdentityProviderList{std::move(providers)}));
}

Task<http::Response> RemoveIdentityProvider(Call& call) {
  std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(co_await call.services.identity.providers.Remove(call.principal, name));
  LogProvider(call, "sign-in provider removed", name);
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

Task<http::Response> TestIdentityProvider(Call& call) {
  std::string name(call.path("name"));
  ASSIGN_OR_CO_RETURN(std::vector<service::ProviderFinding> findings,
                      co_await call.services.identity.providers.Test(call.principal, name));
  ASSIGN_OR_CO_RETURN(IdentityProviderRecord record,
                      co_await call.services.identity.providers.FindProvider(name));
  wire::IdentityProviderReport report{
      .name = std::move(name),
      .ok = std::ranges::all_of(findings, &service::ProviderFinding::good),
      .findings = {},
      .enabled = record.enabled};
  for (service::ProviderFinding& each : findings) {
    report.findings.push_back({each.good, std::move(each.text)});
  }
  co_return JsonReply(200, wire::Encode(report));
}

Task<http::Response> DisableIdentityProvider(Call& call) {
  ASSIGN_OR_CO_RETURN(IdentityProviderRecord record,
                      co_await call.services.identity.providers.Disable(
                          call.principal, std::string(call.path("name"))));
  LogProvider(call, "sign-in provider disabled", record.name);
  co_return JsonReply(200, wire::Encode(WireOf(call.services, record)));
}

}  // namespace

// Sign-in providers, and signing in with them.
std::span<const Route> IdentityProviderRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kAddIdentityProvider, Access::kAdmin, BodyLimit::kSmall, AddIdentityProvider,
                 "Add a sign-in provider"),
      Route::For(wire::kListIdentityProviders, Access::kAdmin, ResourceScope::kNone,
                 ListIdentityProviders, "List the sign-in providers"),
      Route::For(wire::kRemoveIdentityProvider, Access::kAdmin, BodyLimit::kNone,
                 RemoveIdentityProvider, "Remove a sign-in provider"),
      Route::For(wire::kDisableIdentityProvider, Access::kAdmin, BodyLimit::kSmall,
                 DisableIdentityProvider, "Disable a sign-in provider"),
      Route::For(wire::kTestIdentityProvider, Access::kAdmin, BodyLimit::kSmall,
                 TestIdentityProvider, "Test a sign-in provider, and enable it if it is good"),
  };
  return kRoutes;
}

}  // namespace koya::api
