// What clients, tools and authors see of modules, statuses and documents and all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "base/run_task.h"
#include "blobs/blob_store.h"
#include "domain/archive_kind.h"
#include "domain/digest.h"
#include "domain/page.h"
#include "wire/error_document.h"
#include "wire/modules.h"

namespace koya::api {
namespace {

constexpr const char* kVpc = "acme/vpc/aws";

// A kept blob, of which a store may let go.
class FickleBlob final : public Blob {
 public:
  explicit FickleBlob(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::optional<int> file_descriptor() const override { return std::nullopt; }
  bool gone() const override { return is_gone; }
  Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) override {
    const std::size_t count = std::min<std::size_t>(into.size(), bytes_.size() - offset);
    std::memcpy(into.data(), bytes_.data() + offset, count);
    co_return count;
  }

  bool is_gone = false;

 private:
  const std::string bytes_;
};

class ModuleApiTest : public ::testing::Test {
 protected:
  void SetUp() override { api.token = api.Token(Scope::kAdmin); }

  std::vector<std::string> Versions(const std::string& address) {
    Reply reply = api.Get("/v1/modules/" + address + "/versions");
    EXPECT_EQ(reply.status, 200U) << reply.body;
    auto document = wire::DecodeModuleVersions(reply.body);
    return document ? document->versions : std::vector<std::string>();
  }

  ApiFixture api;
};

TEST_F(ModuleApiTest, DiscoveryAnswersWhateverTheCredentials) {
  constexpr std::string_view kDocumentWithLogin =
      R"({"login.v1":{"client":"terraform-cli","grant_types":["authz_code"],)"
      R"("authz":"/oauth/authorize","token":"/oauth/token","ports":[10000,10010]},)"
      R"("modules.v1":"/v1/modules/","providers.v1":"/v1/providers/"})";
  for (const char* authorization : {"", "Bearer expired", "Basic x"}) {
    api.token.clear();
    Question question;
    question.path = "/.well-known/terraform.json";
    question.fields = {{"Authorization", authorization}};
    Reply reply = api.Ask(question);
    EXPECT_EQ(reply.status, 200U);
    EXPECT_EQ(reply.Get("Content-Type"), "application/json");
    EXPECT_EQ(reply.body, kDocumentWithLogin);
  }
}

TEST_F(ModuleApiTest, APublishShowsAtOnceAndIsServedByteForByte) {
  std::string archive = ModuleArchive("one");
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws/versions").status, 404U);
  Reply published = api.Publish(kVpc, "1.0.0", archive);
  ASSERT_EQ(published.status, 201U) << published.body;
  auto answer = wire::Decode<wire::PublishedModule>(published.body);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->address, kVpc);
  EXPECT_EQ(answer->version, "1.0.0");
  EXPECT_EQ(answer->digest, Digest::Of(archive).ToString());
  EXPECT_EQ(answer->size, archive.size());
  EXPECT_EQ(answer->location,
            "https://registry.example.com/download/modules/acme/vpc/aws/1.0.0/"
            "acme-vpc-aws-1.0.0.tar.gz?checksum=" +
                Digest::Of(archive).ToString());
  EXPECT_FALSE(answer->repacked);

  EXPECT_EQ(Versions(kVpc), (std::vector<std::string>{"1.0.0"}));
  Reply bytes = api.Get("/download/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.tar.gz");
  EXPECT_EQ(bytes.status, 200U);
  EXPECT_EQ(bytes.body, archive);
  EXPECT_EQ(bytes.etag, "\"" + Digest::Of(archive).hex() + "\"");
  EXPECT_EQ(bytes.Get("Content-Type"), "application/gzip");
  EXPECT_NE(bytes.Get("Cache-Control").find("immutable"), std::string::npos);

