// Pages of namespaces, feeds of published versions, and badges.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "base/run_task.h"

namespace koya::api {
namespace {

constexpr std::string_view kMembersPassword = "correct horse battery";

class NamespacePagesTest : public ::testing::Test {
 protected:
  NamespacePagesTest() {
    api_.AddUser("ada", std::string(kMembersPassword), true);
    api_.AddUser("eve", std::string(kMembersPassword));
    api_.token = api_.Token(Scope::kAdmin);
    Publish("Acme/network/aws", "1.0.0", "one");
    api_.clock.now += 60;
    Publish("Acme/network/aws", "1.1.0", "two");
    Publish("veiled/secretive/aws", "1.0.0", "three");
    Question hide{.method = http::Method::kPut, .path = "/api/v1/namespaces/veiled"};
    hide.body = R"({"visibility":"private"})";
    EXPECT_EQ(api_.Ask(hide).status, 200U);
    api_.token.clear();
  }

  void Publish(std::string address, std::string version, std::string content) {
    EXPECT_EQ(api_.Publish(std::move(address), std::move(version), ModuleArchive(content)).status,
              201U);
  }

  // A page's text without the requested name.
  static std::string Anonymous(std::string body, std::string_view name) {
    for (std::size_t at = body.find(name); at != body.npos; at = body.find(name)) {
      body.replace(at, name.size(), "*");
    }
    return body;
  }

