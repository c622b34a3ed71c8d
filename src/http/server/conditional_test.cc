#include "http/server/conditional.h"

#include <gtest/gtest.h>

namespace koya::http {
namespace {

TEST(MatchesEtag, ComparesListsWeakly) {
  struct Case {
    std::string_view field;
    bool matches;
  };
  const Case kCases[] = {
      {"\"v\"", true},
      {"W/\"v\"", true},
      {"*", true},
      {" * ", true},
      {"\"a\", \"v\"", true},
      {"\"a\",W/\"v\"", true},
      {", ,\"v\"", true},
      {"\"a,b\", \"v\"", true},
      {"", false},
      {"\"a\"", false},
      {"v", false},
      {"\"v", false},
      {"w/\"v\"", false},
      {"\"v \"", false},
      {"\"a\" v \"v\"", false},
      {"*, \"a\"", false},
      {"W/", false},
  };
  for (const Case& c : kCases) EXPECT_EQ(MatchesEtag(c.field, "\"v\""), c.matches) << c.field;
  EXPECT_FALSE(MatchesEtag("*", ""));
}

TEST(RangeApplies, OnlyToTheVeryRepresentation) {
  EXPECT_TRUE(RangeApplies("", "\"v\""));
  EXPECT_TRUE(RangeApplies("\"v\"", "\"v\""));
  EXPECT_FALSE(RangeApplies("\"w\"", "\"v\""));
  EXPECT_FALSE(RangeApplies("W/\"v\"", "W/\"v\""));
  EXPECT_FALSE(RangeApplies("Sat, 21 Nov 2026 16:41:10 GMT", "\"v\""));
}

TEST(AcceptsGzip, ReadsWeights) {
  struct Case {
    std::string_view field;
    bool accepts;
  };
  const Case kCases[] = {
      {"gzip", true},
      {"GZIP", true},
      {"x-gzip", true},
      {"deflate, gzip", true},
      {"br;q=1.0, gzip;q=0.8", true},
      {"gzip;q=0.001", true},
      {"gzip ; Q=1", true},
      {"*", true},
      {"*;q=0.1", true},
      {"", false},
      {"identity", false},
      {"br", false},
      {"gzip;q=0", false},
      {"gzip;q=0.000", false},
      {"gzip; q=0, *", false},
      {"*;q=0", false},
      {"*, gzip;q=0", false},
      {"gzipped", false},
  };
  for (const Case& c : kCases) EXPECT_EQ(AcceptsGzip(c.field), c.accepts) << c.field;
}

TEST(ParseRange, ReadsOneRange) {
  struct Case {
    std::string_view field;
    ByteRange::Kind kind;
    std::uint64_t offset, length;
  };
  using enum ByteRange::Kind;
  const Case kCases[] = {
      {"bytes=0-0", kPart, 0, 1},
      {"bytes=0-99", kPart, 0, 100},
      {"bytes=10-", kPart, 10, 90},
      {"Bytes=10-19", kPart, 10, 10},
      {"bytes= 10-19 ", kPart, 10, 10},
      {"bytes=90-1000", kPart, 90, 10},
      {"bytes=90-99999999999999999999999", kPart, 90, 10},
      {"bytes=-1", kPart, 99, 1},
      {"bytes=-1000", kPart, 0, 100},
      {"bytes=100-", kUnsatisfiable, 0, 0},
      {"bytes=100-200", kUnsatisfiable, 0, 0},
      {"bytes=99999999999999999999999-", kUnsatisfiable, 0, 0},
      {"bytes=-0", kUnsatisfiable, 0, 0},
      {"", kWhole, 0, 100},
      {"bytes", kWhole, 0, 100},
      {"bytes=", kWhole, 0, 100},
      {"bytes=-", kWhole, 0, 100},
      {"bytes=a-b", kWhole, 0, 100},
      {"bytes=5-4", kWhole, 0, 100},
      {"bytes=1-2,4-5", kWhole, 0, 100},
      {"bytes=1-2-3", kWhole, 0, 100},
      {"bytes=+1-2", kWhole, 0, 100},
      {"lines=1-2", kWhole, 0, 100},
  };
  for (const Case& c : kCases) {
    ByteRange range = ParseRange(c.field, 100);
    EXPECT_EQ(range.kind, c.kind) << c.field;
    EXPECT_EQ(range.offset, c.offset) << c.field;
    EXPECT_EQ(range.length, c.length) << c.field;
  }
  EXPECT_EQ(ParseRange("bytes=0-", 0).kind, kUnsatisfiable);
}

}  // namespace
}  // namespace koya::http
