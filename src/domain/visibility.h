// Who may read what is in a namespace, and what is kept of other registries.
#pragma once

#include <optional>
#include <string_view>

namespace koya {

enum class Visibility {
  kPublic,    // whoever may read at all (access.anonymous)
  kInternal,  // whoever has a valid token or session
  kPrivate,   // whoever was given a role
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

// A clause for people.
constexpr std::string_view WhoReads(Visibility visibility) {
  switch (visibility) {
    case Visibility::kPublic:
      return "everybody who reaches this registry may read it";
    case Visibility::kInternal:
      return "those who are signed in or have a token may read it";
    case Visibility::kPrivate:
      return "those to whom it is granted may read it";
  }
  return "";
}

}  // namespace koya
