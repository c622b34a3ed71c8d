#include "domain/version_constraint.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya {
namespace {

Version V(std::string_view text) {
  auto version = Version::Parse(text);
  EXPECT_TRUE(version) << text;
  return *version;
}

std::vector<Version> All() {
  std::vector<Version> out;
  for (std::string_view each :
       {"0.0.1", "0.9.0", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.2.3-beta.1", "1.2.3", "1.2.9",
        "1.3.0-rc.1", "1.3.0", "1.10.0", "2.0.0-rc.1", "2.0.0", "2.1.0+build.1"}) {
    out.push_back(V(each));
  }
  return out;
}

// The versions of All() that the constraint allows, in order.
std::string Allowed(std::string_view text, ConstraintStyle style) {
  auto constraint = VersionConstraint::Parse(text, style);
  EXPECT_TRUE(constraint) << text << ": " << constraint.error().message;
  std::string out;
  if (!constraint) return out;
  for (const Version& version : All()) {
    if (constraint->Allows(version)) out += (out.empty() ? "" : " ") + version.ToString();
  }
  return out;
}

constexpr std::string_view kReleases =
    "0.0.1 0.9.0 1.0.0 1.0.1 1.2.0 1.2.3 1.2.9 1.3.0 1.10.0 2.0.0 2.1.0+build.1";

TEST(VersionConstraintTest, AllowsWhatClientsTake) {
  struct Case {
    std::string_view text;
    std::string_view allowed;
  };
  const std::vector<Case> kCases = {
      {"", kReleases},
      {"  ", kReleases},
      {"1.0.0", "1.0.0"},
      {"=1.0.0", "1.0.0"},
      {"= 1.0.0", "1.0.0"},
      {"1", "1.0.0"},
      {"1.2", "1.2.0"},
      {"01.02.0", "1.2.0"},
      {"!= 1.0.0, 1", ""},
      {"> 1.3", "1.10.0 2.0.0 2.1.0+build.1"},
      {">1.3.0", "1.10.0 2.0.0 2.1.0+build.1"},
      {">= 1.3.0", "1.3.0 1.10.0 2.0.0 2.1.0+build.1"},
      {"< 1", "0.0.1 0.9.0"},
      {"<= 1", "0.0.1 0.9.0 1.0.0"},
      {"~> 1.2.3", "1.2.3 1.2.9"},
      {"~> 1.2.0", "1.2.0 1.2.3 1.2.9"},
      {"~> 1.2", "1.2.0 1.2.3 1.2.9 1.3.0 1.10.0"},
      {"~>1.2", "1.2.0 1.2.3 1.2.9 1.3.0 1.10.0"},
      {">= 1.0, < 2.0", "1.0.0 1.0.1 1.2.0 1.2.3 1.2.9 1.3.0 1.10.0"},
      {">=1.0,<2.0,!=1.2.3", "1.0.0 1.0.1 1.2.0 1.2.9 1.3.0 1.10.0"},
      {">= 1.0 , < 1.2 ,", "1.0.0 1.0.1"},
      {">=  1.10", "1.10.0 2.0.0 2.1.0+build.1"},
      {"> 2, < 1", ""},
      {">= 0", kReleases},
      {"> 0.0.0", kReleases},
      {"!= 0.0.0", kReleases},
      {"~> 0.0", "0.0.1 0.9.0"},
      {"~> 0.0.0", "0.0.1"},
      {"0.0.0", ""},
      {"< 0", ""},
      {"<= 0.0.0", ""},
      // A prerelease is taken by its name only.
      {"1.0.0-rc.1", "1.0.0-rc.1"},
      {"1.0-rc.1", "1.0.0-rc.1"},
      {"1.0.0-rc.1, >= 0.9", "1.0.0-rc.1"},
      {"1.0.0-rc.1, >= 1.0.0", ""},
      {">= 1.3.0-rc.1, < 2", "1.3.0 1.10.0"},
      {"< 1.0.0", "0.0.1 0.9.0"},
      {"!= 1.0.0-rc.1, <= 1.0.0", "0.0.1 0.9.0 1.0.0"},
      // Build metadata counts where a version is named.
      {"2.1.0+build.1", "2.1.0+build.1"},
      {"2.1.0", ""},
      {"!= 2.1.0+build.1, > 1.10", "2.0.0"},
      {">= 2.1.0+zzz", "2.1.0+build.1"},
  };
  for (const Case& each : kCases) {
    EXPECT_EQ(Allowed(each.text, ConstraintStyle::kProvider), each.allowed) << each.text;
    EXPECT_EQ(Allowed(each.text, ConstraintStyle::kModule), each.allowed) << each.text;
  }
}

TEST(VersionConstraintTest, ClientsOfModulesReadSomeOtherwise) {
  struct Case {
    std::string_view text;
    std::string_view provider;
    std::string_view module;
  };
  const std::vector<Case> kCases = {
      {"~> 1", "1.0.0 1.0.1 1.2.0 1.2.3 1.2.9 1.3.0 1.10.0",
       "1.0.0 1.0.1 1.2.0 1.2.3 1.2.9 1.3.0 1.10.0 2.0.0 2.1.0+build.1"},
      {"~> 1.2.3-beta.1", "1.2.3 1.2.9", ""},
  };
  for (const Case& each : kCases) {
    EXPECT_EQ(Allowed(each.text, ConstraintStyle::kProvider), each.provider) << each.text;
    EXPECT_EQ(Allowed(each.text, ConstraintStyle::kModule), each.module) << each.text;
  }
  EXPECT_EQ(Allowed("v1.0", ConstraintStyle::kModule), "1.0.0");
  EXPECT_EQ(Allowed(">= v2", ConstraintStyle::kModule), "2.0.0 2.1.0+build.1");
}

TEST(VersionConstraintTest, RefusesWhatCannotBeRead) {
  struct Case {
    std::string_view text;
    std::string_view words;
  };
  const std::vector<Case> kCases = {
      {"=> 1.0", "did you mean \">=\""},
      {"=< 1.0", "did you mean \"<=\""},
      {"== 1.0", "did you mean \"=\""},
      {"~ 1.0", "did you mean \"~>\""},
      {"^1.0", "did you mean \"~>\""},
      {"& 1.0", "no operator"},
      {"1.0 || 2.0", "comma"},
      {"1.0 - 2.0", "comma"},
      {">= 1.0 < 2.0", "comma"},
      {"v1.0.0", "leave out the \"v\""},
      {">= v1.0.0", "leave out the \"v\""},
      {"1.*", "wildcard"},
      {"1.x", "wildcard"},
      {"*", "wildcard"},
      {"1.0.0.0", "three numbers"},
      {"garbage", "write"},
      {">=", "write"},
      {",", "empty"},
      {">= 1,, < 2", "empty"},
      {"1..2", "write"},
      {".1", "write"},
      {"1.", "write"},
      {"-1", "write"},
      {"1.0.0-", "empty part"},
      {"1.0.0-a..b", "empty part"},
      {"1.0.0+", "empty part"},
      {"1.0.0-ä", "letters"},
      {"9223372036854775808", "too large"},
      {"~> 9223372036854775807", "too large"},
      {"latest", "write"},
  };
  for (const Case& each : kCases) {
    auto constraint = VersionConstraint::Parse(each.text);
    ASSERT_FALSE(constraint) << each.text;
    EXPECT_EQ(constraint.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(constraint.error().message.find(each.words), std::string::npos)
        << constraint.error().message;
  }
  EXPECT_FALSE(VersionConstraint::Parse("V1.0", ConstraintStyle::kModule));
  EXPECT_FALSE(VersionConstraint::Parse("1.0,", ConstraintStyle::kModule) &&
               !VersionConstraint::Parse("1.0,"));
  EXPECT_FALSE(VersionConstraint::Parse(std::string(1025, ' ')));
}

TEST(VersionConstraintTest, FindsTheNewest) {
  std::vector<Version> all = All();
  EXPECT_EQ(VersionConstraint::Parse("~> 1.2")->Newest(all), V("1.10.0"));
  EXPECT_EQ(VersionConstraint::Parse("")->Newest(all), V("2.1.0+build.1"));
  EXPECT_EQ(VersionConstraint::Parse("> 3")->Newest(all), std::nullopt);
  EXPECT_EQ(VersionConstraint::Parse("")->Newest({}), std::nullopt);
}

TEST(VersionConstraintTest, TwoMakeOne) {
  auto constraint = VersionConstraint::Parse(">= 1.2");
  constraint->And(*VersionConstraint::Parse("< 1.3"));
  constraint->And(*VersionConstraint::Parse(""));
  EXPECT_EQ(constraint->text(), ">= 1.2, < 1.3");
  EXPECT_EQ(constraint->Newest(All()), V("1.2.9"));
}

}  // namespace
}  // namespace koya
