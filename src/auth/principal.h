// The caller and its permissions.
//
// Permissions are never widened: a caller cannot give, see or take away more than it holds, and
// objects without a namespace (the mirror, and everything else that concerns all users) need
// permissions for all namespaces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "domain/access.h"
#include "domain/actor.h"

namespace koya {
struct AccountRights;
class Digest;
struct ReadableNamespaces;
}  // namespace koya

namespace koya::auth {

// Identifies the caller of a URL: the token or session for which it was created.
struct CapabilityBearer {
  enum class Kind : std::uint8_t { kToken = 1, kSession = 2 };  // part of URLs: never renumber
  using Id = std::array<std::byte, 16>;

  Kind kind = Kind::kToken;
  Id id{};

  // Made from the stored `digest` (TokenRecord::secret): its first half, which is unique and
  // reveals nothing about the secret's text.
  static CapabilityBearer Of(Kind kind, const Digest& digest);

  friend bool operator==(const CapabilityBearer&, const CapabilityBearer&) = default;
};

// Permissions are the intersection of the token's and, when it acts for an account, the account's
// at that moment. A token without an account is a service account of its own: its scope is its
// permission, and its patterns are its grants.
struct Principal {
  std::string name;  // the token's; "": anonymous, without a credential
  Scope scope = Scope::kRead;
  std::vector<std::string> namespaces;                     // patterns of MatchesGlob; empty = all
  std::optional<UnixSeconds> expires_at = std::nullopt;    // nullopt: never
  std::shared_ptr<const AccountRights> account = nullptr;  // null: the token is its own account
  // The bearer of capability URLs in its responses. nullopt: it gets none.
  std::optional<CapabilityBearer> bearer = std::nullopt;
  // Stored with the versions it publishes: TokenRecord::provenance.
  std::string provenance = {};

  // Its name in the audit log, and the origin of this request.
  Actor actor{};

  // This server itself, and operators with access to its data folder: without restrictions.
  static Principal Operator() {
    return {.name = "koya", .scope = Scope::kAdmin, .namespaces = {}, .actor = Actor::Server()};
  }

  bool is_anonymous() const { return name.empty(); }
  // The account's id; "": the token is its own account.
  std::string_view account_id() const;

  // Fails: kForbidden, naming the missing scope.
  Status Require(Scope needed) const;
  // For changes in a namespace, in addition to the scope; the same whether the namespace exists or
  // not. Fails: kForbidden, naming the namespace.
  Status RequireNamespace(std::string_view ns, Role needed = Role::kOwner) const;
  // For operations of a namespace's owners: keys, trust, withdrawals. An account with the role of
  // an owner there needs only the publish scope, which signing in gives; others need the admin
  // scope, for the namespace. Fails: kForbidden.
  Status RequireOwnership(std::string_view ns) const;
  // For objects without a namespace. Fails: kForbidden: the token has patterns, or the account is
  // not an administrator.
  Status RequireAllNamespaces() const;
  // Whether the caller may see the contents of a namespace of this visibility.
  bool MayRead(std::string_view ns, Visibility visibility) const;
  // The same for listings; `unrecorded` is access.default_visibility.
  ReadableNamespaces Readable(Visibility unrecorded) const;
  // For giving these permissions, seeing that others have them, or taking them away: the caller
  // must hold all of them. Fails: kForbidden, naming the missing ones.
  Status RequireToHold(Scope needed, const std::vector<std::string>& patterns) const;
  // The expiry of something that these permissions are given to: `wanted`, or by default the expiry
  // of these permissions. Fails: kForbidden when it would outlast them.
  Result<std::optional<UnixSeconds>> ExpiryOfGiven(std::optional<UnixSeconds> wanted) const;

 private:
  // `ns` may be a pattern.
  bool Covers(std::string_view ns) const;
  // The role in a namespace: the lesser of the token's and the account's. nullopt: nothing beyond
  // the permissions of all callers.
  std::optional<Role> RoleIn(std::string_view ns) const;
};

// A pattern that may be stored in a token. Fails: kInvalid.
Status CheckNamespacePattern(std::string_view pattern);

// A token's name: 1–64 of letters, digits, ".", "_", "-". Fails: kInvalid.
Status CheckTokenName(std::string_view name);

}  // namespace koya::auth
