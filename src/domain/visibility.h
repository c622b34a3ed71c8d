// Who may read the contents of a namespace, and mirrored contents.
#pragma once

#include <optional>
#include <string_view>

namespace koya {

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

}  // namespace koya
