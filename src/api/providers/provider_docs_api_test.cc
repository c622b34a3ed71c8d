// Docs and schemas of providers, from the upload to the reader.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "archive/archive_builder_fake.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "domain/actor.h"
#include "wire/comparison.h"
#include "wire/provider_docs.h"
#include "wire/provider_publishing.h"

namespace koya::api {
namespace {

using http::Method;

constexpr const char* kSchemaText =
    R"({"format_version":"1.0","provider_schemas":{"registry.example.com/acme/demo":{)"
    R"("provider":{"version":0,"block":{"attributes":{"region":{"type":"string","optional":true}}}},)"
    R"("resource_schemas":{"demo_thing":{"version":1,"block":{"attributes":{)"
    R"("id":{"type":"string","computed":true},)"
    R"("tags":{"type":["map","string"],"optional":true,"sensitive":true}}}}},)"
    R"("functions":{"upper":{"return_type":"string","parameters":[{"name":"in","type":"string"}]}}}}})";

class ProviderDocsApiTest : public ::testing::Test {
 protected:
  void SetUp() override { api.token = api.Token(Scope::kAdmin); }

  static std::string Docs() {
    return Zip({{.name = "docs/index.md",
                 .content = "---\ndescription: Clouds\n---\n# Demo\n[thing](resources/thing.md) "
                            "[gone](resources/gone.md)\n"},
                {.name = "docs/resources/thing.md",
                 .content = "---\npage_title: demo_thing\nsubcategory: Things\n---\n# Thing\n"
                            "<a name=\"x\"></a><script>alert(1)</script>[up](#thing)\n"},
                {.name = "docs/functions/upper.md", .content = "# upper\n"},
                {.name = "docs/cdktf/python/resources/thing.md", .content = "# In Python\n"}});
  }
  using Files = std::vector<std::pair<std::string, std::string>>;
  Reply Publish(const std::string& version, const Files& files) {
    const std::string drafts = fmt::format("/api/v1/providers/acme/demo/{}/drafts", version);
    auto draft = wire::Decode<wire::Draft>(Send(Method::kPost, drafts).body);
    EXPECT_TRUE(draft);
    Files all = files;
    all.emplace_back("linux_amd64.zip",
                     Zip({{.name = "terraform-provider-demo_v1.0.0", .content = version}}));
    for (const auto& [ending, content] : all) {
      Reply reply = Send(Method::kPut,
                         fmt::format("{}/{}/files/terraform-provider-demo_{}_{}", drafts, draft->id,
                                     version, ending),
                         content);
      EXPECT_EQ(reply.status, 200U) << ending << ": " << reply.body;
    }
    return Send(Method::kPost, fmt::format("{}/{}/commit", drafts, draft->id), R"({"sign":true})");
  }
  Reply Send(Method method, const std::string& path, std::string body = "") {
    Question question;
    question.method = method;
    question.path = path;
    question.body = std::move(body);
    return api.Ask(question);
  }
  Reply Get(const std::string& rest, const std::string& version = "1.0.0") {
    Question question;
    const std::size_t cut = std::min(rest.find('?'), rest.size());
    question.path = fmt::format("/api/v1/providers/acme/demo/{}{}", version, rest.substr(0, cut));
    if (cut < rest.size()) question.query = rest.substr(cut + 1);
    return api.Ask(question);
  }

