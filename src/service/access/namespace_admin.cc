#include "service/access/namespace_admin.h"

#include <algorithm>
#include <utility>

#include "auth/principal.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "domain/name_rules.h"
#include "domain/page.h"
#include "service/common/new_namespace.h"

namespace koya::service {
namespace {

// The namespace's name as it may be kept, when `by` may manage it. Fails: kInvalid, kForbidden.
Result<std::string> ManagedNamespace(const auth::Principal& by, std::string_view ns) {
  ASSIGN_OR_RETURN(std::string name, ParseNamespaceName(ns));
  RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  RETURN_IF_ERROR(by.RequireNamespace(name));
  return name;
}

}  // namespace

Task<NamespaceAdmin::Outcome> NamespaceAdmin::Set(auth::Principal by, std::string ns, Wish wish) {
  ASSIGN_OR_CO_RETURN(std::string name, ManagedNamespace(by, ns));
  Result<NamespaceRecord> found = co_await catalog_.FindNamespace(name);
  if (!found && found.error().kind != ErrorKind::kNotFound) {
    co_return std::unexpected(std::move(found).error());
  }
  if (!found) {
    CO_RETURN_IF_ERROR(co_await CheckNamespace(catalog_, name));
    NamespaceRecord record{.name = name,
                           .visibility = wish.visibility.value_or(of_new_.get()),
                           .created_at = clock_.Now(),
                           .created_by = by.name,
                           .semver = wish.semver.value_or(std::nullopt),
                           .words = wish.words.AppliedTo({}),
                           .publish = wish.publish.value_or(PublishRule::kAny)};
    ASSIGN_OR_CO_RETURN(bool created, co_await catalog_.AddNamespace(by.actor, record));
    if (created) co_return Outcome{.record = std::move(record), .created = true};
  }
  // Another caller may have created it just now.
  if (wish.visibility) {
    CO_RETURN_IF_ERROR(co_await catalog_.SetVisibility(by.actor, name, *wish.visibility));
  }
  if (wish.semver) {
    CO_RETURN_IF_ERROR(co_await catalog_.SetSemver(by.actor, name, *wish.semver));
  }
  if (wish.publish) {
    CO_RETURN_IF_ERROR(co_await catalog_.SetPublishRule(by.actor, name, *wish.publish));
  }
  if (!wish.words.empty()) {
    CO_RETURN_IF_ERROR(
        co_await catalog_.SetNamespaceWords(std::move(by.actor), name, std::move(wish.words)));
  }
  ASSIGN_OR_CO_RETURN(NamespaceRecord record, co_await catalog_.FindNamespace(std::move(name)));
  co_return Outcome{.record = std::move(record), .created = false};
}

Task<NamespaceRecord> NamespaceAdmin::Show(auth::Principal by, std::string ns) {
  ASSIGN_OR_CO_RETURN(std::string name, ParseNamespaceName(ns));
  CO_RETURN_IF_ERROR(by.Require(Scope::kPublish));
  CO_RETURN_IF_ERROR(by.RequireNamespace(name, Role::kPublisher));
  Result<NamespaceRecord> found = co_await catalog_.FindNamespace(name);
  if (found || found.error().kind != ErrorKind::kNotFound) co_return found;
  co_return FailNotFound(
      "there is no namespace \"{}\": the first publish creates it, and then it is {}: {}", name,
      VisibilityName(of_new_.get()), WhoReads(of_new_.get()));
}

Task<std::vector<NamespaceRecord>> NamespaceAdmin::List(auth::Principal by) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  constexpr std::uint64_t kNamespacesAtOnce = 1000;
  std::vector<NamespaceRecord> managed;
  std::string after;
  for (bool more = true; more;) {
    ASSIGN_OR_CO_RETURN(
        Page<NamespaceRecord> page,
        co_await catalog_.ListNamespaces(ReadableNamespaces(), after, kNamespacesAtOnce));
    more = page.more && !page.items.empty();
    if (more) after = page.items.back().name;
    for (NamespaceRecord& record : page.items) {
      if (by.RequireNamespace(record.name)) managed.push_back(std::move(record));
    }
  }
  co_return managed;
}

Task<std::vector<NamespaceRecord>> NamespaceAdmin::ListFirst(auth::Principal by, std::size_t most) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  std::vector<NamespaceRecord> managed;
  const bool everywhere = by.namespaces.empty() && (!by.account || by.account->account.admin);
  if (everywhere) {
    ASSIGN_OR_CO_RETURN(Page<NamespaceRecord> page,
                        co_await catalog_.ListNamespaces(ReadableNamespaces(), "", most));
    co_return std::move(page.items);
  }
  if (!by.account || by.account->account.admin) {
    ASSIGN_OR_CO_RETURN(managed, co_await List(std::move(by)));
    managed.erase(managed.begin() + static_cast<std::ptrdiff_t>(std::min(most, managed.size())),
                  managed.end());
    co_return managed;
  }
  // Roles are by key, as lists are.
  for (const GrantedRole& held : by.account->roles) {
    if (managed.size() == most) break;
    if (!by.RequireNamespace(held.ns)) continue;
    Result<NamespaceRecord> record = co_await catalog_.FindNamespace(held.ns);
    if (!record && record.error().kind == ErrorKind::kNotFound) continue;
    if (!record) co_return Failure(std::move(record).error());
    managed.push_back(*std::move(record));
  }
  co_return managed;
}

Task<GrantRecord> NamespaceAdmin::PutGrant(auth::Principal by, Grantee grantee, Role role) {
  ASSIGN_OR_CO_RETURN(std::string name, ManagedNamespace(by, grantee.ns));
  CO_RETURN_IF_ERROR(CheckGranteeName(grantee.kind, grantee.name));
  ASSIGN_OR_CO_RETURN(NamespaceRecord ns, co_await catalog_.FindNamespace(std::move(name)));
  GrantRecord grant{.ns = std::move(ns.name),
                    .kind = grantee.kind,
                    .grantee = std::move(grantee.name),
                    .role = role,
                    .granted_at = clock_.Now(),
                    .granted_by = std::move(by.name)};
  CO_RETURN_IF_ERROR(co_await catalog_.PutGrant(std::move(by.actor), grant));
  ASSIGN_OR_CO_RETURN(std::vector<GrantRecord> grants, co_await catalog_.ListGrants(grant.ns));
  auto kept = std::ranges::find_if(grants, [&grant](const GrantRecord& each) {
    return each.kind == grant.kind && EqualsIgnoreCase(each.grantee, grant.grantee);
  });
  if (kept != grants.end()) grant = std::move(*kept);
  co_return grant;
}

Task<void> NamespaceAdmin::RemoveGrant(auth::Principal by, Grantee grantee) {
  ASSIGN_OR_CO_RETURN(std::string ns, ManagedNamespace(by, grantee.ns));
  CO_RETURN_IF_ERROR(CheckGranteeName(grantee.kind, grantee.name));
  co_return co_await catalog_.RemoveGrant(std::move(by.actor), std::move(ns), grantee.kind,
                                          std::move(grantee.name));
}

Task<std::vector<GrantRecord>> NamespaceAdmin::ListGrants(auth::Principal by, std::string ns) {
  ASSIGN_OR_CO_RETURN(std::string name, ManagedNamespace(by, ns));
  ASSIGN_OR_CO_RETURN(NamespaceRecord record, co_await catalog_.FindNamespace(std::move(name)));
  co_return co_await catalog_.ListGrants(std::move(record.name));
}

}  // namespace koya::service
