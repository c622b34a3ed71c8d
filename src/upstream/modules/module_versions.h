// Converts the versions in another registry's module list to the spelling in which clients request
// them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/version.h"

namespace koya::upstream {

// Reads a version in a list as clients do (hashicorp/go-version, wire facts §2.2): "v1.2" is 1.2.0,
// "01.0.0" is 1.0.0, "1.0.0rc1" is 1.0.0-rc1. nullopt for strings that they skip, and for versions
// that Koya cannot represent: four numbers, numbers of 2^63 and more, "~", 0.0.0.
std::optional<Version> CanonicalVersion(std::string_view text);

struct CanonicalVersions {
  std::vector<Version> versions;  // in the order of the list, each once
  std::size_t skipped = 0;        // entries without a canonical spelling
};
CanonicalVersions CanonicalVersionsOf(const std::vector<std::string>& list);

}  // namespace koya::upstream
