// The range of a version constraint, to describe how one constraint differs from another. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/version_constraint.h"

namespace koya::inspect {

using VersionNumbers = std::array<std::uint64_t, 3>;

struct VersionRange {
  VersionNumbers lower{};                // inclusive; 0.0.0: no lower end
  std::optional<VersionNumbers> upper;   // exclusive; nullopt: no upper end
  std::vector<VersionNumbers> excluded;  // inside the range, by "!="; sorted
  // Parts that name a prerelease: "=1.2.0-rc1"; sorted.
  std::vector<std::string> prereleases;
  friend bool operator==(const VersionRange&, const VersionRange&) = default;
};

// Reads ">= 1.2, < 2.0". Prereleases do not affect the ends. nullopt if the text is no constraint.
std::optional<VersionRange> ReadRange(std::string_view constraint, ConstraintStyle style);

std::string ToString(const VersionNumbers& numbers);

}  // namespace koya::inspect