  ApiFixture api;
};

TEST_F(ProviderDocsApiTest, ReadsWhatWasPublished) {
  Reply published = Publish("1.0.0", {{"docs.zip", Docs()}, {"schema.json.gz", Gzip(kSchemaText)}});
  ASSERT_EQ(published.status, 201U) << published.body;
  EXPECT_TRUE(published.body.contains(R"("warnings":[])")) << published.body;
  auto list = wire::Decode<wire::DocList>(Get("/docs").body);
  ASSERT_TRUE(list) << Get("/docs").body;
  EXPECT_TRUE(list->is_signed) << "the server's own SHA256SUMS lists them";
  ASSERT_EQ(list->docs.size(), 4U);
  EXPECT_EQ(list->docs[0].kind, "functions");
  EXPECT_EQ(list->docs[1].kind, "overview");
  EXPECT_EQ(list->docs[1].description, "Clouds");
  EXPECT_EQ(list->docs[2].subcategory, "Things");
  EXPECT_EQ(list->docs[2].language, "hcl");
  EXPECT_EQ(list->docs[3].language, "python");

  Reply overview = Get("/docs/overview/index");
  EXPECT_EQ(overview.status, 200U);
  EXPECT_TRUE(overview.body.contains(R"(href=\"/providers/acme/demo/1.0.0/docs/resources/thing\")"))
      << overview.body;
  EXPECT_FALSE(overview.body.contains("gone.md")) << overview.body;
  EXPECT_TRUE(overview.body.contains(R"("schema":{"kind":"provider")")) << overview.body;

  Reply thing = Get("/docs/resources/thing");
  EXPECT_TRUE(thing.body.contains(R"("title":"demo_thing")")) << thing.body;
  EXPECT_FALSE(thing.body.contains("<script")) << thing.body;
  EXPECT_TRUE(thing.body.contains("user-x")) << thing.body;
  EXPECT_TRUE(thing.body.contains("map(string)")) << thing.body;
  EXPECT_TRUE(Get("/docs/functions/upper").body.contains(R"("returns":"string")"));
  EXPECT_TRUE(Get("/docs/resources/thing?language=python").body.contains("In Python"));
  EXPECT_FALSE(Get("/docs/resources/thing").body.contains("In Python")) << "not the other's";
  EXPECT_TRUE(Get("/docs/resources/thing?language=hcl").body.contains("demo_thing"));

  EXPECT_EQ(Get("/schema").body,
            R"({"schema":[{"kind":"function","name":"upper","deprecated":false},)"
            R"({"kind":"provider","name":"","deprecated":false},)"
            R"({"kind":"resource","name":"demo_thing","deprecated":false}]})");
  EXPECT_TRUE(Get("/schema/resource/demo_thing").body.contains(R"("name":"tags")"));
  EXPECT_TRUE(Get("/schema/provider/demo").body.contains("region"));
  auto inside = wire::Decode<wire::ProviderInside>(Get("").body);
  ASSERT_TRUE(inside) << Get("").body;
  EXPECT_EQ(inside->docs.pages.size(), 3U);
  EXPECT_EQ(inside->docs.languages, std::vector<std::string>{"python"});
  EXPECT_EQ(inside->schema.items.size(), 3U);
}

TEST_F(ProviderDocsApiTest, WhatIsMissingIsSaid) {
  ASSERT_EQ(Publish("1.0.0", {}).status, 201U);
  ASSERT_EQ(Publish("1.1.0", {{"docs.zip", Docs()}}).status, 201U);
  ASSERT_EQ(Publish("1.2.0", {{"schema.json", kSchemaText}}).status, 201U);
  struct Row {
    const char* version;
    const char* rest;
    unsigned status;
    const char* words;
  };
  const Row kRows[] = {
      {"1.0.0", "", 200, R"("docs":null,"schema":null)"},
      {"1.0.0", "/docs", 404, "published without docs"},
      {"1.0.0", "/docs/resources/thing", 404, "published without docs"},
      {"1.0.0", "/schema", 404, "published without a schema"},
      {"1.0.0", "/schema/resource/demo_thing", 404, "published without a schema"},
      {"1.1.0", "/docs/resources/thing", 200, R"("schema":null)"},
      {"1.1.0", "/docs/resources/none", 404, "has no page resources/none"},
      {"1.1.0", "/docs/nonsense/thing", 404, "has no page nonsense/thing"},
      {"1.1.0", "/docs/resources/thing?language=cobol", 404, "in the language cobol"},
      {"1.1.0", "/docs/resources/thing?language=%zz", 400, "language"},
      {"1.2.0", "/schema/resource/none", 404, "has no resource"},
      {"1.2.0", "/schema", 200, "demo_thing"},
      {"9.9.9", "", 404, "no version 9.9.9"},
      {"9.9.9", "/docs", 404, "no version 9.9.9"},
  };
  for (const Row& row : kRows) {
    Reply reply = Get(row.rest, row.version);
    EXPECT_EQ(reply.status, row.status) << row.version << row.rest << "\n" << reply.body;
    EXPECT_TRUE(reply.body.contains(row.words)) << row.version << row.rest << "\n" << reply.body;
  }
}

TEST_F(ProviderDocsApiTest, OddDocsArePublishedWithWarnings) {
  Reply reply = Publish(
      "1.0.0",
      {{"docs.zip", Zip({{.name = "docs/index.md", .content = "---\ndescription: [a\n---\n# A"}})},
       {"schema.json", "{\"no\": 1}"}});
  ASSERT_EQ(reply.status, 201U) << reply.body;
  auto published = wire::Decode<wire::PublishedProvider>(reply.body);
  ASSERT_TRUE(published);
  ASSERT_EQ(published->warnings.size(), 2U) << reply.body;
  EXPECT_EQ(published->warnings[0].file, "docs/index.md");
  EXPECT_EQ(published->warnings[0].line, 2U);
  EXPECT_EQ(published->warnings[1].file, "terraform-provider-demo_1.0.0_schema.json");
  EXPECT_EQ(wire::Decode<wire::ProviderInside>(Get("").body)->warnings, published->warnings);
}

TEST_F(ProviderDocsApiTest, UnsafeNamesAreRefused) {
  Reply reply = Publish("1.0.0", {{"docs.zip", Zip({{.name = "../x.md", .content = "# A"}})},
                                  {"schema.json", kSchemaText},
                                  {"schema.json.gz", Gzip(kSchemaText)}});
  EXPECT_EQ(reply.status, 422U);
  EXPECT_TRUE(reply.body.contains("../x.md")) << reply.body;
  EXPECT_TRUE(reply.body.contains("leave one of them out")) << reply.body;
}

TEST_F(ProviderDocsApiTest, WhatIsPrivateStaysSo) {
  ASSERT_EQ(Publish("1.0.0", {{"docs.zip", Docs()}, {"schema.json", kSchemaText}}).status, 201U);
  const std::vector<std::string> paths = {"", "/docs", "/docs/resources/thing", "/schema",
                                          "/schema/resource/demo_thing"};
  for (const std::string& path : paths) EXPECT_EQ(Get(path).status, 200U) << path;
  ASSERT_TRUE(RunTask(
      api.catalog().namespaces().SetVisibility(Actor::Server(), "acme", Visibility::kPrivate)));
  for (const std::string& path : paths) EXPECT_EQ(Get(path).status, 200U) << path;
  api.token.clear();
  for (const std::string& path : paths) {
    Reply reply = Get(path);
    EXPECT_TRUE(reply.status == 404 || reply.status == 401) << path << ": " << reply.status;
    EXPECT_FALSE(reply.body.contains("demo_thing")) << path;
  }
}

TEST_F(ProviderDocsApiTest, PagesAreFoundFromThePublishOnAndAfterIndexingAnew) {
  ASSERT_EQ(Publish("1.0.0", {{"docs.zip", Docs()}}).status, 201U);
  auto find = [this] {
    Question question;
    question.path = "/api/v1/search";
    question.query = "q=Clouds";
    return api.Ask(question).body;
  };
  const std::string found = find();
  EXPECT_TRUE(found.contains("overview/index")) << found;
  Reply anew = Send(Method::kPost, "/api/v1/reindex", "{}");
  EXPECT_EQ(anew.status, 200U) << anew.body;
  EXPECT_EQ(find(), found);
}

TEST_F(ProviderDocsApiTest, AWithdrawnVersionHasNone) {
  ASSERT_EQ(Publish("1.0.0", {{"docs.zip", Docs()}}).status, 201U);
  EXPECT_EQ(Get("/docs").status, 200U);
  ASSERT_EQ(
      Send(Method::kDelete, "/api/v1/providers/acme/demo/1.0.0", R"({"reason":"bad"})").status,
      204U);
  EXPECT_EQ(Get("/docs").status, 410U);
  EXPECT_EQ(Get("/docs/resources/thing").status, 410U);
}

// ---- what changed between two versions of a provider, as those who ask see it.

class ProviderDiffApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    api.token = api.Token(Scope::kAdmin);
    Publish("1.0.0", {"linux_amd64", "windows_386"});
    Publish("1.1.0", {"linux_amd64"});
  }
  void Publish(const std::string& version, const std::vector<std::string>& platforms) {
    Reply done = Finish("commit", version, platforms);
    ASSERT_EQ(done.status, 201U) << done.body;
  }
  Reply Finish(std::string_view how, const std::string& version,
               const std::vector<std::string>& platforms) {
    const std::string drafts = fmt::format("/api/v1/providers/acme/demo/{}/drafts", version);
    auto draft = wire::Decode<wire::Draft>(Send(http::Method::kPost, drafts, "").body);
    if (!draft) return {};
    for (const std::string& platform : platforms) {
      Reply reply = Send(http::Method::kPut,
                         fmt::format("{}/{}/files/terraform-provider-demo_{}_{}.zip", drafts,
                                     draft->id, version, platform),
                         Zip({{.name = "terraform-provider-demo_v1.0.0", .content = version}}));
      EXPECT_EQ(reply.status, 200U) << reply.body;
    }
    return Send(http::Method::kPost, fmt::format("{}/{}/{}", drafts, draft->id, how),
                R"({"sign":true})");
  }
  Reply Send(http::Method method, const std::string& path, std::string body) {
    Question question;
    question.method = method;
    question.path = path;
    question.body = std::move(body);
    return api.Ask(question);
  }
  Reply Diff(std::string query, std::string path = "/api/v1/providers/acme/demo/diff") {
    Question question;
    question.path = std::move(path);
    question.query = std::move(query);
    return api.Ask(question);
  }

