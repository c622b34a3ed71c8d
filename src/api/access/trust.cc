#include "service/sign_in/trust.h"

#include <utility>

#include "api/common/access_documents.h"
#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "domain/credential_record.h"
#include "domain/identity_record.h"
#include "obs/log.h"
#include "wire/identity.h"

namespace koya::api {
namespace {

wire::Trust WireOf(const TrustRecord& record) {
  return {.id = record.id,
          .ns = record.ns,
          .issuer = record.issuer,
          .claims = record.rules,
          .created = FormatRfc3339(record.created_at),
          .created_by = record.created_by,
          .any_ref = service::TakesAnyRef(record)};
}

service::NewTrust ReadWire(wire::TrustRequest wanted) {
  return {.issuer = std::move(wanted.issuer),
          .claims = std::move(wanted.claims),
          .github = std::move(wanted.github),
          .gitlab = std::move(wanted.gitlab),
          .ref = std::move(wanted.ref),
          .environment = std::move(wanted.environment),
          .unprotected = wanted.unprotected,
          .own_issuer = wanted.own_issuer};
}

Task<http::Response> AddTrust(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::TrustRequest wanted, wire::Decode<wire::TrustRequest>(body));
  std::string ns(call.path("namespace"));
  service::NewTrust trust = ReadWire(std::move(wanted));
  ASSIGN_OR_CO_RETURN(TrustRecord record, co_await call.services.identity.trust.Add(
                                              call.principal, std::move(ns), std::move(trust)));
  call.services.log.Info("CI trusted", {{"request_id", call.request().request_id},
                                        {"by", call.principal.name},
                                        {"namespace", record.ns},
                                        {"issuer", record.issuer},
                                        {"id", record.id}});
  co_return JsonReply(201, wire::Encode(WireOf(record)));
}

Task<http::Response> ListTrust(Call& call) {
  std::string ns(call.path("namespace"));
  ASSIGN_OR_CO_RETURN(std::vector<TrustRecord> records,
                      co_await call.services.identity.trust.List(call.principal, std::move(ns)));
  std::vector<wire::Trust> list;
  list.reserve(records.size());
  for (const TrustRecord& record : records) list.push_back(WireOf(record));
  co_return JsonReply(200, wire::Encode(wire::TrustList{std::move(list)}));
}

Task<http::Response> RemoveTrust(Call& call) {
  std::string ns(call.path("namespace"));
  std::string id(call.path("id"));
  CO_RETURN_IF_ERROR(co_await call.services.identity.trust.Remove(call.principal, ns, id));
  call.services.log.Info("CI trust removed", {{"request_id", call.request().request_id},
                                              {"by", call.principal.name},
                                              {"namespace", ns},
                                              {"id", id}});
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

Task<http::Response> ListJobTokens(Call& call) {
  std::string ns(call.path("namespace"));
  ASSIGN_OR_CO_RETURN(
      std::vector<TokenRecord> records,
      co_await call.services.identity.trust.ListTokens(call.principal, std::move(ns)));
  std::vector<wire::Token> tokens;
  tokens.reserve(records.size());
  for (const TokenRecord& record : records) tokens.push_back(ToWire(record));
  co_return JsonReply(200, wire::Encode(wire::TokenList{std::move(tokens)}));
}

Task<http::Response> EndJobToken(Call& call) {
  std::string ns(call.path("namespace"));
  std::string name(call.path("name"));
  CO_RETURN_IF_ERROR(co_await call.services.identity.trust.EndToken(call.principal, ns, name));
  call.services.log.Info("token revoked", {{"request_id", call.request().request_id},
                                           {"by", call.principal.name},
                                           {"namespace", ns},
                                           {"name", name}});
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

}  // namespace

// Trusted publishing.
std::span<const Route> TrustRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kAddTrust, Access::kOwner, BodyLimit::kSmall, AddTrust,
                 "Trust CI jobs to publish in a namespace"),
      Route::For(wire::kListTrust, Access::kOwner, ResourceScope::kNone, ListTrust,
                 "List the CI jobs that a namespace trusts"),
      Route::For(wire::kRemoveTrust, Access::kOwner, BodyLimit::kNone, RemoveTrust,
                 "Remove trust in a CI"),
      Route::For(wire::kListJobTokens, Access::kOwner, ResourceScope::kNone, ListJobTokens,
                 "List the tokens of trusted CI jobs"),
      Route::For(wire::kEndJobToken, Access::kOwner, BodyLimit::kNone, EndJobToken,
                 "Revoke a CI job's token"),
  };
  return kRoutes;
}

}  // namespace koya::api
