// Pages of providers, asked for as browsers and programs do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "archive/archive_builder_fake.h"
#include "wire/provider_publishing.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

using http::Method;

constexpr const char* kPagesSchema =
    R"({"format_version":"1.0","provider_schemas":{"registry.example.com/acme/demo":{)"
    R"("provider":{"version":0,"block":{"attributes":{"region":{"type":"string","optional":true}}}},)"
    R"("resource_schemas":{"demo_thing":{"version":1,"block":{"attributes":{)"
    R"("id":{"type":"string","computed":true}}}},"demo_bare":{"version":1,"block":{"attributes":{)"
    R"("size":{"type":"number","required":true,"description":"How <b>large</b>."}}}}}}}})";

class ProviderPagesTest : public ::testing::Test {
 protected:
  void SetUp() override { token_ = "Bearer " + api.Token(Scope::kAdmin); }

  using Files = std::vector<std::pair<std::string, std::string>>;
  void Publish(const std::string& version, const Files& extras = {},
               const std::vector<std::string>& platforms = {"linux_amd64"},
               const std::string& ns = "acme") {
    const std::string drafts = fmt::format("/api/v1/providers/{}/demo/{}/drafts", ns, version);
    auto draft = wire::Decode<wire::Draft>(Send(Method::kPost, drafts).body);
    ASSERT_TRUE(draft);
    Files files = extras;
    for (const std::string& platform : platforms) {
      files.emplace_back(
          platform + ".zip",
          Zip({{.name = "terraform-provider-demo_v1.0.0", .content = version + platform}}));
    }
    for (const auto& [ending, content] : files) {
      Reply put = Send(Method::kPut,
                       fmt::format("{}/{}/files/terraform-provider-demo_{}_{}", drafts, draft->id,
                                   version, ending),
                       content);
      ASSERT_EQ(put.status, 200U) << put.body;
    }
    Reply done =
        Send(Method::kPost, fmt::format("{}/{}/commit", drafts, draft->id), R"({"sign":true})");
    ASSERT_EQ(done.status, 201U) << done.body;
  }
  Reply Send(Method method, const std::string& path, std::string body = "") {
    Question question;
    question.method = method;
    question.path = path;
    question.body = std::move(body);
    question.fields = {{"Authorization", token_}};
    return api.Ask(question);
  }
  // As an anonymous caller with a browser.
  Reply Open(const std::string& target) { return FakeBrowser(api).Open(target); }
  Reply Ask(const std::string& path, std::vector<std::pair<std::string, std::string>> fields) {
    Question question;
    question.path = path;
    question.fields = std::move(fields);
    return api.Ask(question);
  }
  static std::string Docs() {
    return Zip({{.name = "docs/index.md",
                 .content = "---\ndescription: Clouds of all sorts.\n---\n# Demo\n"
                            "[thing](resources/thing.md)\n"},
                {.name = "docs/resources/thing.md",
                 .content = "---\npage_title: demo_thing\nsubcategory: Things\n---\n# Thing\n"
                            "<script>alert(1)</script>\n\nSome *words*.\n"},
                {.name = "docs/cdktf/python/resources/thing.md", .content = "# In Python\n"}});
  }

  ApiFixture api;
  std::string token_;
};

