// What callers may do: the role of an account in a namespace, the scope of a token, and the
// visibility of namespaces and of mirrored contents.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koya {

// The role of an account in a namespace. Each role includes the ones before it.
enum class Role {
  kReader,
  kPublisher,  // publishes, deprecates, checks
  kOwner,      // withdraws; manages keys, visibility and grants
};

constexpr std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kReader:
      return "reader";
    case Role::kPublisher:
      return "publisher";
    case Role::kOwner:
      return "owner";
  }
  return "reader";
}

constexpr std::optional<Role> ParseRole(std::string_view text) {
  for (Role role : {Role::kReader, Role::kPublisher, Role::kOwner}) {
    if (text == RoleName(role)) return role;
  }
  return std::nullopt;
}

constexpr bool Includes(Role held, Role needed) {
  return static_cast<int>(held) >= static_cast<int>(needed);
}

// The scope of a token. Each scope includes the ones before it.
enum class Scope { kRead, kPublish, kAdmin };

constexpr std::string_view ScopeName(Scope scope) {
  switch (scope) {
    case Scope::kRead:
      return "read";
    case Scope::kPublish:
      return "publish";
    case Scope::kAdmin:
      return "admin";
  }
  return "read";
}

constexpr std::optional<Scope> ParseScope(std::string_view text) {
  for (Scope scope : {Scope::kRead, Scope::kPublish, Scope::kAdmin}) {
    if (text == ScopeName(scope)) return scope;
  }
  return std::nullopt;
}

constexpr bool Includes(Scope held, Scope needed) {
  return static_cast<int>(held) >= static_cast<int>(needed);
}

// Of the contents of a namespace, or mirrored ones.
enum class Visibility {
  kPublic,    // all callers that may read at all (access.anonymous)
  kInternal,  // callers with a valid token or session
  kPrivate,   // callers with a role
};

constexpr std::string_view VisibilityName(Visibility visibility) {
  switch (visibility) {
    case Visibility::kPublic:
      return "public";
    case Visibility::kInternal:
      return "internal";
    case Visibility::kPrivate:
      return "private";
  }
  return "private";
}

constexpr std::optional<Visibility> ParseVisibility(std::string_view text) {
  for (auto each : {Visibility::kPublic, Visibility::kInternal, Visibility::kPrivate}) {
    if (text == VisibilityName(each)) return each;
  }
  return std::nullopt;
}

// A clause for display.
constexpr std::string_view WhoReads(Visibility visibility) {
  switch (visibility) {
    case Visibility::kPublic:
      return "everyone who can reach this registry can read it";
    case Visibility::kInternal:
      return "users who are signed in or have a token can read it";
    case Visibility::kPrivate:
      return "only accounts with a role can read it";
  }
  return "";
}

// Namespaces that a caller may read, for listings. auth/ computes them; the catalog only applies
// them.
struct ReadableNamespaces {
  bool everything = true;  // then the other members do not matter
  bool internal = false;   // also internal ones; public ones always
  // Also these, whatever their visibility: by NamespaceKey, or patterns of keys of MatchesGlob.
  std::vector<std::string> named;
  // The visibility of a namespace without a record.
  Visibility unrecorded = Visibility::kPublic;
  bool mirrored = false;  // also mirrored contents, which are in no namespace here
};

}  // namespace koya
