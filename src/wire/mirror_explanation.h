// Explains why the mirror serves an address or does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/codec.h"

namespace koya::wire {

// One of the routes on which clients ask.
struct MirrorWay {
  std::string way;    // "origin", "mirror"
  std::string state;  // "available", "allowed", "blocked"
  std::string text;   // for people: the reason, and its registry's last response where relevant
  friend bool operator==(const MirrorWay&, const MirrorWay&) = default;
};

// GET /-/mirror/explain.json?address=&version=
struct MirrorExplanation {
  std::string address;         // "registry.opentofu.org/hashicorp/aws"
  std::string version;         // the requested one; "": none
  std::string kind;            // "provider", "module"
  bool given = false;          // whether it is stored and served on at least one route
  std::string policy;          // "allowed", "denied", "not-listed"
  std::string rule;            // the deciding rule; "": no rule restricts it
  bool may_pull = true;        // whether its registry may be contacted
  std::string text;            // the response to clients where every route is blocked; "" otherwise
  std::uint64_t versions = 0;  // known versions
  bool pinned = false;         // the version is one of the known ones
  std::uint64_t archives = 0;  // archives stored here
  std::vector<MirrorWay> ways;
  friend bool operator==(const MirrorExplanation&, const MirrorExplanation&) = default;
};

}  // namespace koya::wire
