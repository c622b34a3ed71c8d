// Explains why an account may or may not do something in a namespace. The decision comes from the
// same checks as a real request; the explanation adds what they were based on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/account_record.h"
#include "domain/namespace_record.h"
#include "service/common/new_namespace.h"

namespace koya {
class AccountCatalog;
class NamespaceCatalog;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

// A permission to ask about.
enum class Permission {
  kRead,
  kPublish,
  kOwn,         // withdraw, manage keys, visibility and grants
  kEverything,  // outside all namespaces: administration, the mirror
};

struct AccessQuestion {
  // nullopt: an anonymous caller, without an account.
  struct Who {
    AccountKind kind = AccountKind::kUser;
    std::string name;
  };
  std::optional<Who> who;
  Permission deed = Permission::kRead;
  std::string ns;  // "" for kEverything
};

struct AccessExplanation {
  enum class Reason {
    kDisabled,       // the account is disabled and has no rights
    kAdministrator,  // may do everything everywhere
    kPublic,         // the namespace is public
    kInternal,       // the namespace is internal, and the caller is signed in
    kGrant,          // by `grants`
    kTooLittle,      // there are `grants`, but none is sufficient
    kNothing,        // nothing grants it
    kStranger,       // anonymous callers may not: an account is required
    kNotEverything,  // outside all namespaces: administrators only
  };

  bool may = false;
  Reason reason = Reason::kNothing;
  std::string name;  // the account's name as stored; "": anonymous
  // The grants that give the account a role in the namespace, its own and those of its groups, the
  // highest role first. With kGrant only those that are sufficient.
  std::vector<GrantRecord> grants;
  std::string ns;              // the namespace's name as stored
  bool has_namespace = false;  // the namespace exists (always true for kEverything)
  Visibility visibility = Visibility::kPrivate;
};

class AccessExplainer {
 public:
  // All arguments must outlive this.
  AccessExplainer(NamespaceCatalog& namespaces, AccountCatalog& accounts, DefaultVisibility of_new)
      : namespaces_(namespaces), accounts_(accounts), of_new_(of_new) {}

  // For administrators. Answers for an account that acts with a session, or with a token whose
  // scope does not restrict it. Assumes that anonymous callers may read at all (access.anonymous).
  // Fails: kForbidden; kInvalid (not a valid name of an account or namespace); kNotFound: the
  // account.
  Task<AccessExplanation> Explain(auth::Principal by, AccessQuestion question);

 private:
  Task<auth::Principal> PrincipalOf(std::optional<AccessQuestion::Who> who);
  // All grants to the account itself and to its groups, the highest role first.
  Task<std::vector<GrantRecord>> GrantsTo(AccessQuestion::Who who, std::string ns);

  NamespaceCatalog& namespaces_;
  AccountCatalog& accounts_;
  const DefaultVisibility of_new_;
};

}  // namespace koya::service
