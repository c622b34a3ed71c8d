// The ends of a version constraint, to say in which way one differs from another. Pure.
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
  VersionNumbers lower{};                // taken; 0.0.0: no end
  std::optional<VersionNumbers> upper;   // not taken; nothing: no end
  std::vector<VersionNumbers> excluded;  // between the two, by "!="; sorted
  // Bounds that name a prerelease: "=1.2.0-rc1"; sorted.
  std::vector<std::string> prereleases;
  friend bool operator==(const VersionRange&, const VersionRange&) = default;
};

// Of ">= 1.2, < 2.0". Prereleases change no end. Nothing when the text is no constraint.
std::optional<VersionRange> ReadRange(std::string_view constraint, ConstraintStyle style);

std::string ToString(const VersionNumbers& numbers);

}  // namespace koya::inspect
