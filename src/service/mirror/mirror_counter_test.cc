#include "service/mirror/mirror_counter.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"

namespace koya::service {
namespace {

using CountKind = MirrorCountKind;

// Stores the counts; accepts nothing, or loses responses, on command.
class CountBook final : public MirrorCountCatalog {
 public:
  Task<bool> AddMirrorCounts(MirrorCountBatch batch) override {
    if (away) co_return FailUnavailable("the database is away");
    if (refuses) co_return FailInvalid("this cannot be kept");
    const bool is_new = ids.insert(batch.id).second;
    if (is_new) rows.insert(rows.end(), batch.rows.begin(), batch.rows.end());
    if (is_new) rules.insert(rules.end(), batch.rules.begin(), batch.rules.end());
    if (loses_answers) co_return FailUnavailable("the answer was lost");
    co_return is_new;
  }
  Task<std::vector<MirrorCount>> ListMirrorDays(UsageDay) override { co_return Nothing(); }
  Task<MirrorReadiness> CountReady(UsageDay) override { co_return Nothing(); }
  Task<void> RemoveMirrorCountsBefore(UsageDay) override { co_return Nothing(); }
  Task<std::vector<PolicyRuleCount>> ListRuleCounts(std::int64_t) override { co_return Nothing(); }

  // "DAY KIND: COUNT, BYTES bytes".
  std::multiset<std::string> Lines(UsageDay today) const {
    std::multiset<std::string> lines;
    for (const MirrorCount& row : rows) {
      lines.insert(std::to_string(row.day - today) + " " +
                   std::to_string(static_cast<int>(row.kind)) + ": " + std::to_string(row.count) +
                   ", " + std::to_string(row.bytes) + " bytes");
    }
    return lines;
  }

  bool away = false;
  bool refuses = false;
  bool loses_answers = false;
  std::set<std::string> ids;
  std::vector<MirrorCount> rows;
  std::vector<PolicyRuleCount> rules;

 private:
  static Failure Nothing() { return FailInternal("nobody asks for this here"); }
};

class MirrorCounterTest : public ::testing::Test {
 protected:
  using Lines = std::multiset<std::string>;

