#include "service/sign_in/trust.h"

#include <utility>

#include "api/handlers.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "domain/identity_record.h"
#include "wire/trust.h"

namespace koya::api {
namespace {

wire::Trust ToWire(const TrustRecord& record) {
  return {.id = record.id,
          .ns = record.ns,
          .issuer = record.issuer,
          .claims = record.rules,
          .created = FormatRfc3339(record.created_at),
          .created_by = record.created_by};
}

service::NewTrust FromWire(wire::TrustRequest wanted) {
  return {.issuer = std::move(wanted.issuer),
          .claims = std::move(wanted.claims),
          .github = std::move(wanted.github),
          .gitlab = std::move(wanted.gitlab),
          .ref = std::move(wanted.ref),
          .environment = std::move(wanted.environment)};
}

}  // namespace

Task<http::Response> AddTrust(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::TrustRequest wanted, wire::DecodeTrustRequest(body));
  std::string ns(call.path("namespace"));
  service::NewTrust trust = FromWire(std::move(wanted));
  ASSIGN_OR_CO_RETURN(TrustRecord record, co_await call.services.identity.trust.Add(
                                              call.principal, std::move(ns), std::move(trust)));
  call.services.log.Info("CI trusted", {{"request_id", call.request().request_id},
                                        {"by", call.principal.name},
                                        {"namespace", record.ns},
                                        {"issuer", record.issuer},
                                        {"id", record.id}});
  co_return JsonReply(201, wire::EncodeTrust(ToWire(record)));
}

Task<http::Response> ListTrust(Call& call) {
  std::string ns(call.path("namespace"));
  ASSIGN_OR_CO_RETURN(std::vector<TrustRecord> records,
                      co_await call.services.identity.trust.List(call.principal, std::move(ns)));
  std::vector<wire::Trust> list;
  list.reserve(records.size());
  for (const TrustRecord& record : records) list.push_back(ToWire(record));
  co_return JsonReply(200, wire::EncodeTrustList(list));
}

Task<http::Response> RemoveTrust(Call& call) {
  std::string ns(call.path("namespace"));
  std::string id(call.path("id"));
  CO_RETURN_IF_ERROR(co_await call.services.identity.trust.Remove(call.principal, ns, id));
  call.services.log.Info("CI trusted no more", {{"request_id", call.request().request_id},
                                                {"by", call.principal.name},
                                                {"namespace", ns},
                                                {"id", id}});
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

}  // namespace koya::api
