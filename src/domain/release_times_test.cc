#include "domain/release_times.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koya {
namespace {

constexpr UnixSeconds kNow = 1'795'279'270;  // 2026-11-21T16:41:10Z

using Times = std::vector<ListedRelease>;

TEST(ParseTimestampTest, ReadsWhatRegistriesWrite) {
  struct Case {
    std::string_view text;
    UnixSeconds time;
  };
  for (const Case& each : {
           Case{"2026-11-21T16:41:10Z", kNow},
           Case{"2026-11-21t16:41:10z", kNow},
           Case{"2026-11-21T16:41:10.5Z", kNow},
           Case{"2026-11-21T16:41:10.123456789Z", kNow},
           Case{"2026-11-21T18:41:10+02:00", kNow},
           Case{"2026-11-21T11:11:10.25-05:30", kNow},
           Case{"2026-11-21T16:41:10+00:00", kNow},
           Case{"2016-12-31T23:59:60Z", 1'483'228'800},
           Case{"1970-01-01T00:00:00Z", 0},
           Case{"1970-01-01T02:00:00+02:00", 0},
       }) {
    EXPECT_EQ(ParseTimestamp(each.text), std::optional<UnixSeconds>(each.time)) << each.text;
  }
}

TEST(ParseTimestampTest, RefusesAllElse) {
  const std::string long_fraction = "2026-11-21T16:41:10." + std::string(64, '1') + "Z";
  for (std::string_view text :
       {std::string_view(""), std::string_view("yesterday"), std::string_view("2026-11-21"),
        std::string_view("2026-11-21T16:41:10"), std::string_view("2026-11-21 16:41:10Z"),
        std::string_view("2026-11-21T16:41:10.Z"), std::string_view("2026-11-21T16:41:10.5"),
        std::string_view("2026-11-21T16:41:10+0200"), std::string_view("2026-11-21T16:41:10+24:00"),
        std::string_view("2026-11-21T16:41:10+02:60"),
        std::string_view("2026-11-21T16:41:10+-2:00"), std::string_view("2026-11-21T16:41:10ZZ"),
        std::string_view("2026-02-30T16:41:10Z"), std::string_view("2026-11-21T25:41:10Z"),
        std::string_view("2026-11-21T16:41:61Z"), std::string_view("0001-01-01T00:00:00Z"),
        std::string_view("1970-01-01T00:00:00+00:01"), std::string_view("1795279270"),
        std::string_view(long_fraction)}) {
    EXPECT_EQ(ParseTimestamp(text), std::nullopt) << text;
  }
}

TEST(ReleaseTimesTest, TheFirstListSaysOnlyWhatTheRegistryStates) {
  ReleaseTimes times;
  EXPECT_TRUE(times.empty());
  times.AddList(Times{{"1.0.0", "2026-04-07T10:11:12Z"},
                      {"1.1.0", ""},
                      {"1.2.0", "last week"},
                      {"1.3.0", "2026-11-21T16:41:11Z"}},
                kNow);
  EXPECT_FALSE(times.empty());
  EXPECT_EQ(times.FindTime("1.0.0"), ParseTimestamp("2026-04-07T10:11:12Z"));
  EXPECT_FALSE(times.MayAskFor("1.0.0"));
  for (const char* version : {"1.1.0", "1.2.0", "1.3.0"}) {
    EXPECT_EQ(times.FindTime(version), std::nullopt) << version;
    EXPECT_TRUE(times.MayAskFor(version)) << version;
  }
  EXPECT_EQ(times.FindTime("9.0.0"), std::nullopt);
  EXPECT_FALSE(times.MayAskFor("9.0.0")) << "no list has it";
}

TEST(ReleaseTimesTest, AVersionOfALaterListIsAsOldAsItsFirstSight) {
  struct Case {
    std::string_view version, discovered;
    UnixSeconds time;
  };
  ReleaseTimes times;
  times.AddList(Times{{"1.0.0", ""}}, kNow - 1000);
  const Case kCases[] = {{"1.1.0", "", kNow},
                         {"1.2.0", "soon", kNow},
                         {"1.3.0", "2026-11-21T16:41:11Z", kNow},
                         {"1.4.0", "2026-11-21T16:41:10Z", kNow},
                         {"1.5.0", "2026-11-21T16:41:00Z", kNow - 10}};
  Times list = {{"1.0.0", ""}};
  for (const Case& each : kCases) list.push_back({each.version, each.discovered});
  times.AddList(list, kNow);
  for (const Case& each : kCases) {
    EXPECT_EQ(times.FindTime(each.version), std::optional<UnixSeconds>(each.time)) << each.version;
  }
  EXPECT_TRUE(times.MayAskFor("1.0.0")) << "a second list makes it no younger";
}

TEST(ReleaseTimesTest, FirstSightIsKeptApart) {
  ReleaseTimes times;
  times.AddList(Times{{"1.0.0", "2026-04-07T10:11:12Z"}, {"1.1.0", ""}}, kNow);
  times.AddList(Times{{"1.0.0", ""}, {"1.1.0", ""}, {"1.2.0", "2026-04-08T00:00:00Z"}}, kNow + 60);
  EXPECT_EQ(times.FindFirstSeen("1.0.0"), kNow) << "not the statement";
  EXPECT_EQ(times.FindFirstSeen("1.1.0"), kNow) << "of unknown age";
  EXPECT_EQ(times.FindFirstSeen("1.2.0"), kNow + 60);
  EXPECT_EQ(times.FindFirstSeen("2.0.0"), std::nullopt);
  EXPECT_EQ(times.FirstSeenToString(),
            std::to_string(kNow) + " 1.0.0 1.1.0\n" + std::to_string(kNow + 60) + " 1.2.0\n");
  EXPECT_EQ(ReleaseTimes::Parse(times.ToString(), times.FirstSeenToString()), times);
  const ReleaseTimes odd =
      ReleaseTimes::Parse("", "\n7\nx 1.0.0\n-1 1.0.0\n5  1.1.0\n 1.2.0\n6 1.3.0 1.1.0");
  EXPECT_EQ(odd.FirstSeenToString(), "5 1.1.0\n6 1.3.0\n");
  ReleaseTimes earlier = ReleaseTimes::Parse("", "1 1.2.0");
  earlier.Merge(times);
  EXPECT_EQ(earlier.FindFirstSeen("1.2.0"), 1) << "the first one stays";
}

TEST(ReleaseTimesTest, AKnownTimeStays) {
  ReleaseTimes times;
  times.AddList(Times{{"1.0.0", "2026-11-21T16:00:00Z"}, {"1.1.0", ""}}, kNow);
  times.AddList(Times{{"1.2.0", ""}}, kNow + 10);
  const std::string before = times.ToString();
  times.AddList(Times{{"1.0.0", "2020-01-01T00:00:00Z"}, {"1.2.0", "2020-01-01T00:00:00Z"}},
                kNow + 20);
  times.AddDetails("1.0.0", "2020-01-01T00:00:00Z", kNow + 20);
  EXPECT_EQ(times.ToString(), before) << "whatever its registry says later";
  times.AddList(Times{{"1.1.0", "2026-11-21T15:00:00Z"}}, kNow + 30);
  EXPECT_EQ(times.FindTime("1.1.0"), ParseTimestamp("2026-11-21T15:00:00Z")) << "was unknown";
}

TEST(ReleaseTimesTest, DetailsAreAskedForOnce) {
  ReleaseTimes times;
  times.AddList(Times{{"1.0.0", ""}, {"1.1.0", ""}, {"1.2.0", ""}}, kNow);
  times.AddDetails("1.0.0", "2026-04-07T10:11:12.5Z", kNow);
  times.AddDetails("1.1.0", "", kNow);
  times.AddDetails("1.2.0", "2027-04-07T10:11:12Z", kNow);
  EXPECT_EQ(times.FindTime("1.0.0"), ParseTimestamp("2026-04-07T10:11:12Z"));
  for (const char* version : {"1.1.0", "1.2.0"}) {
    EXPECT_EQ(times.FindTime(version), std::nullopt) << version;
    EXPECT_FALSE(times.MayAskFor(version)) << version;
  }
  times.AddList(Times{{"1.1.0", ""}}, kNow + 10);
  EXPECT_FALSE(times.MayAskFor("1.1.0"));
}

TEST(ReleaseTimesTest, OfTwoServersTheFirstOneIsRight) {
  ReleaseTimes first;
  first.AddList(Times{{"1.0.0", ""}, {"1.1.0", ""}}, kNow);
  ReleaseTimes second = first;
  first.AddList(Times{{"1.2.0", ""}}, kNow + 10);
  first.AddDetails("1.0.0", "", kNow + 10);
  second.AddList(Times{{"1.2.0", ""}, {"1.3.0", ""}}, kNow + 11);
  second.AddDetails("1.1.0", "2026-04-07T10:11:12Z", kNow + 11);
  first.Merge(second);
  EXPECT_EQ(first.FindTime("1.2.0"), std::optional<UnixSeconds>(kNow + 10));
  EXPECT_EQ(first.FindTime("1.3.0"), std::optional<UnixSeconds>(kNow + 11));
  EXPECT_EQ(first.FindTime("1.1.0"), ParseTimestamp("2026-04-07T10:11:12Z"));
  EXPECT_FALSE(first.MayAskFor("1.0.0"));
}

TEST(ReleaseTimesTest, ComeBackFromTheirStoredForm) {
  ReleaseTimes times;
  times.AddList(Times{{"1.0.0+build.1", "2026-04-07T10:11:12Z"}, {"1.1.0", ""}, {"1.2.0", ""}},
                kNow);
  times.AddDetails("1.2.0", "", kNow);
  EXPECT_EQ(times.ToString(), "1.0.0+build.1 1775556672\n1.1.0 -2\n1.2.0 -1\n");
  EXPECT_EQ(ReleaseTimes::Parse(times.ToString(), times.FirstSeenToString()), times);
  EXPECT_TRUE(ReleaseTimes::Parse("").empty());
  for (std::string_view bad : {"\n", "1.0.0", "1.0.0 \n", " 5\n", "1.0.0 5x\n", "1.0.0 -3\n",
                               "1.0.0 99999999999999999999\n", "1.0.0 5 6"}) {
    EXPECT_TRUE(ReleaseTimes::Parse(bad).empty()) << bad;
  }
}

TEST(ReleaseTimesTest, RemovedVersionsAreRememberedUpToALimit) {
  ReleaseTimes times;
  times.AddList(Times{{"1.0.0", "2026-04-07T10:11:12Z"}}, kNow);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ReleaseTimes::kMostRemoved; ++i) {
    names.push_back("2.0." + std::to_string(i));
  }
  Times many;
  for (const std::string& name : names) many.push_back({name, ""});
  times.AddList(many, kNow);
  times.AddList(Times{{"3.0.0", ""}}, kNow + 10);
  EXPECT_EQ(times.FindTime("1.0.0"), std::nullopt) << "1001 are too many";
  EXPECT_EQ(times.FindTime("3.0.0"), std::optional<UnixSeconds>(kNow + 10));
  times.AddList(Times{{"3.1.0", ""}}, kNow + 20);
  EXPECT_EQ(times.FindTime("3.0.0"), std::optional<UnixSeconds>(kNow + 10));
}

}  // namespace
}  // namespace koya
