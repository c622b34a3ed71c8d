#include "archive/terraform_ignore.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace koya {
namespace {

struct IgnoreRow {
  std::string_view pattern;
  std::string_view path;
  bool matches;
};

TEST(IgnorePatternTest, MatchesAsGitignoreDoes) {
  const std::vector<IgnoreRow> kRows = {
      {"main.tf", "main.tf", true},
      {"main.tf", "a/b/main.tf", true},
      {"main.tf", "xmain.tf", false},
      {"main.tf", "main.tfx", false},
      {"main.tf", "mainxtf", false},
      {"/main.tf", "main.tf", true},
      {"/main.tf", "a/main.tf", false},
      {"*.tf", "a.tf", true},
      {"*.tf", "a/b.tf", true},
      {"*.tf", ".tf", true},
      {"*.tf", "a.tf/b", false},
      {"/*.tf", "a/b.tf", false},
      {"foo/*.md", "foo/x.md", true},
      {"foo/*.md", "a/foo/x.md", true},
      {"foo/*.md", "foo/a/x.md", false},
      {"?.tf", "a.tf", true},
      {"?.tf", "é.tf", true},
      {"?.tf", "ab.tf", false},
      {"a?b", "a/b", false},
      {"dir/", "dir/", true},
      {"dir/", "dir/x/y", true},
      {"dir/", "a/dir/x", true},
      {"dir/", "dir", false},
      {"/dir/", "a/dir/x", false},
      {"a/**/b", "a/b", true},
      {"a/**/b", "a/x/y/b", true},
      {"a/**/b", "a/xb", false},
      {"**/x", "x", true},
      {"**/x", "a/x", true},
      {"x/**", "x/a/b", true},
      {"x/**", "x", false},
      {"**", "any/thing", true},
      {"[ab].tf", "a.tf", true},
      {"[ab].tf", "c.tf", false},
      {"[a-c]x", "bx", true},
      {"[a-c]x", "dx", false},
      {"[!a]x", "bx", true},
      {"[!a]x", "ax", false},
      {"[^a]x", "ax", false},
      {"[]]x", "]x", true},
      {"[a", "[a", true},
      {"[!a]", "/", false},
      {"a+b(c)$|{1}", "a+b(c)$|{1}", true},
      {"\\*.tf", "*.tf", true},
      {"\\*.tf", "a.tf", false},
      {"\\#x", "#x", true},
      {"x\\", "x\\", true},
      {"*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
  };
  for (const IgnoreRow& row : kRows) {
    EXPECT_EQ(IgnorePattern(row.pattern).Matches(row.path), row.matches)
        << row.pattern << " on " << row.path;
  }
}

// Decides for a file as a walk does: folder by folder.
bool Excludes(const IgnoreRules& rules, std::string_view path) {
  bool excluded = false;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    excluded = rules.Excludes(path.substr(0, slash), true, excluded);
  }
  return rules.Excludes(path, false, excluded);
}

struct FileRow {
  std::string_view rules;
  std::string_view path;
  bool excluded;
};

TEST(IgnoreRulesTest, TheLastMatchDecidesAndTheRestGoesWithItsFolder) {
  const std::vector<FileRow> kRows = {
      {"", "main.tf", false},
      {"# *.tf\n\n  \n", "main.tf", false},
      {"*.md\n!README.md", "x.md", true},
      {"*.md\n!README.md", "README.md", false},
      {"!README.md\n*.md", "README.md", true},
      {"  *.md  \r\n", "x.md", true},
      {"\xEF\xBB\xBF*.md", "x.md", true},
      {"examples", "examples/a/main.tf", true},
      {"examples/", "examples/a/main.tf", true},
      {"examples/", "examples", false},
      {"/examples", "modules/examples/x.tf", false},
      {"examples/\n!examples/keep.tf", "examples/keep.tf", false},
      {"examples/\n!examples/keep.tf", "examples/other.tf", true},
      {"/*\n!/modules\n!/main.tf", "modules/a/x.tf", false},
      {"/*\n!/modules\n!/main.tf", "main.tf", false},
      {"/*\n!/modules\n!/main.tf", "tests/x.tf", true},
      {"*.md\n!docs", "docs/a.md", true},
      {"*.md\n!docs/", "docs/a.md", false},
      {"!", "main.tf", false},
      {"\\!x", "!x", true},
      {"*.log", "main.tf", false},
      {"/", "main.tf", true},
  };
  for (const FileRow& row : kRows) {
    EXPECT_EQ(Excludes(IgnoreRules::Parse(row.rules), row.path), row.excluded)
        << "rules:\n"
        << row.rules << "\npath: " << row.path;
  }
}

TEST(IgnoreRulesTest, KnowsWhetherAnExcludedFolderMustBeRead) {
  EXPECT_FALSE(IgnoreRules::Parse("a\nb/\n#!x").has_negations());
  EXPECT_TRUE(IgnoreRules::Parse("a/\n!a/x").has_negations());
}

}  // namespace
}  // namespace koya
