// A version constraint of a configuration: ">= 1.0, != 1.3.2, < 2.0".
//
// Read as clients do: for providers apparentlymart/go-versions (Ruby style), for modules
// hashicorp/go-version; they agree except for the differences in ConstraintStyle. Blanks may stand
// anywhere between the parts. Prereleases match only a constraint that names that very version.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/version.h"

namespace koya {

enum class ConstraintStyle {
  kProvider,
  // Differences: "v1.0" is accepted; "~> 1" has no upper end (only the numbers before the last
  // written one are fixed); "~>" with a prerelease matches no release.
  kModule,
};

class VersionConstraint {
 public:
  static constexpr std::size_t kMaxLength = 1024;

  // "" matches every release. Fails: kInvalid, saying what to write instead.
  static Result<VersionConstraint> Parse(std::string_view text,
                                         ConstraintStyle style = ConstraintStyle::kProvider);

  bool Allows(const Version& version) const;
  // The highest matching version; nullopt if there is none.
  std::optional<Version> Newest(std::span<const Version> versions) const;

  // The original text.
  const std::string& text() const { return text_; }

  // Requires both constraints.
  void And(const VersionConstraint& other);

 private:
  enum class Operator { kEqual, kNotEqual, kGreater, kAtLeast, kLess, kAtMost, kAbout };
  struct Part {
    Operator op = Operator::kEqual;
    // Numbers that are not written are 0. nullopt: 0.0.0, which is below every valid version.
    std::optional<Version> boundary;
    // kAbout: the first version without prerelease that is too high; nullopt: there is none.
    std::optional<Version> end;
    bool nothing = false;  // matches no version at all

    bool Allows(const Version& version) const;
    bool Names(const Version& version) const;
  };
  struct Numbers;
  static Result<Part> ParsePart(std::string_view text, ConstraintStyle style);
  static Status SetEnd(Part& part, const Numbers& numbers, ConstraintStyle style);

  std::string text_;
  std::vector<Part> parts_;  // all must match
};

}  // namespace koya
