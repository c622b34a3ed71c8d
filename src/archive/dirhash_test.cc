#include "archive/dirhash.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace koya {
namespace {

// The expected values were computed from the definition by another program (Python's hashlib).

struct File {
  std::string name;
  std::string content;
};

std::string HashOf(const std::vector<File>& files) {
  DirHash hash;
  for (const File& file : files) hash.Add(file.name, Sha256(file.content));
  return hash.Finish();
}

TEST(DirHashTest, MatchesTheDefinition) {
  EXPECT_EQ(HashOf({}), "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(HashOf({{"terraform-provider-demo", "program"}}),
            "h1:FMHNwrCOJjCKRQnLYGEtCkPyu2eqp8vFlSgYoE0ToSk=");
  EXPECT_EQ(HashOf({{"terraform-provider-demo", ""}, {"x", ""}}),
            "h1:Pus7CP1XtGxmxvu6ZUNxprPQ0v46jJJ2m0wqw4Vqh2s=");
  EXPECT_EQ(
      HashOf(
          {{"terraform-provider-demo", "program"}, {"docs/a/index.md", "doc"}, {"LICENSE", "mit"}}),
      "h1:Pf/8q7r6XnBS2gDb1xVwAY+XIysfG6P4n26dNFrtbGY=");
}

TEST(DirHashTest, SortsBytewiseWhateverTheOrderOfAdditions) {
  std::vector<File> files;
  for (std::string name : {"a-b", "a/b", "a.b", "ab", "AB", "a", "Z", "ü", "日本", "~"}) {
    files.push_back({name, name});
  }
  for (int turn = 0; turn < 20; ++turn) {
    EXPECT_EQ(HashOf(files), "h1:7jXA3Oojjaeyx7YNsLxpwZ3ipIzlJAxJElxiIN73x2Q=");
    std::ranges::rotate(files, files.begin() + 1 + turn % 7);
  }
}

TEST(DirHashTest, NamesContentsAndRepetitionsAllCount) {
  std::string one = HashOf({{"a", "x"}});
  EXPECT_NE(HashOf({{"b", "x"}}), one);
  EXPECT_NE(HashOf({{"a", "y"}}), one);
  EXPECT_NE(HashOf({{"a", "x"}, {"a", "x"}}), one);
  EXPECT_NE(HashOf({{"a", "x"}, {"b", "y"}}), HashOf({{"a", "y"}, {"b", "x"}}));
}

TEST(DirHashTest, FinishLeavesTheCollectionAsItIs) {
  DirHash hash;
  hash.Add("b", Sha256("2"));
  hash.Add("a", Sha256("1"));
  std::string first = hash.Finish();
  EXPECT_EQ(hash.Finish(), first);
  EXPECT_EQ(first, HashOf({{"a", "1"}, {"b", "2"}}));
}

}  // namespace
}  // namespace koya
