// What every catalog must do: sums of a day, of bytes that were sent, and of what the mirror did.
// See catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "catalog/catalog_suite_base.h"
#include "catalog/change_log.h"
#include "catalog/upstream_suite_base.h"
#include "catalog/usage_catalog.h"

namespace koya {
namespace {

class SentBytesSuite : public CatalogSuiteBase {
 protected:
  using Sums = std::vector<std::uint64_t>;

  Sums Add(std::int64_t day, std::vector<SentBytes> more) {
    auto sums = RunTask(sent_bytes().AddSentBytes(day, std::move(more)));
    EXPECT_TRUE(sums) << sums.error().message << sums.error().detail;
    return sums ? *sums : Sums();
  }

  const std::int64_t today_ = SystemClock().Now() / 86'400;
};
INSTANTIATE_CATALOG_SUITE(SentBytesSuite);

TEST_P(SentBytesSuite, WhatServersAddIsSummedUpForEachDay) {
  using Sums = std::vector<std::uint64_t>;
  const std::int64_t today = this->today_;
  EXPECT_EQ(this->Add(today, {{"token:b", 10}, {"token:a", 5}}), (Sums{10, 5}));
  EXPECT_EQ(this->Add(today, {{"token:a", 1}, {"address:192.0.2.7", 3}, {"token:b", 0}}),
            (Sums{6, 3, 10}));
  EXPECT_EQ(this->Add(today, {{"token:a", 5'000'000'000}}), Sums{5'000'000'006});
  EXPECT_EQ(this->Add(today - 1, {{"token:a", 2}}), Sums{2});
  EXPECT_EQ(this->Add(today + 1, {{"token:a", 7}}), Sums{7});
  EXPECT_EQ(this->Add(today, {{"token:a", 0}, {"token:%' \"é豆", 4}}), (Sums{5'000'000'006, 4}));
  EXPECT_EQ(this->Add(today, {}), Sums{});
  EXPECT_EQ(RunTask(changes().LatestChange())->sequence, 0) << "nothing that is served changed";
}

TEST_P(SentBytesSuite, OldSumsGo) {
  using Sums = std::vector<std::uint64_t>;
  const std::int64_t today = this->today_;
  this->Add(today - 2, {{"token:a", 10}});
  this->Add(today, {{"token:a", 10}});
  EXPECT_EQ(this->Add(today - 2, {{"token:a", 0}}), Sums{0});
  EXPECT_EQ(this->Add(today, {{"token:a", 0}}), Sums{10});
}

TEST_P(SentBytesSuite, WhatCannotBeKeptIsRefused) {
  for (const std::string& text :
       {std::string("a\0b", 3), std::string("\xff"), std::string(201, 'a')}) {
    EXPECT_EQ(CatalogErrorOf(RunTask(sent_bytes().AddSentBytes(this->today_, {{text, 1}}))),
              ErrorKind::kInvalid);
  }
  std::vector<SentBytes> many(1'001, SentBytes{"token:a", 1});
  EXPECT_EQ(CatalogErrorOf(RunTask(sent_bytes().AddSentBytes(this->today_, many))),
            ErrorKind::kInvalid);
}

TEST_P(SentBytesSuite, NothingIsLostWhenServersAddAtOnce) {
  Racers racers;
  std::vector<Result<std::vector<std::uint64_t>>> sums;
  for (int i = 0; i < 20; ++i) {
    std::vector<SentBytes> more = {{"token:a", 1}, {"token:b", 2}, {"token:c", 3}};
    if (i % 2 == 0) std::ranges::reverse(more);
    racers.Add(sent_bytes().AddSentBytes(this->today_, std::move(more)), &sums);
  }
  racers.Run();
  for (const auto& each : sums) EXPECT_TRUE(each) << each.error().message << each.error().detail;
  EXPECT_EQ(this->Add(this->today_, {{"token:a", 0}, {"token:b", 0}, {"token:c", 0}}),
            (std::vector<std::uint64_t>{20, 40, 60}));
}

class MirrorCountSuite : public UpstreamSuiteBase {
 protected:
  using Kind = MirrorCountKind;
  static constexpr UsageDay kDay = 20'522;  // 2026-03-10

  static MirrorCount Row(UsageDay day, Kind kind, std::uint64_t count, std::uint64_t bytes = 0) {
    return {.day = day, .kind = kind, .count = count, .bytes = bytes};
  }

  bool Add(std::string id, std::vector<MirrorCount> rows) {
    Result<bool> added = RunTask(mirror_counts().AddMirrorCounts({std::move(id), std::move(rows)}));
    EXPECT_TRUE(added) << added.error().message << added.error().detail;
    return added && *added;
  }
  bool Add(std::vector<MirrorCount> rows) {
    return Add("batch-" + std::to_string(++batches_), std::move(rows));
  }

  std::vector<MirrorCount> Days(UsageDay since = 0) {
    auto days = RunTask(mirror_counts().ListMirrorDays(since));
    EXPECT_TRUE(days) << days.error().message << days.error().detail;
    return days.value_or(std::vector<MirrorCount>());
  }
  MirrorReadiness Ready(UsageDay since = 0) {
    auto ready = RunTask(mirror_counts().CountReady(since));
    EXPECT_TRUE(ready) << ready.error().message << ready.error().detail;
    return ready.value_or(MirrorReadiness{99, 99});
  }
  // A fetch of the item on that day.
  void Fetch(UsageDay day, UsageItem item) {
    UsageRow row{day, std::move(item), {}, {1, 0}};
    auto added =
        RunTask(usage().AddUsage({"fetch-" + std::to_string(++batches_), {std::move(row)}}));
    EXPECT_TRUE(added) << added.error().message << added.error().detail;
  }
  void FetchProvider(UsageDay day, std::string_view version) {
    Fetch(day, UsageItem::Of(Remote(kRemote), V(version)));
  }

 private:
  int batches_ = 0;
};
INSTANTIATE_CATALOG_SUITE(MirrorCountSuite);

TEST_P(MirrorCountSuite, WhatServersAddIsSummedUpByDay) {
  using Kind = MirrorCountKind;
  const UsageDay day = kDay;
  EXPECT_TRUE(this->Days().empty());
  EXPECT_TRUE(
      this->Add({this->Row(day, Kind::kSent, 3, 5'000'000'000),
                 this->Row(day, Kind::kFetched, 1, 700), this->Row(day, Kind::kDenied, 2)}));
  EXPECT_TRUE(this->Add({this->Row(day, Kind::kSent, 1, 5'000'000'000),
                         this->Row(day, Kind::kDenied, 5), this->Row(day + 1, Kind::kSent, 9, 9)}));
  EXPECT_EQ(this->Days(), (std::vector<MirrorCount>{this->Row(day, Kind::kSent, 4, 10'000'000'000),
                                                    this->Row(day, Kind::kFetched, 1, 700),
                                                    this->Row(day, Kind::kDenied, 7),
                                                    this->Row(day + 1, Kind::kSent, 9, 9)}));
  EXPECT_EQ(this->Days(day + 1), std::vector<MirrorCount>{this->Row(day + 1, Kind::kSent, 9, 9)});
  EXPECT_TRUE(this->Days(day + 2).empty());
  EXPECT_EQ(RunTask(changes().LatestChange())->sequence, 0) << "nothing that is served changed";
}

TEST_P(MirrorCountSuite, ABatchOfCountsIsTakenOnce) {
  using Kind = MirrorCountKind;
  const UsageDay day = kDay;
  const std::vector<MirrorCount> rows = {this->Row(day, Kind::kSent, 1, 2),
                                         this->Row(day, Kind::kSent, 1, 2)};
  EXPECT_TRUE(this->Add("a", rows));
  EXPECT_FALSE(this->Add("a", rows)) << "its answer was lost, and it came again";
  EXPECT_TRUE(this->Add("b", rows));
  EXPECT_EQ(this->Days(), std::vector<MirrorCount>{this->Row(day, Kind::kSent, 4, 8)});
}

TEST_P(MirrorCountSuite, StopsAreSummedUpByRevisionAndRule) {
  const auto add = [this](std::string id, std::vector<PolicyRuleCount> rules) {
    return RunTask(
        mirror_counts().AddMirrorCounts({.id = std::move(id), .rows = {}, .rules = rules}));
  };
  const auto list = [this](std::int64_t revision) {
    return RunTask(mirror_counts().ListRuleCounts(revision))
        .value_or(std::vector<PolicyRuleCount>{{-1, "failed", 0, 0}});
  };
  using Counts = std::vector<PolicyRuleCount>;
  EXPECT_EQ(list(0), Counts());
  EXPECT_EQ(add("a", {{3, "no-rc", 0, 2}, {3, "cool-down", 5'000'000'000, 0}, {3, "no-rc", 0, 1}}),
            true);
  EXPECT_EQ(add("a", {{3, "no-rc", 0, 2}}), false) << "its answer was lost, and it came again";
  EXPECT_EQ(add("b", {{3, "cool-down", 5'000'000'000, 1}, {4, "cool-down", 1, 0}}), true);
  EXPECT_EQ(add("c", {{0, "policy.deny", 0, 7}}), true);
  EXPECT_EQ(list(3), (Counts{{3, "cool-down", 10'000'000'000, 1}, {3, "no-rc", 0, 3}}));
  EXPECT_EQ(list(4), (Counts{{4, "cool-down", 1, 0}}));
  EXPECT_EQ(list(0), (Counts{{0, "policy.deny", 0, 7}}));
  EXPECT_EQ(list(5), Counts());
  for (const std::string& text : {std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_EQ(CatalogErrorOf(add("d", {{3, "good", 1, 1}, {3, text, 1, 1}})), ErrorKind::kInvalid);
  }
  EXPECT_EQ(list(3).size(), 2U) << "all of a batch or nothing";
}

TEST_P(MirrorCountSuite, OldCountsGo) {
  using Kind = MirrorCountKind;
  const UsageDay day = kDay;
  this->Add({this->Row(day, Kind::kSent, 1), this->Row(day + 1, Kind::kSent, 2)});
  EXPECT_TRUE(RunTask(mirror_counts().RemoveMirrorCountsBefore(day)));
  EXPECT_EQ(this->Days().size(), 2U);
  EXPECT_TRUE(RunTask(mirror_counts().RemoveMirrorCountsBefore(day + 1)));
  EXPECT_EQ(this->Days(), std::vector<MirrorCount>{this->Row(day + 1, Kind::kSent, 2)});
}

TEST_P(MirrorCountSuite, ABatchWithAnIdThatCannotBeKeptIsRefused) {
  using Kind = MirrorCountKind;
  const UsageDay day = kDay;
  const MirrorCount good = this->Row(day, Kind::kSent, 1);
  for (const std::string& text :
       {std::string("a\0b", 3), std::string("\xff"), std::string(601, 'a')}) {
    EXPECT_EQ(CatalogErrorOf(RunTask(mirror_counts().AddMirrorCounts({text, {good}}))),
              ErrorKind::kInvalid);
  }
  EXPECT_TRUE(this->Days().empty());
}

TEST_P(MirrorCountSuite, ReadyIsWhatWasFetchedOfLateAndIsHere) {
  const UsageDay day = kDay;
  EXPECT_EQ(this->Ready(), MirrorReadiness{});
  this->PinHeld(kRemote, "1.0.0", SampleHeldPackage("linux_amd64", "one"));
  this->PinHeld(kRemote, "1.1.0", SampleUpstreamPackage("linux_amd64", "two"));
  this->PinModule(SampleUpstreamModule(kRemoteModule, "1.0.0", "three"));
  UpstreamModuleVersion released = SampleUpstreamModule(kRemoteModule, "1.1.0", "four");
  released.held = false;
  this->PinModule(released);
  EXPECT_EQ(this->Ready(), MirrorReadiness{}) << "nobody has fetched any of it";
  this->FetchProvider(day, "1.0.0");
  this->FetchProvider(day, "1.1.0");
  this->FetchProvider(day, "9.0.0");  // never pinned
  this->Fetch(day + 1, UsageItem::Of(RemoteModule(kRemoteModule), V("1.0.0")));
  this->Fetch(day + 1, UsageItem::Of(RemoteModule(kRemoteModule), V("1.1.0")));
  this->Fetch(day + 1, UsageItem::Of(Address("acme/vpc/aws"), V("1.0.0")));  // of here
  EXPECT_EQ(this->Ready(), (MirrorReadiness{.fetched = 5, .held = 2}));
  EXPECT_EQ(this->Ready(day + 1), (MirrorReadiness{.fetched = 2, .held = 1}));
  EXPECT_EQ(this->Ready(day + 2), MirrorReadiness{});
}

TEST_P(MirrorCountSuite, OneHeldPlatformOfSeveralIsEnough) {
  UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0", "one");
  release.packages = {SampleUpstreamPackage("darwin_arm64", "one"),
                      SampleHeldPackage("linux_amd64", "one"),
                      SampleHeldPackage("windows_amd64", "one")};
  this->Pin(release);
  this->FetchProvider(kDay, "1.0.0");
  EXPECT_EQ(this->Ready(), (MirrorReadiness{.fetched = 1, .held = 1}));
}

TEST_P(MirrorCountSuite, NoCountIsLostWhenServersAddAtOnce) {
  using Kind = MirrorCountKind;
  Racers racers;
  std::vector<Result<bool>> added;
  const UsageDay day = kDay;
  for (int i = 0; i < 20; ++i) {
    std::vector<MirrorCount> rows = {this->Row(day, Kind::kSent, 1, 10),
                                     this->Row(day, Kind::kAllowed, 1),
                                     this->Row(day, Kind::kDenied, 1)};
    if (i % 2 == 0) std::ranges::reverse(rows);
    // Each comes twice, as if its answer had been lost.
    racers.Add(mirror_counts().AddMirrorCounts({std::to_string(i % 10), std::move(rows)}), &added);
  }
  racers.Run();
  std::size_t taken = 0;
  for (const Result<bool>& each : added) {
    ASSERT_TRUE(each) << each.error().message << each.error().detail;
    if (*each) ++taken;
  }
  EXPECT_EQ(taken, 10U);
  EXPECT_EQ(this->Days(), (std::vector<MirrorCount>{this->Row(day, Kind::kSent, 10, 100),
                                                    this->Row(day, Kind::kAllowed, 10),
                                                    this->Row(day, Kind::kDenied, 10)}));
}

}  // namespace

}  // namespace koya
