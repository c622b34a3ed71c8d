// Counters of the mirror: which requests count, and how the counts are reported.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "wire/mirror_reports.h"

namespace koya::api {
namespace {

constexpr const char* kCountedDocument = "/mirror/registry.example.org/acme/demo/1.0.0.json";
constexpr const char* kCountedZip =
    "/mirror/registry.example.org/acme/demo/1.0.0/terraform-provider-demo_1.0.0_linux_amd64.zip";
constexpr const char* kOriginList = "/origin/registry.example.org/v1/providers/acme/demo/versions";

class MirrorCountsTest : public ::testing::Test {
 protected:
  // The size of the answer.
  std::uint64_t FetchZip() {
    Reply reply = api_.Get(kCountedZip);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return reply.body.size();
  }
  void Ask(const std::string& path, std::vector<std::pair<std::string, std::string>> fields,
           http::Method method = http::Method::kGet) {
    Question question;
    question.method = method;
    question.path = path;
    question.fields = std::move(fields);
    api_.Ask(question);
  }
  wire::MirrorStatus Status(const std::string& query = "") {
    api_.WriteMirrorCounts();
    api_.WriteUsage();
    Question question;
    question.path = "/api/v1/mirror/status";
    question.query = query;
    Reply reply = api_.Ask(question);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    auto status = wire::Decode<wire::MirrorStatus>(reply.body);
    EXPECT_TRUE(status) << reply.body;
    return status.value_or(wire::MirrorStatus{});
  }
  // Pages are kept for some seconds.
  Reply Open(const std::string& target) {
    api_.clock.now += 60;
    return FakeBrowser(api_).Open(target);
  }