TEST_F(ProviderPagesTest, TheOverviewHasAllThatAReaderNeeds) {
  Publish("1.0.0", {}, {"linux_amd64", "windows_386"});
  Publish("1.1.0", {{"docs.zip", Docs()}}, {"linux_amd64", "darwin_arm64"});
  Reply page = Open("/providers/acme/demo");
  ASSERT_EQ(page.status, 200U) << page.body;
  EXPECT_EQ(page.Get("Content-Type"), "text/html; charset=utf-8");
  for (std::string_view words :
       {"registry.example.com/acme/demo", "~&gt; 1.1", "Clouds of all sorts.", "darwin<br>arm64",
        "windows<br>386", "signed by this server", "zh:", "h1:", "/providers/acme/demo/1.0.0",
        "/providers/acme/demo/1.1.0/docs", "/providers/acme/demo/keys"}) {
    EXPECT_TRUE(page.body.contains(words)) << words << "\n" << page.body;
  }
  EXPECT_FALSE(page.etag.empty());
  // What the page names for programs is there.
  for (std::string_view path :
       {"/-/feeds/providers/acme/demo.atom", "/providers/acme/demo/1.1.0.json",
        "/providers/acme/demo/1.1.0.md"}) {
    EXPECT_TRUE(page.body.contains(fmt::format("href=\"{}\"", path))) << path;
    EXPECT_EQ(Open(std::string(path)).status, 200U) << path;
  }
  EXPECT_EQ(Open("/providers/acme/demo/1.1.0").status, 200U);
  EXPECT_EQ(Open("/providers/acme/demo/latest").status, 200U);
  Reply older = Open("/providers/acme/demo/v1.0.0");
  EXPECT_TRUE(older.body.contains("Version <bdi>1.0.0</bdi> is not the latest.")) << older.body;
}

