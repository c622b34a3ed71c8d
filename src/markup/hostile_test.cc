#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/temp_folder_fake.h"
#include "base/text.h"
#include "markup/hostile_payloads_fake.h"
#include "markup/html_judge_fake.h"
#include "markup/markdown.h"

namespace koya::markup {
namespace {

MarkdownOptions Hospitable() {
  MarkdownOptions options{.most_text = 1 << 20, .fold_title = "Folded"};
  auto resolve = [](std::string_view address) {
    return std::optional("/here/" + std::string(address));
  };
  options.link = resolve;
  options.image = resolve;
  options.link_headings = true;
  return options;
}

// The places for untrusted text.
std::vector<std::string> Places(std::string_view payload) {
  std::string text(payload);
  return {text,
          "# " + text,
          "- " + text,
          "> " + text,
          "<div>\n" + text + "\n</div>",
          "<table><tr><td>" + text + "</td></tr></table>",
          "a *b " + text + " c* d",
          "[a " + text + "](b)",
          "![" + text + "](b \"" + text + "\")",
          "<!-- BEGIN_TF_DOCS -->\n\n" + text + "\n\n<!-- END_TF_DOCS -->"};
}

TEST(HostileTest, NothingOfItIsShown) {
  static_assert(kHostilePayloads.size() >= 80);
  for (std::string_view payload : kHostilePayloads) {
    for (const std::string& text : Places(payload)) {
      for (const MarkdownOptions& options : {MarkdownOptions{}, Hospitable()}) {
        std::string html = RenderMarkdown(text, options).html;
        EXPECT_EQ(WhatIsUnsafe(html), "") << Printable(text, 1000) << "\n→ " << html;
      }
    }
  }
}

TEST(HostileTest, TwoOfThemTogetherAreNoMore) {
  for (std::string_view first : kHostilePayloads) {
    for (std::string_view second : kHostilePayloads) {
      std::string text = std::string(first) + std::string(second);
      std::string html = RenderMarkdown(text, Hospitable()).html;
      ASSERT_EQ(WhatIsUnsafe(html), "") << Printable(text, 1000) << "\n→ " << html;
    }
  }
}

TEST(HtmlJudgeTest, FindsWhatIsUnsafe) {
  EXPECT_EQ(WhatIsUnsafe(R"(<p>a <a href="https://b.test?a&amp;b">c</a><br></p>)"), "");
  for (std::string_view bad : {"<script></script>",
                               "<p onclick=\"x\"></p>",
                               "<p title=x></p>",
                               "<p",
                               "<p>",
                               "</p>",
                               "<p></div>",
                               "a > b",
                               "\"",
                               "<p title=\"a\" title=\"b\"></p>",
                               "<p id=\"x\"></p>",
                               "<a href=\"javascript:x\"></a>",
                               "<a href=\"//x\"></a>",
                               "<a href=\"\"></a>",
                               "<img src=\"http://x\">",
                               "<a href=\"http:x\"></a>",
                               "<p style=\"x\"></p>",
                               "<P></P>",
                               "<p title=\"<\"></p>",
                               "<a href=\"b\"><a href=\"c\"></a></a>",
                               "<!-- x -->",
                               "\x01"}) {
    EXPECT_NE(WhatIsUnsafe(bad), "") << bad;
  }
}

// Repeats `piece` up to `bytes`.
std::string Many(std::string_view piece, std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) out += piece;
  return out;
}

std::vector<std::string> Costly(std::size_t bytes) {
  std::vector<std::string> out;
  for (std::string_view piece : {"[",
                                 "](",
                                 "![",
                                 "*a **b ",
                                 "_",
                                 "**",
                                 "~",
                                 "`",
                                 "``a` ",
                                 "<",
                                 "<a ",
                                 "<!--",
                                 "<![CDATA[",
                                 "<?",
                                 "<!A ",
                                 "&",
                                 "&#",
                                 ">",
                                 "> ",
                                 "- ",
                                 "1. ",
                                 "-\t",
                                 "\\",
                                 "|",
                                 "a|",
                                 "|\n",
                                 "[a]: b\n",
                                 "[a]",
                                 "[a][b]",
                                 "[a](<b",
                                 "[a](b \"",
                                 "www.a",
                                 "http://a",
                                 "a@",
                                 "a@b.c",
                                 "\n",
                                 " \n",
                                 "\t",
                                 "# a\n",
                                 "===\n",
                                 "```\n",
                                 "<b>",
                                 "<details>",
                                 "<table><tr><td>",
                                 "<li>",
                                 "</b>",
                                 "<b a=",
                                 "<b a=\"",
                                 "*a_ ",
                                 "a**b",
                                 "<script>",
                                 "<p><i>",
                                 "<a name=x>",
                                 "\xFF",
                                 "\xE2\x80\xAE",
                                 "\r",
                                 "(",
                                 "x <!-- ",
                                 "*[",
                                 "[*",
                                 "![[]()",
                                 "<svg>",
                                 "</svg",
                                 "<img src=a>",
                                 "-> ",
                                 "> [!NOTE]\n\n",
                                 "```hcl\n\"${\n```\n"}) {
    out.push_back(Many(piece, bytes));
  }
  out.push_back(Many("a|", bytes / 2) + "\n" + Many("-|", bytes / 4) + "\n" +
                Many("a\n", bytes / 4));
  out.push_back("[a]: <" + Many("b", 4000) + ">\n\n" + Many("[a] ", bytes));
  out.push_back(Many("- ", bytes / 2) + "a\n" + Many("\n", bytes / 2));
  out.push_back(Many("> ", bytes / 2) + "a\n" + Many(">\n", bytes / 2));
  std::string deeper;
  for (std::size_t i = 0; deeper.size() < bytes; ++i) deeper += std::string(i, ' ') + "* a\n";
  out.push_back(std::move(deeper));
  out.push_back("```hcl\n" + Many("\"${", bytes) + "\n```");
  out.push_back("```hcl\n" + Many("<<A\n", bytes) + "\n```");
  return out;
}

TEST(HostileTest, LargeTextsTakeTheTimeOfTheirSize) {
  // KOYA_MARKUP_TIMES: how many bytes, and the times are shown.
  const char* wanted = std::getenv("KOYA_MARKUP_TIMES");
  std::size_t bytes = wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 200'000;
  for (const std::string& text : Costly(bytes)) {
    auto begin = std::chrono::steady_clock::now();
    Rendered page = RenderMarkdown(text, Hospitable());
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (wanted != nullptr) {
      std::printf("%6.3f s %8zu  %s\n", took.count(), page.html.size(),
                  Printable(text, 20).c_str());
    }
    // Quadratic is minutes.
    EXPECT_LT(took.count(), 20) << Printable(text, 40);
    EXPECT_LT(page.html.size(), (4U << 20) + (1U << 20)) << Printable(text, 40);
    EXPECT_EQ(WhatIsUnsafe(page.html), "") << Printable(text, 40);
  }
}

// Pages for e2e/test_markup_browser.py: NUMBER.html, each with one text in all its places in
// <main>, in the folder that KOYA_MARKUP_PAGES names.
TEST(HostileTest, WritesPagesForABrowser) {
  TempFolder temporary;
  const char* kept = std::getenv("KOYA_MARKUP_PAGES");
  std::filesystem::path folder = kept != nullptr ? kept : temporary.path();
  std::size_t number = 0;
  for (std::string_view payload : kHostilePayloads) {
    std::ofstream page(folder / (std::to_string(number++) + ".html"));
    page << "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>x</title></head>"
            "<body><main>";
    for (const std::string& text : Places(payload)) {
      page << "<div class=\"text\">" << RenderMarkdown(text, Hospitable()).html << "</div>";
    }
    page << "</main><footer id=\"end\">end</footer></body></html>";
    EXPECT_TRUE(page.good());
  }
}

}  // namespace
}  // namespace koya::markup
