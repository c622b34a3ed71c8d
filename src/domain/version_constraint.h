// Which versions a configuration takes: ">= 1.0, != 1.3.2, < 2.0".
//
// As clients read it: for providers apparentlymart/go-versions (Ruby style), for modules
// hashicorp/go-version; they agree but for what ConstraintStyle says. Blanks may stand anywhere
// between the parts. Prereleases are taken only when a constraint names that very version.
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
  // Besides: "v1.0" is taken; "~> 1" has no upper end (only what stands before the last number
  // written is held fast); "~>" with a prerelease takes no release.
  kModule,
};

class VersionConstraint {
 public:
  static constexpr std::size_t kMaxLength = 1024;

  // "" takes every release. Fails: kInvalid, saying what to write instead.
  static Result<VersionConstraint> Parse(std::string_view text,
                                         ConstraintStyle style = ConstraintStyle::kProvider);

  bool Allows(const Version& version) const;
  // The highest that is allowed, or nothing.
  std::optional<Version> Newest(std::span<const Version> versions) const;

  // As it was written.
  const std::string& text() const { return text_; }

  // Both.
  void And(const VersionConstraint& other);

 private:
  enum class Operator { kEqual, kNotEqual, kGreater, kAtLeast, kLess, kAtMost, kAbout };
  struct Part {
    Operator op = Operator::kEqual;
    // The numbers not written are 0. Nothing: 0.0.0, which is below every version there is.
    std::optional<Version> boundary;
    // kAbout: the first version without prerelease that is too high; nothing: there is none.
    std::optional<Version> end;
    bool nothing = false;  // takes no version at all

    bool Allows(const Version& version) const;
    bool Names(const Version& version) const;
  };
  struct Numbers;
  static Result<Part> ParsePart(std::string_view text, ConstraintStyle style);
  static Status SetEnd(Part& part, const Numbers& numbers, ConstraintStyle style);

  std::string text_;
  std::vector<Part> parts_;  // all must allow
};

}  // namespace koya