TEST_F(ProviderPagesTest, EveryPageAnswersInEveryLanguage) {
  Publish("1.0.0", {{"docs.zip", Docs()}, {"schema.json", kPagesSchema}});
  Publish("1.1.0");
  for (const char* path :
       {"/providers/acme/demo", "/providers/acme/demo/1.0.0", "/providers/acme/demo/versions",
        "/providers/acme/demo/keys", "/providers/acme/demo/changes", "/providers/acme/demo/usage",
        "/providers/acme/demo/1.0.0/docs", "/providers/acme/demo/1.0.0/docs/resources/thing",
        "/providers/acme/demo/1.0.0/docs/resources/bare",
        "/providers/acme/demo/1.0.0/docs/cdktf/python/resources/thing"}) {
    for (const char* language : {"en", "ja", "zh"}) {
      Reply page = Open(fmt::format("{}?lang={}", path, language));
      EXPECT_EQ(page.status, 200U) << path << "\n" << page.body;
      EXPECT_TRUE(page.body.contains(fmt::format("<html lang=\"{}", language))) << path;
      EXPECT_LT(page.body.size(), 20'000U) << path;
      EXPECT_TRUE(page.Get("Content-Security-Policy").contains("default-src 'none'")) << path;
    }
  }
}

TEST_F(ProviderPagesTest, WhoeverHasThePageIsToldThatItIsStillTheOne) {
  Publish("1.0.0");
  for (const char* path : {"/providers/acme/demo", "/providers/acme/demo/versions"}) {
    Reply first = Ask(path, {{"Accept", "text/html"}});
    ASSERT_EQ(first.status, 200U);
    Reply second = Ask(path, {{"Accept", "text/html"}});
    EXPECT_EQ(first.etag, second.etag) << path;
    EXPECT_EQ(first.Get("Cache-Control"), "private, no-cache") << path;
  }
  const std::string before = Open("/providers/acme/demo/versions").etag;
  Publish("1.1.0");
  EXPECT_NE(Open("/providers/acme/demo/versions").etag, before);
}

TEST_F(ProviderPagesTest, PrivateProvidersAreNowhere) {
  Publish("1.0.0", {{"docs.zip", Docs()}});
  Publish("1.0.0", {}, {"linux_amd64"}, "secrets");
  ASSERT_LT(Send(Method::kPut, "/api/v1/namespaces/secrets", R"({"visibility":"private"})").status,
            300U);
  api.AddUser("ada", "correct horse battery", true);
  FakeBrowser ada(api);
  ASSERT_EQ(ada.SignIn("ada", "correct horse battery").status, 303U);
  for (const char* rest : {"", "/1.0.0", "/versions", "/keys", "/changes", "/usage", "/1.0.0/docs",
                           "/1.0.0/docs/resources/thing", "/9.9.9", ".md", ".json"}) {
    const std::string path = std::string("/providers/secrets/demo") + rest;
    Reply hidden = Open(path);
    EXPECT_EQ(hidden.status, 404U) << path;
    Reply nowhere = Open(std::string("/providers/nobody/demo") + rest);
    EXPECT_EQ(nowhere.status, 404U) << path;
    // Without the names, the browser's own mark and the request's.
    auto told = [](std::string body, std::string_view ns) {
      for (std::size_t at = body.find(ns); at != body.npos; at = body.find(ns)) {
        body.replace(at, ns.size(), "X");
      }
      for (std::string_view mark : {"name=\"csrf\" value=\"", "Request ID"}) {
        const std::size_t at = body.find(mark);
        if (at != body.npos) body.erase(at + mark.size(), 50);
      }
      return body;
    };
    EXPECT_EQ(told(hidden.body, "secrets"), told(nowhere.body, "nobody")) << path;
  }
  Reply own = ada.Open("/providers/secrets/demo");
  EXPECT_EQ(own.status, 200U) << own.body;
  EXPECT_TRUE(own.Get("Cache-Control").contains("private"));
  EXPECT_EQ(Open("/providers/secrets/demo").status, 404U) << "what ada saw is not kept for others";
  Reply program = Ask("/providers/secrets/demo.md", {{"Authorization", token_}});
  EXPECT_EQ(program.status, 200U) << program.body;
}

TEST_F(ProviderPagesTest, ResourcesOfModulesLeadToTheirDocs) {
  Publish("1.0.0", {{"docs.zip", Docs()}, {"schema.json", kPagesSchema}});
  Publish("1.0.0", {{"docs.zip", Docs()}}, {"linux_amd64"}, "secrets");
  ASSERT_LT(Send(Method::kPut, "/api/v1/namespaces/secrets", R"({"visibility":"private"})").status,
            300U);
  const auto module = [](std::string_view ns) {
    return PackFiles(
        {{"main.tf", fmt::format("terraform {{\n  required_providers {{\n    demo = {{\n"
                                 "      source = \"registry.example.com/{}/demo\"\n"
                                 "    }}\n  }}\n}}\n"
                                 "resource \"demo_thing\" \"a\" {{}}\n"
                                 "resource \"demo_bare\" \"b\" {{}}\n"
                                 "resource \"demo_other\" \"c\" {{}}\n"
                                 "data \"demo_thing\" \"d\" {{}}\n",
                                 ns)}});
  };
  api.token = api.Token(Scope::kAdmin);
  ASSERT_EQ(api.Publish("acme/net/demo", "1.0.0", module("acme")).status, 201U);
  ASSERT_EQ(api.Publish("acme/veiled/demo", "1.0.0", module("secrets")).status, 201U);
  api.token.clear();
  const Reply page = Open("/modules/acme/net/demo/1.0.0/resources");
  ASSERT_EQ(page.status, 200U);
  for (std::string_view path : {"/providers/acme/demo/1.0.0/docs/resources/thing",
                                "/providers/acme/demo/1.0.0/docs/resources/bare"}) {
    EXPECT_TRUE(page.body.contains(fmt::format("href=\"{}\"", path))) << path << page.body;
    EXPECT_EQ(Open(std::string(path)).status, 200U) << path;
  }
  EXPECT_TRUE(page.body.contains("demo_other.c"));
  EXPECT_FALSE(page.body.contains("docs/resources/other")) << "there is no such page";
  EXPECT_FALSE(page.body.contains("docs/data-sources/")) << "there is no such page";
  const Reply veiled = Open("/modules/acme/veiled/demo/1.0.0/resources");
  ASSERT_EQ(veiled.status, 200U);
  EXPECT_FALSE(veiled.body.contains("/providers/secrets/")) << "that is not for strangers";
}

TEST_F(ProviderPagesTest, ProgramsHaveTwins) {
  Publish("1.0.0", {{"docs.zip", Docs()}});
  Publish("1.1.0");
  Reply markdown = Open("/providers/acme/demo.md");
  ASSERT_EQ(markdown.status, 200U) << markdown.body;
  EXPECT_EQ(markdown.Get("Content-Type"), "text/markdown; charset=utf-8");
  EXPECT_TRUE(markdown.body.starts_with("# acme/demo 1.1.0\n")) << markdown.body;
  EXPECT_TRUE(Open("/providers/acme/demo/1.0.0.md").body.starts_with("# acme/demo 1.0.0\n"));
  Reply json = Open("/providers/acme/demo/1.0.0.json");
  ASSERT_EQ(json.status, 200U) << json.body;
  EXPECT_EQ(json.Get("Content-Type"), "application/json");
  auto details = wire::Decode<wire::ProviderDetails>(json.body);
  ASSERT_TRUE(details) << json.body;
  EXPECT_EQ(details->version, "1.0.0");
  Reply source = Open("/providers/acme/demo/1.0.0/docs/resources/thing.md");
  EXPECT_EQ(source.status, 200U);
  EXPECT_TRUE(source.body.contains("<script>alert(1)</script>")) << "as its author wrote it";
  EXPECT_TRUE(source.Get("Content-Type").starts_with("text/markdown"));
  EXPECT_EQ(Open("/providers/acme/demo/9.9.9.md").status, 404U);
  EXPECT_EQ(Open("/providers/acme/demo/1.0.0/docs/resources/none.md").status, 404U);
}

TEST_F(ProviderPagesTest, AVersionThatIsNotThereIsToldWithTheNearest) {
  Publish("1.0.0");
  Publish("1.2.0");
  Publish("2.0.0");
  Publish("1.9.0");
  ASSERT_EQ(Send(Method::kDelete, "/api/v1/providers/acme/demo/1.9.0",
                 R"({"reason":"It held a <secret>."})")
                .status,
            204U);
  Reply missing = Open("/providers/acme/demo/1.5.0");
  EXPECT_EQ(missing.status, 404U);
  EXPECT_TRUE(missing.body.contains("There is no version <bdi>1.5.0</bdi>.")) << missing.body;
  EXPECT_TRUE(missing.body.contains("href=\"/providers/acme/demo/1.2.0\"")) << missing.body;
  Reply gone = Open("/providers/acme/demo/1.9.0");
  EXPECT_EQ(gone.status, 410U);
  EXPECT_TRUE(gone.body.contains("It held a &lt;secret&gt;.")) << gone.body;
  for (const char* bad :
       {"/providers/acme/demo/x", "/providers/acme/demo/1.0", "/providers/acme/demo/<i>1",
        "/providers/acme/demo/1.0.0-\U0001F362", "/providers/acme/demo/\xFF",
        "/providers/acme/demo/\u202E1.0.0", "/providers/acme/demo/x/docs"}) {
    Reply reply = Open(bad);
    EXPECT_EQ(reply.status, 404U) << bad;
    EXPECT_FALSE(reply.body.contains("<i>")) << reply.body;
  }
  Reply list = Open("/providers/acme/demo/versions");
  EXPECT_TRUE(list.body.contains("It held a &lt;secret&gt;.")) << list.body;
}

TEST_F(ProviderPagesTest, VersionsAreFoundByPartsAndConstraints) {
  for (const char* version : {"1.0.0", "1.1.0", "2.0.0", "2.1.0-rc.1"}) Publish(version);
  ASSERT_EQ(Send(Method::kPut, "/api/v1/providers/acme/demo/1.0.0/deprecation",
                 R"({"message":"use 2.0.0"})")
                .status,
            204U);
  struct Row {
    std::string_view query;
    std::vector<std::string_view> found;
    std::vector<std::string_view> not_found;
  };
  for (const Row& row : {
           Row{"", {">1.0.0<", ">2.1.0-rc.1<", "use 2.0.0"}, {}},
           Row{"filter=1.",
               {">1.0.0<", ">1.1.0<"},
               {"row\" class=\"nw\"><a class=\"mono\" "
                "href=\"/providers/acme/demo/2.0.0\""}},
           Row{"filter=~%3E+1.1", {}, {"href=\"/providers/acme/demo/1.0.0\" translate"}},
           Row{"filter=7", {"No matching versions."}, {}},
           Row{"page=99", {">1.0.0<"}, {}},
       }) {
    Reply reply = Open("/providers/acme/demo/versions?" + std::string(row.query));
    EXPECT_EQ(reply.status, 200U) << row.query;
    for (std::string_view words : row.found) EXPECT_TRUE(reply.body.contains(words)) << words;
    for (std::string_view words : row.not_found) EXPECT_FALSE(reply.body.contains(words)) << words;
  }
}

TEST_F(ProviderPagesTest, AbsurdQuestionsGetAPageWithTheRightStatus) {
  Publish("1.0.0", {{"docs.zip", Docs()}});
  const std::string long_text(5000, 'x');
  struct Row {
    std::string target;
    unsigned status;
  };
  for (const Row& row : {
           Row{"/providers/acme/demo/versions?page=-1", 400},
           Row{"/providers/acme/demo/versions?page=0", 400},
           Row{"/providers/acme/demo/versions?page=99999999999999999999", 400},
           Row{"/providers/acme/demo/versions?page=x", 400},
           Row{"/providers/acme/demo/versions?filter=%zz", 400},
           Row{"/providers/acme/demo/versions?filter=~%3E+x", 400},
           Row{"/providers/acme/demo/versions?filter=" + long_text, 400},
           Row{"/providers/acme/demo/versions?lang=xx", 200},
           Row{"/providers/acme/demo/1.0.0/docs?filter=" + long_text, 400},
           Row{"/providers/acme/demo/1.0.0/docs?filter=%00", 400},
           Row{"/providers/acme/demo/1.0.0/docs?group=%3Cscript%3E", 200},
           Row{"/providers/acme/demo/1.0.0/docs/nonsense/thing", 404},
           Row{"/providers/acme/demo/1.0.0/docs/resources/<script>", 404},
           Row{"/providers/acme/demo/1.0.0/docs/cdktf/cobol/resources/thing", 404},
           Row{"/providers/acme/demo/changes?from=x&to=1.0.0", 400},
           Row{"/providers/acme/demo/changes?from=0.9.0&to=1.0.0", 404},
           Row{"/providers/acme/demo/changes?from=%zz", 400},
           Row{"/providers/acme/demo/unknown-tab", 404},
           Row{"/providers/\xFF/demo", 404},
           Row{"/providers/acme/" + long_text, 404},
           Row{"/providers/acme/\u202Edemo", 404},
       }) {
    Reply reply = Open(row.target);
    EXPECT_EQ(reply.status, row.status) << row.target.substr(0, 100) << "\n" << reply.body;
    EXPECT_TRUE(reply.body.starts_with("<!doctype html>")) << row.target.substr(0, 100);
    EXPECT_FALSE(reply.body.contains("<script>")) << row.target.substr(0, 100);
  }
}

TEST_F(ProviderPagesTest, NoPageGrowsWithTheNumberOfVersions) {
  for (int i = 0; i < 12; ++i) Publish(fmt::format("1.{}.0", i));
  std::vector<std::size_t> sizes;
  const std::vector<std::string> paths{"/providers/acme/demo", "/providers/acme/demo/keys"};
  for (const std::string& path : paths) sizes.push_back(Open(path).body.size());
  for (int i = 12; i < 70; ++i) Publish(fmt::format("1.{}.0", i));
  api.clock.now += 60;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_LT(Open(paths[i]).body.size(), sizes[i] + 100) << paths[i];
  }
  const std::string list = Open("/providers/acme/demo/versions").body;
  std::size_t rows = 0;
  for (std::size_t at = list.find("<th scope=\"row\""); at != list.npos;
       at = list.find("<th scope=\"row\"", at + 1)) {
    ++rows;
  }
  EXPECT_EQ(rows, 50U);
  EXPECT_TRUE(list.contains("/providers/acme/demo/versions?page=2")) << list;
}