  EXPECT_EQ(api.Publish(kVpc, "1.1.0", ModuleArchive("two")).status, 201U);
  EXPECT_EQ(Versions(kVpc), (std::vector<std::string>{"1.1.0", "1.0.0"}));
}

TEST_F(ModuleApiTest, DownloadAnswersEachClientInItsForm) {
  ASSERT_EQ(api.Publish(kVpc, "1.0.0", ModuleArchive()).status, 201U);
  const std::string path = "/v1/modules/acme/vpc/aws/1.0.0/download";
  Reply terraform = api.Get(path, "Terraform/1.11.4");
  EXPECT_EQ(terraform.status, 204U);
  EXPECT_EQ(terraform.body, "");
  std::string location = terraform.Get("X-Terraform-Get");
  EXPECT_TRUE(location.starts_with("https://registry.example.com/download/")) << location;

  Reply tofu = api.Get(path, "OpenTofu/1.10.0");
  EXPECT_EQ(tofu.status, 200U);
  EXPECT_EQ(tofu.Get("X-Terraform-Get"), location);
  EXPECT_EQ(wire::DecodeModuleLocation(tofu.body), location);
  for (const Reply& reply : {terraform, tofu}) {
    EXPECT_NE(reply.Get("Vary").find("User-Agent"), std::string::npos);
    EXPECT_NE(reply.Get("Vary").find("Accept"), std::string::npos);
  }

  Question json;
  json.path = path;
  json.fields = {{"Accept", "text/html, application/json;q=0.9"}};
  EXPECT_EQ(api.Ask(json).status, 200U);
  // Both answers again, from the cache this time: the variants must not mix.
  EXPECT_EQ(api.Get(path, "Terraform/1.11.4").status, 204U);
  EXPECT_EQ(api.Get(path, "OpenTofu/1.10.0").status, 200U);
}

struct LocationCase {
  ModuleLocationForm form;
  const char* agent;
  bool large;
  bool direct;
};

TEST_F(ModuleApiTest, DirectLocationsAreForClientsThatKnowThem) {
  constexpr auto kIndirect = ModuleLocationForm::kIndirect;
  constexpr auto kDirect = ModuleLocationForm::kDirect;
  constexpr auto kAuto = ModuleLocationForm::kAuto;
  constexpr LocationCase kCases[] = {
      {kIndirect, "OpenTofu/1.12.6", false, false},
      {kDirect, "OpenTofu/1.12.6", false, true},
      {kDirect, "OpenTofu/1.12.0-rc1 koya-consumer/ci", false, true},
      {kDirect, "opentofu/1.13.0-dev", false, true},
      {kDirect, "OpenTofu/2.0.0", true, true},
      {kDirect, "OpenTofu/1.11.9", false, false},
      {kDirect, "OpenTofu/", false, false},
      {kDirect, "OpenTofu/one.twelve", false, false},
      {kDirect, "Terraform/1.14.0", false, false},
      {kDirect, "Terragrunt/1.12.0", false, false},
      {kDirect, "", false, false},
      {kAuto, "OpenTofu/1.12.6", false, true},
      {kAuto, "OpenTofu/1.12.6", true, false},
      {kAuto, "OpenTofu/1.11.9", false, false},
  };
  std::string noise(kMostDirectBytes + 1, 0);
  std::mt19937_64 random(1);
  for (char& c : noise) c = static_cast<char>(random());
  ASSERT_EQ(api.Publish(kVpc, "1.0.0", ModuleArchive()).status, 201U);
  const std::string large = PackFiles({{"main.tf", ""}, {"noise.bin", noise}});
  ASSERT_EQ(api.Publish(kVpc, "2.0.0", large).status, 201U);
  for (const LocationCase& each : kCases) {
    api.module_location = each.form;
    api.SettleMirror();
    const std::string path =
        fmt::format("/v1/modules/{}/{}/download", kVpc, each.large ? "2.0.0" : "1.0.0");
    for (int kept = 0; kept < 2; ++kept) {
      const Reply reply = api.Get(path, each.agent);
      const std::string indirect = reply.Get("X-Terraform-Get");
      EXPECT_TRUE(indirect.contains("?checksum=sha256:")) << "whatever the body";
      const std::string direct =
          fmt::format("{{\"location\":\"{}\",\"use_registry_credentials\":false}}",
                      indirect.substr(0, indirect.find('?')));
      EXPECT_EQ(reply.body == direct, each.direct) << each.agent << ": " << reply.body;
      if (each.direct) continue;
      EXPECT_FALSE(reply.body.contains("use_registry_credentials")) << each.agent;
    }
  }
}

TEST_F(ModuleApiTest, LookupsAreLenient) {
  ASSERT_EQ(api.Publish("Acme/VPC/aws", "1.0.0+b1", ModuleArchive()).status, 201U);
  for (const char* path : {"/v1/modules/acme/vpc/aws/versions", "/v1/modules/ACME/Vpc/aws/versions",
                           "/v1/modules/Acme/VPC/aws/v1.0.0+b1/download",
                           "/v1/modules/acme/vpc/aws/1.0.0+b1/download"}) {
    EXPECT_LT(api.Get(path).status, 300U) << path;
  }
  // The page shows the letter case of the first publish.
  auto document = wire::DecodeModuleVersions(api.Get("/v1/modules/acme/vpc/aws/versions").body);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->source, "Acme/VPC/aws");
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.1.0", ModuleArchive()).status, 201U);
  EXPECT_EQ(Versions("Acme/VPC/aws").size(), 2U);
}

