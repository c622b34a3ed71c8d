// Who is calling, and what they may do.
//
// Rights are never widened: nobody gives, sees or takes away more than they hold, and what belongs
// to no namespace (the mirror, and whatever else concerns everybody) needs rights to all of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/capability_bearer.h"
#include "base/clock.h"
#include "base/result.h"
#include "domain/actor.h"
#include "domain/role.h"
#include "domain/scope.h"
#include "domain/visibility.h"

namespace koya {
struct AccountRights;
struct ReadableNamespaces;
}  // namespace koya

namespace koya::auth {

// Rights are the intersection of what the token says and, when it acts for an account, what the
// account may do at that moment. A token without one is a service account of its own: what it says
// is what it may do, and the patterns that it names are what it was granted.
struct Principal {
  std::string name;  // the token's; "": a stranger, who presented nothing
  Scope scope = Scope::kRead;
  std::vector<std::string> namespaces;                   // patterns as of base/glob.h; empty = all
  std::optional<UnixSeconds> expires_at = std::nullopt;  // nullopt: never
  std::shared_ptr<const AccountRights> account = nullptr;  // null: one of its own
  // For whom URLs are made that it is given. nullopt: it is given none.
  std::optional<CapabilityBearer> bearer = std::nullopt;
  // What is kept with what they publish: TokenRecord::provenance.
  std::string provenance = {};

  // As the audit log names them, and where this request came from.
  Actor actor{};

  // This server itself, and whoever works on its data folder: there is nothing they may not do.
  static Principal Operator() {
    return {.name = "koya", .scope = Scope::kAdmin, .namespaces = {}, .actor = Actor::Server()};
  }

  bool is_stranger() const { return name.empty(); }
  // The account's id; "": one of its own.
  std::string_view account_id() const;

  // Fails: kForbidden, naming the scope that is missing.
  Status Require(Scope needed) const;
  // For changes in a namespace, beside the scope; the same whether there is such a namespace or
  // not. Fails: kForbidden, naming the namespace.
  Status RequireNamespace(std::string_view ns, Role needed = Role::kOwner) const;
  // For what owners do in their namespace: keys, trust, withdrawals. An account that has the role
  // of an owner there needs the publish scope only, which signing in gives; others the admin scope,
  // for the namespace. Fails: kForbidden.
  Status RequireOwnership(std::string_view ns) const;
  // For what belongs to no namespace. Fails: kForbidden: there are patterns, or the account is no
  // administrator.
  Status RequireAllNamespaces() const;
  // Whether they may know what is in a namespace of this visibility.
  bool MayRead(std::string_view ns, Visibility visibility) const;
  // The same for listings; `unrecorded` is access.default_visibility.
  ReadableNamespaces Readable(Visibility unrecorded) const;
  // For giving these rights to somebody, seeing that somebody has them, or taking them away: all of
  // them must be held. Fails: kForbidden, naming what is beyond.
  Status RequireToHold(Scope needed, const std::vector<std::string>& patterns) const;
  // When what these rights are given to ends: as `wanted`, and with these rights when nothing is
  // said. Fails: kForbidden when that would outlast them.
  Result<std::optional<UnixSeconds>> ExpiryOfGiven(std::optional<UnixSeconds> wanted) const;

 private:
  // `ns` may be a pattern.
  bool Covers(std::string_view ns) const;
  // What they may do in a namespace: the lesser of the token's and the account's. nullopt: nothing
  // but what everybody may.
  std::optional<Role> RoleIn(std::string_view ns) const;
};

// A pattern as it may be stored in a token. Fails: kInvalid.
Status CheckNamespacePattern(std::string_view pattern);

// A token's name: 1–64 of letters, digits, ".", "_", "-". Fails: kInvalid.
Status CheckTokenName(std::string_view name);

}  // namespace koya::auth
