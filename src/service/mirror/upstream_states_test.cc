#include "service/mirror/upstream_states.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "service/mirror/inventory_fake.h"

namespace koya::service {
namespace {

using std::chrono::milliseconds;
using Kind = UpstreamState::Kind;

constexpr UnixSeconds kStart = 1'795'279'270;
constexpr UnixSeconds kOneHour = 3600;

class UpstreamStatesTest : public ::testing::Test {
 protected:
  UpstreamState State() { return states_.Of(host_); }
  void Fail(ErrorKind kind, std::string message) {
    states_.NoteFailure(host_, {kind, std::move(message), {}});
  }

  ManualClock clock_{};
  UpstreamStates states_{clock_};
  HostName host_ = *HostName::Parse("registry.example.org");
};

TEST_F(UpstreamStatesTest, SaysNothingOfWhatNobodyAsked) {
  EXPECT_EQ(State().kind, Kind::kUnasked);
  EXPECT_EQ(State().answered_at, 0);
  EXPECT_EQ(State().asked(), 0U);
  EXPECT_EQ(State().median, milliseconds(0));
  EXPECT_EQ(states_.since(), kStart);
}

TEST_F(UpstreamStatesTest, IsFreshStaleAndFailingInTurn) {
  states_.NoteAnswer(host_, milliseconds(40));
  EXPECT_EQ(State().kind, Kind::kFresh);
  clock_.now += 60;
  Fail(ErrorKind::kUpstreamTimeout, "it did not answer in time");
  clock_.now += 60;
  Fail(ErrorKind::kBadUpstream, "it answered 502");
  EXPECT_EQ(State().kind, Kind::kStale);
  EXPECT_EQ(State().answered_at, kStart);
  EXPECT_EQ(State().failing_since, kStart + 60) << "the first failure, not the last";
  EXPECT_EQ(State().cause, "it answered 502");
  clock_.now = kStart + 24 * kOneHour;
  EXPECT_EQ(State().kind, Kind::kFailing);
  states_.NoteAnswer(host_, milliseconds(40));
  EXPECT_EQ(State().kind, Kind::kFresh);
  EXPECT_EQ(State().failing_since, 0);
  EXPECT_EQ(State().cause, "");
}

TEST_F(UpstreamStatesTest, WhatNeverAnsweredFails) {
  Fail(ErrorKind::kBadUpstream, "no such host");
  EXPECT_EQ(State().kind, Kind::kFailing);
  EXPECT_EQ(State().answered_at, 0);
}

TEST_F(UpstreamStatesTest, KeepsTheCauseWhileTheHostIsLeftAlone) {
  Fail(ErrorKind::kBadUpstream, "no such host");
  Fail(ErrorKind::kUnavailable, "it failed five times in a row, and is left alone");
  EXPECT_EQ(State().cause, "no such host");
  EXPECT_EQ(State().failed(), 2U);
}

TEST_F(UpstreamStatesTest, BoundsWhatAHostMaySay) {
  Fail(ErrorKind::kBadUpstream, std::string(5000, 'x') + "\n\x1b");
  EXPECT_LT(State().cause.size(), 400U);
  EXPECT_FALSE(State().cause.contains('\n'));
}

TEST_F(UpstreamStatesTest, CountsTheLastDayByHours) {
  clock_.now = 100 * kOneHour;
  states_.NoteAnswer(host_, milliseconds(1));
  clock_.now += kOneHour;
  Fail(ErrorKind::kBadUpstream, "it answered 502");
  states_.NoteAnswer(host_, milliseconds(1));
  UpstreamState state = State();
  EXPECT_EQ(state.hours[23], (UpstreamState::Hour{.asked = 2, .failed = 1}));
  EXPECT_EQ(state.hours[22], (UpstreamState::Hour{.asked = 1, .failed = 0}));
  EXPECT_EQ(state.hours[21], UpstreamState::Hour{});
  EXPECT_EQ(state.asked(), 3U);
  clock_.now += 23 * kOneHour;
  EXPECT_EQ(State().asked(), 2U) << "what is a day old is gone";
  EXPECT_EQ(State().hours[0], (UpstreamState::Hour{.asked = 2, .failed = 1}));
  states_.NoteAnswer(host_, milliseconds(1));
  EXPECT_EQ(State().hours[23], (UpstreamState::Hour{.asked = 1, .failed = 0}));
  clock_.now += 1000 * kOneHour;
  EXPECT_EQ(State().asked(), 0U);
}

TEST_F(UpstreamStatesTest, TellsTheMiddleOfTheLastTimes) {
  for (int time : {5, 1, 9}) states_.NoteAnswer(host_, milliseconds(time));
  EXPECT_EQ(State().median, milliseconds(5));
  for (int i = 0; i < 40; ++i) states_.NoteAnswer(host_, milliseconds(70));
  EXPECT_EQ(State().median, milliseconds(70));
  for (int i = 0; i < 40; ++i) states_.NoteAnswer(host_, milliseconds(0));
  EXPECT_EQ(State().median, milliseconds(1)) << "0 is that there is none";
}

TEST_F(UpstreamStatesTest, NotesSoManyHosts) {
  for (std::size_t i = 0; i < UpstreamStates::kMostHosts + 10; ++i) {
    states_.NoteAnswer(*HostName::Parse(fmt::format("host{}.example", i)), milliseconds(1));
  }
  Fail(ErrorKind::kBadUpstream, "one too many");
  EXPECT_EQ(State().kind, Kind::kUnasked);
  EXPECT_EQ(states_.Of(*HostName::Parse("host255.example")).kind, Kind::kFresh);
  EXPECT_EQ(states_.Of(*HostName::Parse("host256.example")).kind, Kind::kUnasked);
}

// ---- told by the sources

class WatchedSourceTest : public InventoryTest {
 protected:
  UpstreamState State() { return mirror_->states.Of(*HostName::Parse(kPulled)); }
  Result<MirroredVersions> Ask() { return RunTask(mirror_->providers.ListVersions(Demo(kPulled))); }
};

TEST_F(WatchedSourceTest, WhatClientsAskForTellsHowTheRegistryIs) {
  ASSERT_TRUE(Ask());
  EXPECT_EQ(State().kind, Kind::kFresh);
  EXPECT_EQ(State().answered_at, clock_.now);
  clock_.now += 3600;
  upstream_.failure = Error{ErrorKind::kUpstreamTimeout, "it was too slow", {}};
  ASSERT_TRUE(Ask()) << "what is held is given";
  EXPECT_EQ(State().kind, Kind::kStale);
  EXPECT_EQ(State().cause, "it was too slow");
}

TEST_F(WatchedSourceTest, ThatThereIsNoneIsAnAnswer) {
  upstream_.failure = Error{ErrorKind::kNotFound, "there is no such provider", {}};
  EXPECT_FALSE(Ask());
  EXPECT_EQ(State().kind, Kind::kFresh);
  EXPECT_EQ(State().failed(), 0U);
}

TEST_F(WatchedSourceTest, WhatIsDeniedIsNeverAsked) {
  EXPECT_FALSE(RunTask(mirror_->providers.ListVersions(Demo(kPulled, "denied"))));
  EXPECT_EQ(State().kind, Kind::kUnasked);
}

}  // namespace
}  // namespace koya::service