// `path` with the letters in upper case whose bits are set in `number`.
std::string Spelling(std::string path, unsigned number) {
  for (char& letter : path) {
    if (letter < 'a' || letter > 'z') continue;
    if ((number & 1) != 0) letter = static_cast<char>(letter - 'a' + 'A');
    number >>= 1;
  }
  return path;
}

TEST_F(ModuleApiTest, ManySpellingsOfAPathKeepOneDocument) {
  std::string other = "/v1/modules/acme/other/aws/versions";
  std::string module = "/spelled/in-many-ways/aws";  // its namespace and name, in any letter case
  ASSERT_EQ(api.Publish("spelled/in-many-ways/aws", "1.0.0", ModuleArchive("one")).status, 201U);
  ASSERT_EQ(api.Publish("acme/other/aws", "1.0.0", ModuleArchive("two")).status, 201U);
  ASSERT_EQ(api.Get(other).status, 200U);
  for (unsigned number = 0; number < 1000; ++number) {
    std::string path = "/v1/modules" + Spelling(module, number);
    ASSERT_EQ(api.Get(path + "/versions").status, 200U);
    ASSERT_EQ(api.Get(path + (number % 2 == 0 ? "/1.0.0" : "/v1.0.0") + "/download").status, 204U);
  }
  CacheCounters counters = api.documents().Counters();
  EXPECT_EQ(counters.entries, 3U);
  EXPECT_LE(counters.cost, ApiFixture::kDocumentBytes);
}

TEST_F(ModuleApiTest, ADocumentThatIsNotKeptCountsAsOneMiss) {
  ASSERT_EQ(api.Publish(kVpc, "1.0.0", ModuleArchive("one")).status, 201U);
  std::uint64_t misses = 0;
  for (const char* path : {"/v1/modules/acme/vpc/aws/versions", "/v1/modules/acme/vpc/aws",
                           "/v1/modules/acme/vpc/aws/1.0.0/download",
                           "/v1/modules/acme/vpc/aws/1.0.0", "/.well-known/terraform.json"}) {
    api.Get(path);
    EXPECT_EQ(api.documents().Counters().misses, ++misses) << path;
    std::uint64_t hits = api.documents().Counters().hits;
    api.Get(path);
    EXPECT_EQ(api.documents().Counters().misses, misses) << path;
    EXPECT_EQ(api.documents().Counters().hits, hits + 1) << path;
  }
}

