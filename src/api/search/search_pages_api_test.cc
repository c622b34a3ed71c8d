// What people find: the search, the lists, the start page; and how such pages are answered.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "base/run_task.h"
#include "catalog/search_index.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/mirrored_subject.h"

namespace koya::api {
namespace {

constexpr std::string_view kReadersPassword = "correct horse battery";

class SearchPagesTest : public ::testing::Test {
 protected:
  SearchPagesTest() {
    api_.AddUser("ada", std::string(kReadersPassword), true);
    api_.AddUser("eve", std::string(kReadersPassword));
    api_.token = api_.Token(Scope::kAdmin);
    EXPECT_EQ(api_.Publish("acme/network/aws", "1.0.0", ModuleArchive("one")).status, 201U);
    EXPECT_EQ(api_.Publish("hidden/secretive/aws", "1.0.0", ModuleArchive("two")).status, 201U);
    SetVisibility("hidden", "private");
    api_.token.clear();
  }

  void SetVisibility(std::string_view ns, std::string_view visibility) {
    const std::string before = api_.token;
    api_.token = api_.Token(Scope::kAdmin);
    Question question{.method = http::Method::kPut,
                      .path = fmt::format("/api/v1/namespaces/{}", ns),
                      .body = fmt::format(R"({{"visibility":"{}"}})", visibility)};
    EXPECT_EQ(api_.Ask(question).status, 200U);
    api_.token = before;
  }

  void Publish(std::string address, std::string version, std::string content) {
    const std::string before = api_.token;
    api_.token = api_.Token(Scope::kAdmin);
    EXPECT_EQ(api_.Publish(std::move(address), std::move(version), ModuleArchive(content)).status,
              201U);
    api_.token = before;
  }

  static std::string Clean(std::string body) {
    for (std::string_view slash : {"&#x2F;", "&#47;"}) {
      for (std::size_t at = body.find(slash); at != body.npos; at = body.find(slash)) {
        body.replace(at, slash.size(), "/");
      }
    }
    return body;
  }
  // A page's body, with its slashes as they are meant.
  std::string Body(std::string_view target) { return Clean(stranger_.Open(target).body); }

