// Responses to requests that no handler ever sees.
#include <gtest/gtest.h>

#include <string>

#include "api/common/api_fixture_fake.h"
#include "api/common/audience.h"
#include "api/common/browser_fake.h"

namespace koya::api {
namespace {

constexpr const char* kBrowserAccepts =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";

class EngineErrorTest : public ::testing::Test {
 protected:
  EngineErrorTest() { api_.SettleMirror(); }

  static Question Accepting(std::string accept, std::string language = "en") {
    Question question;
    if (!accept.empty()) question.fields.emplace_back("Accept", std::move(accept));
    question.fields.emplace_back("Accept-Language", std::move(language));
    return question;
  }

  ApiFixture api_;
};

TEST_F(EngineErrorTest, BrowsersAreShownAPage) {
  for (unsigned status : {400U, 405U, 408U, 413U, 414U, 417U, 429U, 431U, 500U, 501U, 503U}) {
    const Reply page = api_.Refuse(status, "/search?q=xxx", Accepting(kBrowserAccepts));
    EXPECT_EQ(page.status, status);
    EXPECT_EQ(page.Get("Content-Type"), "text/html; charset=utf-8") << status;
    EXPECT_TRUE(page.Get("Content-Security-Policy").starts_with("default-src 'none'")) << status;
    EXPECT_TRUE(page.body.starts_with("<!doctype html>")) << page.body.substr(0, 40);
    EXPECT_TRUE(page.body.contains("it is &lt;refused&gt;")) << status;
    EXPECT_TRUE(page.body.contains("the-request")) << status;
    EXPECT_TRUE(page.body.contains("href=\"/\"")) << status;
  }
}

TEST_F(EngineErrorTest, WhereTheServerIsAtFaultThePageLeadsToItsState) {
  api_.site.status_url = "https://status.example.com/koya";
  api_.SettleMirror();
  for (unsigned status : {400U, 405U, 414U, 429U, 500U, 501U, 503U}) {
    const std::string body = api_.Refuse(status, "/modules", Accepting(kBrowserAccepts)).body;
    EXPECT_EQ(body.contains("href=\"https://status.example.com/koya\""), status >= 500) << status;
    EXPECT_FALSE(body.contains("/-/admin/health")) << "nobody is known here";
  }
}

TEST_F(EngineErrorTest, WithoutAPageOfTheStateThereIsNoLinkToOne) {
  const Reply page = api_.Refuse(503, "/modules", Accepting(kBrowserAccepts));
  EXPECT_FALSE(page.body.contains("rel=\"external\""));
}

TEST_F(EngineErrorTest, AdministratorsAreLedToTheHealthOfTheServers) {
  api_.site.status_url = "https://status.example.com/koya";
  api_.SettleMirror();
  api_.AddUser("ada", "correct horse battery", true);
  api_.AddUser("eve", "correct horse battery");
  FakeBrowser ada(api_), eve(api_), stranger(api_);
  ada.SignIn("ada", "correct horse battery");
  eve.SignIn("eve", "correct horse battery");
  for (FakeBrowser* browser : {&ada, &eve, &stranger}) {
    browser->Open("/");  // from here on it is known who that is
    Question question = Accepting(kBrowserAccepts);
    question.path = "/modules";
    std::string cookies;
    for (const auto& [name, value] : browser->cookies) cookies += name + "=" + value + "; ";
    question.fields.emplace_back("Cookie", cookies + "keys=on");
    for (ErrorKind kind : {ErrorKind::kUnavailable, ErrorKind::kInternal, ErrorKind::kInvalid}) {
      const Reply page = api_.FailPage(kind, question);
      const bool at_fault = kind != ErrorKind::kInvalid;
      EXPECT_EQ(page.status >= 500, at_fault);
      EXPECT_EQ(page.body.contains("href=\"/-/admin/health\""), at_fault && browser == &ada);
      EXPECT_EQ(page.body.contains("href=\"https://status.example.com/koya\""), at_fault);
    }
  }
}

TEST_F(EngineErrorTest, ThePageSaysWhatIsTooLongInTheReadersLanguage) {
  EXPECT_TRUE(api_.Refuse(414, "/", Accepting(kBrowserAccepts))
                  .body.contains("<h1>The address is too long</h1>"));
  EXPECT_TRUE(api_.Refuse(414, "/", Accepting(kBrowserAccepts, "ja,en;q=0.5"))
                  .body.contains("<h1>アドレスが長すぎます</h1>"));
  EXPECT_TRUE(api_.Refuse(431, "/", Accepting(kBrowserAccepts, "zh-CN"))
                  .body.contains("<h1>浏览器发送的信息过大</h1>"));
  // Another message than for requests that are not understood at all.
  EXPECT_FALSE(api_.Refuse(414, "/", Accepting(kBrowserAccepts)).body.contains("Invalid request"));
}

TEST_F(EngineErrorTest, NobodysCookiesAndFormsAreTouched) {
  Question question = Accepting(kBrowserAccepts);
  question.fields.emplace_back("Cookie", "theme=dark; lang=ja; __Host-koya=stale");
  const Reply page = api_.Refuse(405, "/modules", question);
  EXPECT_EQ(page.Get("Set-Cookie"), "");
  EXPECT_TRUE(page.body.contains("<html lang=\"ja\" data-theme=\"dark\""));
  EXPECT_FALSE(page.body.contains("name=\"csrf\""));
}

TEST_F(EngineErrorTest, ProgramsAreToldInJson) {
  for (std::string_view target :
       {"/api/v1/search?q=x", "/v1/modules/a/b/c/versions", "/mirror/h/n/t/index.json",
        "/origin/h/v1", "/download/x", "/.well-known/terraform.json", "/oauth/token"}) {
    EXPECT_TRUE(IsForPrograms(target)) << target;
    const Reply reply = api_.Refuse(414, target, Accepting(kBrowserAccepts));
    EXPECT_EQ(reply.Get("Content-Type"), "application/json") << target;
    EXPECT_EQ(reply.status, 414U);
    EXPECT_TRUE(reply.body.contains("it is <refused>")) << reply.body;
  }
  for (const char* accept :
       {"", "*/*", "application/json", "text/plain", "application/xhtml+xml"}) {
    EXPECT_EQ(api_.Refuse(431, "/modules", Accepting(accept)).Get("Content-Type"),
              "application/json")
        << accept;
  }
  for (std::string_view target : {"", "/", "/modules", "/apis/", "/oauth/authorize", "*"}) {
    EXPECT_FALSE(IsForPrograms(target)) << target;
  }
}

TEST_F(EngineErrorTest, WhereThereAreNoPagesThereIsNoneOfThisEither) {
  api_.site.enabled = false;
  api_.SettleMirror();
  EXPECT_EQ(api_.Refuse(414, "/modules", Accepting(kBrowserAccepts)).Get("Content-Type"),
            "application/json");
}

TEST_F(EngineErrorTest, ClosedRegistriesShowNoWaysIn) {
  api_.access.anonymous_read = false;
  api_.SettleMirror();
  const Reply page = api_.Refuse(431, "/modules/acme", Accepting(kBrowserAccepts));
  EXPECT_EQ(page.status, 431U);
  EXPECT_FALSE(page.body.contains("role=\"search\""));
  EXPECT_TRUE(page.body.contains("/login"));
}

}  // namespace
}  // namespace koya::api