TEST_F(ModuleApiTest, ATopFolderIsTakenOff) {
  std::string upload = WrappedModuleArchive();
  Reply first = api.Publish(kVpc, "1.0.0", upload);
  ASSERT_EQ(first.status, 201U) << first.body;
  auto answer = wire::Decode<wire::PublishedModule>(first.body);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->repacked);
  EXPECT_NE(answer->digest, Digest::Of(upload).ToString());
  Reply bytes = api.Get("/download/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.tar.gz");
  EXPECT_EQ(Digest::Of(bytes.body).ToString(), answer->digest);
  // A repacked archive is a module of its own, with the same result.
  EXPECT_EQ(api.Publish("acme/again/aws", "1.0.0", bytes.body).status, 201U);
  // The same upload is recognised by the bytes that were sent.
  Reply again = api.Publish(kVpc, "1.0.0", upload);
  EXPECT_EQ(again.status, 200U);
  EXPECT_EQ(wire::Decode<wire::PublishedModule>(again.body)->digest, answer->digest);
}

TEST_F(ModuleApiTest, AVersionNeverChanges) {
  std::string archive = ModuleArchive("one");
  ASSERT_EQ(api.Publish(kVpc, "1.0.0+a", archive).status, 201U);
  EXPECT_EQ(api.Publish(kVpc, "1.0.0+a", archive).status, 200U);
  Reply other = api.Publish(kVpc, "1.0.0+a", ModuleArchive("two"));
  EXPECT_EQ(other.status, 409U);
  EXPECT_NE(other.body.find("never changes"), std::string::npos) << other.body;
  for (const char* version : {"1.0.0", "1.0.0+b"}) {
    Reply build = api.Publish(kVpc, version, archive);
    EXPECT_EQ(build.status, 409U) << version;
    EXPECT_NE(build.body.find("build metadata"), std::string::npos) << build.body;
  }
  EXPECT_EQ(Versions(kVpc), (std::vector<std::string>{"1.0.0+a"}));
}

