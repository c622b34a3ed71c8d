// Attachments of modules and providers through the routes: upload, download, lists, rights.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "base/encoding.h"
#include "base/run_task.h"
#include "blobs/blob_store.h"
#include "catalog/audit_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "domain/audit_record.h"
#include "service/providers/publish_provider.h"
#include "wire/attachment.h"
#include "wire/modules.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

constexpr std::string_view kModule = "/api/v1/modules/acme/vpc/aws/1.0.0/attachments/";

std::string Statement(const std::string& sha256) {
  return fmt::format(R"({{"subject":[{{"name":"x","digest":{{"sha256":"{}"}}}}]}})", sha256);
}
std::string Bundle(const std::string& sha256) {
  const std::string statement = Statement(sha256);
  return fmt::format(R"({{"dsseEnvelope":{{"payload":"{}"}}}})",
                     Base64Encode(std::as_bytes(std::span(statement))));
}
const std::string kSpdx = R"({"spdxVersion":"SPDX-2.3"})";

class AttachmentsApiTest : public ::testing::Test {
 protected:
  AttachmentsApiTest()
      : api_({}, {.attachments = {.bytes = 1000, .count = 3}}),
        publish_(api_.Token(Scope::kPublish)),
        read_(api_.Token(Scope::kRead)) {
    api_.token = publish_;
    EXPECT_EQ(api_.Publish("acme/vpc/aws", "1.0.0", archive_).status, 201U);
  }

  Reply Put(std::string path, std::string body) {
    return api_.Ask(
        {.method = http::Method::kPut, .path = std::move(path), .body = std::move(body)});
  }
  Reply Attach(const std::string& name, std::string body) {
    return Put(std::string(kModule) + name, std::move(body));
  }
  std::vector<wire::Attachment> Listed() {
    return wire::Decode<wire::ModuleDetails>(api_.Get("/v1/modules/acme/vpc/aws/1.0.0").body)
        .value()
        .attachments;
  }

  const std::string archive_ = ModuleArchive("attachments");
  ApiFixture api_;
  std::string publish_, read_;
};

TEST_F(AttachmentsApiTest, AnAttachmentIsServedByteForByte) {
  const std::string bundle = Bundle(Digest::Of(archive_).hex());
  Reply added = Attach("vpc.sigstore.json", bundle);
  ASSERT_EQ(added.status, 201U) << added.body;
  const auto entry = wire::Decode<wire::Attachment>(added.body);
  ASSERT_TRUE(entry);
  const std::string url = fmt::format("https://registry.example.com{}vpc.sigstore.json", kModule);
  const wire::Attachment expected{.name = "vpc.sigstore.json",
                                  .url = url,
                                  .sha256 = Digest::Of(bundle).hex(),
                                  .size = bundle.size()};
  EXPECT_EQ(*entry, expected);
  EXPECT_EQ(Listed(), std::vector{expected});
  const auto latest = wire::Decode<wire::ModuleDetails>(api_.Get("/v1/modules/acme/vpc/aws").body);
  EXPECT_EQ(latest.value().attachments, std::vector{expected});
  for (int i = 0; i < 2; ++i) {  // then from the cache
    Reply got = api_.Get(std::string(kModule) + "vpc.sigstore.json");
    EXPECT_EQ(got.status, 200U);
    EXPECT_EQ(got.body, bundle);
    EXPECT_EQ(got.Get("Content-Type"), "application/json");
    EXPECT_EQ(got.etag, '"' + Digest::Of(bundle).hex() + '"');
  }
  const std::string lines = Statement(Digest::Of(archive_).hex()) + "\n";
  ASSERT_EQ(Attach("a.intoto.jsonl", lines).status, 201U);
  EXPECT_EQ(api_.Get(std::string(kModule) + "a.intoto.jsonl").Get("Content-Type"),
            "application/x-ndjson");
  EXPECT_EQ(Listed().size(), 2U);
}