  ApiFixture api_;
};

TEST_F(MirrorCountsTest, WhatIsSentAgainComesFromTheStore) {
  const std::uint64_t size = FetchZip();
  wire::MirrorStatus status = Status();
  EXPECT_EQ(status.sent, 1U);
  EXPECT_EQ(status.sent_bytes, size);
  EXPECT_EQ(status.brought, 1U);
  EXPECT_EQ(status.fetched_bytes, size);
  EXPECT_EQ(status.from_store, 0U);
  FetchZip();
  FetchZip();  // from the cache of the path
  status = Status();
  EXPECT_EQ(status.sent, 3U);
  EXPECT_EQ(status.brought, 1U);
  EXPECT_EQ(status.from_store, 2U);
  EXPECT_EQ(status.from_store_bytes, 2 * size);
  ASSERT_EQ(status.days.size(), 30U);
  EXPECT_EQ(status.days.back().sent, 3U);
  EXPECT_EQ(status.days.front().sent, 0U);
  EXPECT_EQ(Status("days=1").days.size(), 1U);
}

TEST_F(MirrorCountsTest, NoPartNorHeadNorWhatTheClientHasIsCounted) {
  FetchZip();
  const wire::MirrorStatus before = Status();
  Ask(kCountedZip, {{"Range", "bytes=0-9"}});
  Ask(kCountedZip, {{"If-None-Match", "\"x\""}});
  Ask(kCountedZip, {}, http::Method::kHead);
  Ask("/mirror/registry.example.org/acme/demo/1.0.0/terraform-provider-demo_1.0.0_SHA256SUMS", {});
  EXPECT_EQ(Status(), before);
}

TEST_F(MirrorCountsTest, DocumentsAndArchivesAreAllowedRequests) {
  ASSERT_EQ(api_.Get(kCountedDocument).status, 200U);
  ASSERT_EQ(api_.Get(kCountedDocument).status, 200U);
  FetchZip();
  const wire::MirrorStatus status = Status();
  EXPECT_EQ(status.let_through, 3U);
  EXPECT_EQ(status.turned_away, 0U);
}

TEST_F(MirrorCountsTest, EveryRefusalIsCounted) {
  api_.Deny("*/acme/*");
  for (int i = 0; i < 2; ++i) {
    Reply list = api_.Get(kOriginList);
    EXPECT_EQ(list.status, 200U);
    EXPECT_TRUE(list.body.contains("policy.deny")) << list.body;
  }
  EXPECT_EQ(api_.Get("/mirror/registry.example.org/acme/demo/index.json").status, 404U);
  EXPECT_EQ(api_.Get(kCountedDocument).status, 200U) << "an empty one";
  EXPECT_EQ(api_.Get(kCountedZip).status, 403U);
  const wire::MirrorStatus status = Status();
  EXPECT_EQ(status.turned_away, 5U);
  EXPECT_EQ(status.let_through, 0U);
  EXPECT_EQ(status.sent, 0U);
}

TEST_F(MirrorCountsTest, WhoLooksIsNotCounted) {
  api_.Deny("*/acme/*");
  for (const char* path : {"/-/mirror/packages", "/-/mirror/policy", "/-/mirror/explain",
                           "/-/mirror/explain?address=acme/demo&version=1.0.0"}) {
    EXPECT_EQ(Open(path).status, 200U) << path;
  }
  EXPECT_EQ(Status().turned_away, 0U);
}

TEST_F(MirrorCountsTest, ReadyIsWhatIsFetchedAndStored) {
  ASSERT_EQ(api_.Get(kCountedDocument).status, 200U);
  wire::MirrorStatus status = Status();
  EXPECT_TRUE(status.counted);
  EXPECT_EQ(status.versions_fetched, 1U);
  EXPECT_EQ(status.versions_ready, 0U) << "its package has not been asked for";
  FetchZip();
  status = Status();
  EXPECT_EQ(status.versions_fetched, 1U);
  EXPECT_EQ(status.versions_ready, 1U);
}

TEST_F(MirrorCountsTest, TheStatusPageTellsIt) {
  Reply nothing = Open("/-/mirror");
  EXPECT_TRUE(nothing.body.contains("The last <bdi>30</bdi> days")) << nothing.body;
  EXPECT_TRUE(nothing.body.contains("<bdi>0</bdi> of <bdi>0</bdi> served")) << nothing.body;
  FetchZip();
  FetchZip();
  Status();
  Reply page = Open("/-/mirror");
  EXPECT_TRUE(page.body.contains("50.0%")) << page.body;
  EXPECT_TRUE(page.body.contains("<bdi>1</bdi> of <bdi>2</bdi> served")) << page.body;
  EXPECT_TRUE(page.body.contains("of <bdi>1</bdi> fetched versions")) << page.body;
}

TEST_F(MirrorCountsTest, WithoutUsageNothingIsSaidOfReadiness) {
  api_.usage_rules.enabled = false;
  api_.SettleMirror();
  FetchZip();
  const wire::MirrorStatus status = Status();
  EXPECT_FALSE(status.counted);
  EXPECT_EQ(status.sent, 1U) << "that names nobody";
  EXPECT_TRUE(Open("/-/mirror").body.contains("Fetches are not counted"));
  EXPECT_FALSE(Open("/-/mirror/packages").body.contains(">Fetches<"));
}

TEST_F(MirrorCountsTest, PackagesAreFoundByVerdictAndTellTheirFetches) {
  ASSERT_EQ(api_.Get(kCountedDocument).status, 200U);
  FetchZip();
  Status();
  Reply all = Open("/-/mirror/packages");
  EXPECT_TRUE(all.body.contains(">Fetches<")) << all.body;
  EXPECT_TRUE(all.body.contains("<td class=\"r\">1</td></tr>")) << all.body;
  EXPECT_TRUE(Open("/-/mirror/packages?verdict=allowed").body.contains("acme/demo</bdi>"));
  EXPECT_TRUE(Open("/-/mirror/packages?verdict=any").body.contains("acme/demo</bdi>"));
  for (const char* other : {"denied", "not-listed", "kept-only"}) {
    Reply none = Open(std::string("/-/mirror/packages?verdict=") + other);
    EXPECT_FALSE(none.body.contains("acme/demo</bdi>")) << other;
    EXPECT_TRUE(none.body.contains("No stored packages match.")) << other;
  }
  api_.Deny("*/acme/*");
  Reply denied = Open("/-/mirror/packages?verdict=denied&q=demo");
  EXPECT_TRUE(denied.body.contains("acme/demo</bdi>")) << denied.body;
  EXPECT_TRUE(denied.body.contains("<option value=\"denied\" selected>")) << denied.body;
  EXPECT_FALSE(Open("/-/mirror/packages?verdict=allowed").body.contains("acme/demo</bdi>"));
}

TEST_F(MirrorCountsTest, AbsurdDaysAreRefused) {
  for (const char* query : {"days=0", "days=367", "days=-1", "days=x", "days=", "days=%FF"}) {
    Question question;
    question.path = "/api/v1/mirror/status";
    question.query = query;
    EXPECT_EQ(api_.Ask(question).status, 400U) << query;
  }
}

}  // namespace
}  // namespace koya::api
