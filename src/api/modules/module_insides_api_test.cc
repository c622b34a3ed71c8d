// Contents of modules, over HTTP: the analysis at publish, and its results.
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/common/api_fixture_fake.h"
#include "base/run_task.h"
#include "catalog/contents_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/search_index.h"
#include "domain/actor.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/search_record.h"
#include "domain/version.h"
#include "inspect/contents.h"
#include "wire/comparison.h"
#include "wire/modules.h"
#include "wire/provider_docs.h"
#include "wire/readings.h"

namespace koya::api {
namespace {

constexpr const char* kReadModule = "acme/vpc/aws";

class ModuleInsidesApiTest : public ::testing::Test {
 protected:
  void SetUp() override { api.token = api.Token(Scope::kAdmin); }

  Reply Publish(const std::string& version, const std::map<std::string, std::string>& files,
                const std::string& query = "") {
    Question question;
    question.method = http::Method::kPut;
    question.path = std::string("/api/v1/modules/") + kReadModule + "/" + version;
    question.query = query;
    question.body = PackFiles(files);
    return api.Ask(question);
  }
  wire::PublishedModule Published(const Reply& reply) {
    auto document = wire::Decode<wire::PublishedModule>(reply.body);
    EXPECT_TRUE(document) << reply.body;
    return document.value_or(wire::PublishedModule{});
  }
  boost::json::object Inside(const std::string& version) {
    Reply reply = api.Get(std::string("/api/v1/modules/") + kReadModule + "/" + version);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    boost::system::error_code failed;
    boost::json::value value = boost::json::parse(reply.body, failed);
    return value.is_object() ? value.get_object() : boost::json::object();
  }
  std::size_t StoredBlobs() {
    auto blobs = RunTask(api.blobs().List(std::nullopt, 100));
    EXPECT_TRUE(blobs);
    return blobs ? blobs->size() : 0;
  }
  void SetRule(const std::string& rule) {
    Question question;
    question.method = http::Method::kPut;
    question.path = "/api/v1/namespaces/acme";
    question.body = R"({"semver":")" + rule + R"("})";
    EXPECT_LT(api.Ask(question).status, 300U);
  }

