#include "markup/link.h"

#include <gtest/gtest.h>

#include "markup/html_judge_fake.h"
#include "markup/markdown.h"

namespace koya::markup {
namespace {

TEST(JudgeLinkTest, TakesWhatLeadsSomewhere) {
  using enum Link::Kind;
  struct Row {
    std::string_view given;
    Link::Kind kind;
    std::string_view address;
    std::string_view fragment;
  };
  for (const Row& row : {
           Row{"http://a.test", kOutside, "http://a.test", ""},
           Row{"HTTPS://a.test/x?y#z", kOutside, "HTTPS://a.test/x?y#z", ""},
           Row{" https://a.test\n", kOutside, "https://a.test", ""},
           Row{"https://a.test/a b", kOutside, "https://a.test/a%20b", ""},
           Row{"https://a.test:8/x@y", kOutside, "https://a.test:8/x@y", ""},
           Row{"mailto:a@b.test", kMail, "mailto:a@b.test", ""},
           Row{"a/b.md", kRelative, "a/b.md", ""},
           Row{"../b.md#c", kRelative, "../b.md", "c"},
           Row{"/c", kRelative, "/c", ""},
           Row{"./a:b", kRelative, "./a:b", ""},
           Row{"?a=b:c\\", kRelative, "?a=b:c\\", ""},
           Row{"#d", kFragment, "", "d"},
           Row{"#javascript:x", kFragment, "", "javascript:x"},
           Row{"日本.md", kRelative, "日本.md", ""},
       }) {
    std::optional<Link> link = JudgeLink(row.given);
    ASSERT_TRUE(link) << row.given;
    EXPECT_EQ(link->kind, row.kind) << row.given;
    EXPECT_EQ(link->address, row.address) << row.given;
    EXPECT_EQ(link->fragment, row.fragment) << row.given;
  }
}

TEST(JudgeLinkTest, RefusesTheRest) {
  for (std::string_view bad : {"",
                               " ",
                               "javascript:x",
                               "JAVASCRIPT:x",
                               "java\tscript:x",
                               "\x01javascript:x",
                               "java\x01script:x",
                               "data:text/html,x",
                               "vbscript:x",
                               "file:///x",
                               "ftp://x",
                               "blob:x",
                               "about:blank",
                               "//x",
                               "///x",
                               "/\\x",
                               "\\\\x",
                               "http:x",
                               "http:/x",
                               "http:///x",
                               "https://",
                               "https://?x",
                               "https://:80/",
                               "http:\\\\x",
                               "https://a@b.test/",
                               "https://a:b@c.test/",
                               ":x",
                               "a b:x",
                               "x-y:z",
                               "\xC2\xA0javascript:x"}) {
    EXPECT_FALSE(JudgeLink(bad)) << bad;
  }
  EXPECT_TRUE(JudgeLink(std::string(kLongestLink, 'a')));
  EXPECT_FALSE(JudgeLink(std::string(kLongestLink + 1, 'a')));
}

struct LinkRow {
  std::string_view given;
  std::string_view expected;
};

std::string RenderedLink(std::string_view text, const MarkdownOptions& options) {
  std::string html = RenderMarkdown(text, options).html;
  EXPECT_EQ(WhatIsUnsafe(html), "") << html;
  return html;
}

TEST(LinkTest, StrangersAreMarked) {
  for (
      const LinkRow& row : {
          LinkRow{"[a](http://b.test \"c\")",
                  R"(<p><a href="http://b.test" rel="nofollow ugc noopener" title="c">a</a></p>)"},
          LinkRow{
              "www.b.test",
              R"(<p><a href="http://www.b.test" rel="nofollow ugc noopener">www.b.test</a></p>)"},
          LinkRow{"[a](b.md#c)",
                  R"(<p><a href="b.md#user-c" rel="nofollow ugc noopener">a</a></p>)"},
          LinkRow{"[a](/b)", "<p><span>a</span></p>"},
          LinkRow{"[a](javascript:b)", "<p><span>a</span></p>"},
          LinkRow{"![a](b.png)", "<p>a</p>"},
          LinkRow{"![a *b* `c`](http://b.test/c.png)",
                  R"(<p><a href="http://b.test/c.png" rel="nofollow ugc noopener">a b c</a></p>)"},
          LinkRow{
              "![](http://b.test/c.png)",
              R"(<p><a href="http://b.test/c.png" rel="nofollow ugc noopener">http://b.test/c.png</a></p>)"},
          LinkRow{"[![a](http://b.test/c.png)](http://d.test)",
                  R"(<p><a href="http://d.test" rel="nofollow ugc noopener">a</a></p>)"},
      }) {
    EXPECT_EQ(RenderedLink(row.given, {}), row.expected) << row.given;
  }
}

TEST(LinkTest, WhatLiesBesideIsLookedUp) {
  MarkdownOptions options;
  options.link = [](std::string_view address) -> std::optional<std::string> {
    if (address == "a.md") return "/here/a";
    if (address == "place.md") return "/here/all#user-place";
    if (address == "out.md") return "https://b.test/x";
    if (address == "bad.md") return "javascript:alert(1)";
    return std::nullopt;
  };
  options.image = [](std::string_view address) -> std::optional<std::string> {
    if (address == "a.png") return "/files/a.png";
    if (address == "bad.png") return "https://b.test/a.png";
    return std::nullopt;
  };
  for (
      const LinkRow& row : {
          LinkRow{"[x](a.md)", R"(<p><a href="/here/a">x</a></p>)"},
          LinkRow{"[x](a.md#y)", R"(<p><a href="/here/a#user-y">x</a></p>)"},
          LinkRow{"[x](a.md#L3)", R"(<p><a href="/here/a#L3">x</a></p>)"},
          LinkRow{"[x](a.md#L3-L7)", R"(<p><a href="/here/a#L3">x</a></p>)"},
          LinkRow{"[x](a.md#L)", R"(<p><a href="/here/a#user-L">x</a></p>)"},
          LinkRow{"[x](a.md#L3x)", R"(<p><a href="/here/a#user-L3x">x</a></p>)"},
          LinkRow{"[x](a.md#l3)", R"(<p><a href="/here/a#user-l3">x</a></p>)"},
          LinkRow{"[x](#L3)", R"(<p><a href="#user-L3">x</a></p>)"},
          LinkRow{"[x](place.md#y)", R"(<p><a href="/here/all#user-place">x</a></p>)"},
          LinkRow{"[x](out.md#y)",
                  R"(<p><a href="https://b.test/x#y" rel="nofollow ugc noopener">x</a></p>)"},
          LinkRow{"[x](bad.md)", "<p><span>x</span></p>"},
          LinkRow{"[x](none.md)", "<p><span>x</span></p>"},
          LinkRow{"![x](a.png \"t\")",
                  R"(<p><img src="/files/a.png" alt="x" title="t" loading="lazy"></p>)"},
          LinkRow{
              "x <img src=a.png width=20 height=10% onload=x>",
              R"(<p>x <img src="/files/a.png" alt="" width="20" height="10%" loading="lazy"></p>)"},
          LinkRow{"![x](bad.png)", "<p>x</p>"},
          LinkRow{"![x](none.png)", "<p>x</p>"},
      }) {
    EXPECT_EQ(RenderedLink(row.given, options), row.expected) << row.given;
  }
}

}  // namespace
}  // namespace koya::markup
