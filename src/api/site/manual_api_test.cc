// The documentation that a registry shows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "api/common/browser_fake.h"
#include "api/common/reply.h"
#include "base/result.h"
#include "web/site/manual.h"

namespace koya::api {
namespace {

class ManualApiTest : public ::testing::Test {
 protected:
  ApiFixture api_;
  FakeBrowser browser_{api_};
};

TEST(ErrorCodesTest, EveryKindHasATextThatSaysWhatItMeansAndWhatToDo) {
  std::set<std::string_view> names;
  for (const ErrorCode& code : ErrorCodes()) {
    names.insert(code.name);
    EXPECT_GE(code.status, 400U) << code.name;
    // A paragraph on its meaning, and one on the fix.
    const std::string html = web::RenderManual(code.text).html;
    EXPECT_NE(html.find("<p>", html.find("</p>")), html.npos) << code.name << ": " << html;
  }
  EXPECT_EQ(names.size(), ErrorCodes().size()) << "two kinds have one name";
  EXPECT_EQ(FindErrorCode("not_found")->status, 404U);
  EXPECT_EQ(FindErrorCode("storage_full")->status, 507U);
  for (std::string_view none : {"", "Not_Found", "404", "not_found "}) {
    EXPECT_EQ(FindErrorCode(none), nullptr) << none;
  }
}

TEST(ErrorCodesTest, NoTextIsOfAKindThatThereIsNot) {
  const std::string_view body = web::FindManualText("errors")->body;
  constexpr std::string_view kMark = "\n## ";
  std::size_t texts = 0;
  for (std::size_t at = body.find(kMark); at != body.npos; at = body.find(kMark, at + 1)) {
    const std::size_t begin = at + kMark.size();
    const std::string_view name = body.substr(begin, body.find('\n', begin) - begin);
    EXPECT_NE(FindErrorCode(name), nullptr) << name;
    ++texts;
  }
  EXPECT_EQ(texts, ErrorCodes().size());
}

TEST_F(ManualApiTest, EveryTextHasAPageAndTheIndexLeadsToIt) {
  const Reply index = browser_.Open("/-/docs");
  ASSERT_EQ(index.status, 200U) << index.body;
  for (const web::ManualText& text : web::ManualTexts()) {
    if (text.name == "errors") continue;
    const std::string path = web::ManualPath(text.name);
    EXPECT_TRUE(index.body.contains(fmt::format("href=\"{}\"", path))) << path;
    const Reply page = browser_.Open(path);
    EXPECT_EQ(page.status, 200U) << path;
    EXPECT_NE(page.etag, "") << path;
    EXPECT_TRUE(page.body.contains("<h1 lang=\"en\">")) << path;
  }
  EXPECT_EQ(browser_.Open("/-/docs/architecture").status, 404U);
  EXPECT_EQ(browser_.Open("/-/docs/access.md").status, 404U);
}

TEST_F(ManualApiTest, TheIndexIsSearched) {
  const Reply found = browser_.Open("/-/docs?q=trusted+publishing");
  EXPECT_EQ(found.status, 200U);
  EXPECT_TRUE(found.body.contains("<a href=\"/-/docs/trusted-publishing\"><bdi>Trusted publishing"))
      << found.body;
  EXPECT_TRUE(browser_.Open("/-/docs?q=server.url").body.contains("/-/docs/config#user-server\""));
  EXPECT_TRUE(browser_.Open("/-/docs?q=zzyzx").body.contains("No guide, setting or error"));
  EXPECT_TRUE(browser_.Open("/-/docs?q=").body.contains("action=\"/-/docs\""));
  for (const char* wrong : {"/-/docs?q=%22open", "/-/docs?q=kind:thing", "/-/docs?q=-"}) {
    const Reply refused = browser_.Open(wrong);
    EXPECT_EQ(refused.status, 400U) << wrong;
    EXPECT_TRUE(refused.body.contains("id=\"problem\"")) << wrong;
  }
}

TEST_F(ManualApiTest, EveryKindOfErrorHasAPage) {
  const Reply index = browser_.Open("/-/docs/errors");
  ASSERT_EQ(index.status, 200U) << index.body;
  for (const ErrorCode& code : ErrorCodes()) {
    const std::string path = fmt::format("/-/docs/errors/{}", code.name);
    EXPECT_TRUE(index.body.contains(fmt::format("href=\"{}\"", path))) << path;
    const Reply page = browser_.Open(path);
    EXPECT_EQ(page.status, 200U) << path;
    EXPECT_TRUE(page.body.contains(fmt::format(">{}</code>", code.status))) << path;
  }
  EXPECT_EQ(browser_.Open("/-/docs/errors/no_such").status, 404U);
}

TEST_F(ManualApiTest, ErrorsLeadToWhatTheyMean) {
  const Reply document = api_.Get("/v1/modules/acme/vpc/aws/versions");
  EXPECT_EQ(document.status, 404U);
  EXPECT_EQ(document.Get("Link"), "</-/docs/errors/not_found>; rel=\"help\"");
  EXPECT_TRUE(document.body.starts_with("{\"errors\":[\"")) << document.body;
  EXPECT_EQ(api_.Ask({.path = "/v1/modules", .query = "limit=x"}).Get("Link"),
            "</-/docs/errors/invalid>; rel=\"help\"");
  const Reply page = browser_.Open("/modules?page=0");
  EXPECT_EQ(page.status, 400U);
  EXPECT_TRUE(page.body.contains("href=\"/-/docs/errors/invalid\""));
  EXPECT_EQ(api_.Get("/v1/modules").Get("Link"), "") << "no error";
}

// Programs act on a code and a status; sentences are for people.
TEST_F(ManualApiTest, ErrorsHaveCodeAndStatusBesideTheSentence) {
  for (const ErrorCode& code : ErrorCodes()) {
    const ErrorKind kind = ParseErrorKind(code.name).value();
    const http::Response reply = ErrorReply({kind, "it is \"failing\"", {}});
    EXPECT_EQ(reply.status, code.status) << code.name;
    EXPECT_EQ(std::get<std::string>(reply.body),
              fmt::format(R"({{"errors":["it is \"failing\""],"code":"{}","status":{}}})",
                          code.name, code.status));
  }
  const std::vector<std::string> problems{"one", "two"};
  EXPECT_EQ(std::get<std::string>(ErrorsReply(ErrorKind::kRefused, problems).body),
            R"({"errors":["one","two"],"code":"refused","status":422})");
  struct Engine {
    unsigned status;
    std::string_view code;
  };
  for (const Engine& each :
       {Engine{400, "invalid"}, Engine{405, "invalid"}, Engine{408, "timeout"},
        Engine{413, "too_large"}, Engine{414, "too_large"}, Engine{429, "throttled"},
        Engine{431, "too_large"}, Engine{500, "internal"}, Engine{501, "invalid"},
        Engine{503, "unavailable"}, Engine{505, "invalid"}}) {
    EXPECT_EQ(api_.Refuse(each.status, "/api/v1/modules", {}).body,
              fmt::format(R"({{"errors":["it is <refused>"],"code":"{}","status":{}}})", each.code,
                          each.status));
  }
}

