// Who may read the contents of namespaces, and mirrored contents.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koya {

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
  // Also these, whatever their visibility: by NamespaceKey, or patterns of keys as in base/glob.h.
  std::vector<std::string> named;
  // The visibility of a namespace without a record.
  Visibility unrecorded = Visibility::kPublic;
  bool mirrored = false;  // also mirrored contents, which are in no namespace here
};

}  // namespace koya