TEST_F(ProviderPagesTest, DocsStandWhereLinksLead) {
  Publish("1.0.0", {{"docs.zip", Docs()}, {"schema.json", kPagesSchema}});
  Publish("1.1.0");
  Reply overview = Open("/providers/acme/demo/1.0.0/docs");
  ASSERT_EQ(overview.status, 200U);
  EXPECT_TRUE(overview.body.contains("href=\"/providers/acme/demo/1.0.0/docs/resources/thing\""));
  Reply thing = Open("/providers/acme/demo/1.0.0/docs/resources/thing");
  EXPECT_TRUE(thing.body.contains("Some <em>words</em>.")) << thing.body;
  EXPECT_FALSE(thing.body.contains("alert(1)</script>")) << thing.body;
  EXPECT_TRUE(thing.body.contains("aria-current=\"page\">demo_thing</a>")) << thing.body;
  EXPECT_TRUE(thing.body.contains("rel=\"next\" href=\"../resources/bare\"")) << thing.body;
  EXPECT_TRUE(thing.body.contains("/providers/acme/demo/1.1.0/docs/resources/thing"))
      << "the menu keeps the page";
  Reply bare = Open("/providers/acme/demo/1.0.0/docs/resources/bare");
  EXPECT_TRUE(bare.body.contains("How &lt;b&gt;large&lt;/b&gt;.")) << bare.body;
  EXPECT_TRUE(bare.body.contains("from the provider&#39;s schema") ||
              bare.body.contains("from the provider's schema"))
      << bare.body;
  Reply found = Open("/providers/acme/demo/1.0.0/docs?filter=bare");
  EXPECT_TRUE(found.body.contains("demo_bare"));
  EXPECT_FALSE(found.body.contains(">demo_thing</a>")) << found.body;
  Reply missing = Open("/providers/acme/demo/1.1.0/docs/resources/thing");
  EXPECT_EQ(missing.status, 404U);
  EXPECT_TRUE(missing.body.contains("href=\"/providers/acme/demo/1.0.0/docs/resources/thing\""))
      << missing.body;
  Publish("1.2.0", {{"docs.zip", Zip({{.name = "docs/index.md", .content = "# The start\n"}})}});
  missing = Open("/providers/acme/demo/1.2.0/docs/resources/thing");
  EXPECT_EQ(missing.status, 404U);
  EXPECT_TRUE(missing.body.contains("This is the first page of its documentation."));
  EXPECT_TRUE(missing.body.contains("The start</a></h2>")) << missing.body;
  Reply none = Open("/providers/acme/demo/1.1.0/docs");
  EXPECT_EQ(none.status, 404U);
  EXPECT_TRUE(none.body.contains("koya publish provider --docs")) << none.body;
}