TEST_F(ManualApiTest, HeaderAndFooterLeadThere) {
  const Reply home = browser_.Open("/");
  EXPECT_TRUE(home.body.contains("<a href=\"/-/docs\">"));
  EXPECT_TRUE(home.body.contains("<a href=\"/-/docs/accessibility\">"));
  EXPECT_TRUE(browser_.Open("/-/docs").body.contains("<a href=\"/-/docs\" aria-current=\"page\">"));
}

TEST_F(ManualApiTest, WhoMayNotReadIsLedToSignInButToldOfAccessibility) {
  api_.access.anonymous_read = false;
  api_.SettleMirror();
  EXPECT_TRUE(browser_.Open("/-/docs").Get("Location").starts_with("/login"));
  EXPECT_TRUE(browser_.Open("/-/docs/errors/invalid").Get("Location").starts_with("/login"));
  const Reply statement = browser_.Open("/-/docs/accessibility");
  EXPECT_EQ(statement.status, 200U);
  EXPECT_FALSE(statement.body.contains("href=\"/-/docs/api\""));
}

TEST_F(ManualApiTest, WithoutPagesNoErrorLeadsToOne) {
  api_.site.enabled = false;
  api_.SettleMirror();
  const Reply document = api_.Get("/v1/modules/acme/vpc/aws/versions");
  EXPECT_EQ(document.status, 404U);
  EXPECT_EQ(document.Get("Link"), "");
  EXPECT_EQ(api_.Get("/-/docs").status, 404U);
}

TEST_F(ManualApiTest, WhatIsShownFromMemoryDoesNotSayThatAllIsWell) {
  EXPECT_TRUE(browser_.Open("/-/docs").body.contains("Operational"));
  api_.silent_for = std::chrono::seconds(1);
  const Reply held = browser_.Open("/-/docs");
  EXPECT_EQ(held.status, 200U);
  EXPECT_FALSE(held.body.contains("Operational"));
  EXPECT_TRUE(held.body.contains("Database unreachable"));
}

TEST_F(ManualApiTest, SpeaksTheReadersLanguageAroundTheText) {
  const Reply japanese = browser_.Open("/-/docs/tokens?lang=ja");
  EXPECT_TRUE(japanese.body.contains("<html lang=\"ja\""));
  EXPECT_TRUE(japanese.body.contains("文書は英語です。"));
  EXPECT_TRUE(japanese.body.contains("<article class=\"prose\" lang=\"en\""));
}

}  // namespace
}  // namespace koya::api
