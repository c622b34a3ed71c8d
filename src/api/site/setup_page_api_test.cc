// How a client is set up, as a page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/common/browser_fake.h"

namespace koya::api {
namespace {

TEST(SetupPageApiTest, TellsStrangersHowForThisServersAddress) {
  ApiFixture api;
  FakeBrowser stranger(api);
  Reply page = stranger.Open("/-/setup");
  EXPECT_EQ(page.status, 200U);
  EXPECT_TRUE(page.body.contains("tofu login registry.example.com"));
  Reply mirror = stranger.Open("/-/setup?tool=terraform&system=windows&purpose=mirror");
  EXPECT_TRUE(mirror.body.contains("%APPDATA%\\terraform.rc")) << mirror.body;
  EXPECT_TRUE(mirror.body.contains("https://registry.example.com/mirror/"));
  EXPECT_FALSE(mirror.body.contains("PUT-THE-TOKEN-HERE")) << "nobody needs one to read";
  EXPECT_TRUE(stranger.Open("/modules").body.contains("href=\"/-/setup\"")) << "from the footer";
}

TEST(SetupPageApiTest, SaysThatTheMirrorWantsATokenAndHasNone) {
  ApiFixture api;
  api.access.mirror = Visibility::kInternal;
  api.SettleMirror();
  api.AddUser("eve", "correct horse battery");
  FakeBrowser eve(api);
  eve.SignIn("eve", "correct horse battery");
  Reply page = eve.Open("/-/setup?purpose=mirror&sign_in=file");
  EXPECT_TRUE(page.body.contains("PUT-THE-TOKEN-HERE"));
  EXPECT_FALSE(page.body.contains("koya_"));
}

TEST(SetupPageApiTest, AbsurdQuestionsAreCleanPages) {
  ApiFixture api;
  FakeBrowser stranger(api);
  struct Case {
    std::string query;
    unsigned status;
  };
  for (const Case& each :
       {Case{"tool=emacs&system=amiga&purpose=world&sign_in=magic", 200},
        Case{"hosts=%3Cscript%3Ealert(1)%3C/script%3E&purpose=all", 200},
        Case{"hosts=" + std::string(10000, 'a'), 200}, Case{"tool=a&tool=b", 400},
        Case{"tool=%ZZ", 400}, Case{"hosts=" + std::string(70'000, 'a'), 400}}) {
    Reply page = stranger.Open("/-/setup?" + each.query);
    EXPECT_EQ(page.status, each.status) << each.query.substr(0, 60);
    EXPECT_FALSE(page.body.contains("<script>")) << each.query.substr(0, 60);
  }
}

TEST(SetupPageApiTest, IsGoneWhereThereAreNoPages) {
  ApiFixture api;
  api.site.enabled = false;
  api.SettleMirror();
  FakeBrowser stranger(api);
  for (std::string_view path :
       {"/-/setup", "/-/settings", "/-/settings/tokens", "/namespaces/acme/people"}) {
    EXPECT_EQ(stranger.Open(path).status, 404U) << path;
  }
  EXPECT_EQ(stranger.Open("/login").status, 200U);
}

}  // namespace
}  // namespace koya::api
