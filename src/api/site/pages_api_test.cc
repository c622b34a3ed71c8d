// What all pages have to withstand, and signing in and out by itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "api/common/browser_fake.h"
#include "auth/browser_tokens.h"
#include "base/run_task.h"
#include "catalog/audit_catalog.h"
#include "domain/audit_record.h"
#include "web/common/assets.h"

namespace koya::api {
namespace {

constexpr std::string_view kAdasPassword = "correct horse battery";

struct PageForm {
  std::string path;
  FormFields fields;
};

class PagesApiTest : public ::testing::Test {
 protected:
  PagesApiTest() { api_.AddUser("Ada", std::string(kAdasPassword)); }

  Reply SignIn(FakeBrowser& browser, std::string_view to = "/") {
    return browser.SignIn("ada", kAdasPassword, to);
  }

  static bool IsSignedIn(FakeBrowser& browser) {
    return browser.Open("/").body.contains("/-/sign-out");
  }

  ApiFixture api_;
  FakeBrowser browser_{api_};
};

TEST_F(PagesApiTest, CarryWhatKeepsOthersOut) {
  for (std::string_view path :
       {"/", "/login", "/oauth/authorize", "/-/first-run", "/search", "/modules?page=0"}) {
    Reply page = browser_.Open(path);
    EXPECT_TRUE(page.Get("Content-Type").starts_with("text/html")) << path;
    EXPECT_TRUE(page.Get("Content-Security-Policy").starts_with("default-src 'none'")) << path;
    EXPECT_TRUE(page.Get("Content-Security-Policy").contains("frame-ancestors 'none'")) << path;
    EXPECT_FALSE(page.Get("Content-Security-Policy").contains("localhost")) << path;
    EXPECT_EQ(page.Get("Referrer-Policy"), "same-origin") << path;
    // Pages that are different for each request are not cached at all.
    bool may_be_asked_again = path == "/" || path == "/search";
    EXPECT_EQ(page.Get("Cache-Control"),
              may_be_asked_again ? "private, no-cache" : "private, no-store")
        << path;
    EXPECT_EQ(page.Get("WWW-Authenticate"), "") << path;
  }
}

TEST_F(PagesApiTest, SigningInStartsASessionThatEndsWithSigningOut) {
  EXPECT_FALSE(IsSignedIn(browser_));
  Reply in = SignIn(browser_);
  EXPECT_EQ(in.status, 303U) << in.body;
  EXPECT_EQ(in.Get("Location"), "/");
  EXPECT_TRUE(browser_.cookies.contains("__Host-koya"));
  EXPECT_TRUE(browser_.cookies.contains("__Host-koya-device"));
  for (const auto& [name, value] : in.fields) {
    if (name != "Set-Cookie" || !value.starts_with("__Host-koya=")) continue;
    EXPECT_TRUE(value.ends_with("; Path=/; Secure; HttpOnly; SameSite=Lax")) << value;
  }
  EXPECT_TRUE(IsSignedIn(browser_));
  EXPECT_EQ(browser_.Open("/login?to=%2Fmodules").Get("Location"), "/modules");
  auto kept = browser_.cookies;
  browser_.Open("/");
  Reply out = browser_.Submit("/-/sign-out", {});
  EXPECT_EQ(out.status, 200U);
  EXPECT_FALSE(browser_.cookies.contains("__Host-koya"));
  browser_.cookies = kept;
  EXPECT_FALSE(IsSignedIn(browser_)) << "the session has ended, and not only the cookie";
}

TEST_F(PagesApiTest, WhoeverIsRefusedIsToldTheSameWhyever) {
  std::string told;
  for (const auto& [user, password] : std::vector<std::pair<std::string, std::string>>{
           {"ada", "wrong"}, {"nobody", "wrong"}, {"", ""}, {"ada", ""}}) {
    Reply reply = browser_.SignIn(user, password);
    EXPECT_EQ(reply.status, 401U) << user;
    EXPECT_EQ(reply.Get("WWW-Authenticate"), "");
    EXPECT_FALSE(browser_.cookies.contains("__Host-koya"));
    std::size_t begin = reply.body.find("id=\"problem\"");
    std::string words = reply.body.substr(begin, reply.body.find("</div>", begin) - begin);
    EXPECT_TRUE(told.empty() || words == told) << words;
    told = words;
    EXPECT_FALSE(reply.body.contains("wrong\"")) << "no password comes back";
  }
}

TEST_F(PagesApiTest, GuessingIsThrottledAndTheOwnerIsNot) {
  FakeBrowser owner(api_);
  EXPECT_EQ(SignIn(owner).status, 303U);
  unsigned throttled = 0;
  for (int i = 0; i < 12; ++i) {
    Reply reply = browser_.SignIn("ada", fmt::format("guess number {}", i));
    if (reply.status != 429) continue;
    ++throttled;
    EXPECT_NE(reply.Get("Retry-After"), "");
    EXPECT_TRUE(reply.body.contains("Too many sign-in attempts"));
  }
  EXPECT_GT(throttled, 0U);
  owner.cookies.erase("__Host-koya");
  EXPECT_EQ(SignIn(owner).status, 303U) << "their browser has signed in before";
}

TEST_F(PagesApiTest, WhoIsRefusedIsInTheAuditLog) {
  browser_.SignIn("ada", "wrong");
  browser_.SignIn("nobody", "wrong");
  browser_.Open("/login");
  browser_.Submit("/login", {{"username", "ada"}, {"password", "wrong"}, {"csrf", "wrong"}});
  SignIn(browser_);
  browser_.Submit("/-/sign-out", {{"csrf", "wrong"}});
  api_.WriteAudit();
  AuditFilter denials;
  denials.kind = AuditKind::kDenied;
  std::map<std::string, std::uint64_t> counts;
  for (const AuditRecord& each : RunTask(api_.catalog().audit().ListAudit(denials, 100)).value()) {
    const AuditEntry& entry = each.entry;
    EXPECT_EQ(entry.by.address, entry.by.name.empty() ? "192.0.2.0/24" : browser_.remote);
    counts[fmt::format("{} {} {}", entry.by.name, entry.action, entry.after)] += entry.count;
  }
  using Counts = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(counts, (Counts{{" POST /login {\"status\":401}", 2},
                            {" POST /login {\"status\":403}", 1},
                            {"user:Ada POST /-/sign-out {\"status\":403}", 1}}));
}

TEST_F(PagesApiTest, AFormIsTakenFromItsOwnBrowserOnly) {
  FakeBrowser other(api_);
  other.Open("/login");
  const std::vector<PageForm> kForms = {
      {"/login", {{"username", "ada"}, {"password", std::string(kAdasPassword)}, {"to", "/"}}},
      {"/-/sign-out", {}},
      {"/-/prefs", {{"theme", "dark"}, {"to", "/"}}}};
  for (bool signed_in : {false, true}) {
    if (signed_in) SignIn(browser_);
    for (const PageForm& form : kForms) {
      for (std::string_view csrf :
           {std::string_view(""), std::string_view("wrong"), std::string_view(other.csrf)}) {
        browser_.Open("/");
        FormFields fields = form.fields;
        fields.emplace_back("csrf", csrf);
        Reply reply = browser_.Submit(form.path, fields);
        EXPECT_EQ(reply.status, 403U) << form.path << " " << csrf;
        EXPECT_TRUE(reply.Get("Content-Type").starts_with("text/html"));
        EXPECT_TRUE(reply.body.contains("open for too long")) << reply.body;
        EXPECT_EQ(browser_.cookies.contains("__Host-koya"), signed_in);
        EXPECT_FALSE(browser_.cookies.contains("theme"));
      }
    }
  }
}

TEST_F(PagesApiTest, TheFormOfBeforeSigningInIsNoneOfAfterwards) {
  browser_.Open("/login");
  std::string before = browser_.csrf;
  auto visit = browser_.cookies["__Host-koya-visit"];
  SignIn(browser_);
  browser_.cookies["__Host-koya-visit"] = visit;
  EXPECT_EQ(browser_.Submit("/-/prefs", {{"csrf", before}, {"theme", "dark"}}).status, 403U);
  browser_.Open("/");
  EXPECT_EQ(browser_.Submit("/-/prefs", {{"theme", "dark"}, {"to", "/"}}).status, 303U);
}

TEST_F(PagesApiTest, WhatAnotherSiteSendsIsRefused) {
  browser_.Open("/login");
  const std::vector<std::pair<std::string, std::string>> kForeign = {
      {"Sec-Fetch-Site", "cross-site"},
      {"Sec-Fetch-Site", "same-site"},
      {"Origin", "https://evil.example"},
      {"Origin", "null"},
      {"Origin", "https://registry.example.com.evil.example"},
      {"Origin", "https://evil.example/registry.example.com"}};
  for (const auto& field : kForeign) {
    browser_.fields = {field};
    Reply reply = browser_.Submit("/-/prefs", {{"theme", "dark"}, {"to", "/"}});
    EXPECT_EQ(reply.status, 403U) << field.first << " " << field.second;
    EXPECT_FALSE(browser_.cookies.contains("theme"));
  }
  browser_.fields = {{"Sec-Fetch-Site", "same-origin"}, {"Origin", "https://registry.example.com"}};
  EXPECT_EQ(browser_.Submit("/-/prefs", {{"theme", "dark"}, {"to", "/"}}).status, 303U);
  // Pages that all anonymous readers share have no csrf token in this form, and in no other.
  const FormFields kBare = {{"theme", "light"}, {"to", "/"}, {"csrf", ""}};
  EXPECT_EQ(browser_.Submit("/-/prefs", kBare).status, 303U);
  EXPECT_EQ(browser_.cookies["theme"], "light");
  EXPECT_EQ(browser_.Submit("/-/sign-out", {{"csrf", ""}}).status, 403U);
  browser_.fields.clear();
  EXPECT_EQ(browser_.Submit("/-/prefs", kBare).status, 403U) << "nobody says where it is from";
}

TEST_F(PagesApiTest, NobodyIsSentToAnotherSite) {
  for (std::string_view to :
       {"https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example",
        "javascript:alert(1)", "/\tevil", "evil.example", "/%0d%0aSet-Cookie: a=b\r\nX: y", "",
        "http:evil.example", "///evil.example"}) {
    FakeBrowser browser(api_);
    EXPECT_EQ(SignIn(browser, to).Get("Location"), "/") << to;
    EXPECT_EQ(browser.Open("/login?" + EncodeForm({{"to", std::string(to)}})).Get("Location"), "/")
        << to;
    browser.Open("/");
    EXPECT_EQ(browser.Submit("/-/prefs", {{"to", std::string(to)}}).Get("Location"), "/") << to;
  }
  FakeBrowser browser(api_);
  EXPECT_EQ(SignIn(browser, "/namespaces/acme?tab=keys").Get("Location"),
            "/namespaces/acme?tab=keys");
}

TEST_F(PagesApiTest, ASessionThatWasThereBeforeIsNotTheOneAfterwards) {
  FakeBrowser mallory(api_);
  api_.AddUser("mallory", "another password here");
  mallory.SignIn("mallory", "another password here");
  // Her cookie got into Ada's browser, somehow.
  for (const std::string& planted :
       {mallory.cookies["__Host-koya"], std::string(43, 'A'), std::string("x")}) {
    FakeBrowser ada(api_);
    ada.cookies["__Host-koya"] = planted;
    ada.Open("/login");
    // The page is not shown to a signed-in user: she signs Ada out first.
    if (planted == mallory.cookies["__Host-koya"]) {
      ada.Open("/");
      ada.Submit("/-/sign-out", {});
    }
    EXPECT_EQ(SignIn(ada).status, 303U);
    EXPECT_NE(ada.cookies["__Host-koya"], planted);
    FakeBrowser thief(api_);
    thief.cookies["__Host-koya"] = planted;
    EXPECT_FALSE(IsSignedIn(thief));
  }
}

TEST_F(PagesApiTest, SigningInAgainEndsTheSessionBefore) {
  SignIn(browser_);
  FakeBrowser copy(api_);
  copy.cookies = browser_.cookies;
  browser_.Open("/");
  Reply again = browser_.Submit(
      "/login", {{"username", "ada"}, {"password", std::string(kAdasPassword)}, {"to", "/"}});
  EXPECT_EQ(again.status, 303U);
  EXPECT_NE(browser_.cookies["__Host-koya"], copy.cookies["__Host-koya"]);
  EXPECT_FALSE(IsSignedIn(copy));
  EXPECT_TRUE(IsSignedIn(browser_));
}

TEST_F(PagesApiTest, CookiesThatAreNotOursSignNobodyIn) {
  SignIn(browser_);
  std::string good = browser_.cookies["__Host-koya"];
  auto asks = [this](const std::string& cookie) {
    Question question{.path = "/", .fields = {{"Cookie", cookie}}};
    Reply reply = api_.Ask(question);
    EXPECT_EQ(reply.status, 200U) << cookie;
    return reply.body.contains("/-/sign-out");
  };
  EXPECT_TRUE(asks("__Host-koya=" + good));
  for (const std::string& bad : std::vector<std::string>{
           "__Host-koya=" + good + "; __Host-koya=" + good, "__Host-koya=" + good + "x",
           "__Host-koya=" + good.substr(1), "__Host-koya=\"" + good + "\"", "koya=" + good,
           "__host-koya=" + good, "__Host-koya=", "__Host-koya", "__Host-koya==" + good,
           "__Host-koya=" + good + "; x=" + std::string(9000, 'y'),
           "__Host-koya=" + std::string(8000, 'y')}) {
    EXPECT_FALSE(asks(bad)) << bad;
  }
}

TEST_F(PagesApiTest, FormsThatAreNoneAreRefusedAsPages) {
  browser_.Open("/");
  for (std::string_view type :
       {"application/json", "multipart/form-data; boundary=x", "text/plain"}) {
    browser_.fields = {{"Content-Type", std::string(type)}};
    Reply reply = browser_.Submit("/-/prefs", {{"theme", "dark"}});
    EXPECT_EQ(reply.status, 400U) << type;
    EXPECT_TRUE(reply.Get("Content-Type").starts_with("text/html")) << type;
  }
  browser_.fields.clear();
  EXPECT_EQ(browser_.Submit("/-/prefs", {{"theme", "dark"}, {"theme", "light"}}).status, 400U);
  for (std::string_view path : {"/-/sign-out", "/-/prefs"}) {
    EXPECT_EQ(browser_.Open(path).status, 405U) << path;
  }
}

TEST_F(PagesApiTest, SpeakTheReadersLanguage) {
  struct Case {
    std::string_view query;
    std::string_view accept;
    std::string_view tag;
  };
  for (const Case& each :
       {Case{"", "", "en"}, Case{"", "ja", "ja"}, Case{"", "zh-TW,en;q=0.5", "zh-Hans"},
        Case{"?lang=ja", "zh", "ja"}, Case{"?lang=zh", "", "zh-Hans"}, Case{"?lang=xx", "ja", "ja"},
        Case{"?lang=%00", "ja", "ja"}}) {
    for (std::string_view path : {"/", "/login", "/-/nothing"}) {
      FakeBrowser browser(api_);
      if (!each.accept.empty()) browser.fields = {{"Accept-Language", std::string(each.accept)}};
      Reply page = browser.Open(fmt::format("{}{}", path, each.query));
      EXPECT_TRUE(page.body.contains(fmt::format("<html lang=\"{}\"", each.tag)))
          << path << each.query << " " << each.accept;
    }
  }
  browser_.Open("/login?lang=ja");
  EXPECT_EQ(browser_.cookies["lang"], "") << "a shared link is for that page alone";
  EXPECT_FALSE(browser_.Open("/").body.contains("<html lang=\"ja\""));
  browser_.Submit("/-/prefs", {{"lang", "zh"}, {"to", "/login?lang=ja&to=%2F"}});
  EXPECT_EQ(browser_.cookies["lang"], "zh");
}

TEST_F(PagesApiTest, KeepTheThemeThatWasChosen) {
  browser_.Open("/login");
  Reply set = browser_.Submit("/-/prefs", {{"theme", "dark"}, {"to", "/login?to=%2F"}});
  EXPECT_EQ(set.Get("Location"), "/login?to=%2F");
  EXPECT_TRUE(browser_.Open("/").body.contains("data-theme=\"dark\""));
  browser_.Submit("/-/prefs", {{"theme", "\"><script>"}, {"to", "/"}});
  EXPECT_EQ(browser_.cookies["theme"], "auto");
}

TEST_F(PagesApiTest, PathsThatNoRouteHasArePagesForPeople) {
  Reply page = browser_.Open("/no/such/page");
  EXPECT_EQ(page.status, 404U);
  EXPECT_TRUE(page.Get("Content-Type").starts_with("text/html"));
  EXPECT_TRUE(page.body.contains("the-request"));
  EXPECT_TRUE(browser_.Open("/v1/no/such/thing/at/all").Get("Content-Type").contains("json"));
  EXPECT_TRUE(browser_.Open("/api/v1/nothing").Get("Content-Type").contains("json"));
  EXPECT_TRUE(api_.Get("/no/such/page").Get("Content-Type").contains("json")) << "for programs";
}

TEST_F(PagesApiTest, WhereStrangersMayReadNothingTheyAreShownTheWayIn) {
  api_.access.anonymous_read = false;
  api_.SettleMirror();
  Reply home = browser_.Open("/");
  EXPECT_EQ(home.status, 200U);
  EXPECT_TRUE(home.body.contains("/login"));
  EXPECT_FALSE(home.body.contains("tofu login"));
  EXPECT_EQ(browser_.Open("/login").status, 200U);
  EXPECT_EQ(browser_.Open(web::AssetPath("koya.css")).status, 200U);
  Reply elsewhere = browser_.Open("/modules/acme/vpc/aws");
  EXPECT_EQ(elsewhere.status, 303U);
  EXPECT_EQ(elsewhere.Get("Location"), "/login?to=/modules/acme/vpc/aws");
  EXPECT_EQ(api_.Get("/modules/acme/vpc/aws").status, 401U) << "for programs";
  EXPECT_EQ(browser_.Open("/modules").Get("Location"), "/login?to=/modules");
  EXPECT_EQ(browser_.Open("/search?q=a").Get("Location"), "/login?to=/search%3Fq%3Da");
  SignIn(browser_);
  EXPECT_EQ(browser_.Open("/modules/acme/vpc/aws").status, 404U);
  EXPECT_TRUE(browser_.Open("/").body.contains("koya login https://registry.example.com"));
  EXPECT_EQ(browser_.Open("/modules").status, 200U);
}

TEST_F(PagesApiTest, AssetsAreKeptForEver) {
  for (const web::Asset& asset : web::Assets()) {
    Reply reply = browser_.Open(asset.path);
    EXPECT_EQ(reply.status, 200U) << asset.path;
    EXPECT_EQ(reply.Get("Cache-Control"), "public, max-age=31536000, immutable");
    EXPECT_EQ(reply.Get("Content-Type"), asset.media_type);
    EXPECT_EQ(reply.body, asset.bytes);
    EXPECT_EQ(reply.Get("Set-Cookie"), "");
  }
  EXPECT_EQ(browser_.Open("/-/assets/koya.css").status, 404U);
}

TEST_F(PagesApiTest, HostileNamesStayText) {
  for (std::string_view name : {"<script>alert(1)</script>", "a\r\nSet-Cookie: b=c",
                                "\"><img src=x>", "\xE2\x80\xAE", "{{csrf}}"}) {
    FakeBrowser browser(api_);
    Reply reply = browser.SignIn(name, "whatever it is");
    EXPECT_EQ(reply.status, 401U) << name;
    EXPECT_FALSE(reply.body.contains("<script>")) << name;
    EXPECT_FALSE(reply.body.contains("<img src=x>")) << name;
    for (const auto& [field, value] : reply.fields) {
      EXPECT_EQ(value.find_first_of("\r\n"), value.npos) << field;
    }
  }
}

// ---- how a client is set up, as a page.

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
