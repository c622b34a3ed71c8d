#include <gtest/gtest.h>

#include "base/text.h"
#include "markup/characters.h"
#include "markup/highlight.h"
#include "markup/html_policy.h"
#include "markup/html_tokens.h"
#include "markup/markdown.h"
#include "markup/plain_text.h"
#include "markup/slug.h"

namespace koya::markup {
namespace {

struct PartRow {
  std::string_view given;
  std::string_view expected;
};

TEST(SlugTest, IsAsOnGitHub) {
  for (const PartRow& row : {
           PartRow{"Inputs", "inputs"},
           PartRow{"Inputs & Outputs", "inputs--outputs"},
           PartRow{"What's new in 2.0?", "whats-new-in-20"},
           PartRow{"a_b-C", "a_b-c"},
           PartRow{"入力 値", "入力-値"},
           PartRow{"Übersicht", "übersicht"},
           PartRow{"Обзор", "обзор"},
           PartRow{"Émile Zola", "émile-zola"},
           PartRow{"ΣΊΣΥΦΟΣ Ž Ａ", "σίσυφοσ-ž-ａ"},
           PartRow{"\xC3", ""},
           PartRow{"入力（必須）", "入力必須"},
           PartRow{"🚀 Start", "-start"},
           PartRow{"\"><script>", "script"},
           PartRow{"", ""},
           PartRow{"!?", ""},
       }) {
    EXPECT_EQ(Slug(row.given), row.expected) << row.given;
  }
  EXPECT_LE(Slug(std::string(1000, 'a')).size(), 200U);
}

TEST(UserNameTest, CannotBeANameOfOurs) {
  for (const PartRow& row :
       {PartRow{"input_x", "user-input_x"}, PartRow{"a b\"c'<d>", "user-abcd"},
        PartRow{"user-x", "user-user-x"}, PartRow{"", ""}, PartRow{"\"'", ""}}) {
    EXPECT_EQ(UserName(row.given), row.expected) << row.given;
  }
}

TEST(PlaceNamesTest, GivesEachItsOwn) {
  PlaceNames names;
  EXPECT_EQ(names.Take("a"), "user-a");
  EXPECT_EQ(names.Take("a-1"), "user-a-1");
  EXPECT_EQ(names.Take("a"), "user-a-2");
  EXPECT_EQ(names.Take("a"), "user-a-3");
  EXPECT_TRUE(names.TakeExactly("user-b"));
  EXPECT_FALSE(names.TakeExactly("user-b"));
  EXPECT_EQ(names.Take("b"), "user-b-1");
}

TEST(DecodeReferencesTest, ReadsAsBrowsersDo) {
  for (const PartRow& row : {
           PartRow{"a&amp;b", "a&b"},
           PartRow{"&#106;&#x6A;&#X6a;", "jjj"},
           PartRow{"&#106a", "ja"},
           PartRow{"&Tab;&NewLine;&colon;", "\t\n:"},
           PartRow{"&#0;&#x110000;&#xD800;&#99999999999;", "\uFFFD\uFFFD\uFFFD\uFFFD"},
           PartRow{"&amp;lt;", "&lt;"},
           PartRow{"&none; &amp &; &#; &#x;", "&none; &amp &; &#; &#x;"},
           PartRow{"&#x202E;", "\uFFFD"},
       }) {
    EXPECT_EQ(DecodeReferences(row.given), row.expected) << row.given;
  }
}

TEST(EscapingTest, TextMeansItself) {
  std::string out;
  AppendEscaped("<a b='\"'>&amp;", out);
  EXPECT_EQ(out, "&lt;a b=&#39;&quot;&#39;&gt;&amp;amp;");
  out.clear();
  AppendWithReferences("<&lt;&eacute;&#60;&x &#x202E;", out);
  EXPECT_EQ(out, "&lt;&lt;&eacute;&lt;&amp;x \uFFFD");
}

TEST(PolicyTest, KnowsWhatMayBe) {
  for (std::string_view good : {"a", "details", "wbr", "h1", "h6", "table"}) {
    EXPECT_NE(FindElement(good), nullptr) << good;
  }
  for (std::string_view bad : {"", "A", "script", "style", "svg", "math", "form", "input", "button",
                               "iframe", "h7", "link", "meta", "base", "body", "html", "head"}) {
    EXPECT_EQ(FindElement(bad), nullptr) << bad;
  }
  for (std::string_view hidden : {"script", "style", "svg", "math", "template", "xmp", "applet"}) {
    EXPECT_TRUE(HidesContent(hidden)) << hidden;
  }
  EXPECT_EQ(JudgeAttribute("img", "width", "20px"), "20");
  EXPECT_EQ(JudgeAttribute("td", "colspan", "3"), "3");
  EXPECT_EQ(JudgeAttribute("p", "align", "CENTER"), "center");
  struct Row {
    std::string_view element;
    std::string_view attribute;
    std::string_view value;
  };
  for (const Row& row :
       {Row{"img", "width", "-1"}, Row{"img", "width", "99999"}, Row{"img", "width", "calc(1)"},
        Row{"p", "style", "x"}, Row{"p", "class", "x"}, Row{"p", "onclick", "x"},
        Row{"p", "align", "x"}, Row{"p", "dir", "x"}, Row{"td", "colspan", "1000000"},
        Row{"p", "lang", "\"x"}, Row{"a", "target", "x"}}) {
    EXPECT_EQ(JudgeAttribute(row.element, row.attribute, row.value), std::nullopt)
        << row.element << " " << row.attribute;
  }
}

std::string Shown(std::string_view html) {
  std::string out;
  HtmlTokens tokens(html);
  for (HtmlToken token = tokens.Next(); token.kind != HtmlToken::Kind::kEnd;
       token = tokens.Next()) {
    switch (token.kind) {
      case HtmlToken::Kind::kText:
        out.append("T:").append(token.text);
        break;
      case HtmlToken::Kind::kOpen:
        out.append("O:").append(token.name);
        for (const HtmlAttribute& each : token.attributes) {
          out.append(" ").append(each.name).append("=").append(each.value);
        }
        break;
      case HtmlToken::Kind::kClose:
        out.append("C:").append(token.name);
        break;
      case HtmlToken::Kind::kComment:
        out.append("-:").append(token.text);
        break;
      case HtmlToken::Kind::kOther:
        out.append("?");
        break;
      case HtmlToken::Kind::kEnd:
        break;
    }
    out += "|";
  }
  return out;
}

TEST(HtmlTokensTest, TakesHtmlApart) {
  for (const PartRow& row : {
           PartRow{"a<B c='d' e=f g h=\"i&amp;j\">k</b>", "T:a|O:b c=d e=f g= h=i&j|T:k|C:b|"},
           PartRow{"<br/>", "O:br|"},
           PartRow{"<a/b/c=d>", "O:a b= c=d|"},
           PartRow{"<a b b=c>", "O:a b=|"},
           PartRow{"<!-- x --><!DOCTYPE y><?z?><![CDATA[ > ]]>", "-: x |?|?|?|"},
           PartRow{"<a b=\">\" c>", "O:a b=> c=|"},
           PartRow{"a < b <", "T:a |T:< b |T:<|"},
           PartRow{"<a b=\"c", "T:<a b=\"c|"},
           PartRow{"<!-- a", "T:<!-- a|"},
           PartRow{"</ a>", "T:</ a>|"},
           PartRow{"<1>", "T:<1>|"},
           PartRow{"", ""},
       }) {
    EXPECT_EQ(Shown(row.given), row.expected) << row.given;
  }
}

std::string Plain(std::string_view html) {
  std::string out;
  bool tag = false;
  for (char c : html) {
    if (c == '<') tag = true;
    if (!tag) out += c;
    if (c == '>') tag = false;
  }
  return DecodeReferences(out);
}

TEST(HighlightTest, KeepsTheCode) {
  for (std::string_view code :
       {"", "a", "\"", "\"${", "\"${\"${a}\"}\"", "<<EOT\nx\nEOT\ny", "<<-E\n  x", "/* x",
        "/* x */ y", "# x", "a = { b = \"c\" }", "}}}}", "\"\\\"", "\"$${x}\"", "for x in y : x",
        "1.5.2 1..", "é = 日", "a = \"\n"}) {
    EXPECT_EQ(Plain(HighlightHcl(code)), code);
  }
  EXPECT_TRUE(IsHcl("HCL") && IsHcl("terraform") && IsHcl("tofu"));
  EXPECT_FALSE(IsHcl("") || IsHcl("json") || IsHcl("hclx"));
}

TEST(HighlightTest, TellsWordsApart) {
  for (
      const PartRow& row : {
          PartRow{"a = true", R"(<span class="n">a</span> = <span class="k">true</span>)"},
          PartRow{"b {", R"(<span class="k">b</span> {)"},
          PartRow{"x == y", "x == y"},
          PartRow{
              "v = max(1)",
              R"(<span class="n">v</span> = <span class="f">max</span>(<span class="m">1</span>))"},
          PartRow{
              "\"a${b}\"",
              R"(<span class="s">&quot;a</span><span class="i">${</span>b<span class="i">}</span>)"
              R"(<span class="s">&quot;</span>)"},
      }) {
    EXPECT_EQ(HighlightHcl(row.given), row.expected) << row.given;
  }
}

TEST(FitToParseTest, KeepsWhatPeopleWrite) {
  for (std::string_view text : {"", "- a\n  - b\n    - c\n", "> > > a", "1. a\n2) b", "- - - a"}) {
    EXPECT_EQ(FitToParse(text), text);
  }
  std::string line(1000, '-');
  EXPECT_EQ(FitToParse(line), line);
  std::string code = std::string(500, ' ') + "x - y";
  EXPECT_EQ(FitToParse(code), code);
}

TEST(FitToParseTest, EndsTheDepth) {
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "> ";
  std::string expected = deep;
  expected.insert(100, "\\");
  EXPECT_EQ(FitToParse(deep), expected);
  EXPECT_EQ(FitToParse("a\n" + deep + "\nb"), "a\n" + expected + "\nb");
  EXPECT_EQ(FitToParse(std::string(120, ' ') + "12. a"), std::string(120, ' ') + "12\\. a");
}

TEST(OneLineTest, CutsBetweenWords) {
  for (const PartRow& row :
       {PartRow{" a \n b\t", "a b"}, PartRow{"", ""}, PartRow{"one two three", "one two…"},
        PartRow{"abcdefghijklmnop", "abcdefgh…"}}) {
    EXPECT_EQ(OneLine(row.given, 11), row.expected) << row.given;
  }
}

TEST(Utf8Test, ReadsAndMends) {
  EXPECT_EQ(FitToShow("\xEF\xBB\xBF"
                      "a\r\nb\rc"),
            "a\nb\nc");
  EXPECT_EQ(FitToShow("a\xFF\xFE\x01z"), "a\uFFFDz");
  EXPECT_EQ(FitToShow("\xED\xA0\x80"), "\uFFFD");
  EXPECT_EQ(CutUtf8("a日本", 4), "a日");
  EXPECT_EQ(CutUtf8("a日本", 3), "a");
  EXPECT_EQ(CutUtf8("ab", 9), "ab");
}

}  // namespace
}  // namespace koya::markup
