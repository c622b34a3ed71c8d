// The pages of modules, asked as browsers do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "base/run_task.h"
#include "catalog/module_catalog.h"
#include "domain/actor.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/version.h"

namespace koya::api {
namespace {

constexpr std::string_view kModulePage = "/modules/acme/vpc/aws";
constexpr std::string_view kVisitorsPassword = "correct horse battery";
constexpr std::string_view kTabs[] = {"",
                                      "/inputs",
                                      "/outputs",
                                      "/resources",
                                      "/dependencies",
                                      "/submodules",
                                      "/submodules/subnets",
                                      "/examples",
                                      "/examples/full",
                                      "/versions",
                                      "/changes",
                                      "/usage",
                                      "/used-by",
                                      "/files",
                                      "/files/main.tf",
                                      "/files/modules/subnets"};

std::string PackedModule(const std::string& inputs) {
  return PackFiles({{"README.md", "# VPC\n\nSee [the notes](docs/a.md).\n"},
                    {"main.tf", "# A network.\n" + inputs +
                                    "module \"subnets\" {\n  source = \"./modules/subnets\"\n}\n"},
                    {"docs/a.md", "# Notes\n"},
                    {"docs/evil.html", "<script>alert(1)</script>"},
                    {"docs/logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"},
                    {"docs/data.bin", std::string("\0\xFF\x01", 3)},
                    {"docs/large.txt", std::string(300'000, 'x')},
                    {"modules/subnets/main.tf", "variable \"tier\" {}\n"},
                    {"examples/full/main.tf", "module \"vpc\" {\n  source = \"../..\"\n}\n"}});
}

class ModulePagesApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    api.AddUser("ada", std::string(kVisitorsPassword), true);
    api.AddUser("eve", std::string(kVisitorsPassword));
    admin_ = api.Token(Scope::kAdmin);
    Publish("1.0.0", "variable \"a\" {}\nvariable \"b\" {\n  default = 1\n}\n");
    Publish("1.1.0",
            "variable \"a\" {}\nvariable \"b\" {\n  default = 2\n}\nvariable \"c\" {\n  "
            "default = \"x\"\n}\n");
    Publish("2.0.0",
            "variable \"b\" {\n  default = 2\n}\nvariable \"secret\" {\n  sensitive = "
            "true\n}\n");
  }

  void Publish(const std::string& version, const std::string& inputs) {
    api.token = admin_;
    Reply reply = api.Publish("acme/vpc/aws", version, PackedModule(inputs));
    api.token.clear();
    ASSERT_EQ(reply.status, 201U) << reply.body;
  }
  void Withdraw(const std::string& version, const std::string& reason) {
    api.token = admin_;
    EXPECT_EQ(api.Withdraw("acme/vpc/aws", version, reason).status, 204U);
    api.token.clear();
  }
  void Hide() {
    api.token = admin_;
    Question hide{.method = http::Method::kPut, .path = "/api/v1/namespaces/acme"};
    hide.body = R"({"visibility":"private"})";
    EXPECT_EQ(api.Ask(hide).status, 200U);
    api.token.clear();
  }
  // "/x?y=z", as an anonymous caller.
  Reply Open(std::string_view target) {
    const std::size_t query = target.find('?');
    Question question{.path = std::string(target.substr(0, query))};
    if (query != target.npos) question.query = target.substr(query + 1);
    question.fields = {{"Accept", "text/html"}};
    return api.Ask(question);
  }
  Reply OpenTab(std::string_view rest) {
    return Open(std::string(kModulePage) + std::string(rest));
  }

  ApiFixture api;

 private:
  std::string admin_;
};

TEST_F(ModulePagesApiTest, EveryTabOfEveryVersionIsAPage) {
  for (std::string_view version : {"/latest", "/2.0.0", "/1.0.0", "/v1.1.0"}) {
    for (std::string_view tab : kTabs) {
      Reply reply = OpenTab(std::string(version) + std::string(tab));
      EXPECT_EQ(reply.status, 200U) << version << tab << reply.body;
      EXPECT_EQ(reply.Get("Content-Type"), "text/html; charset=utf-8");
      EXPECT_TRUE(reply.Get("Content-Security-Policy").starts_with("default-src 'none'"));
      EXPECT_EQ(reply.Get("Cache-Control"), "private, no-cache") << tab;
      EXPECT_NE(reply.body.find("acme/vpc/aws"), std::string::npos);
    }
  }
  EXPECT_EQ(OpenTab("").status, 200U);
  EXPECT_NE(OpenTab("").body.find("2.0.0"), std::string::npos);
}

TEST_F(ModulePagesApiTest, ATabWithoutAVersionIsThatOfTheNewest) {
  for (std::string_view tab : {"/inputs", "/versions", "/used-by", "/files"}) {
    Reply reply = OpenTab(tab);
    EXPECT_EQ(reply.status, 303U) << tab;
    EXPECT_EQ(reply.Get("Location"), fmt::format("{}/latest{}", kModulePage, tab));
  }
  EXPECT_EQ(OpenTab("/input").status, 404U);
  EXPECT_EQ(OpenTab("/1.0.0/input").status, 404U);
  EXPECT_EQ(OpenTab("/latest/inputs/x").status, 404U);
}

TEST_F(ModulePagesApiTest, AnswersThatHaveNotChangedAreNotSentAgain) {
  Reply first = OpenTab("/1.0.0/inputs");
  ASSERT_NE(first.etag, "");
  EXPECT_EQ(OpenTab("/1.0.0/inputs").etag, first.etag);
  EXPECT_NE(OpenTab("/1.0.0/inputs?lang=ja").etag, first.etag);
  EXPECT_NE(OpenTab("/2.0.0/inputs").etag, first.etag);
}

TEST_F(ModulePagesApiTest, KeptPagesFollowWhatChanges) {
  EXPECT_EQ(OpenTab("").body.find("2.1.0"), std::string::npos);
  EXPECT_EQ(OpenTab("/latest/versions").body.find("2.1.0"), std::string::npos);
  Publish("2.1.0", "");
  EXPECT_NE(OpenTab("").body.find("2.1.0"), std::string::npos);
  EXPECT_NE(OpenTab("/latest/versions").body.find("2.1.0"), std::string::npos);
  Withdraw("2.1.0", "leaks a key");
  EXPECT_EQ(OpenTab("").body.find("2.1.0"), std::string::npos);
  EXPECT_NE(OpenTab("/latest/versions").body.find("leaks a key"), std::string::npos);
}

TEST_F(ModulePagesApiTest, WithdrawnVersionsAreGoneAndSayWhy) {
  Withdraw("1.1.0", "deletes <everything>");
  for (std::string_view tab : kTabs) {
    Reply reply = OpenTab("/1.1.0" + std::string(tab));
    EXPECT_EQ(reply.status, 410U) << tab;
    EXPECT_NE(reply.body.find("deletes &lt;everything&gt;"), std::string::npos) << tab;
    EXPECT_NE(reply.body.find("href=\"/modules/acme/vpc/aws/1.0.0\""), std::string::npos) << tab;
    EXPECT_EQ(reply.body.find("class=\"code\""), std::string::npos) << "nothing to copy";
  }
  for (const char* twin : {"/1.1.0.json", "/1.1.0.md"}) EXPECT_EQ(OpenTab(twin).status, 410U);
  Withdraw("1.0.0", "a");
  Withdraw("2.0.0", "the last of them");
  for (const char* path : {"", "/latest", "/latest/inputs", "/latest/files/main.tf"}) {
    Reply reply = OpenTab(path);
    EXPECT_EQ(reply.status, 410U) << path;
    EXPECT_NE(reply.body.find("the last of them"), std::string::npos) << path;
  }
}

TEST_F(ModulePagesApiTest, AVersionThatIsNotHereNamesOthers) {
  Reply reply = OpenTab("/1.9.0/inputs");
  EXPECT_EQ(reply.status, 404U);
  EXPECT_NE(reply.body.find("href=\"/modules/acme/vpc/aws/1.1.0\""), std::string::npos);
  EXPECT_NE(reply.body.find("2.0.0"), std::string::npos);
  EXPECT_EQ(reply.body.find("1.0.0"), std::string::npos);
  for (const char* version : {"/nonsense", "/1", "/1.2", "/..", "/%3Cb%3E", "/1.0.0-", "/0.0.0",
                              "/99999999999999999999.0.0",
                              "/\xE2\x80\xAE"
                              "1.0.0"}) {
    EXPECT_EQ(OpenTab(version).status, 404U) << version;
  }
}

TEST_F(ModulePagesApiTest, HiddenModulesAreAsIfTheyWereNowhere) {
  Hide();
  FakeBrowser eve(api);
  eve.SignIn("eve", kVisitorsPassword);
  FakeBrowser ada(api);
  ada.SignIn("ada", kVisitorsPassword);
  for (std::string_view tab : kTabs) {
    const std::string rest = "/1.0.0" + std::string(tab);
    Reply hidden = OpenTab(rest);
    Reply nowhere = Open("/modules/ecma/vpc/aws" + rest);
    EXPECT_EQ(hidden.status, 404U) << tab;
    EXPECT_EQ(nowhere.status, 404U) << tab;
    // But for the place itself, and the request's own name.
    EXPECT_EQ(hidden.body.size(), nowhere.body.size()) << tab;
    EXPECT_EQ(eve.Open(std::string(kModulePage) + rest).status, 404U) << tab;
    EXPECT_EQ(ada.Open(std::string(kModulePage) + rest).status, 200U) << tab;
    EXPECT_EQ(OpenTab(rest).status, 404U) << "kept for nobody else: " << tab;
  }
  EXPECT_EQ(OpenTab(".json").status, 404U);
  EXPECT_EQ(OpenTab("/1.0.0.md").status, 404U);
  // The links in the list of versions work for every reader of the list.
  const std::string list = std::string(kModulePage) + ".json";
  EXPECT_TRUE(ada.Open(std::string(kModulePage) + "/latest/versions")
                  .body.contains(fmt::format("<a href=\"{}\">", list)));
  EXPECT_EQ(ada.Open(list).status, 200U);
}

TEST_F(ModulePagesApiTest, TwinsAreForPrograms) {
  for (const char* path : {".json", "/2.0.0.json", "/latest.json"}) {
    Reply reply = OpenTab(path);
    EXPECT_EQ(reply.status, 200U) << path;
    EXPECT_EQ(reply.Get("Content-Type"), "application/json") << path;
    EXPECT_NE(reply.body.find("\"version\":\"2.0.0\""), std::string::npos) << reply.body;
    EXPECT_NE(reply.body.find("\"root\""), std::string::npos) << reply.body;
  }
  constexpr std::string_view kAllVersions = "\"versions\":[\"2.0.0\",\"1.1.0\",\"1.0.0\"]";
  EXPECT_TRUE(OpenTab(".json").body.contains(kAllVersions)) << OpenTab(".json").body;
  EXPECT_FALSE(OpenTab("/2.0.0.json").body.contains("\"versions\""));
  for (const char* path : {".md", "/1.0.0.md"}) {
    Reply reply = OpenTab(path);
    EXPECT_EQ(reply.status, 200U) << path;
    EXPECT_EQ(reply.Get("Content-Type"), "text/markdown; charset=utf-8");
    EXPECT_TRUE(reply.body.starts_with("# acme/vpc/aws ")) << reply.body;
  }
  EXPECT_EQ(OpenTab("/9.0.0.json").status, 404U);
  EXPECT_EQ(OpenTab(".xml").status, 404U);
  // A version that is really called so.
  Publish("2.1.0-rc.md", "");
  EXPECT_EQ(OpenTab("/2.1.0-rc.md").Get("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(OpenTab("/2.1.0-rc.md.md").Get("Content-Type"), "text/markdown; charset=utf-8");
}

TEST_F(ModulePagesApiTest, InputsTellSinceWhen) {
  const std::string body = OpenTab("/1.1.0/inputs").body;
  EXPECT_NE(body.find("added in"), std::string::npos);
  EXPECT_NE(body.find("default changed in"), std::string::npos);
  EXPECT_EQ(OpenTab("/1.0.0/inputs").body.find("added in"), std::string::npos);
  const std::string filtered = OpenTab("/1.1.0/inputs?q=C&sort=name").body;
  EXPECT_NE(filtered.find("id=\"in-c\""), std::string::npos);
  EXPECT_EQ(filtered.find("id=\"in-a\""), std::string::npos);
}

TEST_F(ModulePagesApiTest, OutputsTellSinceWhen) {
  const std::string first = "output \"one\" {\n  value = 1\n}\n";
  Publish("3.0.0", first);
  Publish("3.1.0", first + "output \"two\" {\n  value = 2\n}\n");
  Publish("3.2.0", first + "output \"two\" {\n  value = 3\n}\n");
  auto count = [this](std::string_view tab, std::string_view words) {
    const std::string body = OpenTab(tab).body;
    std::size_t found = 0;
    for (std::size_t at = body.find(words); at != body.npos; at = body.find(words, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("/3.2.0/outputs", "added in <bdi>3.1.0</bdi>"), 1U);
  EXPECT_EQ(count("/3.2.0/outputs", "added in"), 2U) << "\"one\" in 3.0.0";
  EXPECT_EQ(count("/3.1.0/outputs", "added in <bdi>3.1.0</bdi>"), 1U);
  // Of the first version there is none before, and of a file that cannot be read nothing is known.
  Publish("0.9.0", first);
  EXPECT_EQ(count("/0.9.0/outputs", "added in"), 0U);
  Publish("3.3.0", first + "output \"three\" {\n");
  EXPECT_EQ(count("/3.3.0/outputs", "added in"), 0U);
}

TEST_F(ModulePagesApiTest, ChangesAreComparedAsAsked) {
  const std::string own = OpenTab("/2.0.0/changes").body;
  EXPECT_NE(own.find("input &quot;a&quot;"), std::string::npos);
  EXPECT_NE(OpenTab("/2.0.0/changes?from=1.0.0&to=1.1.0").body.find("input &quot;c&quot;"),
            std::string::npos);
  EXPECT_EQ(OpenTab("/1.0.0/changes").status, 200U);
  EXPECT_EQ(OpenTab("/1.0.0/changes?from=9.0.0&to=1.1.0").status, 404U);
  EXPECT_EQ(OpenTab("/1.0.0/changes?from=x&to=1.1.0").status, 400U);
  EXPECT_EQ(OpenTab("/1.0.0/changes?from=&to=").status, 400U);
  Withdraw("1.1.0", "gone between two clicks");
  EXPECT_EQ(OpenTab("/2.0.0/changes?from=1.0.0&to=1.1.0").status, 410U);
}

TEST_F(ModulePagesApiTest, SourcesAreComparedAsAsked) {
  const std::string changes = OpenTab("/2.0.0/changes").body;
  EXPECT_TRUE(changes.contains("<select id=\"change-from\"")) << changes;
  EXPECT_TRUE(changes.contains("<option value=\"2.0.0\" selected>"));
  const std::string link =
      std::string(kModulePage) + "/2.0.0/changes/source?from=1.1.0&amp;to=2.0.0";
  EXPECT_TRUE(changes.contains(link)) << link << changes;
  const std::string source = OpenTab("/2.0.0/changes/source?from=1.0.0&to=1.1.0").body;
  EXPECT_TRUE(source.contains("class=\"ad\"")) << source;
  EXPECT_TRUE(source.contains(std::string(kModulePage) + "/1.0.0/files/main.tf"));
  EXPECT_TRUE(source.contains(std::string(kModulePage) + "/1.1.0/files/main.tf"));
  EXPECT_TRUE(OpenTab("/1.0.0/changes/source?from=1.0.0").body.contains("are the same"));
  EXPECT_EQ(OpenTab("/1.0.0/changes/source").status, 200U) << "the first version";
  for (const auto& [query, status] :
       {std::pair("?from=9.0.0&to=1.1.0", 404U), std::pair("?from=x&to=1.1.0", 400U),
        std::pair("?from=&to=", 400U)}) {
    EXPECT_EQ(OpenTab(std::string("/1.0.0/changes/source") + query).status, status) << query;
  }
  const std::string path = "/api/v1/modules/acme/vpc/aws/diff/source";
  const Reply document = api.Ask({.path = path, .query = "from=1.0.0&to=1.1.0"});
  EXPECT_EQ(document.status, 200U) << document.body;
  EXPECT_TRUE(document.body.contains(R"("path":"main.tf","status":"changed")")) << document.body;
  for (const auto& [query, status] :
       {std::pair("from=1.0.0", 400U), std::pair("from=x&to=1.1.0", 400U),
        std::pair("from=1.0.0&to=9.0.0", 404U), std::pair("", 400U)}) {
    EXPECT_EQ(api.Ask({.path = path, .query = query}).status, status) << query;
  }
  Withdraw("1.1.0", "gone between two clicks");
  EXPECT_EQ(OpenTab("/2.0.0/changes/source?from=1.0.0&to=1.1.0").status, 410U);
  EXPECT_EQ(api.Ask({.path = path, .query = "from=1.0.0&to=1.1.0"}).status, 410U);
}

TEST_F(ModulePagesApiTest, TheFormWritesABlockWithoutSecrets) {
  const std::string body = OpenTab("/2.0.0/usage?b=%5B1%2C2%5D&secret=hunter2&zzz=1").body;
  EXPECT_EQ(body.find("id=\"f-secret\""), std::string::npos);
  const std::size_t block = body.find("id=\"use-code\"");
  ASSERT_NE(block, std::string::npos);
  const std::string code = body.substr(block, body.find("</pre>", block) - block);
  EXPECT_NE(code.find("<span class=\"m\">1</span>, <span class=\"m\">2</span>]"), code.npos)
      << code;
  EXPECT_EQ(code.find("hunter2"), code.npos);
  EXPECT_EQ(OpenTab("/2.0.0/usage?b=%5B1").status, 200U) << "what is wrong stands at its field";
}

TEST_F(ModulePagesApiTest, FilesAreShownAndGivenWithoutDoingAnything) {
  EXPECT_NE(OpenTab("/latest/files").body.find("/latest/files/docs\""), std::string::npos);
  EXPECT_NE(OpenTab("/latest/files/docs").body.find("a.md"), std::string::npos);
  EXPECT_NE(OpenTab("/latest/files/docs/evil.html").body.find("&lt;script&gt;"), std::string::npos);
  EXPECT_LT(OpenTab("/latest/files/docs/large.txt").body.size(), 280'000U);
  EXPECT_EQ(OpenTab("/latest/files/docs/data.bin").status, 200U);
  struct Row {
    const char* path;
    const char* type;
  };
  for (const Row& row :
       {Row{"evil.html", "text/plain; charset=utf-8"}, Row{"logo.svg", "image/svg+xml"},
        Row{"a.md", "text/plain; charset=utf-8"}, Row{"data.bin", "application/octet-stream"}}) {
    Reply raw = OpenTab(fmt::format("/latest/files/docs/{}?raw=1", row.path));
    EXPECT_EQ(raw.status, 200U) << row.path;
    EXPECT_EQ(raw.Get("Content-Type"), row.type);
    EXPECT_TRUE(raw.Get("Content-Security-Policy").starts_with("sandbox;")) << row.path;
  }
  for (const char* path : {"nothing.tf", "doc", "docs/a.md/x", "../main.tf", "main.tf?raw=1x&raw",
                           "docs/..%2Fmain.tf"}) {
    const unsigned status = OpenTab(fmt::format("/latest/files/{}", path)).status;
    EXPECT_TRUE(status == 404 || status == 200) << path << status;
  }
  EXPECT_EQ(OpenTab("/latest/files/nothing.tf").status, 404U);
  EXPECT_EQ(OpenTab("/latest/files/docs?raw=1").status, 404U);
  EXPECT_EQ(OpenTab("/latest/submodules/none").status, 404U);
  EXPECT_EQ(OpenTab("/latest/examples/subnets").status, 404U);
}

TEST_F(ModulePagesApiTest, AbsurdParametersHaveACleanAnswer) {
  const std::string long_text(5000, 'x');
  for (const std::string& query :
       {std::string("page=-1"), std::string("page=99999999999999999999"), std::string("page=0"),
        std::string("page=7"), std::string("constraint=~%3E"), "constraint=" + long_text,
        std::string("constraint=%00"), std::string("by=%FF"), std::string("q=%"), "q=" + long_text,
        std::string("sort=%3Cscript%3E"), std::string("lang=xx"), std::string("from=%0A&to=%0D"),
        std::string("raw=%zz"), std::string("=&&&=")}) {
    for (const char* tab : {"/versions", "/inputs", "/changes", "/usage", "/files/main.tf"}) {
      Reply reply = OpenTab(fmt::format("/1.0.0{}?{}", tab, query));
      EXPECT_TRUE(reply.status == 200 || reply.status == 400 || reply.status == 404)
          << tab << "?" << query.substr(0, 40) << " " << reply.status;
      EXPECT_TRUE(reply.body.empty() || reply.body.find("<script>") == std::string::npos);
    }
  }
}

TEST_F(ModulePagesApiTest, HostileNamesAreNowhere) {
  for (const char* address :
       {"acme/vpc/AWS", "acme/vpc/aws%20",
        "\xE2\x80\xAE"
        "acme/vpc/aws",
        "acme/v\xD1\x80"
        "c/aws",
        "acme/vpc/a\xCC\x81ws", "acme/<b>/aws", "-/vpc/aws", "acme/vpc/.json", "acme/vpc/.md"}) {
    Reply reply = Open(fmt::format("/modules/{}", address));
    EXPECT_EQ(reply.status, 404U) << address;
    EXPECT_EQ(reply.body.find("<b>"), std::string::npos) << address;
  }
  EXPECT_EQ(Open("/modules/ACME/VPC/aws").status, 200U) << "letter case does not count";
}

TEST_F(ModulePagesApiTest, DependenciesLeadOnlyWhereTheReaderMayGo) {
  const std::string host(api.Get("/.well-known/terraform.json").status == 200 ? "" : "x");
  EXPECT_EQ(host, "");
  const std::string body = OpenTab("/latest/dependencies").body;
  EXPECT_NE(body.find("href=\"/modules/acme/vpc/aws/latest/submodules/subnets\""),
            std::string::npos);
}

TEST_F(ModulePagesApiTest, DependenciesTellWhatTheMirrorKeepsAndGives) {
  Publish("3.0.0",
          "terraform {\n  required_providers {\n    demo = {\n      source = "
          "\"registry.example.org/acme/demo\"\n      version = \"~> 1.0\"\n    }\n  }\n}\n"
          "module \"net\" {\n  source  = \"registry.example.org/acme/net/aws\"\n}\n"
          "module \"far\" {\n  source  = \"registry.example.net/acme/far/aws\"\n}\n");
  constexpr std::string_view kTab = "/3.0.0/dependencies";
  constexpr std::string_view kProviderLink =
      "href=\"/-/mirror/providers/registry.example.org/acme/demo\"";
  Reply before = OpenTab(kTab);
  EXPECT_TRUE(before.body.contains(">allowed<")) << before.body;
  EXPECT_FALSE(before.body.contains(kProviderLink)) << "nobody has asked for it yet";
  constexpr std::string_view kExplained =
      "href=\"/-/mirror/explain?address=registry.example.org%2Facme%2F";
  EXPECT_TRUE(before.body.contains(std::string(kExplained) + "demo\"")) << before.body;
  EXPECT_TRUE(before.body.contains(std::string(kExplained) + "net%2Faws\"")) << before.body;
  EXPECT_FALSE(before.body.contains("address=registry.example.net")) << "it is not mirrored";
  ASSERT_EQ(api.Get("/mirror/registry.example.org/acme/demo/1.0.0.json").status, 200U);
  ASSERT_EQ(api.Get("/mirror/registry.example.org/acme/demo/1.0.0/"
                    "terraform-provider-demo_1.0.0_linux_amd64.zip")
                .status,
            200U);
  Reply kept = OpenTab(kTab);
  EXPECT_TRUE(kept.body.contains(kProviderLink)) << kept.body;
  EXPECT_TRUE(kept.body.contains("<span class=\"chip ok mono\" translate=\"no\">1.0.0<"))
      << kept.body;
  api.Deny("*/acme/*");
  Reply denied = OpenTab(kTab);
  EXPECT_TRUE(denied.body.contains(">denied<")) << denied.body;
  EXPECT_TRUE(denied.body.contains("href=\"/-/mirror/policy#deny\"")) << denied.body;
  api.access.mirror = Visibility::kInternal;
  api.SettleMirror();
  Reply hidden = OpenTab(kTab);
  EXPECT_EQ(hidden.status, 200U);
  for (const char* verdict : {">denied<", ">allowed<"}) {
    EXPECT_FALSE(hidden.body.contains(verdict)) << "the mirror is not for strangers";
  }
  EXPECT_FALSE(hidden.body.contains(kProviderLink));
  EXPECT_FALSE(hidden.body.contains(kExplained));
}

TEST_F(ModulePagesApiTest, PagesStayAsSmallWithTwoThousandVersions) {
  const std::size_t before = OpenTab("").body.size();
  ModuleVersionRecord record = *RunTask(api.catalog().modules().FindVersion(
      *ModuleAddress::Parse("acme/vpc/aws"), *Version::Parse("1.0.0")));
  for (int i = 1; i <= 2000; ++i) {
    record.version = *Version::Parse(fmt::format("0.{}.{}", i / 50 + 1, i % 50));
    ASSERT_TRUE(RunTask(api.catalog().modules().AddVersion(Actor::Server(), record)));
  }
  api.documents().Invalidate("");
  EXPECT_LT(OpenTab("").body.size(), before + 2000);
  EXPECT_LT(OpenTab("/latest/changes").body.size(), 20'000U);
  const std::string versions = OpenTab("/latest/versions?page=41").body;
  EXPECT_LT(versions.size(), 60'000U);
  EXPECT_NE(versions.find("page=40"), std::string::npos);
  EXPECT_NE(OpenTab("/latest/versions?constraint=~%3E%201.0").body.find("1.1.0"),
            std::string::npos);
}

}  // namespace
}  // namespace koya::api
