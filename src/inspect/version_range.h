// The ends of a version constraint, to say in which way one differs from another. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace koya::inspect {

using VersionNumbers = std::array<std::uint64_t, 3>;

struct VersionRange {
  VersionNumbers lower{};               // taken; 0.0.0: no end
  std::optional<VersionNumbers> upper;  // not taken; nothing: no end
  friend bool operator==(const VersionRange&, const VersionRange&) = default;
};

// Of ">= 1.2, < 2.0". Versions that are left out ("!=") and prereleases change nothing. Nothing
// when the text is no constraint.
std::optional<VersionRange> ReadRange(std::string_view constraint);

std::string ToString(const VersionNumbers& numbers);

}  // namespace koya::inspect
