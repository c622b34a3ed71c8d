// Docs of other registries' providers as they are read here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "domain/page.h"
#include "domain/topic.h"
#include "wire/error_document.h"
#include "wire/provider_docs.h"

namespace koya::api {
namespace {

constexpr const char* kMirroredDocs =
    "/api/v1/mirror/providers/registry.example.org/acme/demo/1.0.0/docs";

class MirrorDocsApiTest : public ::testing::Test {
 protected:
  MirrorDocsApiTest() {
    api.mirror_docs = true;
    api.SettleMirror();
  }
  Reply Page(const std::string& rest, std::string query = "") {
    Question question;
    question.path = std::string(kMirroredDocs) + rest;
    question.query = std::move(query);
    return api.Ask(question);
  }
  static std::string WordsOf(const Reply& reply) {
    const std::vector<std::string> errors = wire::DecodeErrors(reply.body);
    return errors.empty() ? reply.body : errors.front();
  }
  void Fail(ErrorKind kind) { api.upstream_docs.failure = Error{kind, "failing", {}}; }

  ApiFixture api;
};

TEST_F(MirrorDocsApiTest, ListsAndShowsAsOfOwnProviders) {
  Reply reply = api.Get(kMirroredDocs);
  ASSERT_EQ(reply.status, 200U) << reply.body;
  auto list = wire::Decode<wire::DocList>(reply.body);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_FALSE(list->is_signed);
  ASSERT_EQ(list->docs.size(), 4U);
  EXPECT_EQ(list->docs[0], (wire::DocEntry{.kind = "overview",
                                           .name = "index",
                                           .language = "hcl",
                                           .title = "a title",
                                           .subcategory = "Things",
                                           .description = "a description"}));
  EXPECT_EQ(list->docs[3].language, "python");
  reply = Page("/resources/thing");
  ASSERT_EQ(reply.status, 200U) << reply.body;
  for (const char* words : {R"("kind":"resources")", R"("name":"thing")", R"("language":"hcl")",
                            R"("title":"demo_thing")", R"("subcategory":"Clouds")",
                            R"("signed":false)", R"("schema":null)"}) {
    EXPECT_TRUE(reply.body.contains(words)) << words << " " << reply.body;
  }
  EXPECT_FALSE(reply.body.contains("<script")) << reply.body;
  EXPECT_TRUE(Page("/resources/thing", "language=python").body.contains("In Python"));
  EXPECT_TRUE(Page("/resources/thing", "language=hcl").body.contains("demo_thing"));
}

TEST_F(MirrorDocsApiTest, WhatIsRenderedIsKept) {
  ASSERT_EQ(api.Get(kMirroredDocs).status, 200U);
  for (const std::string& path :
       {std::string(kMirroredDocs), std::string(kMirroredDocs) + "/resources/thing"}) {
    api.Get(path);  // the invalidations of a fetch arrive while this is rendered
    ASSERT_EQ(api.Get(path).status, 200U);
    const std::uint64_t hits = api.documents().Counters().hits;
    ASSERT_EQ(api.Get(path).status, 200U);
    EXPECT_EQ(api.documents().Counters().hits, hits + 1) << path;
  }
  EXPECT_EQ(api.upstream_docs.asked_lists, 1);
  EXPECT_EQ(api.upstream_docs.asked_pages, 1);
}

TEST_F(MirrorDocsApiTest, UpstreamFailuresAreNeverNotFound) {
  for (const auto& [kind, status] :
       {std::pair(ErrorKind::kBadUpstream, 502U), std::pair(ErrorKind::kUnavailable, 503U),
        std::pair(ErrorKind::kUpstreamTimeout, 504U)}) {
    Fail(kind);
    EXPECT_EQ(api.Get(kMirroredDocs).status, status);
    EXPECT_EQ(Page("/overview/index").status, status);
  }
}

TEST_F(MirrorDocsApiTest, WhatIsHeldIsMarkedWhileUpstreamFails) {
  ASSERT_EQ(Page("/resources/thing").status, 200U);
  Fail(ErrorKind::kBadUpstream);
  api.clock.now += 48 * 3600;
  api.documents().Invalidate(kEverything);
  Reply reply = Page("/resources/thing");
  ASSERT_EQ(reply.status, 200U) << reply.body;
  EXPECT_TRUE(reply.Get("Warning").starts_with("110 ")) << reply.Get("Warning");
  EXPECT_EQ(Page("/overview/index").status, 502U) << "this one is not held";
}

TEST_F(MirrorDocsApiTest, WhatIsNotThereIsNotFound) {
  for (const char* rest :
       {"/resources/nothing", "/resources/gone", "/secrets/thing", "/overview/other"}) {
    EXPECT_EQ(Page(rest).status, 404U) << rest;
  }
  EXPECT_EQ(Page("/resources/thing", "language=go").status, 404U);
  EXPECT_EQ(api.Get("/api/v1/mirror/providers/no%20host/acme/demo/1.0.0/docs").status, 404U);
  EXPECT_EQ(api.Get("/api/v1/mirror/providers/registry.example.org/acme/demo/x/docs").status, 404U);
  Reply other = api.Get("/api/v1/mirror/providers/other.example/acme/demo/1.0.0/docs");
  EXPECT_EQ(other.status, 404U);
  EXPECT_TRUE(WordsOf(other).contains("no docs API that Koya knows")) << other.body;
  Reply own = api.Get("/api/v1/mirror/providers/registry.example.com/acme/demo/1.0.0/docs");
  EXPECT_EQ(own.status, 404U);
  EXPECT_TRUE(WordsOf(own).contains("/api/v1/providers/acme/demo/1.0.0/docs")) << own.body;
}

TEST_F(MirrorDocsApiTest, DeniedIsForbidden) {
  api.Deny("registry.example.org/acme/*");
  Reply reply = api.Get(kMirroredDocs);
  EXPECT_EQ(reply.status, 403U);
  EXPECT_TRUE(WordsOf(reply).contains("policy.deny")) << reply.body;
  EXPECT_EQ(api.upstream_docs.asked_lists, 0);
}

TEST_F(MirrorDocsApiTest, OffUnlessTheSettingSaysSo) {
  ApiFixture plain;
  Reply reply = plain.Get(kMirroredDocs);
  EXPECT_EQ(reply.status, 404U);
  EXPECT_TRUE(WordsOf(reply).contains("mirror.docs is off")) << reply.body;
  EXPECT_EQ(plain.Get(std::string(kMirroredDocs) + "/overview/index").status, 404U);
  EXPECT_EQ(plain.upstream_docs.asked_lists, 0);
}

}  // namespace
}  // namespace koya::api
