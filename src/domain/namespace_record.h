// Stored records of namespaces. A namespace is for modules and providers alike, in any letter case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "domain/access.h"
#include "domain/version_step.h"

namespace koya {

// Title and description of a namespace: plain text of its owners, shown beside its name.
//
// In characters (Unicode scalar values).
inline constexpr std::size_t kLongestNamespaceTitle = 80;
inline constexpr std::size_t kLongestNamespaceDescription = 500;

struct NamespaceWords {
  std::string title = {};        // one line; "": none
  std::string description = {};  // lines with "\n" between them; "": none
  friend bool operator==(const NamespaceWords&, const NamespaceWords&) = default;
};

// A change of title and description; nullopt: unchanged.
struct NamespaceWordsChange {
  std::optional<std::string> title = {};        // from ParseNamespaceTitle
  std::optional<std::string> description = {};  // from ParseNamespaceDescription

  bool empty() const { return !title && !description; }
  NamespaceWords AppliedTo(NamespaceWords words) const {
    if (title) words.title = *title;
    if (description) words.description = *description;
    return words;
  }
  friend bool operator==(const NamespaceWordsChange&, const NamespaceWordsChange&) = default;
};

// Strips surrounding blanks. "" is no title. Fails: kInvalid: more than one line, too long, control
// characters, or not UTF-8.
Result<std::string> ParseNamespaceTitle(std::string_view text);
// Likewise for several lines, which end as browsers send them or with "\n".
Result<std::string> ParseNamespaceDescription(std::string_view text);

// The key for look-ups and uniqueness: as ProviderAddress normalises it, which for ASCII folds
// letter case; a name that no provider's namespace can have ("a--b") is folded bytewise. Never
// fails: a text that cannot be a namespace is the key of none.
std::string NamespaceKey(std::string_view ns);

// Who may add versions to a namespace, among those with the right to publish there.
enum class PublishRule {
  kAny,
  kCiOnly,  // jobs of a CI that the namespace trusts
};

constexpr std::string_view PublishRuleName(PublishRule rule) {
  return rule == PublishRule::kCiOnly ? "ci-only" : "any";
}

constexpr std::optional<PublishRule> ParsePublishRule(std::string_view name) {
  for (PublishRule rule : {PublishRule::kAny, PublishRule::kCiOnly}) {
    if (name == PublishRuleName(rule)) return rule;
  }
  return std::nullopt;
}

struct NamespaceRecord {
  std::string name;  // in the letter case of its first use
  Visibility visibility = Visibility::kPrivate;
  UnixSeconds created_at = 0;
  std::string created_by;                 // a principal's name
  std::optional<SemverRule> semver = {};  // nullopt: as settings say
  NamespaceWords words = {};
  PublishRule publish = PublishRule::kAny;
  friend bool operator==(const NamespaceRecord&, const NamespaceRecord&) = default;
};

// Kinds of grantees of a role.
enum class GranteeKind { kUser, kGroup, kService };

constexpr std::string_view GranteeKindName(GranteeKind kind) {
  switch (kind) {
    case GranteeKind::kUser:
      return "user";
    case GranteeKind::kGroup:
      return "group";
    case GranteeKind::kService:
      return "service";
  }
  return "user";
}

// A role of a grantee in a namespace.
struct GrantRecord {
  std::string ns;  // the namespace's name
  GranteeKind kind = GranteeKind::kUser;
  std::string grantee;  // the grantee's name
  Role role = Role::kReader;
  UnixSeconds granted_at = 0;
  std::string granted_by;
  friend bool operator==(const GrantRecord&, const GrantRecord&) = default;
};

// The published contents of a namespace, without withdrawn versions.
struct NamespaceContents {
  std::uint64_t modules = 0;
  std::uint64_t providers = 0;
  std::uint64_t bytes = 0;  // of archives and packages
  std::optional<UnixSeconds> last_published_at;
  friend bool operator==(const NamespaceContents&, const NamespaceContents&) = default;
};

// The owners of a namespace, for display: the first few, and the number of the others.
struct NamespaceOwner {
  std::string name;
  GranteeKind kind = GranteeKind::kUser;
  friend bool operator==(const NamespaceOwner&, const NamespaceOwner&) = default;
};

struct NamespaceOwners {
  static constexpr std::size_t kMost = 3;

  std::vector<NamespaceOwner> owners;  // at most kMost: users, groups, services, each by name
  std::uint64_t more = 0;              // number of other owners
  friend bool operator==(const NamespaceOwners&, const NamespaceOwners&) = default;
};

}  // namespace koya