// The answer says when, why and what to use instead, and not that it never was.
TEST_F(ModuleApiTest, AWithdrawnVersionIsGoneAndSaysWhy) {
  std::string archive = ModuleArchive();
  ASSERT_EQ(api.Publish(kVpc, "1.0.0", archive).status, 201U);
  ASSERT_EQ(api.Publish(kVpc, "1.1.0", ModuleArchive("x")).status, 201U);
  const std::string bytes = "/download/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.tar.gz";
  ASSERT_EQ(api.Get(bytes).status, 200U);
  ASSERT_EQ(api.Get("/v1/modules/acme/vpc/aws/1.0.0/download").status, 204U);
  EXPECT_EQ(api.Withdraw(kVpc, "1.0.0", "leaks a key").status, 204U);
  EXPECT_EQ(Versions(kVpc), (std::vector<std::string>{"1.1.0"}));
  for (const std::string& path : {bytes, std::string("/v1/modules/acme/vpc/aws/1.0.0/download"),
                                  std::string("/v1/modules/acme/vpc/aws/1.0.0"),
                                  std::string("/api/v1/modules/acme/vpc/aws/1.0.0"),
                                  std::string("/api/v1/modules/acme/vpc/aws/1.0.0/readme")}) {
    const Reply gone = api.Get(path);
    EXPECT_EQ(gone.status, 410U) << path;
    EXPECT_TRUE(gone.body.starts_with(R"({"errors":["acme/vpc/aws 1.0.0 was withdrawn on )"))
        << path << gone.body;
    EXPECT_TRUE(gone.body.contains("leaks a key")) << path << gone.body;
    EXPECT_TRUE(gone.body.ends_with(R"("code":"gone","status":410})")) << gone.body;
  }
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws/1.0.0+b/download").status, 404U);
  Reply again = api.Publish(kVpc, "1.0.0", archive);
  EXPECT_EQ(again.status, 409U);
  EXPECT_NE(again.body.find("withdrawn (leaks a key)"), std::string::npos) << again.body;
  EXPECT_EQ(api.Withdraw(kVpc, "1.0.0", "again").status, 410U);
  EXPECT_EQ(api.Withdraw(kVpc, "1.1.0", "").status, 400U);
  EXPECT_EQ(api.Withdraw(kVpc, "1.1.0", R"(a\u0000b)").status, 400U);
}

TEST_F(ModuleApiTest, AWithdrawalNamesTheVersionToUseInstead) {
  for (const char* version : {"1.0.0", "1.1.0"}) {
    ASSERT_EQ(api.Publish(kVpc, version, ModuleArchive(version)).status, 201U);
  }
  auto withdraw = [this](const char* successor) {
    return api.Ask({.method = http::Method::kDelete,
                    .path = "/api/v1/modules/acme/vpc/aws/1.0.0",
                    .body = fmt::format(R"({{"reason":"leaks","successor":"{}"}})", successor)});
  };
  for (const char* bad : {"1.0.0", "9.9.9", "latest"}) {
    EXPECT_EQ(withdraw(bad).status, 400U) << bad;
  }
  EXPECT_EQ(withdraw("1.1.0").status, 204U);
  EXPECT_TRUE(api.Get("/v1/modules/acme/vpc/aws/1.0.0").body.contains("leaks. Use 1.1.0.\""));
}

// A version withdrawn by mistake comes back, while its bytes exist.
TEST_F(ModuleApiTest, AWithdrawalIsUndoneByAnOwnerAndOnRecord) {
  const std::string path = "/api/v1/modules/acme/vpc/aws/1.1.0";
  auto restore = [&](std::string body) {
    return api.Ask(
        {.method = http::Method::kPost, .path = path + "/restore", .body = std::move(body)});
  };
  const std::string reason = R"({"reason":"it was the wrong one"})";
  ASSERT_EQ(api.Publish(kVpc, "1.0.0", ModuleArchive()).status, 201U);
  EXPECT_EQ(restore(reason).status, 404U);
  ASSERT_EQ(api.Publish(kVpc, "1.1.0", ModuleArchive("x")).status, 201U);
  EXPECT_EQ(restore(reason).status, 409U) << "it is not withdrawn";
  const Reply before = api.Get("/v1/modules/acme/vpc/aws/1.1.0/download");
  ASSERT_EQ(api.Withdraw(kVpc, "1.1.0", "leaks a key").status, 204U);
  EXPECT_EQ(Versions(kVpc), (std::vector<std::string>{"1.0.0"}));
  for (const char* bad : {"", "{}", R"({"reason":""})"}) {
    EXPECT_EQ(restore(bad).status, 400U) << bad;
  }
  const std::string token = api.token;
  api.token = api.Token(Scope::kPublish);
  EXPECT_EQ(restore(reason).status, 403U);
  api.token = token;
  EXPECT_EQ(restore(reason).status, 204U);
  EXPECT_EQ(Versions(kVpc), (std::vector<std::string>{"1.1.0", "1.0.0"}));
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws/1.1.0/download").Get("X-Terraform-Get"),
            before.Get("X-Terraform-Get"));
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws").status, 200U);
  const std::string log = api.Get("/api/v1/audit").body;
  EXPECT_TRUE(log.contains("module.restore") && log.contains("it was the wrong one")) << log;
  // The bytes may have gone all the same.
  ASSERT_EQ(api.Withdraw(kVpc, "1.1.0", "leaks a key").status, 204U);
  for (const BlobInfo& each : *RunTask(api.blobs().List(std::nullopt, 100))) {
    EXPECT_TRUE(RunTask(api.blobs().RemoveIfOlder(each.digest, std::chrono::seconds(-1))));
  }
  const Reply late = restore(reason);
  EXPECT_EQ(late.status, 410U);
  EXPECT_TRUE(late.body.contains("blobs.gc_grace")) << late.body;
}

struct Refusal {
  std::string address;
  std::string version;
  unsigned status;
  std::string_view message_part;
};

