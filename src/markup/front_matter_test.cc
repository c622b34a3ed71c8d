#include "markup/front_matter.h"

#include <gtest/gtest.h>

namespace koya::markup {
namespace {

using Unread = FrontMatter::Unread;

std::string Page(std::string_view lines) { return "---\n" + std::string(lines) + "\n---\nbody\n"; }

TEST(FrontMatterTest, ReadsWhatDocsHave) {
  FrontMatter got = ReadFrontMatter(
      "---\nlayout: \"aws\"\npage_title: 'AWS: aws_instance'\nsidebar_current: x\n"
      "subcategory: EC2 (Elastic Compute Cloud)\ndescription: |-\n  Provides an EC2\n  "
      "instance.\n---\n\n# A\n");
  EXPECT_EQ(got.layout, "aws");
  EXPECT_EQ(got.page_title, "AWS: aws_instance");
  EXPECT_EQ(got.subcategory, "EC2 (Elastic Compute Cloud)");
  EXPECT_EQ(got.description, "Provides an EC2 instance.");
  EXPECT_EQ(got.body, "\n# A\n");
  EXPECT_EQ(got.unread, std::vector<Unread>());
}

struct TitleRow {
  std::string_view given;  // behind "page_title:"
  std::string_view title;
};

TEST(FrontMatterTest, ReadsTextsHoweverTheyAreWritten) {
  for (const TitleRow& row : {
           TitleRow{"", ""},
           TitleRow{" a", "a"},
           TitleRow{" a: b", "a: b"},
           TitleRow{" a # b", "a"},
           TitleRow{" a#b", "a#b"},
           TitleRow{" # b", ""},
           TitleRow{" \"a \\\"b\\\" \\u00e9 \\x41\" # c", "a \"b\" é A"},
           TitleRow{" 'it''s'", "it's"},
           TitleRow{"\n  a\n  b", "a b"},
           TitleRow{" a\n  b\n\n  c", "a b c"},
           TitleRow{" \"a\n  b\"", "a b"},
           TitleRow{" >\n  a\n  b\n", "a b"},
           TitleRow{" |2+ # c\n    a", "a"},
           TitleRow{" |-\n  # a", "# a"},
           TitleRow{" ~", ""},
           TitleRow{" null", ""},
           TitleRow{" \"\"", ""},
           TitleRow{" 日本", "日本"},
           TitleRow{" <b>&amp;", "<b>&amp;"},
           TitleRow{"\t a \t", "a"},
       }) {
    std::string page = Page("page_title:" + std::string(row.given));
    FrontMatter got = ReadFrontMatter(page);
    EXPECT_EQ(got.page_title, row.title) << row.given;
    EXPECT_EQ(got.unread, std::vector<Unread>()) << row.given;
    EXPECT_EQ(got.body, "body\n");
  }
}

struct TroubleRow {
  std::string_view given;
  std::size_t line;
  std::string_view why;
  std::string_view title;
};

TEST(FrontMatterTest, SaysWhatItCouldNotRead) {
  for (const TroubleRow& row : {
           TroubleRow{"page_title: \"a", 2, "page_title: the quoted text has no end", "a"},
           TroubleRow{"page_title: 'a", 2, "page_title: the quoted text has no end", "a"},
           TroubleRow{"page_title: \"a\" b", 2, "page_title: there is more behind the quoted text",
                      "a"},
           TroubleRow{"page_title: 'a' b", 2, "page_title: there is more behind the quoted text",
                      "a"},
           TroubleRow{"page_title: &x a", 2, "page_title: anchors are not followed", ""},
           TroubleRow{"page_title: *x", 2, "page_title: aliases are not followed", ""},
           TroubleRow{"page_title: !!python/object:os.system a", 2,
                      "page_title: tags are not followed", ""},
           TroubleRow{"page_title: [a, b]", 2,
                      "page_title: a text is expected, and not a list or a map", ""},
           TroubleRow{"page_title: {a: b}", 2,
                      "page_title: a text is expected, and not a list or a map", ""},
           TroubleRow{"page_title:\n  - a", 2,
                      "page_title: a text is expected, and not a list or a map", ""},
           TroubleRow{"page_title: |x\n  a", 2,
                      "page_title: what follows \"|\" or \">\" is not understood", "a"},
           TroubleRow{"page_title: @a", 2, "page_title: a text that begins so must be quoted", ""},
           TroubleRow{"page_title: a\npage_title: b", 3, "page_title appears a second time", "a"},
           TroubleRow{"what is this\npage_title: a", 2, "this is not \"name: value\"", "a"},
           TroubleRow{"page_title:a", 2, "this is not \"name: value\"", ""},
           TroubleRow{"  page_title: a", 2, "", ""},
       }) {
    FrontMatter got = ReadFrontMatter(Page(row.given));
    EXPECT_EQ(got.page_title, row.title) << row.given;
    if (row.why.empty()) continue;
    ASSERT_EQ(got.unread.size(), 1U) << row.given;
    EXPECT_EQ(got.unread[0], (Unread{row.line, std::string(row.why)})) << row.given;
  }
}

TEST(FrontMatterTest, KnowsWhereItEnds) {
  struct Row {
    std::string_view given;
    std::string_view title;
    std::string_view body;
  };
  for (const Row& row : {
           Row{"", "", ""},
           Row{"# A\n", "", "# A\n"},
           Row{"---", "", "---"},
           Row{"---\n---", "", ""},
           Row{"---\n---\n", "", ""},
           Row{"\xEF\xBB\xBF---\npage_title: a\n---\nb", "a", "b"},
           Row{"---\r\npage_title: a\r\n---\r\nb\r\n", "a", "b\r\n"},
           Row{"---\rpage_title: a\r---\rb", "a", "b"},
           Row{"\n\n--- \npage_title: a\n...\t\nb", "a", "b"},
           Row{"----\npage_title: a\n---\n", "", "----\npage_title: a\n---\n"},
           Row{"--- a\n---\n", "", "--- a\n---\n"},
           Row{"---\npage_title: a\n", "", "---\npage_title: a\n"},
           Row{"a\n---\npage_title: a\n---\n", "", "a\n---\npage_title: a\n---\n"},
       }) {
    FrontMatter got = ReadFrontMatter(row.given);
    EXPECT_EQ(got.page_title, row.title) << row.given;
    EXPECT_EQ(got.body, row.body) << row.given;
  }
  EXPECT_EQ(ReadFrontMatter("\n---\na: b").unread,
            (std::vector<Unread>{{2, "the front matter that begins here has no end"}}));
}

TEST(FrontMatterTest, TricksComeToNothing) {
  // What grows to gigabytes where aliases are followed.
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char name = 'b'; name < 'k'; ++name) {
    std::string before = "*" + std::string(1, static_cast<char>(name - 1));
    bomb +=
        std::string(1, name) + ": &" + name + " [" + before + "," + before + "," + before + "]\n";
  }
  FrontMatter got = ReadFrontMatter(Page(bomb + "page_title: *j\nsubcategory: <<: *j"));
  EXPECT_EQ(got.page_title, "");
  EXPECT_EQ(got.subcategory, "<<: *j");
  std::string deep = "page_title: " + std::string(30'000, '[') + "\nsubcategory: {{{{\nlayout: b";
  got = ReadFrontMatter(Page(deep));
  EXPECT_EQ(got.layout, "b");
  EXPECT_EQ(got.unread.size(), 2U);
  got = ReadFrontMatter(Page("description: " + std::string(20'000, 'a')));
  EXPECT_LE(got.description.size(), 1000U);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "x\n";
  EXPECT_EQ(ReadFrontMatter(Page(many)).unread.size(), 20U);
  EXPECT_EQ(ReadFrontMatter(Page(std::string(70'000, 'a'))).body.size(), 70'014U);
  got =
      ReadFrontMatter(Page("page_title: a\x07\xFF\xE2\x80\xAE"
                           "b"));
  EXPECT_EQ(got.page_title, "a\uFFFDb");
  got = ReadFrontMatter(Page("\"page_title\": a\n'layout' : b"));
  EXPECT_EQ(got.page_title + got.layout, "ab");
  got = ReadFrontMatter(Page("\n<!-- generated -->\n# by a tool\npage_title: a"));
  EXPECT_EQ(got.page_title, "a");
  EXPECT_EQ(got.unread, std::vector<Unread>());
}

}  // namespace
}  // namespace koya::markup