  ApiFixture api_;
  FakeBrowser stranger_{api_};
};

TEST_F(NamespacePagesTest, AreListedToThoseWhoMayReadThem) {
  const Reply strangers = stranger_.Open("/namespaces");
  EXPECT_EQ(strangers.status, 200U);
  EXPECT_TRUE(strangers.body.contains("/namespaces/Acme\"")) << strangers.body;
  EXPECT_FALSE(strangers.body.contains("veiled"));
  EXPECT_FALSE(strangers.body.contains(">public<")) << "all of them are";
  FakeBrowser eve(api_);
  eve.SignIn("eve", kMembersPassword);
  const Reply users = eve.Open("/namespaces");
  EXPECT_TRUE(users.body.contains(">public<") && !users.body.contains("veiled")) << users.body;
  EXPECT_FALSE(users.body.contains("Last published"));
  FakeBrowser ada(api_);
  ada.SignIn("ada", kMembersPassword);
  const Reply all = ada.Open("/namespaces");
  EXPECT_TRUE(all.body.contains("veiled") && all.body.contains("Last published")) << all.body;
  EXPECT_EQ(stranger_.Open("/namespaces?page=9").status, 200U);
  for (const char* bad : {"page=0", "page=x", "page=-1"}) {
    EXPECT_EQ(stranger_.Open(fmt::format("/namespaces?{}", bad)).status, 400U) << bad;
  }
}

TEST_F(NamespacePagesTest, ShowWhatIsInThem) {
  Reply page = stranger_.Open("/namespaces/acme");
  EXPECT_EQ(page.status, 200U);
  EXPECT_TRUE(page.body.contains("<bdi>Acme</bdi>")) << "as its publisher writes it";
  EXPECT_TRUE(page.body.contains("1.1.0"));
  EXPECT_FALSE(page.body.contains("koya publish"));
  EXPECT_TRUE(page.body.contains("<a href=\"/-/feeds/Acme.atom\">Atom feed</a>")) << page.body;
  EXPECT_EQ(stranger_.Open("/-/feeds/Acme.atom").status, 200U);
  EXPECT_TRUE(stranger_.Open("/").body.contains("href=\"/-/feeds/all.atom\""));
  EXPECT_EQ(stranger_.Open("/-/feeds/all.atom").status, 200U);
  EXPECT_EQ(page.Get("Cache-Control"), "private, no-cache");
  FakeBrowser ada(api_);
  ada.SignIn("ada", kMembersPassword);
  EXPECT_TRUE(ada.Open("/namespaces/acme").body.contains("koya publish"));
  EXPECT_EQ(stranger_.Open("/namespaces/acme?page=7").status, 200U);
  EXPECT_EQ(stranger_.Open("/namespaces/acme?page=-7").status, 400U);
}

TEST_F(NamespacePagesTest, ATitleIsShownToStrangersToo) {
  api_.token = api_.Token(Scope::kAdmin);
  Question said{.method = http::Method::kPut, .path = "/api/v1/namespaces/acme"};
  said.body = R"({"title":"共通<基盤>","description":"ネットワークです。"})";
  EXPECT_EQ(api_.Ask(said).status, 200U);
  api_.token.clear();
  for (std::string_view path : {"/namespaces/acme", "/namespaces/acme/keys"}) {
    Reply page = stranger_.Open(path);
    EXPECT_TRUE(page.body.contains("lang=\"zh\"><bdi>共通&lt;基盤&gt;</bdi>")) << page.body;
    EXPECT_EQ(page.body.contains("<bdi>ネットワークです。</bdi>"), path == "/namespaces/acme");
  }
  EXPECT_TRUE(api_.Get("/-/feeds/acme.atom").body.contains("<title>共通&lt;基盤&gt; (acme) · "));
  EXPECT_FALSE(api_.Get("/-/feeds/all.atom").body.contains("共通"));
}

TEST_F(NamespacePagesTest, ListsHaveTheTitlesOfWhatTheyList) {
  api_.token = api_.Token(Scope::kAdmin);
  Publish("plain/network/aws", "1.0.0", "four");
  for (const auto& [ns, title] :
       {std::pair("acme", "Acme <b>& co</b>"), std::pair("veiled", "人に言えない")}) {
    Question said{.method = http::Method::kPut, .path = fmt::format("/api/v1/namespaces/{}", ns)};
    said.body = fmt::format(R"({{"title":"{}"}})", title);
    EXPECT_EQ(api_.Ask(said).status, 200U);
  }
  api_.token.clear();
  constexpr std::string_view kOpen = "lang=\"en\"><bdi>Acme &lt;b&gt;&amp; co&lt;/b&gt;</bdi>";
  constexpr std::string_view kVeiled = "lang=\"ja\"><bdi>人に言えない</bdi>";
  Reply home = stranger_.Open("/");
  EXPECT_TRUE(home.body.contains(kOpen)) << home.body;
  EXPECT_FALSE(home.body.contains("人に言えない")) << "a stranger's, who may not know of it";
  EXPECT_TRUE(home.body.contains("<bdi>plain</bdi></a></li>")) << "it has none";
  FakeBrowser ada(api_), eve(api_);
  ada.SignIn("ada", kMembersPassword);
  eve.SignIn("eve", kMembersPassword);
  for (std::string_view path : {"/", "/-/admin/grants"}) {
    Reply list = ada.Open(path);
    EXPECT_TRUE(list.body.contains(kOpen)) << path << list.body;
    EXPECT_TRUE(list.body.contains(kVeiled)) << path << list.body;
  }
  home = eve.Open("/");
  EXPECT_TRUE(home.body.contains(kOpen)) << home.body;
  EXPECT_FALSE(home.body.contains("人に言えない"));
}

TEST_F(NamespacePagesTest, BrowsersAndSearchEnginesAreToldTheTitle) {
  Reply page = stranger_.Open("/namespaces/acme");
  EXPECT_TRUE(page.body.contains("<title>Acme · ")) << page.body;
  EXPECT_FALSE(page.body.contains("og:description"));
  api_.token = api_.Token(Scope::kAdmin);
  Question said{.method = http::Method::kPut, .path = "/api/v1/namespaces/acme"};
  said.body = R"({"title":"Networks"})";
  EXPECT_EQ(api_.Ask(said).status, 200U);
  // Another reader: cached pages stay cached for a few seconds.
  FakeBrowser ada(api_);
  ada.SignIn("ada", kMembersPassword);
  page = ada.Open("/namespaces/acme");
  EXPECT_TRUE(page.body.contains("<title>Networks (Acme) · ")) << page.body;
  EXPECT_TRUE(page.body.contains("og:description\" content=\"Networks\""));
  said.body = R"({"description":"All of \"them\".\nAsk us."})";
  EXPECT_EQ(api_.Ask(said).status, 200U);
  api_.token.clear();
  page = ada.Open("/namespaces/acme");
  EXPECT_TRUE(page.body.contains("content=\"All of &quot;them&quot;. Ask us.\"")) << page.body;
}