TEST_F(AttachmentsApiTest, TheServedArchiveMayBeTheSubjectToo) {
  const std::string wrapped = WrappedModuleArchive("attachments");
  Reply published = api_.Publish("acme/wrapped/aws", "1.0.0", wrapped);
  ASSERT_EQ(published.status, 201U);
  const auto module = wire::Decode<wire::PublishedModule>(published.body);
  ASSERT_TRUE(module->repacked);
  const std::string path = "/api/v1/modules/acme/wrapped/aws/1.0.0/attachments/";
  EXPECT_EQ(Put(path + "a.sigstore.json", Bundle(Digest::Of(wrapped).hex())).status, 201U);
  const std::string served = module->digest.substr(std::string_view("sha256:").size());
  EXPECT_EQ(Put(path + "b.sigstore.json", Bundle(served)).status, 201U);
}

TEST_F(AttachmentsApiTest, TheSameBytesAgainAreFineAndOthersAConflict) {
  ASSERT_EQ(Attach("a.spdx.json", kSpdx).status, 201U);
  EXPECT_EQ(Attach("a.spdx.json", kSpdx).status, 200U);
  Reply other = Attach("a.spdx.json", kSpdx + " ");
  EXPECT_EQ(other.status, 409U);
  EXPECT_TRUE(other.body.contains("attachments never change")) << other.body;
  EXPECT_EQ(api_.Get(std::string(kModule) + "a.spdx.json").body, kSpdx);
  std::size_t entries = 0;
  const auto records = RunTask(api_.catalog().audit().ListAudit({}, 100));
  for (const AuditRecord& each : *records) entries += each.entry.action == "module.attach" ? 1 : 0;
  EXPECT_EQ(entries, 1U);
}

TEST_F(AttachmentsApiTest, BadAttachmentsAreRejectedWithTheReason) {
  struct Case {
    std::string name;
    std::string body;
    unsigned status;
    std::string_view words;
  };
  const Case cases[] = {
      {"a.json", kSpdx, 422, "ends with .sigstore.json"},
      {"-a.spdx.json", kSpdx, 422, "begins with a letter"},
      {"a.spdx.json", "<html></html>", 422, "a.spdx.json is not valid JSON"},
      {"a.spdx.json", "{}", 422, "no SPDX document"},
      {"a.cdx.json", kSpdx, 422, "no CycloneDX document"},
      {"a.sigstore.json", Bundle(Digest::Of("other").hex()), 422, "names no file of this version"},
      {"a.intoto.jsonl", "", 422, "is empty"},
      {"a.spdx.json", std::string(1001, ' ') + kSpdx, 413, "limits.attachment_bytes"},
  };
  for (const Case& each : cases) {
    Reply reply = Attach(each.name, each.body);
    EXPECT_EQ(reply.status, each.status) << each.name << ": " << reply.body;
    EXPECT_TRUE(reply.body.contains(each.words)) << reply.body;
  }
  EXPECT_EQ(Listed(), std::vector<wire::Attachment>());
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_EQ(Attach(std::string(name) + ".spdx.json", kSpdx).status, 201U);
  }
  Reply more = Attach("d.spdx.json", kSpdx);
  EXPECT_EQ(more.status, 422U);
  EXPECT_TRUE(more.body.contains("the most that limits.attachments allows")) << more.body;
}

TEST_F(AttachmentsApiTest, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(api_.Get(std::string(kModule) + "a.spdx.json").status, 404U);
  EXPECT_EQ(Put("/api/v1/modules/acme/vpc/aws/1.0.1/attachments/a.spdx.json", kSpdx).status, 404U);
  EXPECT_EQ(Put("/api/v1/providers/acme/demo/1.0.0/attachments/a.spdx.json", kSpdx).status, 404U);
  ASSERT_EQ(Attach("a.spdx.json", kSpdx).status, 201U);
  api_.token = api_.Token(Scope::kAdmin);
  ASSERT_EQ(api_.Withdraw("acme/vpc/aws", "1.0.0", "leaks").status, 204U);
  EXPECT_EQ(api_.Get(std::string(kModule) + "a.spdx.json").status, 410U);
  EXPECT_EQ(Attach("b.spdx.json", kSpdx).status, 410U);
}

