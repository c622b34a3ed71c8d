#include "domain/spelling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace koya {
namespace {

TEST(Spelling, OneLetterApart) {
  constexpr std::tuple<std::string_view, std::string_view, bool> kCases[] = {
      {"network", "network", true},    {"network", "networks", true},
      {"network", "etwork", true},     {"network", "netwrk", true},
      {"network", "netwerk", true},    {"network", "netwrok", true},
      {"network", "nnetwork", true},   {"größe", "grösse", false},
      {"größe", "große", true},        {"network", "netwrks", false},
      {"network", "newtrok", false},   {"network", "nitwerk", false},
      {"network", "networkss", false}, {"network", "krowten", false},
      {"network", "", false},          {"abcde", "bcdea", false},
      {"abcde", "abced", true},        {"abcde", "bacde", true},
      {"abcde", "badce", false},       {"", "", true}};
  for (const auto& [a, b, near] : kCases) {
    EXPECT_EQ(IsNearlySpelt(a, b), near) << a << " " << b;
    EXPECT_EQ(IsNearlySpelt(b, a), near) << b << " " << a;
    if (!near) continue;
    const auto of_a = SpellingPieces(a), of_b = SpellingPieces(b);
    EXPECT_TRUE(std::ranges::any_of(
        of_a,
        [&](const std::string& piece) { return std::ranges::find(of_b, piece) != of_b.end(); }))
        << "no piece of " << a << " and " << b;
  }
}

TEST(Spelling, ShortWordsAndNumbersAreNotForgiven) {
  for (std::string_view word : {"", "vpc", "data", "größ", "123456"}) {
    EXPECT_FALSE(IsForgivable(word)) << word;
  }
  EXPECT_FALSE(IsForgivable(std::string(33, 'a')));
  for (std::string_view word : {"größe", "subnet", "ipv4s", "12345a"}) {
    EXPECT_TRUE(IsForgivable(word)) << word;
  }
}

TEST(Spelling, PiecesLackOneCharacter) {
  EXPECT_EQ(SpellingPieces("aab"), (std::vector<std::string>{"aa", "aab", "ab"}));
  EXPECT_EQ(SpellingPieces("üb"), (std::vector<std::string>{"b", "ü", "üb"}));
}

}  // namespace
}  // namespace koya
