#include <utility>

#include "api/common/access_documents.h"
#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "domain/namespace_record.h"
#include "domain/namespace_words.h"
#include "obs/log.h"
#include "service/access/namespace_admin.h"
#include "wire/namespaces.h"

namespace koya::api {
namespace {

service::Grantee GranteeFromPath(const Call& call, GranteeKind kind) {
  return {.ns = std::string(call.path("namespace")),
          .kind = kind,
          .name = std::string(call.path("name"))};
}

Result<service::NamespaceAdmin::Wish> WishFromWire(const wire::NamespaceRequest& request) {
  service::NamespaceAdmin::Wish wish;
  if (!request.visibility.empty()) {
    ASSIGN_OR_RETURN(wish.visibility, VisibilityFromWire(request.visibility));
  }
  if (!request.semver.empty()) {
    ASSIGN_OR_RETURN(wish.semver, SemverFromWire(request.semver));
  }
  if (!request.publish.empty()) {
    ASSIGN_OR_RETURN(wish.publish, PublishRuleFromWire(request.publish));
  }
  if (request.title) {
    ASSIGN_OR_RETURN(wish.words.title, ParseNamespaceTitle(*request.title));
  }
  if (request.description) {
    ASSIGN_OR_RETURN(wish.words.description, ParseNamespaceDescription(*request.description));
  }
  return wish;
}

Task<http::Response> ListNamespaces(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<NamespaceRecord> records,
                      co_await call.services.rights.namespace_admin.List(call.principal));
  std::vector<wire::Namespace> namespaces;
  namespaces.reserve(records.size());
  for (const NamespaceRecord& record : records) namespaces.push_back(ToWire(record));
  co_return JsonReply(200, wire::Encode(wire::NamespaceList{std::move(namespaces)}));
}

Task<http::Response> ShowNamespace(Call& call) {
  std::string ns(call.path("namespace"));
  ASSIGN_OR_CO_RETURN(NamespaceRecord record,
                      co_await call.services.rights.namespace_admin.Show(call.principal, ns));
  co_return JsonReply(200, wire::Encode(ToWire(record)));
}

Task<http::Response> SetNamespace(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::NamespaceRequest request, wire::DecodeNamespaceRequest(body));
  ASSIGN_OR_CO_RETURN(service::NamespaceAdmin::Wish wish, WishFromWire(request));
  std::string ns(call.path("namespace"));
  ASSIGN_OR_CO_RETURN(service::NamespaceAdmin::Outcome outcome,
                      co_await call.services.rights.namespace_admin.Set(call.principal, ns, wish));
  const NamespaceRecord& record = outcome.record;
  call.services.log.Info(outcome.created ? "namespace created" : "namespace set",
                         {{"request_id", call.request().request_id},
                          {"by", call.principal.name},
                          {"namespace", record.name},
                          {"visibility", VisibilityName(record.visibility)},
                          {"title", record.words.title},
                          {"publish", PublishRuleName(record.publish)},
                          {"semver", record.semver ? SemverRuleName(*record.semver) : "default"}});
  co_return JsonReply(outcome.created ? 201 : 200, wire::Encode(ToWire(outcome.record)));
}

Task<http::Response> ListGrants(Call& call) {
  std::string ns(call.path("namespace"));
  ASSIGN_OR_CO_RETURN(std::vector<GrantRecord> records,
                      co_await call.services.rights.namespace_admin.ListGrants(call.principal, ns));
  std::vector<wire::Grant> grants;
  grants.reserve(records.size());
  for (const GrantRecord& record : records) grants.push_back(ToWire(record));
  co_return JsonReply(200, wire::Encode(wire::GrantList{std::move(grants)}));
}

template <GranteeKind kKind>
Task<http::Response> PutGrant(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(auto [text], wire::Decode<wire::RoleRequest>(body));
  ASSIGN_OR_CO_RETURN(Role role, RoleFromWire(text));
  service::Grantee grantee = GranteeFromPath(call, kKind);
  ASSIGN_OR_CO_RETURN(GrantRecord grant, co_await call.services.rights.namespace_admin.PutGrant(
                                             call.principal, std::move(grantee), role));
  call.services.log.Info("role granted", {{"request_id", call.request().request_id},
                                          {"by", call.principal.name},
                                          {"namespace", grant.ns},
                                          {"kind", GranteeKindName(kKind)},
                                          {"name", grant.grantee},
                                          {"role", RoleName(role)}});
  co_return JsonReply(200, wire::Encode(ToWire(grant)));
}

template <GranteeKind kKind>
Task<http::Response> RemoveGrant(Call& call) {
  service::Grantee grantee = GranteeFromPath(call, kKind);
  CO_RETURN_IF_ERROR(
      co_await call.services.rights.namespace_admin.RemoveGrant(call.principal, grantee));
  call.services.log.Info("role removed", {{"request_id", call.request().request_id},
                                          {"by", call.principal.name},
                                          {"namespace", grantee.ns},
                                          {"kind", GranteeKindName(kKind)},
                                          {"name", grantee.name}});
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

}  // namespace

// Namespaces and the roles in them.
std::span<const Route> NamespaceRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kListNamespaces, Access::kGrant, ResourceScope::kNone, ListNamespaces,
                 "List the namespaces that you administer"),
      Route::For(wire::kShowNamespace, Access::kPublish, ResourceScope::kNone, ShowNamespace,
                 "Get a namespace"),
      Route::For(wire::kSetNamespace, Access::kNamespaceAdmin, BodyLimit::kSmall, SetNamespace,
                 "Change a namespace's visibility and settings"),
      Route::For(wire::kListGrants, Access::kNamespaceAdmin, ResourceScope::kNone, ListGrants,
                 "List the roles in a namespace"),
      Route::For(wire::kGrantToUser, Access::kNamespaceAdmin, BodyLimit::kSmall,
                 PutGrant<GranteeKind::kUser>, "Grant a user a role"),
      Route::For(wire::kRemoveGrantOfUser, Access::kNamespaceAdmin, BodyLimit::kNone,
                 RemoveGrant<GranteeKind::kUser>, "Revoke a user's role"),
      Route::For(wire::kGrantToGroup, Access::kNamespaceAdmin, BodyLimit::kSmall,
                 PutGrant<GranteeKind::kGroup>, "Grant a group a role"),
      Route::For(wire::kRemoveGrantOfGroup, Access::kNamespaceAdmin, BodyLimit::kNone,
                 RemoveGrant<GranteeKind::kGroup>, "Revoke a group's role"),
      Route::For(wire::kGrantToService, Access::kNamespaceAdmin, BodyLimit::kSmall,
                 PutGrant<GranteeKind::kService>, "Grant a service account a role"),
      Route::For(wire::kRemoveGrantOfService, Access::kNamespaceAdmin, BodyLimit::kNone,
                 RemoveGrant<GranteeKind::kService>, "Revoke a service account's role"),
  };
  return kRoutes;
}

}  // namespace koya::api
