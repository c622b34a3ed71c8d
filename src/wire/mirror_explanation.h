// Why the mirror gives something, or does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// One of the ways by which clients ask.
struct MirrorWay {
  std::string way;    // "origin", "mirror"
  std::string state;  // "available", "allowed", "blocked"
  std::string text;   // for people: why, and what its registry answered last where that matters
  friend bool operator==(const MirrorWay&, const MirrorWay&) = default;
};

// GET /-/mirror/explain.json?address=&version=
struct MirrorExplanation {
  std::string address;         // "registry.opentofu.org/hashicorp/aws"
  std::string version;         // that was asked for; "": none
  std::string kind;            // "provider", "module"
  bool given = false;          // whether it is stored, and clients get it by a way at least
  std::string policy;          // "allowed", "denied", "not-listed"
  std::string rule;            // that says so; "": none restricts
  bool may_pull = true;        // whether its registry may be asked
  std::string text;            // what clients are answered where every way is blocked; "" else
  std::uint64_t versions = 0;  // of it that are known here
  bool pinned = false;         // the version is one of them
  std::uint64_t archives = 0;  // of it that are stored here
  std::vector<MirrorWay> ways;
  friend bool operator==(const MirrorExplanation&, const MirrorExplanation&) = default;
};
std::string EncodeMirrorExplanation(const MirrorExplanation& explanation);
Result<MirrorExplanation> DecodeMirrorExplanation(std::string_view body);

}  // namespace koya::wire