TEST_F(ProviderPagesTest, DocPagesNameTheModulesThatUseThem) {
  Publish("1.0.0", {{"docs.zip", Docs()}, {"schema.json", kPagesSchema}});
  const auto module = [](std::string_view folder) {
    return PackFiles({{"main.tf", "# Nothing.\n"},
                      {fmt::format("{}uses.tf", folder), "resource \"demo_thing\" \"a\" {}\n"}});
  };
  api.token = api.Token(Scope::kAdmin);
  ASSERT_EQ(api.Publish("acme/net/demo", "1.0.0", module("")).status, 201U);
  ASSERT_EQ(api.Publish("acme/nested/demo", "2.0.0", module("modules/one/")).status, 201U);
  ASSERT_EQ(api.Publish("acme/other/demo", "1.0.0", PackFiles({{"main.tf", ""}})).status, 201U);
  ASSERT_EQ(api.Publish("hidden/net/demo", "1.0.0", module("")).status, 201U);
  ASSERT_LT(Send(Method::kPut, "/api/v1/namespaces/hidden", R"({"visibility":"private"})").status,
            300U);
  api.token.clear();
  const std::string thing = "/providers/acme/demo/1.0.0/docs/resources/thing";
  const std::string page = Open(thing).body;
  EXPECT_TRUE(page.contains("href=\"/modules/acme/net/demo\"")) << page;
  EXPECT_TRUE(page.contains("href=\"/modules/acme/nested/demo\"")) << page;
  EXPECT_TRUE(page.contains("href=\"/search?q=uses%3Ademo_thing\"")) << page;
  EXPECT_FALSE(page.contains("acme/other")) << page;
  EXPECT_FALSE(page.contains("hidden/net")) << "that is not for strangers";
  api.AddUser("ada", "correct horse battery", true);
  FakeBrowser ada(api);
  ASSERT_EQ(ada.SignIn("ada", "correct horse battery").status, 303U);
  EXPECT_TRUE(ada.Open(thing).body.contains("href=\"/modules/hidden/net/demo\""));
  EXPECT_FALSE(Open(thing).body.contains("hidden/net")) << "what ada saw is not kept for others";
  for (const char* unused :
       {"/providers/acme/demo/1.0.0/docs/resources/bare", "/providers/acme/demo/1.0.0/docs"}) {
    EXPECT_FALSE(Open(unused).body.contains("Used by these modules")) << unused;
  }
  api.token = api.Token(Scope::kAdmin);
  for (int i = 0; i < 12; ++i) {
    ASSERT_EQ(api.Publish(fmt::format("acme/m{}/demo", i), "1.0.0", module("")).status, 201U);
  }
  api.token.clear();
  api.clock.now += 60;
  const std::string many = Open(thing).body;
  std::size_t links = 0;
  for (std::size_t at = many.find("href=\"/modules/acme/"); at != many.npos;
       at = many.find("href=\"/modules/acme/", at + 1)) {
    ++links;
  }
  EXPECT_EQ(links, 10U) << many;
  std::string schema = kPagesSchema;
  schema.replace(schema.find("demo_thing"), std::string_view("demo_thing").size(), "thing");
  Publish("1.1.0", {{"docs.zip", Docs()}, {"schema.json", schema}});
  api.token = api.Token(Scope::kAdmin);
  const std::string bare = "resource \"thing\" \"a\" {}\n";
  ASSERT_EQ(api.Publish("acme/bare/demo", "1.0.0", PackFiles({{"main.tf", bare}})).status, 201U);
  api.token.clear();
  const std::string named = Open("/providers/acme/demo/1.1.0/docs/resources/thing").body;
  EXPECT_TRUE(named.contains("href=\"/search?q=uses%3Athing\"")) << named;
}