  ApiFixture api;
};

TEST_F(ProviderDiffApiTest, TellsWhatChangedAndKeepsIt) {
  Reply reply = Diff("from=1.0.0&to=1.1.0");
  ASSERT_EQ(reply.status, 200U) << reply.body;
  auto read = wire::Decode<wire::Comparison>(reply.body);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->verdict, "major");
  EXPECT_FALSE(read->agrees);
  EXPECT_EQ(read->wanted, "2.0.0");
  ASSERT_EQ(read->changes.size(), 2U) << reply.body;
  EXPECT_EQ(read->changes.front().section, "platforms");
  EXPECT_EQ(read->changes.front().what, "platform windows_386");
  EXPECT_EQ(read->changes.front().where, "");
  EXPECT_EQ(read->changes.back().section, "schema");
  EXPECT_EQ(read->changes.back().severity, "read");
  const CacheCounters before = api.documents().Counters();
  EXPECT_EQ(Diff("to=v1.1.0&from=v1.0.0").body, reply.body);
  EXPECT_EQ(api.documents().Counters().hits, before.hits + 1);
}

TEST_F(ProviderDiffApiTest, SaysWhatIsWrongWithAQuestion) {
  struct BadProviderDiff {
    std::string_view query;
    unsigned status;
    std::string_view part;
  };
  const BadProviderDiff kRows[] = {
      {"", 400, R"(\"from\" is missing)"},
      {"from=1.0.0&to=latest", 400, R"(\"to\" isn't a version)"},
      {"from=1.0.0&to=9.9.9", 404, "9.9.9"},
      {"from=9.9.9&to=1.0.0", 404, "9.9.9"},
  };
  for (const BadProviderDiff& each : kRows) {
    Reply reply = Diff(std::string(each.query));
    EXPECT_EQ(reply.status, each.status) << each.query << reply.body;
    EXPECT_NE(reply.body.find(each.part), std::string::npos) << reply.body;
  }
  EXPECT_EQ(Diff("from=1.0.0&to=1.1.0", "/api/v1/providers/acme/none/diff").status, 404U);
}

