#include "markup/markdown.h"

#include <gtest/gtest.h>

#include "markup/html_judge_fake.h"

namespace koya::markup {
namespace {

std::string Html(std::string_view text, const MarkdownOptions& options = {}) {
  std::string html = RenderMarkdown(text, options).html;
  EXPECT_EQ(WhatIsUnsafe(html), "") << text << "\n" << html;
  return html;
}

struct MarkdownRow {
  std::string_view given;
  std::string_view expected;
};

TEST(MarkdownTest, WritesWhatPeopleWrite) {
  for (
      const MarkdownRow& row : {
          MarkdownRow{"", ""},
          MarkdownRow{"a *b* **c** `d` ~~e~~",
                      "<p>a <em>b</em> <strong>c</strong> <code>d</code> <del>e</del></p>"},
          MarkdownRow{"# A", R"(<h2 id="user-a">A</h2>)"},
          MarkdownRow{"###### A", R"(<h6 id="user-a">A</h6>)"},
          MarkdownRow{"a  \nb\nc", "<p>a<br>b\nc</p>"},
          MarkdownRow{"- a\n- b", "<ul><li>a</li><li>b</li></ul>"},
          MarkdownRow{"7. a", R"(<ol start="7"><li>a</li></ol>)"},
          MarkdownRow{"- [x] a\n- [ ] b",
                      R"(<ul><li class="task">☑ a</li><li class="task">☐ b</li></ul>)"},
          MarkdownRow{"> a", "<blockquote><p>a</p></blockquote>"},
          MarkdownRow{"***", "<hr>"},
          MarkdownRow{"    x < y", R"(<pre tabindex="0"><code>x &lt; y
</code></pre>)"},
          MarkdownRow{"```Go\nx\n```", R"(<pre tabindex="0"><code class="language-go">x
</code></pre>)"},
          MarkdownRow{"```mermaid\ngraph\n```",
                      R"(<pre tabindex="0"><code class="language-mermaid">graph
</code></pre>)"},
          MarkdownRow{
              "|a|b|\n|:--|--:|\n|c|d|",
              R"(<table tabindex="0"><thead><tr><th align="left">a</th><th align="right">b</th></tr>)"
              R"(</thead><tbody><tr><td align="left">c</td><td align="right">d</td></tr>)"
              R"(</tbody></table>)"},
          MarkdownRow{"a &amp; b &eacute; &#35; &#x22;", "<p>a &amp; b &eacute; # &quot;</p>"},
          MarkdownRow{"a\r\nb\rc", "<p>a\nb\nc</p>"},
          MarkdownRow{"\xEF\xBB\xBF# A", R"(<h2 id="user-a">A</h2>)"},
          MarkdownRow{"a\x07\xFF\xE2\x80\xAE"
                      "b",
                      "<p>a\uFFFDb</p>"},
          MarkdownRow{"雲 *ワークス* 🍢", "<p>雲 <em>ワークス</em> 🍢</p>"},
      }) {
    EXPECT_EQ(Html(row.given), row.expected) << row.given;
  }
}

TEST(MarkdownTest, LetsHarmlessHtmlThrough) {
  for (
      const MarkdownRow& row : {
          MarkdownRow{"<a name=\"input_x\"></a> [x](#input\\_x)",
                      R"(<p><a id="user-input_x"></a> <a href="#user-input_x">x</a></p>)"},
          MarkdownRow{"H<sub>2</sub>O<br/>x", "<p>H<sub>2</sub>O<br>x</p>"},
          MarkdownRow{"<details>\n<summary>More</summary>\n\n*a*\n\n</details>",
                      "<details>\n<summary>More</summary>\n<p><em>a</em></p></details>\n"},
          MarkdownRow{"<details open><summary>a",
                      "<details open=\"\"><summary>a\n</summary></details>"},
          MarkdownRow{
              "<table><tr><td colspan=2>a<td>b<tr><td>c</table>",
              R"(<table tabindex="0"><tr><td colspan="2">a</td><td>b</td></tr><tr><td>c</td></tr></table>)"
              "\n"},
          MarkdownRow{"<p align=\"center\">\n\na\n\n</p>", "<p align=\"center\">\n</p><p>a</p>\n"},
          MarkdownRow{"<h1 align=\"center\">a</h1>", "<h2 align=\"center\" id=\"user-a\">a</h2>\n"},
          MarkdownRow{"<div align=\"center\" class=\"btn\" style=\"x\">\n\n# a\n\n</div>",
                      "<div align=\"center\">\n<h2 id=\"user-a\">a</h2></div>\n"},
          MarkdownRow{"<kbd>a</kbd><font color=red>b</font>", "<p><kbd>a</kbd>b</p>"},
          MarkdownRow{"<!-- a -->\n\nb<!-- c -->", "\n<p>b</p>"},
          MarkdownRow{"a < b && c > d", "<p>a &lt; b &amp;&amp; c &gt; d</p>"},
      }) {
    EXPECT_EQ(Html(row.given), row.expected) << row.given;
  }
}

TEST(MarkdownTest, NamesPlacesAsGitHubDoes) {
  Rendered page =
      RenderMarkdown("# Inputs & *Outputs*\n## 入力\n## Inputs & Outputs\n### ---\n# `a_b`\n");
  std::vector<Heading> expected = {{2, "user-inputs--outputs", "Inputs & Outputs"},
                                   {3, "user-入力", "入力"},
                                   {3, "user-inputs--outputs-1", "Inputs & Outputs"},
                                   {2, "user-a_b", "a_b"}};
  expected.insert(expected.begin() + 3, {4, "user----", "---"});
  EXPECT_EQ(page.contents, expected);
  EXPECT_EQ(WhatIsUnsafe(page.html), "");
}

TEST(MarkdownTest, HeadingsLinkToThemselves) {
  const MarkdownOptions options{.link_headings = true};
  for (
      const MarkdownRow& row : {
          MarkdownRow{
              "# A *b*",
              R"(<h2 id="user-a-b"><a href="#user-a-b" class="self">A <em>b</em></a></h2>)"},
          MarkdownRow{"# A\n# A",
                      "<h2 id=\"user-a\"><a href=\"#user-a\" class=\"self\">A</a></h2>"
                      "<h2 id=\"user-a-1\"><a href=\"#user-a-1\" class=\"self\">A</a></h2>"},
          MarkdownRow{"# A <b>b",
                      R"(<h2 id="user-a-b"><a href="#user-a-b" class="self">A <b>b</b></a></h2>)"},
          // A link in a link would end it.
          MarkdownRow{
              "# [A](b) c",
              R"(<h2 id="user-a-c"><a href="b" rel="nofollow ugc noopener">A</a> c <a href="#user-a-c" aria-labelledby="user-a-c">#</a></h2>)"},
          MarkdownRow{"# [A](javascript:b)",
                      R"(<h2 id="user-a"><a href="#user-a" class="self"><span>A</span></a></h2>)"},
          MarkdownRow{
              "# <a name=\"x\"></a>A",
              R"(<h2 id="user-a"><a id="user-x"></a>A <a href="#user-a" aria-labelledby="user-a">#</a></h2>)"},
          MarkdownRow{"<a href=\"https://a.test/\">\n\n# A\n\n</a>",
                      "<a href=\"https://a.test/\" rel=\"nofollow ugc noopener\">\n<h2 "
                      "id=\"user-a\">A</h2></a>\n"},
          // In a summary a press opens and closes.
          MarkdownRow{"<details><summary>\n\n# A\n\n</summary></details>",
                      "<details><summary>\n<h2 id=\"user-a\">A</h2></summary></details>\n"},
          // Without a name there is no place to lead to.
          MarkdownRow{"# !", "<h2>!</h2>"},
          MarkdownRow{"#", "<h2></h2>"},
          MarkdownRow{"<h1>A</h1>", "<h2 id=\"user-a\">A</h2>\n"},
      }) {
    EXPECT_EQ(Html(row.given, options), row.expected) << row.given;
  }
}

TEST(MarkdownTest, NamesRawHeadings) {
  for (const MarkdownRow& row : {
           MarkdownRow{"<h2 id=\"usage\">Usage!</h2>", R"(<h3 id="user-usage">Usage!</h3>)"},
           MarkdownRow{"<h2>Use &amp; more</h2>", R"(<h3 id="user-use--more">Use &amp; more</h3>)"},
           MarkdownRow{"<h2 align=\"center\"><b>Übersicht</b></h2>",
                       R"(<h3 align="center" id="user-übersicht"><b>Übersicht</b></h3>)"},
           MarkdownRow{"<h2>A</h2>\n\n<h2>A</h2>",
                       "<h3 id=\"user-a\">A</h3><h3 id=\"user-a-1\">A</h3>"},
           MarkdownRow{"<h2></h2>", "<h3></h3>"},
           MarkdownRow{"<h2>A", "<h3>A</h3>"},
           MarkdownRow{"a</h2>", "<p>a</p>"},
           MarkdownRow{"a <h2>b</h2>", "<p>a b</p>"},
           MarkdownRow{"<h2>A</h2>\nb", "<h3 id=\"user-a\">A</h3>\nb"},
           MarkdownRow{"> <h2>A</h2>", "<blockquote><h3 id=\"user-a\">A</h3></blockquote>"},
           MarkdownRow{"<h2x>A</h2x>", "<p>A</p>"},
       }) {
    EXPECT_EQ(Html(row.given), row.expected) << row.given;
  }
}

TEST(MarkdownTest, APipeInCodeInATableHasNoBackslash) {
  for (const MarkdownRow& row : {
           MarkdownRow{"| a |\n|---|\n| `\"a\\|b\"` |", "<code>&quot;a|b&quot;</code>"},
           MarkdownRow{"| a |\n|---|\n| `a\\\\|b` c\\|d |", "<code>a\\|b</code> c|d"},
           MarkdownRow{"| `x\\|y` |\n|---|\n| z |", "<code>x|y</code>"},
           MarkdownRow{"`a\\|b`", "<code>a\\|b</code>"},
           MarkdownRow{"| a |\n|---|\n| z |\n\n`a\\|b`", "<code>a\\|b</code>"},
       }) {
    EXPECT_NE(Html(row.given).find(row.expected), std::string::npos) << Html(row.given);
  }
}

TEST(MarkdownTest, MarksOfWhatWantsToBeNoticedAreNoWords) {
  for (const auto& [given, words] :
       {std::pair{"> [!WARNING]\n> Do not.\n", "Do not.\n"},
        std::pair{"a\n\n> [!NOTE]\n> b\n\nc", "a\nb\nc\n"}, std::pair{"~> Mind *it*", "Mind it\n"},
        std::pair{"# a\n\n-> b", "a\nb\n"}, std::pair{"> [!NOTE] a", "[!NOTE] a\n"},
        std::pair{"a ~> b", "a ~> b\n"}}) {
    EXPECT_EQ(RenderMarkdown(given, {.most_text = 100}).text, words) << given;
  }
  EXPECT_EQ(RenderMarkdown("~> Mind it", {}).summary, "Mind it");
}

TEST(MarkdownTest, MarksWhatWantsToBeNoticed) {
  for (
      const MarkdownRow& row : {
          MarkdownRow{"> [!NOTE]\n> a",
                      R"(<blockquote class="callout note"><p class="callout-title">Note</p><p>)"
                      "\na</p></blockquote>"},
          MarkdownRow{"-> **Note:** a", R"(<p class="callout note"><strong>Note:</strong> a</p>)"},
          MarkdownRow{
              "-> a",
              R"(<p class="callout note"><strong class="callout-title">Note</strong> a</p>)"},
          MarkdownRow{
              "~> a",
              R"(<p class="callout warning"><strong class="callout-title">Warning</strong> a</p>)"},
          MarkdownRow{
              "!> a",
              R"(<p class="callout caution"><strong class="callout-title">Caution</strong> a</p>)"},
          MarkdownRow{"~> NOTE: a", R"(<p class="callout warning">NOTE: a</p>)"},
          MarkdownRow{"!> *Deprecated* a",
                      R"(<p class="callout caution"><em>Deprecated</em> a</p>)"},
          MarkdownRow{"> [!NOTE] a", "<blockquote><p>[!NOTE] a</p></blockquote>"},
          MarkdownRow{"> a\n>\n> [!NOTE]", "<blockquote><p>a</p><p>[!NOTE]</p></blockquote>"},
          MarkdownRow{"a -> b", "<p>a -&gt; b</p>"},
      }) {
    EXPECT_EQ(Html(row.given), row.expected) << row.given;
  }
}

TEST(MarkdownTest, ATableEndsWhereHtmlBegins) {
  const std::string table =
      R"(<table tabindex="0"><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>)";
  for (std::string_view html : {"<!-- END_TF_DOCS -->", "</details>", "  <!-- x -->", "<?x?>"}) {
    EXPECT_EQ(Html("| a |\n|---|\n| b |\n" + std::string(html)).substr(0, table.size()), table)
        << html;
  }
  EXPECT_EQ(Html("| a |\n|---|\n| b |\n<div>\n\nc\n\n</div>"), table + "<div>\n<p>c</p></div>\n");
  // Rows, and text that is not a table, stay unchanged.
  for (std::string_view text :
       {"| a | b |\n|---|---|\n<b>c</b> | d\n", "```\n| a |\n|---|\n<!-- x\n```\n",
        "a\n<!-- b -->\n", "---\n| a |\n<div>\n"}) {
    EXPECT_EQ(FitToParse(text), text);
  }
}

TEST(MarkdownTest, FragmentsMatchWithoutCaseWhereNoneIsExact) {
  for (const auto& [link, place] :
       {std::pair{"#Inputs", "#user-inputs"}, std::pair{"#inputs", "#user-inputs"},
        std::pair{"#INPUTS-1", "#user-inputs-1"}, std::pair{"#%C3%9Cber", "#user-über"},
        std::pair{"#Über", "#user-über"}, std::pair{"#raw_name", "#user-Raw_Name"},
        std::pair{"#none", "#user-none"}}) {
    const std::string html = Html("[a](" + std::string(link) +
                                  ")\n\n<a name=\"Raw_Name\"></a>\n# Inputs\n# Inputs\n# Über\n");
    EXPECT_NE(html.find("<a href=\"" + std::string(place) + "\">"), html.npos) << html;
  }
  const std::string html = Html("<a id=\"A\"></a> <a id=\"a\"></a> [x](#A) [y](#a)");
  EXPECT_NE(html.find("#user-A\">x"), html.npos);
  EXPECT_NE(html.find("#user-a\">y"), html.npos);
}

TEST(MarkdownTest, NamesArgumentsOfLists) {
  const MarkdownOptions options{.name_arguments = true};
  for (
      const MarkdownRow& row : {
          MarkdownRow{
              "* `a_b` - one\n* c `d`\n",
              R"(<ul><li><code id="user-a_b">a_b</code> - one</li><li>c <code>d</code></li></ul>)"},
          MarkdownRow{
              "* `a`\n\n  more `b`\n",
              R"(<ul><li><p><code id="user-a">a</code></p><p>more <code>b</code></p></li></ul>)"},
          MarkdownRow{"1. `a`\n2. `a`\n",
                      R"(<ol><li><code id="user-a">a</code></li><li><code>a</code></li></ol>)"},
          MarkdownRow{"* `a`\n\n# A\n",
                      R"(<ul><li><code>a</code></li></ul><h2 id="user-a">A</h2>)"},
          MarkdownRow{"* `<>`\n", "<ul><li><code>&lt;&gt;</code></li></ul>"},
          MarkdownRow{"`a`\n", "<p><code>a</code></p>"},
      }) {
    EXPECT_EQ(Html(row.given, options), row.expected) << row.given;
  }
  EXPECT_EQ(Html("* `a`\n"), "<ul><li><code>a</code></li></ul>");
}

TEST(MarkdownTest, TheSummaryIsNoLicenceAndNoImage) {
  for (const auto& [text, summary] :
       {std::pair{"Copyright 2022 A\n\nB", "B"},
        std::pair{"# X\n\n[![a](https://b/c.svg)](https://d)\n\nB", "B"},
        std::pair{"[![a][1]][2]\n\nB", "B"}, std::pair{"Licensed under MIT.\n\nB", "B"},
        std::pair{"(c) 2020\n\n© 2021\n\nB", "B"}, std::pair{"[a][1] is b", "[a][1] is b"},
        std::pair{"Copying is easy", "Copying is easy"}, std::pair{"Copyright 2022", ""},
        std::pair{"Copyright (c) A", ""}, std::pair{"Copyright The A Authors", ""},
        std::pair{"Copyright holder", "Copyright holder"}}) {
    EXPECT_EQ(RenderMarkdown(text).summary, summary) << text;
  }
}

// Each grew to a multiple of the bound.
TEST(MarkdownTest, HtmlStaysWithinItsBound) {
  auto repeated = [](std::string_view part, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += part;
    return text;
  };
  constexpr std::size_t kMost = 252 << 10;
  const MarkdownOptions options{.most_output = kMost};
  const std::size_t size = 1 << 20;
  for (const std::string& text :
       {repeated("> ", 100) + repeated("a\n\n> > > > > b\n", size), repeated("*a **b ", size),
        repeated("*a* ", size), repeated("\"", size), repeated("&quot;", size),
        "```\n" + repeated("\"\"\"\"\"\"\"\n", size) + "```", "    " + repeated("<", size),
        "```hcl\n" + repeated("a=1\n", 60 << 10) + repeated("a = \"b\"\n", 4000) + "```\n" +
            repeated("x\n\n", size),
        "<p title='" + repeated("\"", size / 2) + "'>a</p>",
        "<img alt='" + repeated("\"", size / 2) + "'>", "[a](b '" + repeated("\"", size / 2) + "')",
        repeated("> [!NOTE]\n> a\n\n", size), repeated("- ", 200) + repeated("a\n\n- b\n", size)}) {
    const Rendered page = RenderMarkdown(text, options);
    EXPECT_LE(page.html.size(), 256U << 10) << text.substr(0, 20);
    EXPECT_EQ(WhatIsUnsafe(page.html), "") << text.substr(0, 20);
    const Rendered plain = RenderReadme("README.txt", text, options);
    EXPECT_LE(plain.html.size(), 256U << 10) << text.substr(0, 20);
    EXPECT_EQ(WhatIsUnsafe(plain.html), "") << text.substr(0, 20);
  }
  EXPECT_FALSE(RenderMarkdown(repeated("a ", 1000), options).cut_output);
  EXPECT_TRUE(RenderMarkdown(repeated("\"", size), options).cut_output);
}

TEST(MarkdownTest, FoldsWhatIsShownElsewhere) {
  MarkdownOptions options{.fold_title = "Inputs <and> outputs",
                          .fold_link_text = "Inputs",
                          .fold_link_address = "/m/inputs"};
  std::string_view text =
      "a\n\n<!-- BEGIN_TF_DOCS -->\n## b\n</details>\n<!-- END_TF_DOCS -->\n\nc";
  EXPECT_EQ(Html(text, options),
            "<p>a</p><details><summary>Inputs &lt;and&gt; outputs</summary><p><a "
            "href=\"/m/inputs\">Inputs</a></p>\n\n<h3 id=\"user-b\">b</h3>\n</details>\n<p>c</p>");
  EXPECT_FALSE(Html(text).contains("<summary>"));
  EXPECT_FALSE(Html("<!-- BEGIN_TF_DOCS -->\n\na", options).contains("<summary>"));
}

TEST(MarkdownTest, HighlightsConfigurations) {
  EXPECT_EQ(
      Html("```hcl\nresource \"a\" \"b\" {\n  n = 1 # c\n}\n```"),
      "<pre tabindex=\"0\"><code class=\"language-hcl\"><span class=\"k\">resource</span> "
      "<span class=\"s\">&quot;a&quot;</span> <span class=\"s\">&quot;b&quot;</span> {\n  "
      "<span class=\"n\">n</span> = <span class=\"m\">1</span> <span class=\"c\"># c</span>\n}\n"
      "</code></pre>");
}

TEST(MarkdownTest, KeepsTheWords) {
  Rendered page = RenderMarkdown(
      "# Net\n\n[![Build](http://x.test/b.svg)](http://x.test)\n\n> quote\n\nA *small*\nVPC &amp; "
      "<b>more</b>.\n\n"
      "```hcl\nx = 1\n```\n<table><tr><td>cell</td></tr></table>\n",
      {.most_text = 1000});
  EXPECT_EQ(page.summary, "A small VPC & more.");
  EXPECT_EQ(page.text, "Net\nquote\nA small\nVPC & more.\nx = 1\ncell\n");
  EXPECT_EQ(RenderMarkdown("abc def", {.most_text = 3}).text, "abc");
}

TEST(MarkdownTest, CutsWhatIsLong) {
  Rendered page = RenderMarkdown("日本語\n", {.most_input = 4});
  EXPECT_TRUE(page.cut_input);
  EXPECT_EQ(page.html, "<p>日</p>");
  std::string words(100'000, 'a');
  page = RenderMarkdown("*" + words + "*\n\n" + words, {.most_output = 1000});
  EXPECT_TRUE(page.cut_output);
  EXPECT_EQ(WhatIsUnsafe(page.html), "");
  page = RenderMarkdown("a");
  EXPECT_FALSE(page.cut_input || page.cut_output);
  std::string headings;
  for (int i = 0; i < 2000; ++i) headings += "# a\n";
  EXPECT_EQ(RenderMarkdown(headings).contents.size(), 1000U);
}

}  // namespace
}  // namespace koya::markup