TEST_F(AttachmentsApiTest, AddingOneNeedsTheRightToPublish) {
  for (const std::string& token : {std::string(), read_, api_.Token(Scope::kPublish, {"other"})}) {
    api_.token = token;
    EXPECT_EQ(Attach("a.spdx.json", kSpdx).status, token.empty() ? 401U : 403U);
  }
}

TEST_F(AttachmentsApiTest, TheRuleForPublishingHoldsForThemToo) {
  const std::string admin = api_.Token(Scope::kAdmin);
  api_.token = admin;
  ASSERT_LT(Put("/api/v1/namespaces/acme", R"({"publish":"ci-only"})").status, 300U);
  for (const std::string& token : {publish_, admin}) {
    api_.token = token;
    Reply refused = Attach("a.spdx.json", kSpdx);
    EXPECT_EQ(refused.status, 403U);
    EXPECT_TRUE(refused.body.contains("takes versions from CI only")) << refused.body;
  }
  for (unsigned status : {201U, 200U}) {
    Reply added = api_.Ask({.method = http::Method::kPut,
                            .path = std::string(kModule) + "a.spdx.json",
                            .fields = {{"Koya-Break-Glass", "CI%20is%20down"}},
                            .body = kSpdx});
    EXPECT_EQ(added.status, status) << added.body;
  }
  AuditFilter of_rule;
  of_rule.action = "namespace.break_glass";
  const auto entries = RunTask(api_.catalog().audit().ListAudit(of_rule, 10)).value();
  ASSERT_EQ(entries.size(), 1U) << "the same bytes again change nothing";
  EXPECT_EQ(entries[0].entry.target, "module:acme/vpc/aws@1.0.0");
}

// ---- private namespaces

TEST_F(AttachmentsApiTest, OfAPrivateNamespaceOnlyReadersGetThem) {
  ASSERT_EQ(Attach("a.spdx.json", kSpdx).status, 201U);
  const std::string admin = api_.Token(Scope::kAdmin);
  api_.token = admin;
  ASSERT_EQ(Put("/api/v1/namespaces/acme", R"({"visibility":"private"})").status, 200U);
  api_.token.clear();
  EXPECT_EQ(api_.Get(std::string(kModule) + "a.spdx.json").status, 404U);
  EXPECT_EQ(api_.Get(std::string(kModule) + "none.spdx.json").status, 404U);
  api_.token = read_;
  EXPECT_EQ(api_.Get(std::string(kModule) + "a.spdx.json").status, 404U) << "for no namespace";
  api_.token = api_.Token(Scope::kRead, {"acme"});
  Reply got = api_.Get(std::string(kModule) + "a.spdx.json");
  EXPECT_EQ(got.status, 200U);
  EXPECT_TRUE(got.Get("Cache-Control").starts_with("private")) << got.Get("Cache-Control");
}

// ---- pages

TEST_F(AttachmentsApiTest, ThePageListsThemAndSaysWhatWasChecked) {
  constexpr const char* kPage = "/modules/acme/vpc/aws/1.0.0";
  EXPECT_FALSE(api_.Get(kPage).body.contains("Attachments"));
  ASSERT_EQ(Attach("a.spdx.json", kSpdx).status, 201U);
  const std::string page = api_.Get(kPage).body;
  EXPECT_TRUE(page.contains(std::string(kModule) + "a.spdx.json")) << page;
  EXPECT_TRUE(page.contains("are sound, nothing more"));
  EXPECT_TRUE(api_.Get("/modules/acme/vpc/aws/1.0.0.json").body.contains("\"attachments\":["));
}

}  // namespace
}  // namespace koya::api
