#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "web/common/embedded.h"
#include "web/common/template_engine.h"

namespace koya::web {
namespace {

TEST(TemplateTextTest, PutsWordsPiecesAndAssetsIn) {
  EXPECT_EQ(ComposeText("<p>[[frame.skip]]</p>", Language::kEnglish), "<p>Skip to the content</p>");
  EXPECT_EQ(ComposeText("x=\"[[=theme.dark]]\"", Language::kJapanese), "x=\"ダーク\"");
  EXPECT_EQ(ComposeText("[[sign_in.for_page]]", Language::kEnglish),
            "Sign in to see <bdi>{{wanted}}</bdi>.");
  EXPECT_EQ(ComposeText("[[message.request]]", Language::kEnglish),
            "Request ID: <code translate=\"no\">{{request_id}}</code>");
  EXPECT_TRUE(ComposeText("[[@koya.css]]", Language::kEnglish).starts_with("/-/assets/koya."));
  EXPECT_TRUE(ComposeText("[[>_csrf]]", Language::kEnglish).contains("name=\"csrf\""));
  EXPECT_EQ(ComposeText("[[*readme]]", Language::kEnglish), "{{{html:readme}}}");
  EXPECT_EQ(ComposeText("[[~sign_in.for_page]]", Language::kEnglish), "Sign in to see {{wanted}}.");
  EXPECT_EQ(ComposeText("{{! a remark}}{{#a}}{{b}}{{/a}}{{^a}}{{/a}}", Language::kEnglish),
            "{{! a remark}}{{#a}}{{b}}{{/a}}{{^a}}{{/a}}");
  for (std::string_view tags :
       {"{{a:date}}", "{{a.b:size}}", "{{#a:is:owner}}{{a:rfc3339}}{{/a:is:owner}}",
        "{{^a:any}}{{/a:any}}", "{{! a:remark}}"}) {
    EXPECT_EQ(ComposeText(tags, Language::kEnglish), tags);
  }
}

TEST(TemplateTextTest, RefusesMarksThatLeadNowhereAndTagsThatAreNotSafe) {
  for (std::string_view text : {"[[",
                                "[[frame.skip",
                                "[[]]",
                                "[[no.such]]",
                                "[[=no.such]]",
                                "[[=sign_in.for_page]]",
                                "[[=message.request]]",
                                "[[>_no_such]]",
                                "[[>]]",
                                "[[@no.css]]",
                                "[[@]]",
                                "[[ frame.skip ]]",
                                "[[*]]",
                                "[[*a}}]]",
                                "[[*a b]]",
                                "[[~message.request]]",
                                "[[~no.such]]",
                                "{{{a}}}",
                                "{{&a}}",
                                "{{>a}}",
                                "{{a:no_such}}",
                                "{{a:DATE}}",
                                "{{a:is:owner}}",
                                "{{#a:date}}{{/a:date}}",
                                "{{#a:is:}}{{/a:is:}}",
                                "{{^a:no_such}}{{/a:no_such}}",
                                "{{=<% %>=}}"}) {
    EXPECT_THROW(ComposeText(text, Language::kEnglish), std::logic_error) << text;
  }
}

TEST(TemplateTextTest, EveryTemplateComposesInEveryLanguage) {
  EXPECT_FALSE(TemplateNames().empty());
  for (std::string_view name : TemplateNames()) {
    for (Language language : kLanguages) {
      EXPECT_NO_THROW(ComposeTemplate(name, language)) << name;
      // It is read then: nothing is wrong but that there are no values.
      try {
        RenderTemplate(name, language, View());
      } catch (const std::logic_error& problem) {
        EXPECT_TRUE(std::string_view(problem.what()).contains("the view has no")) << problem.what();
      }
    }
  }
  EXPECT_THROW(ComposeTemplate("no_such", Language::kEnglish), std::logic_error);
}

TEST(TemplateTextTest, ATitleIsSaidOnceMoreForWhoeverSharesThePage) {
  std::size_t titles = 0;
  for (std::string_view name : TemplateNames()) {
    const std::string text = ComposeTemplate(name, Language::kEnglish);
    const std::size_t begin = text.find("<title>");
    if (begin == text.npos) continue;
    ++titles;
    const std::size_t from = begin + std::string_view("<title>").size();
    const std::string title = text.substr(from, text.find("</title>") - from);
    EXPECT_TRUE(text.contains(
        fmt::format("<meta property=\"og:title\" content=\"{}\">{{{{/is_listed}}}}", title)))
        << name;
  }
  EXPECT_EQ(titles, TemplateNames().size());
}

TEST(TemplateTextTest, NoTemplateHasWordsOfItsOwn) {
  // Between tags, templates have marks only; the mark itself and the separator of titles aside.
  for (const EmbeddedFile& file : EmbeddedTemplates()) {
    bool in_tag = false;
    int depth = 0;
    std::string own;
    for (char c : file.bytes) {
      if (c == '<' && depth == 0) in_tag = true;
      if (c == '[' || c == '{') ++depth;
      if (!in_tag && depth == 0 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) own += c;
      if (c == ']' || c == '}') --depth;
      if (c == '>' && depth == 0) in_tag = false;
    }
    EXPECT_TRUE(own.empty() || own == "koya") << file.name << ": " << own;
  }
}

// Every place where HTML goes out that templates did not write: what stands there must be made safe
// by markup/ before.
TEST(TemplateTextTest, FragmentsStandWhereTheyAreKnownToStand) {
  const std::set<std::string> known{"_code.mustache: code",
                                    "api_group.mustache: text",
                                    "api_index.mustache: preface",
                                    "error_code.mustache: text",
                                    "error_codes.mustache: preface",
                                    "manual_page.mustache: text",
                                    "provider_docs.mustache: html",
                                    "_module_input.mustache: deprecation",
                                    "_module_output.mustache: deprecation",
                                    "_module_input.mustache: text",
                                    "_module_input.mustache: value",
                                    "_module_output.mustache: text",
                                    "_module_output.mustache: value",
                                    "_manual_hits.mustache: snippet",
                                    "_package.mustache: snippet",
                                    "module_folder.mustache: readme",
                                    "module_readme.mustache: readme",
                                    "module_source.mustache: text"};
  std::set<std::string> found;
  for (const EmbeddedFile& file : EmbeddedTemplates()) {
    std::string_view bytes = file.bytes;
    for (std::size_t at = bytes.find("[[*"); at != bytes.npos; at = bytes.find("[[*", at + 1)) {
      std::string_view name = bytes.substr(at + 3, bytes.find("]]", at) - at - 3);
      found.insert(fmt::format("{}: {}", file.name, name));
    }
  }
  EXPECT_EQ(found, known);
}

TEST(TemplateEngineTest, RefusesHolesAndUnknownTemplates) {
  EXPECT_THROW(RenderTemplate("signed_out", Language::kEnglish, View()), std::logic_error);
  EXPECT_THROW(RenderTemplate("no_such", Language::kEnglish, View()), std::logic_error);
  EXPECT_THROW(RenderTemplate("_foot", Language::kEnglish, View()), std::logic_error);
}

}  // namespace
}  // namespace koya::web
