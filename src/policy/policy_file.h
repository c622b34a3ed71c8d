// The TOML file in which administrators write a policy. docs/policy.md describes it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace koya::policy {

inline constexpr std::size_t kMostPolicyBytes = 1024 * 1024;

struct Problem {
  std::uint32_t line = 0;  // from 1; 0: the file as a whole
  std::uint32_t column = 0;
  std::string text;  // the fault, and what to write
  friend bool operator==(const Problem&, const Problem&) = default;
};

// Fails with every problem of the file, at most 100, in the order of their places; a file that is
// no TOML has one.
std::expected<Policy, std::vector<Problem>> ParsePolicy(std::string_view text);

// A file with one rule: releases must be so old. REQUIRES: a whole number of seconds > 0.
std::string CoolDownPolicy(std::chrono::seconds age);

}  // namespace koya::policy
