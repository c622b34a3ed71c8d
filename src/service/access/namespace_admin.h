// Manages a namespace for its owners: its visibility, and the roles in it.
//
// Every method needs the admin scope, and rights to the namespace. Names match in any letter case.
// Besides the errors that they name, methods fail: kForbidden; kInvalid for an invalid name of a
// namespace or grantee (domain/name_rules.h); as the catalog.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/namespace_record.h"
#include "service/common/new_namespace.h"

namespace koya {
class Catalog;
}
namespace koya::auth {
struct Principal;
}

namespace koya::service {

// A user, group or service account in a namespace.
struct Grantee {
  std::string ns;
  GranteeKind kind = GranteeKind::kUser;
  std::string name;
};

class NamespaceAdmin {
 public:
  // All arguments must outlive this.
  NamespaceAdmin(Catalog& catalog, const Clock& clock, DefaultVisibility of_new)
      : catalog_(catalog), clock_(clock), of_new_(of_new) {}

  struct Outcome {
    NamespaceRecord record;
    bool created = false;  // false: it existed
  };
  // Changes to a namespace. A field without a value leaves the namespace as it is; a new namespace
  // gets the value from the settings. `words`: as returned by their parsers.
  struct Wish {
    std::optional<Visibility> visibility = {};
    std::optional<std::optional<SemverRule>> semver =
        {};  // inner nullopt: as the settings say, from now on
    NamespaceWordsChange words = {};
    std::optional<PublishRule> publish = {};
  };
  // Changes the namespace, or creates it if it does not exist. Fails: kInvalid (the name is not
  // allowed for a new namespace).
  Task<Outcome> Set(auth::Principal by, std::string ns, Wish wish);
  // Also for publishers of the namespace. Fails: kNotFound, with a message that describes a new
  // one.
  Task<NamespaceRecord> Show(auth::Principal by, std::string ns);
  // Namespaces to which `by` has rights, by key.
  Task<std::vector<NamespaceRecord>> List(auth::Principal by);
  // The first `most` of these; a caller with rights to few namespaces costs no look at the others.
  Task<std::vector<NamespaceRecord>> ListFirst(auth::Principal by, std::size_t most);

  // Replaces another role that the grantee had in the namespace. Returns both names as stored.
  // Fails: kNotFound (the namespace, the grantee).
  Task<GrantRecord> PutGrant(auth::Principal by, Grantee grantee, Role role);
  // Fails: kNotFound.
  Task<void> RemoveGrant(auth::Principal by, Grantee grantee);
  // Sorted by kind (users, groups, services) and name. Fails: kNotFound: there is no such
  // namespace.
  Task<std::vector<GrantRecord>> ListGrants(auth::Principal by, std::string ns);

 private:
  Catalog& catalog_;
  const Clock& clock_;
  const DefaultVisibility of_new_;
};

}  // namespace koya::service