TEST_F(ModuleApiTest, RefusesBadNamesAndVersionsBeforeAnythingIsStored) {
  const std::vector<Refusal> kRefusals = {
      {"acme/vpc/AWS", "1.0.0", 400, "lower-case"},
      {"-acme/vpc/aws", "1.0.0", 400, "begin and end"},
      {"acme/" + std::string(65, 'a') + "/aws", "1.0.0", 400, "at most 64"},
      {"search/vpc/aws", "1.0.0", 400, "reserved"},
      {"acme/versions/aws", "1.0.0", 400, "reserved"},
      {"oauth/vpc/aws", "1.0.0", 400, "reserved"},
      {kVpc, "v1.0.0", 400, "write 1.0.0"},
      {kVpc, "1.0", 400, "MAJOR.MINOR.PATCH"},
      {kVpc, "0.0.0", 400, "0.0.1"},
      {kVpc, "99999999999999999999.0.0", 400, "2^63"},
      {kVpc, "1.0.0-" + std::string(130, 'a'), 400, "at most 128"},
  };
  for (const Refusal& refusal : kRefusals) {
    Reply reply = api.Publish(refusal.address, refusal.version, ModuleArchive());
    EXPECT_EQ(reply.status, refusal.status) << refusal.address << " " << refusal.version;
    std::vector<std::string> errors = wire::DecodeErrors(reply.body);
    ASSERT_EQ(errors.size(), 1U) << reply.body;
    EXPECT_NE(errors[0].find(refusal.message_part), std::string::npos) << errors[0];
  }
  EXPECT_NE(api.Get("/v1/modules").body.find(R"("modules":[])"), std::string::npos);
}

TEST_F(ModuleApiTest, RefusesBadArchivesAndKeepsNothing) {
  std::string good = ModuleArchive();
  const std::vector<std::pair<std::string, std::string>> kBad = {
      {"empty", ""},
      {"text", "this is not an archive"},
      {"cut off", good.substr(0, good.size() - 20)},
      {"no module at the root", PackFiles({{"docs/readme.txt", "x"}, {"src/main.go", "y"}})},
      {"climbs", PackFiles({{"main.tf", ""}, {"../evil.tf", ""}})},
  };
  for (const auto& [name, bytes] : kBad) {
    Reply reply = api.Publish(kVpc, "1.0.0", bytes);
    EXPECT_EQ(reply.status, 422U) << name << ": " << reply.body;
    EXPECT_EQ(wire::DecodeErrors(reply.body).size(), 1U) << name;
  }
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws/versions").status, 404U);
  // The version is still free.
  EXPECT_EQ(api.Publish(kVpc, "1.0.0", good).status, 201U);
}

TEST_F(ModuleApiTest, TokensBoundWhoMayPublish) {
  std::string archive = ModuleArchive();
  auto publish_with = [&](std::string token) {
    api.token = std::move(token);
    return api.Publish(kVpc, "1.0.0", archive);
  };
  EXPECT_EQ(publish_with("").status, 401U);
  Reply none = publish_with("");
  EXPECT_NE(none.Get("WWW-Authenticate"), "");
  EXPECT_EQ(publish_with("koya_" + std::string(43, 'a')).status, 401U);
  EXPECT_EQ(publish_with(api.Token(Scope::kRead)).status, 403U);
  EXPECT_EQ(publish_with(api.Token(Scope::kPublish, {"other"})).status, 403U);
  std::string short_lived = api.Token(Scope::kPublish, {}, std::chrono::seconds(60));
  api.clock.now += 61;
  Reply expired = publish_with(short_lived);
  EXPECT_EQ(expired.status, 401U);
  EXPECT_NE(expired.body.find("expired"), std::string::npos) << expired.body;
  std::string publisher = api.Token(Scope::kPublish, {"ac*"});
  EXPECT_EQ(publish_with(publisher).status, 201U);
  EXPECT_EQ(api.Withdraw(kVpc, "1.0.0", "x").status, 403U);
}

