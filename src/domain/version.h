// A canonical Semantic Version 2.0.
//
// Only the spelling that every client agrees on is accepted (wire facts: go-version,
// hashicorp/go-version and go-versions differ on the rest): three numbers without leading zeros,
// each below 2^63, then optional -PRERELEASE and +BUILD of non-empty [0-9A-Za-z-] identifiers,
// at most 128 characters in all. 0.0.0 is rejected: clients read it as "unspecified".
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

class Version {
 public:
  static constexpr std::size_t kMaxLength = 128;

  // Strict, for publishing. Fails: kInvalid, saying what to write instead.
  static Result<Version> Parse(std::string_view text);
  // Lenient, for look-ups only: also accepts a "v" before the version. Fails: kInvalid.
  static Result<Version> ParseLookup(std::string_view text);

  std::uint64_t major() const { return major_; }
  std::uint64_t minor() const { return minor_; }
  std::uint64_t patch() const { return patch_; }
  const std::string& prerelease() const { return prerelease_; }  // without "-"
  const std::string& build() const { return build_; }            // without "+"
  bool is_prerelease() const { return !prerelease_.empty(); }

  std::string ToString() const;
  // Without build metadata: two versions with one precedence key may not both be published.
  std::string PrecedenceKey() const;

  // SemVer precedence; build metadata breaks ties bytewise, so that the order is total.
  friend std::strong_ordering operator<=>(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b) {
    return (a <=> b) == std::strong_ordering::equal;
  }

 private:
  Version() = default;
  std::uint64_t major_ = 0;
  std::uint64_t minor_ = 0;
  std::uint64_t patch_ = 0;
  std::string prerelease_;
  std::string build_;
};

}  // namespace koya
