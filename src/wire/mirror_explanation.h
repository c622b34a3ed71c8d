// Why the mirror gives something, or does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::wire {

// GET /-/mirror/explain.json?address=&version=
struct MirrorExplanation {
  std::string address;         // "registry.opentofu.org/hashicorp/aws"
  std::string version;         // that was asked for; "": none
  std::string kind;            // "provider", "module"
  bool given = true;           // whether clients get it, if its registry has it
  std::string policy;          // "allowed", "denied", "not-listed"
  std::string rule;            // that says so; "": none restricts
  bool may_pull = true;        // whether its registry may be asked
  std::string text;            // what clients are told; "" when it is given
  std::uint64_t versions = 0;  // of it that are known here
  bool pinned = false;         // the version is one of them
  std::uint64_t archives = 0;  // of it that are stored here
  friend bool operator==(const MirrorExplanation&, const MirrorExplanation&) = default;
};
std::string EncodeMirrorExplanation(const MirrorExplanation& explanation);
Result<MirrorExplanation> DecodeMirrorExplanation(std::string_view body);

}  // namespace koya::wire
