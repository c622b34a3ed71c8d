#include "service/access/access_explanation.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "auth/principal.h"
#include "base/text.h"
#include "catalog/access_catalog.h"
#include "domain/name_rules.h"
#include "service/access/accounts.h"

namespace koya::service {
namespace {

using Reason = AccessExplanation::Reason;

Role RoleFor(Permission deed) {
  switch (deed) {
    case Permission::kRead:
      return Role::kReader;
    case Permission::kPublish:
      return Role::kPublisher;
    case Permission::kOwn:
    case Permission::kEverything:
      break;
  }
  return Role::kOwner;
}

// The decision itself, by the checks that a request of this caller would meet.
bool MayDo(const auth::Principal& who, Permission deed, std::string_view ns,
           Visibility visibility) {
  if (who.account && !CheckEnabled(who.account->account)) return false;
  switch (deed) {
    case Permission::kRead:
      return who.MayRead(ns, visibility);
    case Permission::kPublish:
    case Permission::kOwn:
      return !who.is_anonymous() && who.Require(Scope::kAdmin).has_value() &&
             who.RequireNamespace(ns, RoleFor(deed)).has_value();
    case Permission::kEverything:
      return !who.is_anonymous() && who.RequireAllNamespaces().has_value();
  }
  return false;
}

// The reason for a decision that no grant made.
std::optional<Reason> ReasonWithoutGrants(const auth::Principal& who, Permission deed,
                                          Visibility visibility) {
  if (who.account && who.account->account.disabled_at) return Reason::kDisabled;
  if (deed == Permission::kRead && visibility == Visibility::kPublic) return Reason::kPublic;
  if (who.is_anonymous()) return Reason::kStranger;
  if (who.account && who.account->account.admin) return Reason::kAdministrator;
  if (deed == Permission::kEverything) return Reason::kNotEverything;
  if (deed == Permission::kRead && visibility == Visibility::kInternal) return Reason::kInternal;
  return std::nullopt;
}

bool IsTo(const GrantRecord& grant, const AccessQuestion::Who& who,
          const std::vector<std::string>& groups) {
  if (grant.kind == GranteeKind::kGroup) {
    return std::ranges::any_of(groups, [&grant](const std::string& group) {
      return EqualsIgnoreCase(group, grant.grantee);
    });
  }
  const bool of_user = grant.kind == GranteeKind::kUser;
  return of_user == (who.kind == AccountKind::kUser) && EqualsIgnoreCase(grant.grantee, who.name);
}

// Of an answer with all grants that there are.
void KeepWhatCounts(Role needed, AccessExplanation& told) {
  if (told.may) {
    std::erase_if(told.grants,
                  [needed](const GrantRecord& grant) { return !Includes(grant.role, needed); });
    told.reason = Reason::kGrant;
  } else {
    told.reason = told.grants.empty() ? Reason::kNothing : Reason::kTooLittle;
  }
}

Status CheckQuestion(const auth::Principal& by, const AccessQuestion& question) {
  RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  RETURN_IF_ERROR(by.RequireAllNamespaces());
  if (!question.who) return {};
  return CheckAccountName(question.who->kind, question.who->name);
}

}  // namespace

Task<auth::Principal> AccessExplainer::PrincipalOf(std::optional<AccessQuestion::Who> who) {
  if (!who) co_return auth::Principal();
  ASSIGN_OR_CO_RETURN(AccountRecord account, co_await accounts_.FindAccount(who->kind, who->name));
  ASSIGN_OR_CO_RETURN(std::shared_ptr<const AccountRights> rights,
                      co_await FindAccountRights(accounts_, account.id));
  co_return auth::Principal{.name = rights->account.name,
                            .scope = Scope::kAdmin,
                            .namespaces = {},
                            .account = std::move(rights)};
}

Task<std::vector<GrantRecord>> AccessExplainer::GrantsTo(AccessQuestion::Who who, std::string ns) {
  ASSIGN_OR_CO_RETURN(std::vector<std::string> groups,
                      co_await accounts_.ListGroupsOf(who.kind, who.name));
  ASSIGN_OR_CO_RETURN(std::vector<GrantRecord> grants, co_await namespaces_.ListGrants(ns));
  std::erase_if(grants, [&](const GrantRecord& grant) { return !IsTo(grant, who, groups); });
  std::ranges::sort(grants, {}, [](const GrantRecord& grant) {
    return std::tuple(-static_cast<int>(grant.role), grant.kind, std::string_view(grant.grantee));
  });
  co_return grants;
}

Task<AccessExplanation> AccessExplainer::Explain(auth::Principal by, AccessQuestion question) {
  CO_RETURN_IF_ERROR(CheckQuestion(by, question));
  AccessExplanation told{.has_namespace = question.deed == Permission::kEverything};
  if (question.deed != Permission::kEverything) {
    ASSIGN_OR_CO_RETURN(told.ns, ParseNamespaceName(question.ns));
    Result<NamespaceRecord> found = co_await namespaces_.FindNamespace(told.ns);
    if (!found && found.error().kind != ErrorKind::kNotFound) {
      co_return Failure(std::move(found).error());
    }
    told.has_namespace = found.has_value();
    told.visibility = found ? found->visibility : of_new_.get();
    if (found) told.ns = std::move(found->name);
  }
  ASSIGN_OR_CO_RETURN(auth::Principal who, co_await PrincipalOf(question.who));
  told.name = who.name;
  told.may = MayDo(who, question.deed, told.ns, told.visibility);
  std::optional<Reason> reason = ReasonWithoutGrants(who, question.deed, told.visibility);
  if (reason) {
    told.reason = *reason;
    co_return told;
  }
  ASSIGN_OR_CO_RETURN(told.grants, co_await GrantsTo(*std::move(question.who), told.ns));
  KeepWhatCounts(RoleFor(question.deed), told);
  co_return told;
}

}  // namespace koya::service
