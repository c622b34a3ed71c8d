// Docs APIs of public registries as upstream, good ones and others.
#include "upstream/registry_docs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "domain/provider_address.h"
#include "domain/version.h"
#include "upstream/upstream_fixture_fake.h"

namespace koya::upstream {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

constexpr std::string_view kVersions = "/v2/providers/acme/demo?include=provider-versions";
constexpr std::string_view kIncluded = "/v2/provider-versions/11?include=provider-docs";
constexpr std::string_view kRecord = "/v2/provider-docs/3";
constexpr std::string_view kTofuIndex = "/registry/docs/providers/acme/demo/v1.0.0/index.json";
constexpr std::string_view kTofuPage =
    "/registry/docs/providers/acme/demo/v1.0.0/cdktf/python/resources/vpc.md";

ScriptedAnswer DocsJson(std::string body) { return ScriptedAnswer::Json(200, std::move(body)); }

class RegistryDocsTest : public UpstreamTest {
 protected:
  RegistryDocsTest() {
    answers_.Set(kVersions, DocsJson(R"({"included":[
        {"type":"provider-versions","id":"11","attributes":{"version":"1.0.0"}}]})"));
    answers_.Set(kIncluded, DocsJson(R"({"included":[{"type":"provider-docs","id":"3",
        "attributes":{"category":"resources","slug":"vpc","language":"hcl","title":"vpc"}}]})"));
    answers_.Set(kRecord, DocsJson(R"({"data":{"attributes":{"content":"# VPC"}}})"));
    answers_.Set(kTofuIndex, DocsJson(R"({"docs":{"resources":[]},"cdktf_docs":{"python":
        {"resources":[{"name":"vpc"}]}}})"));
    answers_.Set(kTofuPage, {.body = "# VPC in Python"});
    server_ =
        Serve([this](const ScriptedRequest& request) { return answers_.Get(request.target); });
    Renew();
  }

  // Nothing is remembered, nothing held against the host.
  void Renew(DocsLimits bounds = {}) {
    source_.reset();
    fetcher_ = MakeFetcher();
    const std::string host = fmt::format("https://127.0.0.1:{}", server_->port());
    source_ = std::make_unique<RegistryDocs>(
        *fetcher_,
        std::vector<DocsApi>{
            {Json(), DocsFamily::kJsonApi, *http::ParseUrl(host + "/v2/")},
            {Tofu(), DocsFamily::kTofuFiles, *http::ParseUrl(host + "/registry/docs/providers/")}},
        bounds);
  }

  static HostName Json() { return *HostName::Parse("json.example.org"); }
  static HostName Tofu() { return *HostName::Parse("tofu.example.org"); }
  Result<FetchedDocs> List(const HostName& registry, std::string_view version = "1.0.0",
                           const Validators& held = {}) {
    return source_->List(registry, *ProviderAddress::Parse("acme/demo"), *Version::Parse(version),
                         held, {});
  }
  Result<std::string> Page(const HostName& registry, std::string place = "3") {
    wire::ForeignDoc page{.kind = "resources", .name = "vpc", .place = std::move(place)};
    return source_->Page(registry, *ProviderAddress::Parse("acme/demo"), *Version::Parse("1.0.0"),
                         page, {});
  }

  AnswersByPath answers_;
  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<Fetcher> fetcher_;
  std::unique_ptr<RegistryDocs> source_;
};

TEST_F(RegistryDocsTest, KnowsWhomToAskForThePublicRegistries) {
  const RegistryDocs docs(*fetcher_, PublicDocsApis(), {});
  EXPECT_EQ(docs.HostOf(*HostName::Parse("registry.terraform.io"))->ascii(),
            "registry.terraform.io");
  EXPECT_EQ(docs.HostOf(*HostName::Parse("registry.opentofu.org"))->ascii(), "api.opentofu.org");
  EXPECT_EQ(docs.HostOf(*HostName::Parse("registry.example.com")), std::nullopt);
  EXPECT_EQ(source_->HostOf(Json())->ascii(), fmt::format("127.0.0.1:{}", server_->port()));
}

TEST_F(RegistryDocsTest, ListsAndReadsByJsonApi) {
  auto list = List(Json());
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->list.docs.size(), 1U);
  EXPECT_EQ(list->list.docs[0].place, "3");
  EXPECT_EQ(Page(Json()), "# VPC");
  ASSERT_EQ(server_->requests().size(), 3U);
  EXPECT_FALSE(server_->requests()[1].fields.contains("authorization"));
}

TEST_F(RegistryDocsTest, ListsAndReadsFilesOfOpenTofu) {
  auto list = List(Tofu());
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->list.docs.size(), 1U);
  EXPECT_EQ(list->list.docs[0].language, "python");
  EXPECT_EQ(Page(Tofu(), list->list.docs[0].place), "# VPC in Python");
  ASSERT_EQ(server_->requests().size(), 2U) << "the version is in the path";
}

