// Why somebody may do something in a namespace, or not: what decides when they ask is asked here,
// and what it went by is told with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/account_record.h"
#include "service/default_visibility.h"

namespace koya {
class AccountCatalog;
class NamespaceCatalog;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

// What somebody may want to do.
enum class Deed {
  kRead,
  kPublish,
  kOwn,         // withdraw, manage keys, visibility and grants
  kEverything,  // what belongs to no namespace: administration, the mirror
};

struct AccessQuestion {
  // nullopt: a stranger, who has no account.
  struct Who {
    AccountKind kind = AccountKind::kUser;
    std::string name;
  };
  std::optional<Who> who;
  Deed deed = Deed::kRead;
  std::string ns;  // of kEverything: none
};

struct AccessExplanation {
  enum class Reason {
    kDisabled,       // the account counts for nothing
    kAdministrator,  // may do everything everywhere
    kPublic,         // everybody may read it
    kInternal,       // whoever is somebody may read it
    kGrant,          // by `grants`
    kTooLittle,      // there are `grants`, and none of them is enough
    kNothing,        // nothing grants it
    kStranger,       // it needs an account
    kNotEverything,  // it belongs to no namespace, and only administrators may
  };

  bool may = false;
  Reason reason = Reason::kNothing;
  std::string name;  // as the account is called here; "": a stranger
  // By which the account has a role in the namespace: its own, and those of its groups; the
  // highest role first. Of kGrant those alone that are enough.
  std::vector<GrantRecord> grants;
  std::string ns;              // as it is called here
  bool has_namespace = false;  // there is such a namespace (or, of kEverything, none is asked for)
  Visibility visibility = Visibility::kPrivate;
};

class AccessExplainer {
 public:
  // Everything given must outlive this.
  AccessExplainer(NamespaceCatalog& namespaces, AccountCatalog& accounts, DefaultVisibility of_new)
      : namespaces_(namespaces), accounts_(accounts), of_new_(of_new) {}

  // For administrators. Of an account as it acts with a session, or with a token that says no less.
  // Strangers are taken for such as may read at all (access.anonymous).
  // Fails: kForbidden; kInvalid (no account or namespace is called so); kNotFound: the account.
  Task<AccessExplanation> Explain(auth::Principal by, AccessQuestion question);

 private:
  Task<auth::Principal> PrincipalOf(std::optional<AccessQuestion::Who> who);
  // All that there are, to the account itself and to its groups; the highest role first.
  Task<std::vector<GrantRecord>> GrantsTo(AccessQuestion::Who who, std::string ns);

  NamespaceCatalog& namespaces_;
  AccountCatalog& accounts_;
  const DefaultVisibility of_new_;
};

}  // namespace koya::service