TEST_F(ProviderPagesTest, TellsWhatChangedAndWhoFetches) {
  Publish("1.0.0", {}, {"linux_amd64", "windows_386"});
  Publish("1.1.0");
  Reply changes = Open("/providers/acme/demo/changes");
  ASSERT_EQ(changes.status, 200U) << changes.body;
  EXPECT_TRUE(changes.body.contains("platform windows_386")) << changes.body;
  EXPECT_TRUE(changes.body.contains("<bdi>2.0.0</bdi>")) << "the number that it should have had";
  EXPECT_EQ(Open("/providers/acme/demo/changes?from=1.1.0&to=1.0.0").status, 200U);
  ASSERT_EQ(api.Get("/v1/providers/acme/demo/1.1.0/download/linux/amd64").status, 200U);
  api.WriteUsage();
  Reply usage = Open("/providers/acme/demo/usage");
  ASSERT_EQ(usage.status, 200U) << usage.body;
  EXPECT_TRUE(usage.body.contains("owners of the namespace")) << "names are not for everybody";
  EXPECT_TRUE(usage.Get("Cache-Control").contains("private"));
}

TEST_F(ProviderPagesTest, KeysTellWhatTheySigned) {
  Publish("1.0.0");
  Publish("1.1.0");
  ASSERT_EQ(Send(Method::kPost, "/api/v1/namespaces/acme/keys/rotate").status, 201U);
  Publish("1.2.0");
  Reply keys = Open("/providers/acme/demo/keys");
  ASSERT_EQ(keys.status, 200U);
  EXPECT_TRUE(keys.body.contains("Versions: <bdi>2</bdi>, the newest first:")) << keys.body;
  EXPECT_TRUE(keys.body.contains("Versions: <bdi>1</bdi>, the newest first:")) << keys.body;
  const std::size_t newer = keys.body.find("href=\"/providers/acme/demo/1.1.0\" translate");
  const std::size_t older = keys.body.find("href=\"/providers/acme/demo/1.0.0\" translate");
  EXPECT_TRUE(newer < older && older != std::string::npos) << keys.body;
  EXPECT_FALSE(keys.body.contains("filter=key")) << "of two versions all are told";
  Reply old = Open("/providers/acme/demo/1.0.0");
  EXPECT_TRUE(old.body.contains("has removed the key since")) << old.body;
  const char* badge = "/-/badges/providers/acme/demo.verified.svg";
  EXPECT_TRUE(Open(badge).body.contains("signature: verified"));
  ASSERT_EQ(Send(Method::kPost, "/api/v1/namespaces/acme/keys/rotate").status, 201U);
  EXPECT_TRUE(Open(badge).body.contains("signature: key removed")) << Open(badge).body;
  EXPECT_TRUE(Open("/-/badges/providers/acme/demo.svg").body.contains("koya: 1.2.0"));
}

