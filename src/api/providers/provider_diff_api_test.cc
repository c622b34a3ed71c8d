// What changed between two versions of a provider, as those who ask see it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "api/common/api_fixture_fake.h"
#include "archive/archive_builder_fake.h"
#include "wire/comparison.h"
#include "wire/provider_publishing.h"

namespace koya::api {
namespace {

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
    auto draft = wire::DecodeDraft(Send(http::Method::kPost, drafts, "").body);
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
  auto read = wire::DecodeComparison(reply.body);
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
  auto would = wire::DecodePublishedProvider(checked.body);
  ASSERT_TRUE(would) << would.error().message;
  EXPECT_TRUE(would->dry_run);
  ASSERT_TRUE(would->comparison);
  EXPECT_EQ(would->semver, "warn");
  EXPECT_EQ(would->comparison->from, "1.1.0");
  EXPECT_EQ(would->comparison->wanted, "1.2.0");
  EXPECT_EQ(Diff("from=1.1.0&to=1.1.1").status, 404U) << "nothing was published";

  Reply done = Finish("commit", "1.1.1", {"linux_amd64", "linux_arm64"});
  ASSERT_EQ(done.status, 201U) << done.body;
  auto published = wire::DecodePublishedProvider(done.body);
  ASSERT_TRUE(published) << published.error().message;
  EXPECT_FALSE(published->dry_run);
  EXPECT_EQ(published->comparison, would->comparison);
  Reply again = Finish("commit", "1.1.1", {"linux_amd64", "linux_arm64"});
  ASSERT_EQ(again.status, 200U) << again.body;
  EXPECT_FALSE(wire::DecodePublishedProvider(again.body)->comparison);

  Reply nothing = Finish("check", "1.2.0", {});
  EXPECT_EQ(nothing.status, 422U) << nothing.body;
  EXPECT_EQ(
      Send(http::Method::kPost, "/api/v1/providers/acme/demo/1.2.0/drafts/none/check", "").status,
      404U);
}

}  // namespace
}  // namespace koya::api