TEST_F(RegistryDocsTest, AsksWhetherAListChanged) {
  answers_.Set(kTofuIndex, {.raw = "HTTP/1.1 304 Not Modified\r\n\r\n"});
  auto list = List(Tofu(), "1.0.0", {.etag = "\"7\"", .last_modified = ""});
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_TRUE(list->unchanged);
  EXPECT_EQ(server_->requests().at(0).fields["if-none-match"], "\"7\"");
}

TEST_F(RegistryDocsTest, WhatUpstreamLacksIsNotFound) {
  for (const auto& answer :
       {List(Json(), "2.0.0"), List(Tofu(), "2.0.0"), List(*HostName::Parse("other.example"))}) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::kNotFound) << answer.error().message;
  }
  EXPECT_EQ(Page(Json(), "4").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(Page(Tofu(), "guides/a.md").error().kind, ErrorKind::kNotFound);
}

TEST_F(RegistryDocsTest, UpstreamFailuresAreUpstreams) {
  for (const auto& [path, registry] : {std::pair(kVersions, Json()), std::pair(kIncluded, Json()),
                                       std::pair(kTofuIndex, Tofu())}) {
    for (const ScriptedAnswer& bad :
         {ScriptedAnswer::Json(500, "{}"), ScriptedAnswer::Json(200, "<html>"),
          ScriptedAnswer::Json(200, "[]"), ScriptedAnswer::Json(401, "{}"),
          ScriptedAnswer{.raw = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"}}) {
      const ScriptedAnswer good = answers_.Get(std::string(path));
      answers_.Set(path, bad);
      Renew();
      auto list = List(registry);
      ASSERT_FALSE(list) << path << " " << bad.status << bad.body;
      EXPECT_EQ(list.error().kind, ErrorKind::kBadUpstream) << list.error().message;
      answers_.Set(path, good);
    }
  }
  answers_.Set(kRecord, DocsJson(R"({"data":{"attributes":{"content":5}}})"));
  EXPECT_EQ(Page(Json()).error().kind, ErrorKind::kBadUpstream);
  answers_.Set(kTofuPage, {.body = "\xff\xfe"});
  auto page = Page(Tofu(), "cdktf/python/resources/vpc.md");
  ASSERT_FALSE(page);
  EXPECT_TRUE(page.error().message.contains("not UTF-8")) << page.error().message;
}

TEST_F(RegistryDocsTest, ListsAndPagesHaveBounds) {
  Renew({.files = 0});
  for (const HostName& registry : {Json(), Tofu()}) {
    auto list = List(registry);
    ASSERT_FALSE(list);
    EXPECT_EQ(list.error().kind, ErrorKind::kBadUpstream);
    EXPECT_EQ(list.error().limit.text(), "limits.docs_files") << list.error().message;
  }
  Renew({.list_bytes = 40, .page_bytes = 4});
  EXPECT_EQ(List(Tofu()).error().kind, ErrorKind::kBadUpstream);
  for (const auto& page : {Page(Json()), Page(Tofu(), "cdktf/python/resources/vpc.md")}) {
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().kind, ErrorKind::kBadUpstream) << page.error().message;
  }
  Renew({.page_bytes = 5});
  answers_.Set(kRecord, DocsJson(R"({"data":{"attributes":{"content":"# VP"}}})"));
  // The document around it is larger than a page may be, even escaped.
  EXPECT_FALSE(Page(Json()));
  Renew({.page_bytes = 15});
  EXPECT_EQ(Page(Json()), "# VP");
  answers_.Set(kRecord, DocsJson(R"({"data":{"attributes":{"content":"0123456789abcdef"}}})"));
  auto page = Page(Json());
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().limit.text(), "fixed.docs_page_bytes") << page.error().message;
}

TEST_F(RegistryDocsTest, NoOtherHostIsAsked) {
  auto other = Serve(DocsJson(R"({"docs":{"guides":[{"name":"a"}]}})"));
  answers_.Set(
      kTofuIndex,
      {.status = 302,
       .fields = {{"Location", fmt::format("https://127.0.0.1:{}/index.json", other->port())}}});
  auto list = List(Tofu());
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().kind, ErrorKind::kBadUpstream);
  EXPECT_TRUE(list.error().message.contains("no other host is used")) << list.error().message;
  EXPECT_TRUE(other->requests().empty());
  answers_.Set(kTofuIndex, {.status = 301, .fields = {{"Location", "/moved/index.json"}}});
  answers_.Set("/moved/index.json", DocsJson(R"({"docs":{"guides":[{"name":"a"}]}})"));
  Renew();
  ASSERT_TRUE(List(Tofu()));
  EXPECT_EQ(List(Tofu())->list.docs[0].name, "a") << "on the same host it is followed";
}

}  // namespace
}  // namespace koya::upstream