TEST_F(ModuleApiTest, ListingsArePagedAndSearched) {
  for (int i = 0; i < 7; ++i) {
    std::string address = "acme/mod" + std::to_string(i) + "/aws";
    ASSERT_EQ(api.Publish(address, "1.0.0", ModuleArchive()).status, 201U);
  }
  ASSERT_EQ(api.Publish("acme/mod0/gcp", "2.0.0-rc.1", ModuleArchive()).status, 201U);
  ASSERT_EQ(api.Publish("other/net/aws", "1.0.0", ModuleArchive()).status, 201U);

  auto list = [&](std::string path, std::string query) {
    Question question;
    question.path = std::move(path);
    question.query = std::move(query);
    Reply reply = api.Ask(question);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return *wire::DecodeModuleList(reply.body);
  };
  EXPECT_EQ(list("/v1/modules", "").modules.size(), 9U);
  wire::ModuleList page = list("/v1/modules", "limit=4&offset=4");
  EXPECT_EQ(page.modules.size(), 4U);
  EXPECT_EQ(page.next_offset, 8U);
  EXPECT_EQ(page.prev_offset, 0U);
  EXPECT_EQ(page.next_url, "/v1/modules?limit=4&offset=8");
  EXPECT_FALSE(list("/v1/modules", "limit=4&offset=8").next_offset);
  EXPECT_EQ(list("/v1/modules/acme", "").modules.size(), 8U);
  EXPECT_EQ(list("/v1/modules/ACME/mod0", "").modules.size(), 2U);
  EXPECT_EQ(list("/v1/modules", "provider=gcp").modules.size(), 1U);
  EXPECT_EQ(list("/v1/modules", "verified=true").modules.size(), 0U);
  EXPECT_EQ(list("/v1/modules/search", "q=net").modules.size(), 1U);
  EXPECT_EQ(list("/v1/modules/search", "q=mod+gcp").modules.size(), 1U);
  EXPECT_EQ(list("/v1/modules/search", "q=%25").modules.size(), 0U);
  EXPECT_EQ(list("/v1/modules/nobody", "").modules.size(), 0U);
  EXPECT_EQ(api.Get("/v1/modules/\xff").status, 404U);

  Question bad;
  bad.path = "/v1/modules";
  bad.query = "limit=many";
  EXPECT_EQ(api.Ask(bad).status, 400U);
  bad.path = "/v1/modules/search";
  bad.query = "";
  EXPECT_EQ(api.Ask(bad).status, 400U);
}

TEST_F(ModuleApiTest, WhatTheStoreLetGoOfIsLookedUpAnew) {
  const std::string archive = ModuleArchive();
  ASSERT_EQ(api.Publish(kVpc, "1.0.0", archive).status, 201U);
  const std::string path = "/download/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.tar.gz";
  auto kept = std::make_shared<FickleBlob>("what was there");
  auto lead = std::make_shared<ServedArchive>();
  lead->blob = kept;
  lead->media_type = "application/gzip";
  api.archives().Put(api.archives().TakeTicket(), path, "module:acme/vpc/aws", lead, 100);
  EXPECT_EQ(api.Get(path).body, "what was there");
  kept->is_gone = true;
  EXPECT_EQ(api.Get(path).body, archive);
}

TEST_F(ModuleApiTest, LatestIsTheNewestRelease) {
  for (const char* version : {"1.0.0", "1.2.0", "1.10.0", "2.0.0-rc.1"}) {
    ASSERT_EQ(api.Publish(kVpc, version, ModuleArchive(version)).status, 201U);
  }
  auto latest = wire::Decode<wire::ModuleDetails>(api.Get("/v1/modules/acme/vpc/aws").body);
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->version, "1.10.0");
  EXPECT_EQ(latest->source, "") << "no CI job published it, and an address is no repository";
  EXPECT_EQ(latest->published_at, "2026-11-21T16:41:10Z");
  EXPECT_EQ(latest->versions, (std::vector<std::string>{"2.0.0-rc.1", "1.10.0", "1.2.0", "1.0.0"}));
  Reply redirect = api.Get("/v1/modules/acme/vpc/aws/download");
  EXPECT_EQ(redirect.status, 302U);
  EXPECT_EQ(redirect.Get("Location"),
            "https://registry.example.com/v1/modules/acme/vpc/aws/1.10.0/download");
  EXPECT_EQ(
      wire::Decode<wire::ModuleDetails>(api.Get("/v1/modules/acme/vpc/aws/1.2.0").body)->version,
      "1.2.0");
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws/9.9.9").status, 404U);
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws/nonsense").status, 404U);
}

