// Namespaces as their owners manage them: who may read them, and who has which role.
//
// Every method needs the admin scope, and rights to the namespace. Names are found in any letter
// case. Methods fail, besides what they name: kForbidden; kInvalid for what no namespace or grantee
// is called (domain/namespace_name.h, account_name.h); as the catalog.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/namespace_record.h"
#include "service/default_visibility.h"

namespace koya {
class Catalog;
}
namespace koya::auth {
struct Principal;
}

namespace koya::service {

// Somebody in a namespace.
struct Grantee {
  std::string ns;
  GranteeKind kind = GranteeKind::kUser;
  std::string name;
};

class NamespaceAdmin {
 public:
  // Everything given must outlive this.
  NamespaceAdmin(Catalog& catalog, const Clock& clock, DefaultVisibility of_new)
      : catalog_(catalog), clock_(clock), of_new_(of_new) {}

  struct Outcome {
    NamespaceRecord record;
    bool created = false;  // false: it was there
  };
  // What is to become of it; what is not said stays, or is as settings say of a new one. Words are
  // as their parsers give them.
  struct Wish {
    std::optional<Visibility> visibility = {};
    std::optional<std::optional<SemverRule>> semver =
        {};  // none inside: as settings say, from now on
    NamespaceWordsChange words = {};
  };
  // Makes the namespace when there is none. Fails: kInvalid (a new one may not have the name).
  Task<Outcome> Set(auth::Principal by, std::string ns, Wish wish);
  // For those who publish there, too. Fails: kNotFound, saying what a new one is.
  Task<NamespaceRecord> Show(auth::Principal by, std::string ns);
  // Those to which `by` has rights, by key.
  Task<std::vector<NamespaceRecord>> List(auth::Principal by);
  // The first of these, as many as `most`; whoever has rights to a few costs no look at the others.
  Task<std::vector<NamespaceRecord>> ListFirst(auth::Principal by, std::size_t most);

  // In place of another role that the grantee had there. Both are named as they are kept.
  // Fails: kNotFound (the namespace, the grantee).
  Task<GrantRecord> PutGrant(auth::Principal by, Grantee grantee, Role role);
  // Fails: kNotFound.
  Task<void> RemoveGrant(auth::Principal by, Grantee grantee);
  // By kind (users, groups, services) and name. Fails: kNotFound: there is no such namespace.
  Task<std::vector<GrantRecord>> ListGrants(auth::Principal by, std::string ns);

 private:
  Catalog& catalog_;
  const Clock& clock_;
  const DefaultVisibility of_new_;
};

}  // namespace koya::service
