#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/common/access_documents.h"
#include "api/common/call.h"
#include "api/common/page_answer.h"
#include "api/common/paging.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "domain/namespace_record.h"
#include "obs/log.h"
#include "service/access/namespace_admin.h"
#include "service/access/namespaces.h"
#include "web/access/namespace_page.h"
#include "web/common/page_paths.h"
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

bool MayDoEverything(const auth::Principal& by) {
  return by.Require(Scope::kAdmin) && by.RequireAllNamespaces();
}

// A part of the namespaces that the caller may see; for administrators with owners and contents.
Task<Page<web::ListedNamespace>> ListSeen(Call& call, PageRequest part) {
  service::Namespaces& namespaces = call.services.rights.namespaces;
  ASSIGN_OR_CO_RETURN(Page<NamespaceRecord> found, co_await namespaces.List(call.Readable(), part));
  Page<web::ListedNamespace> seen{.items = {}, .more = found.more};
  std::vector<std::string> names;
  for (NamespaceRecord& each : found.items) {
    names.push_back(each.name);
    seen.items.push_back({.record = std::move(each)});
  }
  if (!MayDoEverything(call.principal)) co_return seen;
  ASSIGN_OR_CO_RETURN(auto contents, co_await namespaces.Sum(std::move(names)));
  for (web::ListedNamespace& each : seen.items) {
    each.contents = contents[NamespaceKey(each.record.name)];
    ASSIGN_OR_CO_RETURN(std::shared_ptr<const NamespaceOwners> owners,
                        co_await namespaces.Owners(each.record.name));
    each.owners = *owners;
  }
  co_return seen;
}

wire::Namespace SeenToWire(const web::ListedNamespace& seen, const auth::Principal& by) {
  wire::Namespace ns = ToWire(seen.record);
  // The name of an account is for those whom NamespaceAdmin::Show shows it.
  const bool publishes =
      by.Require(Scope::kPublish) && by.RequireNamespace(seen.record.name, Role::kPublisher);
  if (!publishes) ns.created_by.clear();
  if (!seen.contents) return ns;
  for (const NamespaceOwner& owner : seen.owners.owners) {
    ns.owners.push_back({std::string(GranteeKindName(owner.kind)), owner.name});
  }
  ns.more_owners = seen.owners.more;
  ns.modules = seen.contents->modules;
  ns.providers = seen.contents->providers;
  ns.bytes = seen.contents->bytes;
  if (seen.contents->last_published_at) {
    ns.last_published = FormatRfc3339(*seen.contents->last_published_at);
  }
  return ns;
}

Task<http::Response> ListNamespaces(Call& call) {
  constexpr std::uint64_t kAtOnce = 1000;
  wire::NamespaceList list;
  for (bool more = true; more;) {
    const PageRequest part{.offset = list.items.size(), .limit = kAtOnce};
    ASSIGN_OR_CO_RETURN(Page<web::ListedNamespace> seen, co_await ListSeen(call, part));
    more = seen.more;
    for (const auto& each : seen.items) list.items.push_back(SeenToWire(each, call.principal));
  }
  co_return PageReply(call, wire::Encode(list));
}

Task<http::Response> ShowNamespaces(Call& call) {
  constexpr std::uint64_t kSize = web::NamespacesPage::kMostNamespaces;
  PageAnswer page(call);
  ASSIGN_OR_CO_RETURN(const std::uint64_t offset, ReadPartOffset(call, kSize));
  const PageRequest part{.offset = offset, .limit = kSize};
  ASSIGN_OR_CO_RETURN(Page<web::ListedNamespace> seen, co_await ListSeen(call, part));
  web::NamespacesPage shown{.is_anonymous = call.principal.is_anonymous(),
                            .for_administrators = MayDoEverything(call.principal)};
  shown.part = {.offset = offset, .shown = seen.items.size(), .size = kSize, .more = seen.more};
  shown.namespaces = std::move(seen.items);
  page.frame.canonical = web::kNamespacesAddress;
  co_return co_await page.SendBriefly(web::RenderNamespaces(page.frame, shown));
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

// Namespaces, as documents and as a list for people, and the roles in them.
std::span<const Route> NamespaceRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kListNamespaces, Access::kRead, ResourceScope::kListing, ListNamespaces,
                 "List the namespaces that you can see"),
      Route::Get("/namespaces", Access::kBrowse, ResourceScope::kListing, ShowNamespaces,
                 "Show the namespaces that you can see", KeptPage),
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
