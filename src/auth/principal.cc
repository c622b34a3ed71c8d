#include "auth/principal.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.h"
#include "domain/access.h"
#include "domain/account_record.h"
#include "domain/digest.h"
#include "domain/namespace_record.h"

namespace koya::auth {
namespace {

bool IsNameChar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '-';
}

constexpr Role RoleOf(Scope scope) {
  switch (scope) {
    case Scope::kRead:
      return Role::kReader;
    case Scope::kPublish:
      return Role::kPublisher;
    case Scope::kAdmin:
      return Role::kOwner;
  }
  return Role::kReader;
}

// What an account may do in a namespace, by its grants. nullopt: nothing.
std::optional<Role> RoleOf(const AccountRights& account, std::string_view ns) {
  if (account.account.admin) return Role::kOwner;
  const std::string key = NamespaceKey(ns);
  auto held = std::ranges::lower_bound(account.roles, key, {}, &GrantedRole::ns);
  if (held == account.roles.end() || held->ns != key) return std::nullopt;
  return held->role;
}

}  // namespace

CapabilityBearer CapabilityBearer::Of(Kind kind, const Digest& digest) {
  CapabilityBearer bearer;
  bearer.kind = kind;
  std::ranges::copy(std::span(digest.bytes()).first(bearer.id.size()), bearer.id.begin());
  return bearer;
}

std::string_view Principal::account_id() const {
  return account ? std::string_view(account->account.id) : std::string_view();
}

Status Principal::Require(Scope needed) const {
  if (Includes(scope, needed)) return {};
  return FailForbidden(
      "the token \"{}\" has the scope {}; this needs {}: use a token made with "
      "koya token create NAME --scope {}",
      name, ScopeName(scope), ScopeName(needed), ScopeName(needed));
}

bool Principal::Covers(std::string_view ns) const {
  return namespaces.empty() || std::ranges::any_of(namespaces, [ns](const auto& pattern) {
           return MatchesGlob(pattern, ns);
         });
}

std::optional<Role> Principal::RoleIn(std::string_view ns) const {
  if (is_anonymous() || !Covers(ns)) return std::nullopt;
  const Role own = RoleOf(scope);
  if (account) {
    std::optional<Role> given = RoleOf(*account, ns);
    return given ? std::optional(std::min(own, *given)) : std::nullopt;
  }
  // Permission to read everything is no specific grant, and private namespaces require one.
  if (namespaces.empty() && scope == Scope::kRead) return std::nullopt;
  return own;
}

Status Principal::RequireNamespace(std::string_view ns, Role needed) const {
  if (!Covers(ns)) {
    return FailForbidden(
        "the token \"{}\" is not for the namespace \"{}\" (it is for {}): use one "
        "made with --namespace {}",
        name, ns, fmt::join(namespaces, ", "), ns);
  }
  if (!account) return {};
  std::optional<Role> given = RoleOf(*account, ns);
  if (given && Includes(*given, needed)) return {};
  const AccountRecord& who = account->account;
  return FailForbidden(
      "the {} \"{}\" does not have the role {} in the namespace \"{}\": ask one of its "
      "owners, or an administrator, for koya grant add {} {} --{} {}",
      AccountKindName(who.kind), who.name, RoleName(needed), ns, ns, RoleName(needed),
      AccountKindName(who.kind), who.name);
}

Status Principal::RequireOwnership(std::string_view ns) const {
  // An administrator owns everything, and does so with the admin scope.
  const bool owns = account && !account->account.admin && RoleOf(*account, ns) == Role::kOwner;
  RETURN_IF_ERROR(Require(owns ? Scope::kPublish : Scope::kAdmin));
  return RequireNamespace(ns);
}

Status Principal::RequireAllNamespaces() const {
  if (!namespaces.empty()) {
    return FailForbidden(
        "the token \"{}\" is for {} only, and this belongs to no namespace: it "
        "needs an administrator without namespace patterns",
        name, fmt::join(namespaces, ", "));
  }
  if (!account || account->account.admin) return {};
  const AccountRecord& who = account->account;
  return FailForbidden(
      "the {} \"{}\" isn't an administrator, and this belongs to no namespace: "
      "ask an administrator to do it",
      AccountKindName(who.kind), who.name);
}

bool Principal::MayRead(std::string_view ns, Visibility visibility) const {
  switch (visibility) {
    case Visibility::kPublic:
      return true;
    case Visibility::kInternal:
      return !is_anonymous();
    case Visibility::kPrivate:
      return RoleIn(ns).has_value();
  }
  return false;
}

ReadableNamespaces Principal::Readable(Visibility unrecorded) const {
  ReadableNamespaces readable{
      .everything = false, .internal = !is_anonymous(), .named = {}, .unrecorded = unrecorded};
  if (is_anonymous()) return readable;
  const bool everywhere = account ? account->account.admin : scope != Scope::kRead;
  readable.everything = everywhere && namespaces.empty();
  if (readable.everything) return readable;
  if (!account || account->account.admin) {
    for (const std::string& pattern : namespaces) readable.named.push_back(AsciiLower(pattern));
    return readable;
  }
  for (const GrantedRole& held : account->roles) {
    if (Covers(held.ns)) readable.named.push_back(held.ns);
  }
  return readable;
}

Status Principal::RequireToHold(Scope needed, const std::vector<std::string>& patterns) const {
  auto beyond = [this](std::string_view what) {
    std::string held =
        namespaces.empty() ? "all namespaces" : fmt::format("{}", fmt::join(namespaces, ", "));
    return FailForbidden(
        "the token \"{}\" has the scope {} for {}: it can neither grant nor "
        "remove {}; this needs an administrator without namespace patterns",
        name, ScopeName(scope), held, what);
  };
  if (!Includes(scope, needed)) return beyond(fmt::format("the scope {}", ScopeName(needed)));
  if (patterns.empty() && !namespaces.empty()) return beyond("rights to all namespaces");
  for (const std::string& pattern : patterns) {
    if (!Covers(pattern)) return beyond(fmt::format("rights to \"{}\"", pattern));
  }
  return {};
}

Result<std::optional<UnixSeconds>> Principal::ExpiryOfGiven(
    std::optional<UnixSeconds> wanted) const {
  if (!expires_at || (wanted && *wanted <= *expires_at)) return wanted;
  if (!wanted) return expires_at;
  return FailForbidden(
      "the token \"{}\" expires at {} and cannot grant anything that lasts "
      "longer: request a shorter time, or use a longer-lived token",
      name, FormatRfc3339(*expires_at));
}

Status CheckNamespacePattern(std::string_view pattern) {
  // Providers' namespaces may be of any letters (ProviderAddress).
  bool known = IsPlainText(pattern) && std::ranges::all_of(pattern, [](char c) {
                 return IsNameChar(c) || c == '*' || static_cast<unsigned char>(c) >= 0x80;
               });
  if (!pattern.empty() && pattern.size() <= 256 && known) return {};
  return FailInvalid(
      "the namespace pattern \"{}\" is not allowed: write a namespace, with "
      "\"*\" for any characters, for example \"acme\" or \"team-*\"",
      Printable(pattern, 80));
}

Status CheckTokenName(std::string_view name) {
  bool known = std::ranges::all_of(name, [](char c) { return IsNameChar(c) || c == '.'; });
  if (!name.empty() && name.size() <= 64 && known) return {};
  return FailInvalid(
      "the token name \"{}\" is not allowed: use 1 to 64 letters, digits, "
      "\".\", \"_\" and \"-\"",
      Printable(name, 80));
}

}  // namespace koya::auth