  ApiFixture api_;
  FakeBrowser stranger_{api_};
};

TEST_F(SearchPagesTest, ShowWhatTheReaderMaySeeAndNothingElse) {
  FakeBrowser ada(api_), eve(api_);
  ada.SignIn("ada", kReadersPassword);
  eve.SignIn("eve", kReadersPassword);
  for (std::string_view target : {"/", "/modules", "/search?q=aws", "/search?kind=module",
                                  "/modules?sort=newest", "/search?ns=hidden"}) {
    EXPECT_TRUE(Clean(ada.Open(target).body).contains("hidden/")) << target;
    for (FakeBrowser* other : {&stranger_, &eve}) {
      Reply reply = other->Open(target);
      EXPECT_EQ(reply.status, 200U) << target;
      EXPECT_FALSE(reply.body.contains("secretive")) << target;
    }
  }
  for (std::string_view target : {"/", "/modules", "/search?q=network"}) {
    EXPECT_TRUE(Body(target).contains("/modules/acme/network/aws")) << target;
  }
  // A token counts as well: programs read these pages, too.
  Question question{.path = "/modules"};
  question.fields = {{"Authorization", "Bearer " + api_.Token(Scope::kAdmin)}};
  EXPECT_TRUE(Clean(api_.Ask(question).body).contains("secretive"));
  question.fields = {{"Authorization", "Bearer koya_wrong"}};
  EXPECT_EQ(api_.Ask(question).status, 401U);
}

TEST_F(SearchPagesTest, ShowTheDocumentationBesidePackages) {
  const std::string guide = "<a href=\"/-/docs/trusted-publishing\">";
  const std::string found = Body("/search?q=trusted+publishing");
  EXPECT_TRUE(found.contains(guide)) << found;
  EXPECT_FALSE(found.contains("No results")) << found;
  EXPECT_TRUE(Body("/search?q=trusted+publishing&kind=guide").contains(guide));
  EXPECT_FALSE(Body("/search?q=trusted+publishing&kind=setting").contains(guide));
  EXPECT_FALSE(Body("/modules?q=trusted+publishing").contains(guide));
  EXPECT_TRUE(Body("/search?q=network").contains("In the documentation of Koya"));
  EXPECT_EQ(stranger_.Open("/search?q=a&kind=manual").status, 400U);
}

TEST_F(SearchPagesTest, ResultsAreNarrowedByLinks) {
  Publish("beta/network/gcp", "1.0.0", "three");
  const std::string found = Body("/search?q=network");
  EXPECT_TRUE(found.contains("href=\"/search?q=network%20ns%3Abeta\"")) << found;
  EXPECT_TRUE(found.contains("href=\"/search?q=network%20system%3Agcp\"")) << found;
  EXPECT_FALSE(found.contains("deprecated%3A")) << "that narrows nothing" << found;
  EXPECT_FALSE(found.contains("hidden/")) << found;
  EXPECT_TRUE(found.contains("calls:acme/vpc/aws")) << "the filters are listed beside results";
  const std::string narrowed = Body("/search?q=network%20ns%3Abeta");
  EXPECT_TRUE(narrowed.contains("/modules/beta/network/gcp")) << narrowed;
  EXPECT_FALSE(narrowed.contains("/modules/acme/network/aws")) << narrowed;
  EXPECT_TRUE(Body("/search?q=zzyzx+yyzzx").contains("zzyzx, yyzzx")) << "words nothing has";
}

TEST_F(SearchPagesTest, WhatIsKeptOfOtherRegistriesIsFoundAndNotTakenForPublished) {
  UpstreamRelease release = SampleUpstreamRelease("registry.example.org/acme/random", "2.0.0");
  release.packages[1] = SampleHeldPackage("linux_amd64", "content");
  ASSERT_TRUE(RunTask(api_.catalog().upstream_releases().PinRelease(release, false)));
  ASSERT_TRUE(RunTask(api_.catalog().search_index().PutSearchEntries(
      MirroredSubject(release.provider, release.version),
      {{.kind = SearchKind::kProvider, .name = "random", .title = {}, .text = {}},
       {.kind = SearchKind::kDoc, .name = "resources/id", .title = "random_id", .text = {}}})));
  const std::string page = "/-/mirror/providers/registry.example.org/acme/random";
  const std::string found = Body("/search?q=random");
  EXPECT_TRUE(found.contains("\"" + page + "\"")) << found;
  EXPECT_TRUE(found.contains(">registry.example.org/acme/<")) << found;
  EXPECT_TRUE(found.contains(page + "/2.0.0/docs/resources/id")) << found;
  EXPECT_EQ(stranger_.Open("/search?q=registry.example.org%2Facme%2Frandom").Get("Location"), page);
  EXPECT_FALSE(found.contains(">refused<")) << found;
  api_.Deny("*/acme/random");
  api_.clock.now += 60;
  const std::string denied = Body("/search?q=random");
  EXPECT_TRUE(denied.contains("<span class=\"chip bad\">refused</span>")) << denied;
  EXPECT_TRUE(denied.contains("version=2.0.0\"")) << "it leads to the explanation" << denied;
  for (std::string_view none :
       {"/search?q=registry.example.org/acme/rando", "/search?q=other.example.org/acme/random",
        "/search?q=registry.example.org/other/random", "/search?q=./random", "/search?q=.a/"}) {
    EXPECT_EQ(stranger_.Open(none).Get("Location"), "") << none;
  }
  for (std::string_view target : {"/", "/-/feeds/all.atom", "/-/feeds/acme.atom", "/providers"}) {
    EXPECT_FALSE(Body(target).contains("acme/random")) << target;
  }
  EXPECT_TRUE(Body("/").contains("/modules/acme/network/aws"));
  api_.access.mirror = Visibility::kInternal;
  api_.SettleMirror();
  api_.clock.now += 60;  // pages are kept for a moment
  EXPECT_EQ(stranger_.Open("/search?q=registry.example.org/acme/random").Get("Location"), "");
  for (std::string_view target : {"/search?q=random", "/search?q=host%3Aregistry.example.org"}) {
    EXPECT_FALSE(Body(target).contains(page)) << target;
  }
}

TEST_F(SearchPagesTest, AWholeAddressLeadsToItsPage) {
  EXPECT_EQ(stranger_.Open("/search?q=acme%2Fnetwork%2Faws").Get("Location"),
            "/modules/acme/network/aws");
  EXPECT_EQ(stranger_.Open("/search?q=+ACME/Network/aws+").Get("Location"),
            "/modules/acme/network/aws");
  for (std::string_view none :
       {"/search?q=hidden/secretive/aws", "/search?q=acme/none/aws", "/search?q=acme/network",
        "/search?q=acme/network/aws&kind=module", "/search?q=//evil.example"}) {
    Reply reply = stranger_.Open(none);
    EXPECT_EQ(reply.status, 200U) << none;
    EXPECT_EQ(reply.Get("Location"), "") << none;
  }
}

TEST_F(SearchPagesTest, SayWhatWasFoundAndWhatWasNot) {
  EXPECT_TRUE(Body("/search?q=network").contains("<mark>network</mark>") ||
              Body("/search?q=network").contains("1 result"));
  EXPECT_TRUE(Body("/search?q=netwrok").contains("Showing similar results"));
  EXPECT_TRUE(Body("/search?q=nothing-of-the-kind").contains("No results for"));
  EXPECT_TRUE(Body("/search").contains("needs:hashicorp/aws")) << "how to search";
  EXPECT_TRUE(Body("/providers").contains("Nothing here yet"));
  EXPECT_TRUE(Body("/modules?page=2").contains("No results on this page"));
}

TEST_F(SearchPagesTest, WhatIsNoSearchIsToldInTheLanguageOfTheReader) {
  const std::string too_many = "/search?q=a" + [] {
    std::string more;
    for (int i = 0; i < 100; ++i) more += "+a";
    return more;
  }();
  struct Row {
    std::string target;
    std::string_view language;
    std::string_view told;
  };
  for (const Row& row : {Row{"/search?q=colour:red", "ja", "使える絞り込み条件は"},
                         Row{"/search?q=colour:red", "zh", "可用的筛选条件有"},
                         Row{too_many, "ja", "個まで指定できます"},
                         Row{too_many, "zh", "搜索词和筛选条件合计最多"}}) {
    stranger_.fields = {{"Accept-Language", std::string(row.language)}};
    const Reply reply = stranger_.Open(row.target);
    EXPECT_EQ(reply.status, 400U) << row.target;
    EXPECT_TRUE(reply.body.contains(row.told)) << reply.body;
    EXPECT_TRUE(reply.body.contains("<p lang=\"en\"><small><bdi>")) << reply.body;
    stranger_.fields = {{"Accept-Language", "en"}};
    EXPECT_FALSE(stranger_.Open(row.target).body.contains("<p lang=\"en\"><small>"));
  }
}

TEST_F(SearchPagesTest, WhatMakesNoSenseIsACleanPageWithItsStatus) {
  const std::string long_text(990, 'a');
  for (const std::string& target : std::vector<std::string>{
           "/search?q=colour:red", "/search?kind=colour", "/search?sort=up", "/search?page=-1",
           "/search?page=0", "/search?page=x", "/modules?page=99999999999999999999",
           "/modules?page=100001", "/search?q=%ff", "/search?q=%00", "/search?q=%zz",
           "/search?q=" + long_text, "/search?q=" + std::string(2000, 'a'),
           "/search?ns=a%20kind:input", "/search?ns=%22", "/search?q=%22open",
           "/providers?sort=%3Cscript%3E"}) {
    Reply reply = stranger_.Open(target);
    EXPECT_EQ(reply.status, 400U) << target;
    EXPECT_TRUE(reply.Get("Content-Type").starts_with("text/html")) << target;
    EXPECT_TRUE(reply.Get("Content-Security-Policy").contains("default-src 'none'")) << target;
    EXPECT_FALSE(reply.body.contains("<script>")) << target;
  }
  for (std::string_view target :
       {"/search?q=%3Cscript%3Ealert(1)%3C/script%3E", "/search?lang=xx&q=a", "/search?tab=x",
        "/modules?page=100000", "/search?q=%E2%80%AEa"}) {
    Reply reply = stranger_.Open(target);
    EXPECT_EQ(reply.status, 200U) << target;
    EXPECT_FALSE(reply.body.contains("<script>alert")) << target;
  }
}

TEST_F(SearchPagesTest, AStrangersPageIsKeptAndAskedForAgainCheaply) {
  Reply first = stranger_.Open("/modules");
  EXPECT_EQ(first.Get("Cache-Control"), "private, no-cache");
  EXPECT_EQ(first.Get("Set-Cookie"), "") << "nothing in it is one reader's";
  EXPECT_TRUE(first.etag.starts_with('"')) << first.etag;
  const CacheCounters before = api_.documents().Counters();
  Reply second = stranger_.Open("/modules");
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(second.etag, first.etag);
  EXPECT_GT(api_.documents().Counters().hits, before.hits);
  // Another language and another theme are other pages.
  stranger_.cookies["lang"] = "ja";
  EXPECT_TRUE(stranger_.Open("/modules").body.contains("lang=\"ja\""));
  stranger_.cookies["theme"] = "dark";
  EXPECT_TRUE(stranger_.Open("/modules").body.contains("data-theme=\"dark\""));
  EXPECT_NE(stranger_.Open("/modules").etag, first.etag);
}

TEST_F(SearchPagesTest, SayHowLongTheSearchTookToThoseWhoAreSignedIn) {
  FakeBrowser ada(api_);
  ada.SignIn("ada", kReadersPassword);
  EXPECT_TRUE(ada.Open("/search?q=network").Get("Server-Timing").starts_with("search;dur="));
  EXPECT_TRUE(ada.Open("/modules").Get("Server-Timing").starts_with("search;dur="));
  EXPECT_EQ(stranger_.Open("/search?q=network").Get("Server-Timing"), "");
  EXPECT_EQ(stranger_.Open("/modules").Get("Server-Timing"), "");
}

TEST_F(SearchPagesTest, WhatIsNewIsSeenWithinSeconds) {
  EXPECT_FALSE(Body("/modules").contains("acme/second"));
  Publish("acme/second/aws", "1.0.0", "three");
  FakeBrowser ada(api_);
  ada.SignIn("ada", kReadersPassword);
  EXPECT_TRUE(Clean(ada.Open("/modules").body).contains("/modules/acme/second/aws"))
      << "whoever is signed in sees it at once";
  api_.clock.now += 5;
  EXPECT_TRUE(Body("/modules").contains("/modules/acme/second/aws"));
}

TEST_F(SearchPagesTest, WhoeverIsSignedInGetsAPageOfTheirOwn) {
  EXPECT_FALSE(Body("/modules").contains("/-/sign-out"));
  FakeBrowser ada(api_);
  ada.SignIn("ada", kReadersPassword);
  std::string own = Clean(ada.Open("/modules").body);
  EXPECT_TRUE(own.contains("/-/sign-out"));
  EXPECT_TRUE(own.contains("secretive"));
  EXPECT_FALSE(Body("/modules").contains("/-/sign-out"));
  // A session that has ended makes the caller anonymous, without an error.
  FakeBrowser late(api_);
  late.cookies["__Host-koya"] = std::string(43, 'A');
  Reply reply = late.Open("/modules");
  EXPECT_EQ(reply.status, 200U);
  EXPECT_FALSE(reply.body.contains("secretive"));
}

TEST_F(SearchPagesTest, WhatIsKeptGoesOnWithANoteWhileTheCatalogIsAway) {
  const std::string body = Body("/modules");
  api_.clock.now += 3600;
  api_.silent_for = std::chrono::minutes(1);
  Reply held = stranger_.Open("/modules");
  EXPECT_EQ(held.status, 200U);
  EXPECT_TRUE(held.body.contains("cannot reach its database"));
  EXPECT_EQ(held.Get("Warning"), "111 koya \"Catalog Unreachable\"");
  EXPECT_EQ(held.Get("Cache-Control"), "private, no-store");
  EXPECT_TRUE(held.Get("Content-Security-Policy").starts_with("default-src 'none'"));
  FakeBrowser someone(api_);
  someone.cookies["__Host-koya"] = std::string(43, 'A');
  EXPECT_TRUE(someone.Open("/modules").body.contains("cannot reach its database"))
      << "there is nothing else to show them";
  api_.silent_for = std::chrono::hours(2);
  EXPECT_FALSE(stranger_.Open("/modules").body.contains("cannot reach its database"))
      << "too old: the catalog itself is asked";
}

TEST_F(SearchPagesTest, HiddenThingsAreNotKeptForOthers) {
  SetVisibility("hidden", "public");
  api_.clock.now += 5;
  EXPECT_TRUE(Body("/modules").contains("secretive"));
  SetVisibility("hidden", "private");
  EXPECT_FALSE(Body("/modules").contains("secretive")) << "at once";
}

TEST_F(SearchPagesTest, AStartPageHasTheNameThatWasGiven) {
  api_.site.name = "Kumo <Works>";
  api_.site.tagline_en = "What we publish.";
  api_.site.tagline_ja = "公開しているもの。";
  api_.SettleMirror();
  EXPECT_TRUE(Body("/").contains("Kumo &lt;Works&gt;"));
  EXPECT_TRUE(Body("/").contains("What we publish."));
  EXPECT_TRUE(Body("/?lang=ja").contains("公開しているもの。"));
  stranger_.cookies["lang"] = "zh";
  EXPECT_TRUE(Body("/").contains("What we publish.")) << "there is none in Chinese";
  EXPECT_TRUE(api_.Get("/-/opensearch.xml").body.contains("Kumo &lt;Works&gt;"));
}

TEST_F(SearchPagesTest, SearchEnginesMayLookOnlyWhereTheyAreLetIn) {
  EXPECT_EQ(api_.Get("/robots.txt").body, "User-agent: *\nDisallow: /\n");
  EXPECT_EQ(api_.Get("/favicon.ico").Get("Content-Type"), "image/svg+xml");
  EXPECT_TRUE(
      api_.Get("/-/opensearch.xml")
          .body.contains("template=\"https://registry.example.com/search?q={searchTerms}\""));
}

TEST_F(SearchPagesTest, AnIndexedSiteSaysWhatIsNotForReaders) {
  api_.site.index = true;
  api_.SettleMirror();
  const std::string robots = api_.Get("/robots.txt").body;
  EXPECT_TRUE(robots.contains("Disallow: /v1/\n")) << robots;
  EXPECT_FALSE(robots.contains("Disallow: /\n")) << robots;
}

TEST_F(SearchPagesTest, WithoutPagesThereAreThoseThatSigningInNeeds) {
  api_.site.enabled = false;
  api_.SettleMirror();
  for (std::string_view target : {"/", "/modules", "/search?q=a", "/-/opensearch.xml"}) {
    EXPECT_EQ(stranger_.Open(target).status, 404U) << target;
  }
  EXPECT_EQ(stranger_.Open("/login").status, 200U);
  EXPECT_FALSE(stranger_.Open("/login").body.contains("href=\"/modules\""));
  EXPECT_EQ(api_.Get("/v1/modules").status, 200U);
}

TEST_F(SearchPagesTest, TheStartPageTellsWhatIsFetchedMost) {
  api_.token = api_.Token(Scope::kAdmin);
  for (int i = 0; i < 3; ++i) api_.Get("/v1/modules/hidden/secretive/aws/1.0.0/download");
  api_.Get("/v1/modules/acme/network/aws/1.0.0/download");
  api_.token.clear();
  api_.WriteUsage();
  const std::string body = Body("/");
  EXPECT_TRUE(body.contains("Most fetched")) << body;
  EXPECT_TRUE(body.contains("<bdi>acme/network/aws</bdi>")) << body;
  EXPECT_FALSE(body.contains("secretive"));
  FakeBrowser ada(api_);
  ada.SignIn("ada", kReadersPassword);
  EXPECT_TRUE(Clean(ada.Open("/").body).contains("<bdi>hidden/secretive/aws</bdi>"));
}

}  // namespace
}  // namespace koya::api
