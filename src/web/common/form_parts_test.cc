#include "web/common/form_parts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "web/common/html_page_fake.h"
#include "web/sample_pages_fake.h"

namespace koya::web {
namespace {

ConfirmPage TypedConfirm() {
  ConfirmPage page{.key = "revoke_token", .what = "ci", .action = "/a", .back = "/b"};
  page.must_type = true;
  return page;
}

HtmlElement TypedInput(const HtmlPage& page) {
  for (const HtmlElement& input : page.All("input")) {
    if (input.Value("name") == "typed") return input;
  }
  return {};
}

TEST(ConfirmTest, AsksWithTheNameAndLeadsBack) {
  ConfirmPage page = TypedConfirm();
  page.command = "koya token revoke ci";
  page.hidden = {{"kind", "a&b"}};
  const HtmlPage read = ReadHtml(RenderConfirm(SampleFrame(Language::kEnglish), page));
  for (std::string_view told : {"Revoke the token ci?", "cannot be undone", "Type ci to confirm",
                                "koya token revoke ci", "Cancel"}) {
    EXPECT_TRUE(read.text.contains(told)) << told;
  }
  EXPECT_EQ(read.All("form")[0].Value("action"), "/a");
  EXPECT_FALSE(TypedInput(read).Has("aria-invalid"));
  EXPECT_TRUE(TypedInput(read).Has("required"));
}

TEST(ConfirmTest, SaysWhatIsWrongAboveAndBesideTheField) {
  ConfirmPage page = TypedConfirm();
  page.typed = "cj";
  page.errors.Add("typed", "typed_wrong");
  const HtmlPage read = ReadHtml(RenderConfirm(SampleFrame(Language::kEnglish), page));
  EXPECT_EQ(TypedInput(read).Value("aria-invalid"), "true");
  EXPECT_EQ(TypedInput(read).Value("aria-describedby"), "typed_problem");
  EXPECT_EQ(TypedInput(read).Value("value"), "cj");
  const auto links = read.All("a");
  EXPECT_TRUE(std::ranges::any_of(
      links, [](const HtmlElement& link) { return link.Value("href") == "#typed"; }));
}

TEST(ConfirmTest, WithoutACommandShowsNone) {
  ConfirmPage page{.key = "revoke_token", .what = "ci", .action = "//evil.example", .back = "x"};
  const HtmlPage read = ReadHtml(RenderConfirm(SampleFrame(Language::kEnglish), page));
  EXPECT_TRUE(read.All("details").empty());
  EXPECT_EQ(read.All("form")[0].Value("action"), "/") << "it never leads elsewhere";
  EXPECT_EQ(TypedInput(read).name, "");
}

TEST(ShellWordTest, QuotesWhatAShellWouldRead) {
  struct Row {
    std::string_view text;
    std::string_view word;
  };
  for (const Row& row : {Row{"acme", "acme"}, Row{"ada@example.com", "ada@example.com"},
                         Row{"", "''"}, Row{"a b", "'a b'"}, Row{"refs/tags/v*", "'refs/tags/v*'"},
                         Row{"it's", "'it'\\''s'"}, Row{"$(x)", "'$(x)'"}, Row{"雲", "'雲'"}}) {
    EXPECT_EQ(ShellWord(row.text), row.word);
  }
}

}  // namespace
}  // namespace koya::web
