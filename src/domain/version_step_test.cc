#include "domain/version_step.h"

#include <gtest/gtest.h>

namespace koya {
namespace {

VersionStep SampleStep() {
  return {.before = "4.1.3-rc.1+b",
          .needed = "minor",
          .given = "patch",
          .agrees = false,
          .wanted = "4.2.0",
          .inputs = {2, 1, 0, 0},
          .outputs = {0, 0, 4'000'000'000, 0},
          .resources = {0, 0, 0, 7},
          .breaking = 3,
          .to_read = 9};
}

TEST(VersionStepTest, ComesBackAsItWas) {
  VersionStep step = SampleStep();
  EXPECT_EQ(VersionStep::Parse(step.ToString()), step);
  step.agrees = true;
  step.wanted.clear();
  EXPECT_EQ(VersionStep::Parse(step.ToString()), step);
}

TEST(VersionStepTest, RefusesWhatItDidNotWrite) {
  const std::string good = SampleStep().ToString();
  for (const std::string& text :
       {std::string(), std::string("1"), "2" + good.substr(1), good + " 1", good + " ",
        good.substr(0, good.size() - 1), std::string("1 1.0.0 minor minor agrees -"),
        std::string("1 1.0.0 huge minor agrees - 0 0 0 0 0 0 0 0 0 0 0 0 0 0"),
        std::string("1 1.0.0 minor minor maybe - 0 0 0 0 0 0 0 0 0 0 0 0 0 0"),
        std::string("1 1.0.0 minor minor agrees - 0 0 0 0 0 0 0 0 0 0 0 0 -1 0"),
        std::string("1  minor minor agrees - 0 0 0 0 0 0 0 0 0 0 0 0 0 0")}) {
    EXPECT_EQ(VersionStep::Parse(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace koya
