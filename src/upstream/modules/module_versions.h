// The versions of a foreign module list in the spelling that clients ask for them with. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/version.h"

namespace koya::upstream {

// What clients make of a version in a list (hashicorp/go-version, wire facts §2.2): "v1.2" is
// 1.2.0, "01.0.0" is 1.0.0, "1.0.0rc1" is 1.0.0-rc1. Nothing for what they pass over, and for what
// no version of ours can hold: four numbers, numbers of 2^63 and more, "~", 0.0.0.
std::optional<Version> CanonicalVersion(std::string_view text);

struct CanonicalVersions {
  std::vector<Version> versions;  // in the order of the list, each once
  std::size_t skipped = 0;        // that have no canonical spelling
};
CanonicalVersions CanonicalVersionsOf(const std::vector<std::string>& list);

}  // namespace koya::upstream