TEST_F(NamespacePagesTest, WhatIsHiddenIsNowhere) {
  FakeBrowser ada(api_), eve(api_);
  ada.SignIn("ada", kMembersPassword);
  eve.SignIn("eve", kMembersPassword);
  for (std::string_view path :
       {"/namespaces/{}", "/-/feeds/{}.atom", "/-/feeds/modules/{}/secretive/aws.atom",
        "/-/badges/modules/{}/secretive/aws.svg"}) {
    const std::string hidden = fmt::format(fmt::runtime(path), "veiled");
    const std::string nowhere = fmt::format(fmt::runtime(path), "nowher");
    EXPECT_EQ(ada.Open(hidden).status, 200U) << hidden;
    for (FakeBrowser* other : {&stranger_, &eve}) {
      Reply reply = other->Open(hidden);
      EXPECT_EQ(reply.status, 404U) << hidden;
      EXPECT_EQ(Anonymous(reply.body, "veiled"), Anonymous(other->Open(nowhere).body, "nowher"))
          << hidden;
    }
    EXPECT_TRUE(stranger_.Open(hidden).body.contains("/login?to=")) << hidden;
  }
}

TEST_F(NamespacePagesTest, FeedsTellWhatWasPublishedNewestFirst) {
  Reply feed = api_.Get("/-/feeds/modules/acme/network/aws.atom");
  EXPECT_EQ(feed.status, 200U) << feed.body;
  EXPECT_EQ(feed.Get("Content-Type"), "application/atom+xml; charset=utf-8");
  EXPECT_LT(feed.body.find("/1.1.0</id>"), feed.body.find("/1.0.0</id>"));
  EXPECT_TRUE(feed.body.contains("https://registry.example.com/modules/Acme/network/aws/1.1.0"));
  for (std::string_view path : {"/-/feeds/all.atom", "/-/feeds/acme.atom"}) {
    Reply all = api_.Get(std::string(path));
    EXPECT_TRUE(all.body.contains("Acme/network/aws 1.1.0")) << path << all.body;
    EXPECT_FALSE(all.body.contains("secretive")) << path;
    EXPECT_NE(all.etag, "") << path;
  }
  // Readers of feeds have tokens, no sessions.
  api_.token = api_.Token(Scope::kAdmin);
  EXPECT_TRUE(api_.Get("/-/feeds/all.atom").body.contains("secretive"));
  Reply own = api_.Get("/-/feeds/modules/veiled/secretive/aws.atom");
  EXPECT_EQ(own.status, 200U);
  EXPECT_TRUE(own.Get("Cache-Control").starts_with("private"));
}

TEST_F(NamespacePagesTest, AFeedHasWhatIsNewAtOnce) {
  EXPECT_FALSE(api_.Get("/-/feeds/modules/acme/network/aws.atom").body.contains("2.0.0"));
  api_.token = api_.Token(Scope::kAdmin);
  Publish("acme/network/aws", "2.0.0", "four");
  api_.token.clear();
  EXPECT_TRUE(api_.Get("/-/feeds/modules/acme/network/aws.atom").body.contains("2.0.0"));
  EXPECT_TRUE(api_.Get("/-/badges/modules/acme/network/aws.svg").body.contains("koya: 2.0.0"));
  const Reply verified = api_.Get("/-/badges/modules/acme/network/aws.verified.svg");
  EXPECT_TRUE(verified.body.contains("provenance: unknown")) << verified.body;
}

TEST_F(NamespacePagesTest, WhatIsNoFeedIsNotThere) {
  for (std::string_view path :
       {"/-/feeds/all", "/-/feeds/.atom", "/-/feeds/all.xml", "/-/feeds/nobody.atom",
        "/-/feeds/modules/acme/network/.atom", "/-/feeds/modules/acme/network/gcp.atom",
        "/-/feeds/providers/acme/demo.atom", "/-/badges/modules/acme/network/aws.png",
        "/-/badges/modules/acme/network/.verified.svg", "/-/badges/modules/acme/network/a.b.svg",
        "/-/badges/providers/acme/demo.svg", "/-/feeds/%00.atom"}) {
    EXPECT_EQ(stranger_.Open(path).status, 404U) << path;
  }
}

TEST_F(NamespacePagesTest, ModelsAreToldHowToAsk) {
  Reply text = api_.Get("/llms.txt");
  EXPECT_EQ(text.status, 200U);
  EXPECT_TRUE(text.body.contains("https://registry.example.com/api/v1/search?q="));
}

}  // namespace
}  // namespace koya::api
