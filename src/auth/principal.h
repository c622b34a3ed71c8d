// Who is calling, and what they may do.
//
// Rights are never widened: nobody gives, sees or takes away more than they hold, and what belongs
// to no namespace (the mirror, and whatever else concerns everybody) needs rights to all of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "domain/scope.h"

namespace koya::auth {

struct Principal {
  std::string name;
  Scope scope = Scope::kRead;
  std::vector<std::string> namespaces;                   // patterns as of base/glob.h; empty = all
  std::optional<UnixSeconds> expires_at = std::nullopt;  // nullopt: never

  // This server itself, and whoever works on its data folder: there is nothing they may not do.
  static Principal Operator() { return {"koya", Scope::kAdmin, {}}; }

  // Fails: kForbidden, naming the scope that is missing.
  Status Require(Scope needed) const;
  // Whether the patterns cover `ns`. Fails: kForbidden, naming the namespace.
  Status RequireNamespace(std::string_view ns) const;
  // For what belongs to no namespace. Fails: kForbidden: there are patterns.
  Status RequireAllNamespaces() const;
  // For giving these rights to somebody, seeing that somebody has them, or taking them away: all of
  // them must be held. Fails: kForbidden, naming what is beyond.
  Status RequireToHold(Scope needed, const std::vector<std::string>& patterns) const;
  // When what these rights are given to ends: as `wanted`, and with these rights when nothing is
  // said. Fails: kForbidden when that would outlast them.
  Result<std::optional<UnixSeconds>> ExpiryOfGiven(std::optional<UnixSeconds> wanted) const;

 private:
  // `ns` may be a pattern.
  bool Covers(std::string_view ns) const;
};

// A pattern as it may be stored in a token. Fails: kInvalid.
Status CheckNamespacePattern(std::string_view pattern);

// A token's name: 1–64 of letters, digits, ".", "_", "-". Fails: kInvalid.
Status CheckTokenName(std::string_view name);

}  // namespace koya::auth