TEST(PublishLimitTest, AnUploadOverTheLimitIsTooLarge) {
  service::PublishOptions options;
  options.upload_bytes = 100;
  ApiFixture api(options);
  api.token = api.Token(Scope::kPublish);
  Reply reply = api.Publish(kVpc, "1.0.0", ModuleArchive());
  EXPECT_EQ(reply.status, 413U);
  EXPECT_NE(reply.body.find("100B"), std::string::npos) << reply.body;
}

// ---- versions of modules that are deprecated, as those who publish and those who ask see it.

class ModuleStatesApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    api.token = api.Token(Scope::kAdmin);
    ASSERT_EQ(api.Publish("acme/vpc/aws", "1.0.0", ModuleArchive("a")).status, 201U);
  }
  Reply Deprecate(std::string body, std::string version = "1.0.0") {
    return api.Ask({.method = http::Method::kPut,
                    .path = "/api/v1/modules/acme/vpc/aws/" + version + "/deprecation",
                    .body = std::move(body)});
  }
  std::string Page() {
    Reply reply = api.Get("/modules/acme/vpc/aws/1.0.0");
    EXPECT_EQ(reply.status, 200U);
    return reply.body;
  }

  ApiFixture api;
};

TEST_F(ModuleStatesApiTest, AMessageIsShownAndTakenBack) {
  EXPECT_EQ(Page().find("move to acme/network"), std::string::npos);
  ASSERT_EQ(Deprecate(R"({"message":"old; move to acme/network"})").status, 204U);
  EXPECT_NE(Page().find("move to acme/network"), std::string::npos);
  EXPECT_EQ(api.Get("/v1/modules/acme/vpc/aws/1.0.0/download").status, 204U);
  ASSERT_EQ(Deprecate(R"({"message":""})").status, 204U);
  EXPECT_EQ(Page().find("move to acme/network"), std::string::npos);
}

// Documents for programs contain what the pages show.
TEST_F(ModuleStatesApiTest, DocumentsTellTheMessageOfTheVersion) {
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.1.0", ModuleArchive("b")).status, 201U);
  auto warning = [this](const std::string& path) {
    Result<wire::ModuleDetails> details = wire::Decode<wire::ModuleDetails>(api.Get(path).body);
    EXPECT_TRUE(details) << path;
    return details ? details->deprecation : std::string();
  };
  const std::string old = "/v1/modules/acme/vpc/aws/1.0.0";
  EXPECT_EQ(warning(old), "");
  EXPECT_FALSE(api.Get(old).body.contains("warning"));
  ASSERT_EQ(Deprecate(R"({"message":"use \"1.1.0\""})").status, 204U);
  EXPECT_EQ(warning(old), "use \"1.1.0\"");
  EXPECT_EQ(warning("/modules/acme/vpc/aws/1.0.0.json"), "use \"1.1.0\"");
  EXPECT_EQ(warning("/v1/modules/acme/vpc/aws/1.1.0"), "");
  EXPECT_EQ(warning("/v1/modules/acme/vpc/aws"), "");
  ASSERT_EQ(Deprecate(R"({"message":""})").status, 204U);
  EXPECT_EQ(warning(old), "");
}

TEST_F(ModuleStatesApiTest, RefusesWhatIsNoMessageAndWhatIsNotThere) {
  for (const std::string& body :
       {std::string("{}"), std::string("x"), std::string(R"({"message":"a\nb"})"),
        R"({"message":")" + std::string(1001, 'x') + R"("})"}) {
    EXPECT_EQ(Deprecate(body).status, 400U) << body.substr(0, 40);
  }
  EXPECT_EQ(Deprecate(R"({"message":"x"})", "9.0.0").status, 404U);
  EXPECT_EQ(Deprecate(R"({"message":"x"})", "x").status, 400U);
  api.token = api.Token(Scope::kRead);
  EXPECT_EQ(Deprecate(R"({"message":"x"})").status, 403U);
  api.token = api.Token(Scope::kPublish, {"other"});
  EXPECT_EQ(Deprecate(R"({"message":"x"})").status, 403U);
  api.token = "";
  EXPECT_EQ(Deprecate(R"({"message":"x"})").status, 401U);
}

}  // namespace

}  // namespace koya::api
