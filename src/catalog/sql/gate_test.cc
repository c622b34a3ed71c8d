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
  for (int i = 0; i < 3; ++i) EXPECT_EQ(gate.Ask(At(i)).answer, Answer::kPass);
  EXPECT_FALSE(gate.closed());
}

TEST(GateTest, AClosedGateLetsOneASecondFindOut) {
  Gate gate;
  gate.Close(At(0), kDown);
  EXPECT_EQ(gate.why(), kDown);
  EXPECT_EQ(gate.Ask(At(0)).answer, Answer::kRefused);
  EXPECT_EQ(gate.Ask(At(999)).answer, Answer::kRefused);
  EXPECT_EQ(gate.Ask(At(1000)).answer, Answer::kProbe);
  // It may take its time: there is never a second one.
  EXPECT_EQ(gate.Ask(At(1001)).answer, Answer::kRefused);
  EXPECT_EQ(gate.Ask(At(9000)).answer, Answer::kRefused);
  gate.Close(At(9000), kDown);
  EXPECT_EQ(gate.Ask(At(9999)).answer, Answer::kRefused);
  EXPECT_EQ(gate.Ask(At(10'000)).answer, Answer::kProbe);
  gate.Open();
  EXPECT_FALSE(gate.closed());
  EXPECT_EQ(gate.Ask(At(10'001)).answer, Answer::kPass);
}

TEST(GateTest, WhatIsClosedElsewhereIsProbedOnly) {
  Gate gate;
  EXPECT_EQ(gate.Ask(At(0), true).answer, Answer::kProbe);
  EXPECT_EQ(gate.Ask(At(0), true).answer, Answer::kRefused);
  gate.Open();
  EXPECT_EQ(gate.Ask(At(1), true).answer, Answer::kRefused);
  EXPECT_EQ(gate.Ask(At(1), false).answer, Answer::kPass);
  EXPECT_EQ(gate.Ask(At(1000), true).answer, Answer::kProbe);
}

// Who asked for the reason afterwards found the gate open already, and none.
TEST(GateTest, WhoIsRefusedHearsTheReasonWithTheAnswer) {
  Gate gate;
  gate.Close(At(0), kDown);
  Gate::Asked asked = gate.Ask(At(1));
  gate.Open();
  EXPECT_EQ(asked.answer, Answer::kRefused);
  EXPECT_EQ(asked.why, kDown);
  EXPECT_EQ(gate.Ask(At(2)).why, std::nullopt);
}

TEST(GateTest, WhatIsClosedElsewhereHasItsReasonThere) {
  Gate gate;
  EXPECT_EQ(gate.Ask(At(0), true).answer, Answer::kProbe);
  Gate::Asked asked = gate.Ask(At(0), true);
  EXPECT_EQ(asked.answer, Answer::kRefused);
  EXPECT_EQ(asked.why, std::nullopt);
  gate.Close(At(1), kDown);
  EXPECT_EQ(gate.Ask(At(2), true).why, kDown) << "this one is closed, too";
}

}  // namespace
}  // namespace koya::sql
