// What changed between two versions, as those who ask see it.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "api/common/api_fixture_fake.h"
#include "api/common/module_archive_fake.h"
#include "wire/comparison.h"
#include "wire/modules.h"

namespace koya::api {
namespace {

constexpr const char* kComparedModule = "acme/vpc/aws";
constexpr const char* kComparedPath = "/api/v1/modules/acme/vpc/aws/diff";

std::string ArchiveOf(const std::string& text) { return PackFiles({{"main.tf", text}}); }

class ModuleDiffApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    api.token = api.Token(Scope::kAdmin);
    Publish("1.0.0", "variable \"a\" {}\nvariable \"b\" {\n  default = 1\n}\n");
    Publish("1.1.0", "variable \"b\" {\n  default = 2\n}\n");
    Publish("1.2.0", "variable \"b\" {\n  default = 2\n}\noutput \"o\" {\n  value = 1\n}\n");
  }
  void Publish(const std::string& version, const std::string& text) {
    Reply reply = api.Publish(kComparedModule, version, ArchiveOf(text));
    ASSERT_EQ(reply.status, 201U) << reply.body;
  }
  Reply Diff(std::string query) {
    Question question;
    question.path = kComparedPath;
    question.query = std::move(query);
    return api.Ask(question);
  }

  ApiFixture api;
};

TEST_F(ModuleDiffApiTest, TellsWhatChanged) {
  Reply reply = Diff("from=1.0.0&to=1.1.0");
  ASSERT_EQ(reply.status, 200U) << reply.body;
  auto read = wire::DecodeComparison(reply.body);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->from, "1.0.0");
  EXPECT_EQ(read->to, "1.1.0");
  EXPECT_EQ(read->verdict, "major");
  EXPECT_EQ(read->given, "minor");
  EXPECT_FALSE(read->agrees);
  EXPECT_EQ(read->wanted, "2.0.0");
  ASSERT_EQ(read->changes.size(), 2U);
  const wire::ComparedChange& removed = read->changes.front();
  EXPECT_EQ(removed.section, "inputs");
  EXPECT_EQ(removed.kind, "removed");
  EXPECT_EQ(removed.what, "input \"a\"");
  EXPECT_EQ(removed.where, "main.tf:1");
  EXPECT_EQ(removed.severity, "breaking");
  EXPECT_EQ(read->changes.back().severity, "read");
  EXPECT_EQ(Diff("from=1.1.0&to=1.2.0").body.find("\"agrees\":false"), std::string::npos);
}

TEST_F(ModuleDiffApiTest, IsKeptUntilTheModuleChanges) {
  Reply first = Diff("from=1.0.0&to=1.1.0");
  ASSERT_EQ(first.status, 200U);
  const CacheCounters before = api.documents().Counters();
  // Any spelling of the same versions, in any place of the query.
  for (const char* query : {"from=1.0.0&to=1.1.0", "to=v1.1.0&from=v1.0.0"}) {
    Reply again = Diff(query);
    EXPECT_EQ(again.status, 200U) << query;
    EXPECT_EQ(again.body, first.body) << query;
    EXPECT_EQ(again.etag, first.etag) << query;
  }
  EXPECT_EQ(api.documents().Counters().hits, before.hits + 2);
  EXPECT_NE(Diff("from=1.1.0&to=1.0.0").body, first.body);
  ASSERT_EQ(api.Withdraw(kComparedModule, "1.1.0", "leaks a key").status, 204U);
  Reply gone = Diff("from=1.0.0&to=1.1.0");
  EXPECT_EQ(gone.status, 410U);
  EXPECT_NE(gone.body.find("1.1.0"), std::string::npos) << gone.body;
  EXPECT_NE(gone.body.find("leaks a key"), std::string::npos) << gone.body;
  EXPECT_EQ(Diff("from=1.1.0&to=1.0.0").status, 410U);
  EXPECT_EQ(Diff("from=1.0.0&to=1.2.0").status, 200U);
}

TEST_F(ModuleDiffApiTest, SaysWhatIsWrongWithAQuestion) {
  struct BadDiff {
    std::string_view query;
    unsigned status;
    std::string_view part;
  };
  const BadDiff kRows[] = {
      {"", 400, R"(\"from\" is missing)"},
      {"from=1.0.0", 400, R"(\"to\" is missing)"},
      {"to=1.0.0", 400, R"(\"from\" is missing)"},
      {"from=&to=1.0.0", 400, R"(\"from\" is missing)"},
      {"from=1.0.0&to=latest", 400, R"(\"to\" isn't a version)"},
      {"from=1.0.0&to=%zz", 400, ""},
      {"from=1.0.0&to=9.9.9", 404, "9.9.9"},
      {"from=9.9.9&to=1.0.0", 404, "9.9.9"},
  };
  for (const BadDiff& each : kRows) {
    Reply reply = Diff(std::string(each.query));
    EXPECT_EQ(reply.status, each.status) << each.query << reply.body;
    EXPECT_NE(reply.body.find(each.part), std::string::npos) << reply.body;
  }
  Question unknown;
  unknown.path = "/api/v1/modules/acme/none/aws/diff";
  unknown.query = "from=1.0.0&to=1.1.0";
  EXPECT_EQ(api.Ask(unknown).status, 404U);
}

TEST_F(ModuleDiffApiTest, OfAPrivateModuleIsForItsReaders) {
  ASSERT_EQ(Diff("from=1.0.0&to=1.1.0").status, 200U);
  Question hide;
  hide.method = http::Method::kPut;
  hide.path = "/api/v1/namespaces/acme";
  hide.body = R"({"visibility":"private"})";
  ASSERT_EQ(api.Ask(hide).status, 200U);
  Reply reader = Diff("from=1.0.0&to=1.1.0");
  EXPECT_EQ(reader.status, 200U);
  EXPECT_NE(reader.Get("Cache-Control").find("private"), std::string::npos)
      << reader.Get("Cache-Control");
  api.token.clear();
  EXPECT_EQ(Diff("from=1.0.0&to=1.1.0").status, 404U);
}

TEST_F(ModuleDiffApiTest, IsNoVersion) {
  // "diff" is no version: publishing one, which the route would hide, is impossible.
  EXPECT_EQ(api.Publish(kComparedModule, "diff", ArchiveOf("")).status, 400U);
}

}  // namespace
}  // namespace koya::api