  ApiFixture api;
};

TEST_F(ModuleInsidesApiTest, TellWhatWasReadAtPublish) {
  Reply reply = Publish("1.0.0", {{"main.tf", "variable \"cidr\" {\n  type = string\n}\n"},
                                  {"modules/sub/main.tf", "output \"id\" {\n  value = 1\n}\n"},
                                  {"broken.tf", "variable \"x\" {\n"}});
  ASSERT_EQ(reply.status, 201U) << reply.body;
  wire::PublishedModule published = Published(reply);
  ASSERT_FALSE(published.warnings.empty()) << "what cannot be read refuses nothing";
  EXPECT_EQ(published.warnings.front().file, "broken.tf");
  EXPECT_GT(published.warnings.front().line, 0U);
  EXPECT_FALSE(published.comparison) << "there was no version before";

  boost::json::object inside = Inside("1.0.0");
  EXPECT_EQ(inside["reader"].to_number<std::uint64_t>(), inspect::kReaderVersion);
  const boost::json::array& inputs = inside["root"].at("inputs").as_array();
  EXPECT_EQ(inputs.at(0).at("name").as_string(), "cidr");
  EXPECT_EQ(inputs.at(0).at("file").as_string(), "main.tf");
  EXPECT_EQ(inside["submodules"].at(0).at("path").as_string(), "modules/sub");
  EXPECT_EQ(inside["warnings"].at(0).at("file").as_string(), "broken.tf");
}

TEST_F(ModuleInsidesApiTest, WhatAnEarlierProgramPublishedIsReadWhenItIsAskedFor) {
  ASSERT_EQ(Publish("1.0.0", {{"main.tf", "variable \"a\" {}\n"}}).status, 201U);
  auto address = *ModuleAddress::Parse(kReadModule);
  auto record = RunTask(api.catalog().modules().FindVersion(address, *Version::Parse("1.0.0")));
  ASSERT_TRUE(record);
  ModuleVersionRecord older = *record;
  older.version = *Version::Parse("0.9.0");
  ASSERT_TRUE(RunTask(api.catalog().modules().AddVersion(Actor::Server(), older)));
  const ModuleSubject subject{.host = "", .address = address, .version = older.version};
  EXPECT_FALSE(RunTask(api.catalog().contents().FindContents(subject)));
  EXPECT_EQ(Inside("0.9.0")["root"].at("inputs").at(0).at("name").as_string(), "a");
  EXPECT_TRUE(RunTask(api.catalog().contents().FindContents(subject))) << "and kept then";
  older.version = *Version::Parse("0.8.0");
  older.digest = Digest::Of("of bytes that are gone");
  ASSERT_TRUE(RunTask(api.catalog().modules().AddVersion(Actor::Server(), older)));
  Reply lost = api.Get("/api/v1/modules/acme/vpc/aws/0.8.0");
  EXPECT_EQ(lost.status, 500U) << lost.body;
}

TEST_F(ModuleInsidesApiTest, WhatNobodyReadIsReadAtOnce) {
  ASSERT_EQ(Publish("1.0.0", {{"main.tf", "variable \"a\" {}\n"}}).status, 201U);
  auto address = *ModuleAddress::Parse(kReadModule);
  auto record = RunTask(api.catalog().modules().FindVersion(address, *Version::Parse("1.0.0")));
  ASSERT_TRUE(record);
  ModuleVersionRecord older = *record;
  older.version = *Version::Parse("0.9.0");
  ASSERT_TRUE(RunTask(api.catalog().modules().AddVersion(Actor::Server(), older)));
  older.version = *Version::Parse("0.8.0");
  older.digest = Digest::Of("of bytes that are gone");
  ASSERT_TRUE(RunTask(api.catalog().modules().AddVersion(Actor::Server(), older)));
  Question question;
  question.method = http::Method::kPost;
  question.path = "/api/v1/inspect";
  Reply reply = api.Ask(question);
  ASSERT_EQ(reply.status, 200U) << reply.body;
  auto report = wire::Decode<wire::ReadingReport>(reply.body);
  ASSERT_TRUE(report) << reply.body;
  EXPECT_EQ(report->next, "");
  EXPECT_EQ(report->read, 1U);
  EXPECT_EQ(report->left, 1U);
  ASSERT_EQ(report->problems.size(), 1U);
  EXPECT_EQ(report->problems[0].address, kReadModule);
  EXPECT_EQ(report->problems[0].version, "0.8.0");
  const ModuleSubject subject{.host = "", .address = address, .version = *Version::Parse("0.9.0")};
  EXPECT_TRUE(RunTask(api.catalog().contents().FindContents(subject)));
  auto lacks =
      RunTask(api.catalog().search_index().ListUnindexed(SearchKind::kModule, std::nullopt));
  ASSERT_TRUE(lacks);
  EXPECT_EQ(lacks->size(), 1U) << "what was read is in the index, too";
  question.body = R"({"after":"elsewhere"})";
  EXPECT_EQ(api.Ask(question).status, 400U);
}

TEST_F(ModuleInsidesApiTest, ReadmesAreSafeHtml) {
  ASSERT_EQ(
      Publish("1.0.0", {{"main.tf", "\n"},
                        {"README.md", "# VPC\n\n<script>alert(1)</script>\n\n[a](javascript:b)\n"}})
          .status,
      201U);
  Reply reply = api.Get("/api/v1/modules/acme/vpc/aws/1.0.0/readme");
  ASSERT_EQ(reply.status, 200U) << reply.body;
  auto readme = wire::Decode<wire::Readme>(reply.body);
  ASSERT_TRUE(readme);
  EXPECT_EQ(readme->file, "README.md");
  EXPECT_EQ(readme->lang, "en");
  EXPECT_FALSE(readme->truncated);
  EXPECT_TRUE(readme->html.contains("<h2")) << readme->html;
  ASSERT_EQ(readme->contents.size(), 1U);
  EXPECT_EQ(readme->contents[0], (wire::ReadmeHeading{2, "user-vpc", "VPC"}));
  EXPECT_FALSE(readme->html.contains("<script")) << readme->html;
  EXPECT_FALSE(readme->html.contains("javascript:")) << readme->html;
  ASSERT_EQ(Publish("1.1.0", {{"main.tf", "\n"}}).status, 201U);
  Reply none = api.Get("/api/v1/modules/acme/vpc/aws/1.1.0/readme");
  EXPECT_EQ(none.status, 404U);
  EXPECT_TRUE(none.body.contains("README.md")) << none.body;
  ASSERT_EQ(Publish("1.2.0", {{"main.tf", "\n"}, {"README.md", std::string(600'000, 'x')}}).status,
            201U);
  auto long_one =
      wire::Decode<wire::Readme>(api.Get("/api/v1/modules/acme/vpc/aws/1.2.0/readme").body);
  ASSERT_TRUE(long_one);
  EXPECT_TRUE(long_one->truncated);
}

TEST_F(ModuleInsidesApiTest, TheWiderApiTellsWhatEditorsComplete) {
  ASSERT_EQ(Publish("1.0.0", {{"main.tf", "variable \"a\" {\n  default = 1\n}\n"}}).status, 201U);
  ASSERT_EQ(api.Publish("acme/vpc/google", "1.0.0", ModuleArchive()).status, 201U);
  for (const char* path : {"/v1/modules/acme/vpc/aws", "/v1/modules/acme/vpc/aws/1.0.0"}) {
    Reply reply = api.Get(path);
    ASSERT_EQ(reply.status, 200U);
    const boost::json::value document = boost::json::parse(reply.body);
    EXPECT_EQ(document.at("id").as_string(), "acme/vpc/aws/1.0.0");
    EXPECT_EQ(boost::json::serialize(document.at("providers")), R"(["aws","google"])");
    EXPECT_EQ(boost::json::serialize(document.at("root").at("inputs")),
              R"([{"name":"a","type":"any","description":"","default":"1","required":false}])");
    EXPECT_TRUE(document.at("submodules").as_array().empty());
    EXPECT_TRUE(wire::Decode<wire::ModuleDetails>(reply.body)) << "as it was";
  }
}

TEST_F(ModuleInsidesApiTest, AnotherSystemShowsInTheKeptDocumentsOfAModuleAtOnce) {
  ASSERT_EQ(Publish("1.0.0", {{"main.tf", "\n"}}).status, 201U);
  const auto systems = [this](const char* path) {
    const boost::json::value document = boost::json::parse(api.Get(path).body);
    return boost::json::serialize(document.at("providers"));
  };
  for (const char* path : {"/v1/modules/acme/vpc/aws", "/v1/modules/acme/vpc/aws/1.0.0"}) {
    EXPECT_EQ(systems(path), R"(["aws"])") << "and is kept";
  }
  ASSERT_EQ(api.Publish("acme/vpc/google", "1.0.0", ModuleArchive()).status, 201U);
  for (const char* path : {"/v1/modules/acme/vpc/aws", "/v1/modules/acme/vpc/aws/1.0.0"}) {
    EXPECT_EQ(systems(path), R"(["aws","google"])");
  }
}

TEST_F(ModuleInsidesApiTest, PublishersAreToldWhenTheNumberDoesNotSayWhatChanged) {
  ASSERT_EQ(Publish("1.0.0", {{"main.tf", "variable \"a\" {}\nvariable \"b\" {}\n"}}).status, 201U);
  Reply reply = Publish("1.0.1", {{"main.tf", "variable \"b\" {}\n"}});
  ASSERT_EQ(reply.status, 201U) << "the rule is to warn";
  wire::PublishedModule published = Published(reply);
  ASSERT_TRUE(published.comparison);
  EXPECT_EQ(published.semver, "warn");
  EXPECT_EQ(published.comparison->from, "1.0.0");
  EXPECT_EQ(published.comparison->verdict, "major");
  EXPECT_EQ(published.comparison->given, "patch");
  EXPECT_FALSE(published.comparison->agrees);
  EXPECT_EQ(published.comparison->wanted, "2.0.0");
  ASSERT_EQ(published.comparison->changes.size(), 1U);
  EXPECT_EQ(published.comparison->changes[0].severity, "breaking");
  EXPECT_EQ(published.comparison->changes[0].where, "main.tf:1");
}

TEST_F(ModuleInsidesApiTest, ANamespaceMayRefuseSuchVersions) {
  ASSERT_EQ(Publish("1.0.0", {{"main.tf", "variable \"a\" {}\n"}}).status, 201U);
  SetRule("refuse");
  const std::map<std::string, std::string> without = {{"main.tf", "\n"}};
  const std::size_t stored = StoredBlobs();
  Reply refused = Publish("1.1.0", without);
  EXPECT_EQ(refused.status, 422U);
  EXPECT_EQ(StoredBlobs(), stored) << "what is refused does not stay behind";
  for (const char* words : {"1.1.0", "2.0.0", "input \\\"a\\\"", "main.tf:1", "--semver warn"}) {
    EXPECT_TRUE(refused.body.contains(words)) << words << "\n" << refused.body;
  }
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws/1.1.0/download").status, 404U);
  Reply dry = Publish("1.1.0", without, "dry_run=true");
  EXPECT_EQ(dry.status, 200U);
  EXPECT_TRUE(Published(dry).dry_run);
  EXPECT_TRUE(Published(dry).refusal.contains("2.0.0")) << dry.body;
  EXPECT_EQ(Publish("2.0.0", without).status, 201U);
  SetRule("off");
  Reply unjudged = Publish("2.0.1", {{"main.tf", "variable \"c\" {}\n"}});
  EXPECT_EQ(unjudged.status, 201U);
  EXPECT_FALSE(Published(unjudged).comparison);
  SetRule("default");
  EXPECT_TRUE(Published(Publish("2.0.2", without)).comparison);
}

TEST_F(ModuleInsidesApiTest, ANamespaceMayRefuseOnlyWhatBreaksCallers) {
  const std::string one = "variable \"a\" {}\n";
  ASSERT_EQ(Publish("1.0.0", {{"main.tf", one}}).status, 201U);
  SetRule("refuse-breaking");
  // Too small a number, but nothing breaks.
  Reply more = Publish("1.0.1", {{"main.tf", one + "variable \"b\" {\n  default = 1\n}\n"}});
  EXPECT_EQ(more.status, 201U) << more.body;
  EXPECT_FALSE(Published(more).comparison->agrees);
  EXPECT_EQ(Published(more).semver, "refuse-breaking");
  const std::size_t stored = StoredBlobs();
  Reply refused = Publish("1.1.0", {{"main.tf", "\n"}});
  EXPECT_EQ(refused.status, 422U) << refused.body;
  EXPECT_TRUE(refused.body.contains("2.0.0")) << refused.body;
  EXPECT_EQ(StoredBlobs(), stored);
  EXPECT_TRUE(
      Published(Publish("1.1.0", {{"main.tf", "\n"}}, "dry_run=true")).refusal.contains("2.0.0"));
  EXPECT_EQ(Publish("2.0.0", {{"main.tf", "\n"}}).status, 201U);
}

// An unreadable file is no way around the rule.
TEST_F(ModuleInsidesApiTest, ABrokenFileLetsNoRemovalThrough) {
  ASSERT_EQ(Publish("1.0.0", {{"main.tf", "variable \"a\" {}\nvariable \"b\" {}\n"}}).status, 201U);
  SetRule("refuse");
  Reply refused = Publish("1.0.1", {{"main.tf", "variable \"b\" {}\n"}, {"broken.tf", "x = [\n"}});
  EXPECT_EQ(refused.status, 422U) << refused.body;
  EXPECT_TRUE(refused.body.contains("input \\\"a\\\"")) << refused.body;
  // What cannot be read and stands there refuses nothing.
  Reply taken = Publish("1.0.1", {{"main.tf", "variable \"b\" {}\n"},
                                  {"broken.tf", "variable \"a\" {\n  default = [\n}\n"}});
  EXPECT_EQ(taken.status, 201U) << taken.body;
  EXPECT_FALSE(Published(taken).warnings.empty());
}

TEST_F(ModuleInsidesApiTest, ADryRunKeepsNothing) {
  const std::map<std::string, std::string> files = {{"main.tf", "variable \"a\" {}\n"}};
  Reply dry = Publish("1.0.0", files, "dry_run=true");
  EXPECT_EQ(dry.status, 200U) << dry.body;
  EXPECT_EQ(StoredBlobs(), 0U);
  EXPECT_EQ(Published(dry).refusal, "");
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws/versions").status, 404U);
  EXPECT_EQ(Publish("1.0.0", files, "dry_run=yes").status, 400U);
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws/versions").status, 404U);
  EXPECT_EQ(Publish("1.0.0", files, "dry_run=false").status, 201U);
  EXPECT_EQ(Publish("1.0.0", files, "dry_run=true").status, 200U);
  EXPECT_EQ(Publish("1.0.0", {{"main.tf", "\n"}}, "dry_run=true").status, 409U);
}

TEST_F(ModuleInsidesApiTest, ReleasesAreComparedWithReleases) {
  ASSERT_EQ(Publish("1.0.0", {{"main.tf", "variable \"a\" {}\n"}}).status, 201U);
  Reply candidate = Publish("2.0.0-rc.1", {{"main.tf", "\n"}});
  EXPECT_EQ(Published(candidate).comparison->from, "1.0.0");
  Reply release = Publish("2.0.0", {{"main.tf", "\n"}});
  EXPECT_EQ(Published(release).comparison->from, "1.0.0");
  Reply next = Publish("2.1.0-rc.1", {{"main.tf", "\n"}});
  EXPECT_EQ(Published(next).comparison->from, "2.0.0");
  Reply older = Publish("1.0.1", {{"main.tf", "variable \"a\" {}\n"}});
  EXPECT_EQ(Published(older).comparison->from, "1.0.0");
  EXPECT_TRUE(Published(older).comparison->agrees);
}

// ---- what changed between two versions, as those who ask see it.

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
  auto read = wire::Decode<wire::Comparison>(reply.body);
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
