#include "base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace koya {
namespace {

TEST(GlobTest, CoversTheWholeText) {
  for (auto [pattern, text] : {std::pair{"", ""},
                               {"*", ""},
                               {"**", ""},
                               {"a", "a"},
                               {"A", "a"},
                               {"*", "anything"},
                               {"team-*", "team-a"},
                               {"team-*", "team-"},
                               {"*-team", "a-team"},
                               {"a*b*c", "a-b-b-c"},
                               {"a*b", "aabab"},
                               {"*aab", "aaaab"},
                               {"ü*", "üx"}}) {
    EXPECT_TRUE(MatchesGlob(pattern, text)) << pattern << " " << text;
  }
}

TEST(GlobTest, CoversNothingElse) {
  for (auto [pattern, text] : {std::pair{"", "a"},
                               {"a", ""},
                               {"a", "ab"},
                               {"a", "b"},
                               {"team-*", "team"},
                               {"*-team", "a-teams"},
                               {"a*b*c", "a-c-b"},
                               {"a*b", "ba"},
                               {"*x", "y"},
                               {"Ü", "ü"},
                               {"?", "a"},
                               {"[a]", "a"}}) {
    EXPECT_FALSE(MatchesGlob(pattern, text)) << pattern << " " << text;
  }
}

TEST(GlobTest, APatternIsCoveredByThoseThatCoverAllItCovers) {
  for (auto [pattern, covered] : {std::pair{"*", "team-*"},
                                  {"*", "*"},
                                  {"**", "*"},
                                  {"*", "**"},
                                  {"team-*", "TEAM-*"},
                                  {"team-*", "team-a*"},
                                  {"team-*", "team-*-x*"},
                                  {"*a*", "*ba*"},
                                  {"a*b", "a*x*b"}}) {
    EXPECT_TRUE(MatchesGlob(pattern, covered)) << pattern << " " << covered;
  }
  for (auto [pattern, covered] : {std::pair{"team-*", "*"},
                                  {"team-*", "team*"},
                                  {"team-a*", "team-*"},
                                  {"acme", "*"},
                                  {"acme", "acme*"},
                                  {"a*b", "a*b*"},
                                  {"*a*", "**"},
                                  {"", "*"}}) {
    EXPECT_FALSE(MatchesGlob(pattern, covered)) << pattern << " " << covered;
  }
}

TEST(GlobTest, LetterCaseCountsWhereItIsAskedFor) {
  for (auto [pattern, text] : {std::pair{"Main", "Main"}, {"refs/*/V*", "refs/tags/V1"}}) {
    EXPECT_TRUE(MatchesGlobExactly(pattern, text)) << pattern;
  }
  for (auto [pattern, text] : {std::pair{"main", "Main"}, {"refs/*/v*", "refs/tags/V1"}}) {
    EXPECT_TRUE(MatchesGlob(pattern, text)) << pattern;
    EXPECT_FALSE(MatchesGlobExactly(pattern, text)) << pattern;
  }
}

TEST(GlobTest, TakesItsTimeInProportion) {
  std::string stars;
  for (int i = 0; i < 200; ++i) stars += "a*";
  EXPECT_FALSE(MatchesGlob(stars + "b", std::string(20'000, 'a')));
}

}  // namespace
}  // namespace koya