  MirrorCounterTest() { clock_.now = 20'522 * kSecondsOfDay + 100; }

  Lines Written() {
    RunTask(counter_.Write());
    return book_.Lines(clock_.now / kSecondsOfDay);
  }

  CountBook book_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  ManualClock clock_;
  MirrorCounter counter_{book_, log_, clock_};
};

TEST_F(MirrorCounterTest, ArchivesAreSummedUpWithTheirBytes) {
  EXPECT_EQ(Written(), Lines());
  EXPECT_TRUE(book_.ids.empty()) << "nothing is no batch";
  counter_.NoteSent(5'000'000'000);
  counter_.NoteSent(1);
  counter_.RecordFetched(7);
  EXPECT_EQ(Written(), (Lines{"0 1: 2, 5000000001 bytes", "0 2: 1, 7 bytes"}));
  EXPECT_EQ(Written().size(), 2U) << "what was written is not written again";
  counter_.NoteSent(0);
  EXPECT_TRUE(Written().contains("0 1: 1, 0 bytes"));
}

TEST_F(MirrorCounterTest, RequestsAreCountedByVerdict) {
  counter_.NoteAllowed();
  counter_.NoteDenied();
  counter_.NoteDenied();
  EXPECT_EQ(Written(), (Lines{"0 3: 1, 0 bytes", "0 4: 2, 0 bytes"}));
}

TEST_F(MirrorCounterTest, RulesAreSummedUpUntilTheCatalogTakesThem) {
  using Counts = std::vector<PolicyRuleCount>;
  const auto hold = policy::Verdict::kHold, refuse = policy::Verdict::kRefuse;
  counter_.CountStops(3, {});
  RunTask(counter_.Write());
  EXPECT_TRUE(book_.ids.empty()) << "nothing is no batch";
  counter_.CountStops(3, {{"cool-down", hold}, {"no-rc", refuse}});
  book_.away = true;
  RunTask(counter_.Write());
  for (int i = 0; i < 5; ++i) {
    counter_.CountStops(3, {{"cool-down", hold}});
    counter_.CountStops(4, {{"cool-down", refuse}});
    RunTask(counter_.Write());
  }
  book_.away = false;
  RunTask(counter_.Write());
  EXPECT_EQ(book_.rules, (Counts{{3, "cool-down", 1, 0}, {3, "no-rc", 0, 1}}));
  RunTask(counter_.Write());
  EXPECT_EQ(book_.rules, (Counts{{3, "cool-down", 1, 0},
                                 {3, "no-rc", 0, 1},
                                 {3, "cool-down", 5, 0},
                                 {4, "cool-down", 0, 5}}));
  EXPECT_EQ(book_.ids.size(), 2U);
}

TEST_F(MirrorCounterTest, RulesThatWaitAreBounded) {
  StoppingRules rules;
  for (std::size_t i = 0; i <= MirrorCounter::kMostRules; ++i) {
    rules["r" + std::to_string(i)] = policy::Verdict::kHold;
  }
  counter_.CountStops(1, rules);
  counter_.CountStops(1, {{"r0", policy::Verdict::kHold}});
  RunTask(counter_.Write());
  EXPECT_EQ(book_.rules.size(), MirrorCounter::kMostRules);
  EXPECT_EQ(book_.rules[0].held, 2U) << "those that wait are counted";
}

TEST_F(MirrorCounterTest, WhatWasCountedYesterdayIsYesterdays) {
  counter_.NoteSent(1);
  clock_.now += kSecondsOfDay;
  counter_.NoteSent(2);
  EXPECT_EQ(Written(), (Lines{"-1 1: 1, 1 bytes", "0 1: 1, 2 bytes"}));
  clock_.now += kSecondsOfDay;
  counter_.NoteSent(4);
  EXPECT_TRUE(Written().contains("0 1: 1, 4 bytes"));
}

TEST_F(MirrorCounterTest, ALostAnswerCountsNothingTwice) {
  book_.loses_answers = true;
  counter_.NoteSent(1);
  Written();
  counter_.NoteSent(2);
  book_.loses_answers = false;
  EXPECT_EQ(Written(), (Lines{"0 1: 1, 1 bytes", "0 1: 1, 2 bytes"}));
  EXPECT_EQ(captured_.Lines().size(), 1U);
  EXPECT_EQ(counter_.Numbers().dropped, 0U);
}

TEST_F(MirrorCounterTest, WhatCannotBeWrittenWaitsAndTheOldestGoes) {
  book_.away = true;
  for (std::size_t i = 0; i < MirrorCounter::kMostBatches + 3; ++i) {
    counter_.NoteSent(1);
    Written();
  }
  EXPECT_EQ(captured_.Lines().size(), 1U) << "it is told once";
  EXPECT_EQ(counter_.Numbers().dropped, 3U);
  book_.away = false;
  EXPECT_EQ(Written().size(), MirrorCounter::kMostBatches);
}

TEST_F(MirrorCounterTest, WhatIsRefusedIsNotTriedAgain) {
  book_.refuses = true;
  counter_.NoteSent(1);
  Written();
  book_.refuses = false;
  EXPECT_EQ(Written(), Lines());
  EXPECT_EQ(counter_.Numbers().dropped, 1U);
}

TEST_F(MirrorCounterTest, NothingIsLostBetweenThreads) {
  constexpr int kThreads = 4;
  constexpr int kEach = 2'000;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([this] {
        for (int n = 0; n < kEach; ++n) counter_.NoteSent(3);
      });
    }
    for (int i = 0; i < 20; ++i) RunTask(counter_.Write());
  }
  RunTask(counter_.Write());
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  for (const MirrorCount& row : book_.rows) {
    count += row.count;
    bytes += row.bytes;
  }
  EXPECT_EQ(count, std::uint64_t{kThreads} * kEach);
  EXPECT_EQ(bytes, std::uint64_t{kThreads} * kEach * 3);
}

TEST_F(MirrorCounterTest, TheNumbersAreSinceTheStart) {
  counter_.NoteSent(10);
  counter_.RecordFetched(4);
  counter_.NoteAllowed();
  counter_.NoteDenied();
  counter_.NoteDenied();
  Written();
  counter_.NoteSent(10);
  const MirrorNumbers numbers = counter_.Numbers();
  EXPECT_EQ(numbers.sent, 2U);
  EXPECT_EQ(numbers.sent_bytes, 20U);
  EXPECT_EQ(numbers.brought, 1U);
  EXPECT_EQ(numbers.fetched_bytes, 4U);
  EXPECT_EQ(numbers.let_through, 1U);
  EXPECT_EQ(numbers.turned_away, 2U);
}

}  // namespace
}  // namespace koya::service
