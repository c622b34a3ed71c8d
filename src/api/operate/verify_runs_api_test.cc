// /api/v1/verify/runs, and what the storage page shows of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/common/browser_fake.h"
#include "catalog/verify_run_catalog.h"
#include "wire/verify.h"

namespace koya::api {
namespace {

constexpr const char* kRunsPath = "/api/v1/verify/runs";

class VerifyRunsApiTest : public ::testing::Test {
 protected:
  VerifyRunsApiTest() { api_.token = api_.Token(Scope::kAdmin); }

  Reply Send(http::Method method, std::string path, std::string body = {}) {
    return api_.Ask({.method = method, .path = std::move(path), .body = std::move(body)});
  }
  // Its id.
  std::string Begin(const wire::VerifyProgress& progress = {}) {
    const Reply reply = Send(http::Method::kPost, kRunsPath, wire::EncodeVerifyProgress(progress));
    EXPECT_EQ(reply.status, 201U) << reply.body;
    return wire::DecodeVerifyRunId(reply.body).value_or("");
  }
  Reply Tell(const std::string& id, const wire::VerifyProgress& progress) {
    return Send(http::Method::kPut, fmt::format("{}/{}", kRunsPath, id),
                wire::EncodeVerifyProgress(progress));
  }
  std::vector<wire::VerifyRun> List() {
    auto runs = wire::DecodeVerifyRuns(Send(http::Method::kGet, kRunsPath).body);
    EXPECT_TRUE(runs) << runs.error().message;
    return runs.value_or(std::vector<wire::VerifyRun>());
  }
  static wire::VerifyProgress Damage() {
    return {.checked = 1'204,
            .wrong = 23,
            .repaired = 1,
            .found = {{"acme/<b>/aws 1.0.0", "damaged", false},
                      {"acme/dns/aws 2.0.0", "missing", true}},
            .ended = true,
            .failure = {}};
  }
  std::string StoragePage() {
    api_.token.clear();
    api_.AddUser("ada", "correct horse battery", true);
    FakeBrowser ada(api_);
    ada.SignIn("ada", "correct horse battery");
    return ada.Open("/-/admin/storage").body;
  }

  ApiFixture api_;
};

TEST_F(VerifyRunsApiTest, ARunTellsOfItselfUntilItHasEnded) {
  EXPECT_TRUE(List().empty());
  const std::string id = Begin({.quick = true, .found = {}, .failure = {}});
  ASSERT_EQ(List().size(), 1U);
  EXPECT_EQ(List()[0].id, id);
  EXPECT_NE(List()[0].by, "");
  EXPECT_TRUE(List()[0].began_at.ends_with("Z")) << List()[0].began_at;
  EXPECT_TRUE(List()[0].progress.quick);
  EXPECT_FALSE(List()[0].progress.ended);
  EXPECT_EQ(Tell(id, Damage()).status, 204U);
  EXPECT_EQ(List()[0].progress, Damage());
  EXPECT_EQ(Tell(id, {}).status, 404U) << "it has ended";
  EXPECT_EQ(Tell("nobody", {}).status, 404U);
  EXPECT_EQ(List()[0].progress, Damage());
  const std::string another = Begin();
  EXPECT_NE(another, id);
  EXPECT_EQ(List().size(), 2U);
}

TEST_F(VerifyRunsApiTest, WhatCannotBeIsRefused) {
  const std::string id = Begin();
  std::string many;
  for (int i = 0; i < 21; ++i) many += R"({"name":"a 1.0.0","state":"missing"},)";
  many.pop_back();
  const std::string longest(501, 'a');
  for (const std::string& body :
       {std::string("[]"), std::string(R"({"wrong":1})"),
        std::string(R"({"checked":2,"wrong":1,"repaired":2})"), std::string(R"({"checked":-1})"),
        std::string(R"({"found":[{"name":"a","state":"missing"}]})"),
        std::string(R"({"checked":9,"wrong":9,"found":[{"name":"a","state":"odd"}]})"),
        std::string(R"({"failure":"a\u0000b"})"), fmt::format(R"({{"failure":"{}"}})", longest),
        fmt::format(R"({{"checked":9,"wrong":9,"found":[{{"name":"{}","state":"missing"}}]}})",
                    longest),
        fmt::format(R"({{"checked":99,"wrong":99,"found":[{}]}})", many)}) {
    EXPECT_EQ(Send(http::Method::kPost, kRunsPath, body).status, 400U) << body;
    EXPECT_EQ(Send(http::Method::kPut, fmt::format("{}/{}", kRunsPath, id), body).status, 400U)
        << body;
  }
  ASSERT_EQ(List().size(), 1U);
  EXPECT_EQ(List()[0].progress, wire::VerifyProgress());
}

TEST_F(VerifyRunsApiTest, OthersNeitherTellNorSee) {
  const std::string id = Begin();
  for (const std::string& token : {api_.Token(Scope::kAdmin, {"acme"}), api_.Token(Scope::kPublish),
                                   api_.Token(Scope::kRead)}) {
    api_.token = token;
    EXPECT_EQ(Send(http::Method::kGet, kRunsPath).status, 403U);
    EXPECT_EQ(Send(http::Method::kPost, kRunsPath, "{}").status, 403U);
    EXPECT_EQ(Tell(id, {}).status, 403U);
  }
  api_.token.clear();
  EXPECT_EQ(Send(http::Method::kGet, kRunsPath).status, 401U);
}

TEST_F(VerifyRunsApiTest, TheStoragePageShowsTheLastRun) {
  Begin(Damage());
  const std::string body = StoragePage();
  for (const char* told : {"damage found", "1,204", "acme/&lt;b&gt;/aws 1.0.0",
                           "acme/dns/aws 2.0.0", "and <bdi>21</bdi> more"}) {
    EXPECT_TRUE(body.contains(told)) << told << "\n" << body;
  }
}

TEST_F(VerifyRunsApiTest, TheStoragePageSaysThatNoneIsKnown) {
  const std::string body = StoragePage();
  EXPECT_TRUE(body.contains("No verification has run yet")) << body;
  EXPECT_FALSE(body.contains("damage found"));
}

}  // namespace
}  // namespace koya::api
