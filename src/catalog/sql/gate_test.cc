#include "catalog/sql/gate.h"

#include <gtest/gtest.h>

namespace koya::sql {
namespace {

using Answer = Gate::Answer;
using std::chrono::milliseconds;

constexpr Gate::Time At(int ms) { return Gate::Time(milliseconds(1'000'000 + ms)); }
const Error kDown{.kind = ErrorKind::kUnavailable, .message = "down"};

TEST(GateTest, AnOpenGateLetsEverybodyPass) {
  Gate gate;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(gate.Ask(At(i)), Answer::kPass);
  EXPECT_FALSE(gate.closed());
}

TEST(GateTest, AClosedGateLetsOneASecondFindOut) {
  Gate gate;
  gate.Close(At(0), kDown);
  EXPECT_EQ(gate.why(), kDown);
  EXPECT_EQ(gate.Ask(At(0)), Answer::kRefused);
  EXPECT_EQ(gate.Ask(At(999)), Answer::kRefused);
  EXPECT_EQ(gate.Ask(At(1000)), Answer::kProbe);
  // It may take its time: there is never a second one.
  EXPECT_EQ(gate.Ask(At(1001)), Answer::kRefused);
  EXPECT_EQ(gate.Ask(At(9000)), Answer::kRefused);
  gate.Close(At(9000), kDown);
  EXPECT_EQ(gate.Ask(At(9999)), Answer::kRefused);
  EXPECT_EQ(gate.Ask(At(10'000)), Answer::kProbe);
  gate.Open();
  EXPECT_FALSE(gate.closed());
  EXPECT_EQ(gate.Ask(At(10'001)), Answer::kPass);
}

TEST(GateTest, WhatIsClosedElsewhereIsProbedOnly) {
  Gate gate;
  EXPECT_EQ(gate.Ask(At(0), true), Answer::kProbe);
  EXPECT_EQ(gate.Ask(At(0), true), Answer::kRefused);
  gate.Open();
  EXPECT_EQ(gate.Ask(At(1), true), Answer::kRefused);
  EXPECT_EQ(gate.Ask(At(1), false), Answer::kPass);
  EXPECT_EQ(gate.Ask(At(1000), true), Answer::kProbe);
}

}  // namespace
}  // namespace koya::sql