TEST_F(ProviderDiffApiTest, ACommitAndItsDryRunTellTheVerdict) {
  Reply checked = Finish("check", "1.1.1", {"linux_amd64", "linux_arm64"});
  ASSERT_EQ(checked.status, 200U) << checked.body;
  auto would = wire::Decode<wire::PublishedProvider>(checked.body);
  ASSERT_TRUE(would) << would.error().message;
  EXPECT_TRUE(would->dry_run);
  ASSERT_TRUE(would->comparison);
  EXPECT_EQ(would->semver, "warn");
  EXPECT_EQ(would->comparison->from, "1.1.0");
  EXPECT_EQ(would->comparison->wanted, "1.2.0");
  EXPECT_EQ(Diff("from=1.1.0&to=1.1.1").status, 404U) << "nothing was published";

  Reply done = Finish("commit", "1.1.1", {"linux_amd64", "linux_arm64"});
  ASSERT_EQ(done.status, 201U) << done.body;
  auto published = wire::Decode<wire::PublishedProvider>(done.body);
  ASSERT_TRUE(published) << published.error().message;
  EXPECT_FALSE(published->dry_run);
  EXPECT_EQ(published->comparison, would->comparison);
  Reply again = Finish("commit", "1.1.1", {"linux_amd64", "linux_arm64"});
  ASSERT_EQ(again.status, 200U) << again.body;
  EXPECT_FALSE(wire::Decode<wire::PublishedProvider>(again.body)->comparison);

  Reply nothing = Finish("check", "1.2.0", {});
  EXPECT_EQ(nothing.status, 422U) << nothing.body;
  EXPECT_EQ(
      Send(http::Method::kPost, "/api/v1/providers/acme/demo/1.2.0/drafts/none/check", "").status,
      404U);
}

}  // namespace

}  // namespace koya::api