TEST_F(ProviderPagesTest, VersionsAreFoundByTheKeyThatSignedThem) {
  for (int i = 0; i < 12; ++i) Publish(fmt::format("1.{}.0", i));
  ASSERT_EQ(Send(Method::kPost, "/api/v1/namespaces/acme/keys/rotate").status, 201U);
  Publish("2.0.0");
  const auto fingerprint = [this](const std::string& version) {
    auto details =
        wire::Decode<wire::ProviderDetails>(Open("/providers/acme/demo/" + version + ".json").body);
    return details ? details->key_fingerprint : std::string();
  };
  const std::string first = fingerprint("1.0.0");
  const std::string second = fingerprint("2.0.0");
  ASSERT_EQ(first.size(), 40U);
  ASSERT_NE(first, second);
  const std::string versions = "/providers/acme/demo/versions";
  const std::string of_first = "key%3A" + first;
  const Reply keys = Open("/providers/acme/demo/keys");
  EXPECT_TRUE(keys.body.contains(fmt::format("href=\"{}?filter={}\"", versions, of_first)))
      << "10 of 12 are told: " << keys.body;
  EXPECT_TRUE(keys.body.contains("and <bdi>2</bdi> more")) << keys.body;
  EXPECT_FALSE(keys.body.contains("href=\"/providers/acme/demo/1.1.0\"")) << keys.body;
  const Reply all = Open(versions);
  for (const std::string& key : {first, second}) {
    EXPECT_TRUE(all.body.contains("href=\"/providers/acme/demo/keys#key-" + key)) << all.body;
  }
  std::string lower = first.substr(24);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string& filter :
       {of_first, "key%3A" + lower, "key:" + first.substr(24, 8) + "+" + first.substr(32)}) {
    const Reply found = Open(versions + "?filter=" + filter);
    EXPECT_EQ(found.status, 200U) << filter;
    EXPECT_TRUE(found.body.contains("href=\"/providers/acme/demo/1.0.0\" translate")) << filter;
    EXPECT_FALSE(found.body.contains("href=\"/providers/acme/demo/2.0.0\" translate")) << filter;
  }
  EXPECT_TRUE(
      Open(versions + "?filter=key:0123456789ABCDEF").body.contains("No matching versions."));
  for (const char* bad : {"key:", "key:1234567", "key:0123456G", "key:01234567%3C"}) {
    EXPECT_EQ(Open(versions + "?filter=" + bad).status, 400U) << bad;
  }
}

}  // namespace
}  // namespace koya::api
