// What clients, tools and authors see of providers, statuses and documents and all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "archive/archive_builder_fake.h"
#include "domain/digest.h"
#include "domain/namespace_record.h"
#include "wire/error_document.h"
#include "wire/provider_publishing.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

using http::Method;

class ProviderApiTest : public ::testing::Test {
 protected:
  void SetUp() override { api.token = api.Token(Scope::kAdmin); }

  Reply Ask(Method method, const std::string& path, std::string body = "") {
    Question question;
    question.method = method;
    question.path = path;
    question.body = std::move(body);
    return api.Ask(question);
  }
  static std::string Drafts(const std::string& version, const std::string& address = "acme/demo") {
    return fmt::format("/api/v1/providers/{}/{}/drafts", address, version);
  }
  static std::string Package(const std::string& content) {
    return Zip({{.name = "terraform-provider-demo_v1.0.0", .content = content}});
  }
  static std::string FileName(const std::string& version, const std::string& rest) {
    return fmt::format("terraform-provider-demo_{}_{}", version, rest);
  }

  std::string Open(const std::string& version) {
    Reply reply = Ask(Method::kPost, Drafts(version));
    EXPECT_EQ(reply.status, 201U) << reply.body;
    auto draft = wire::Decode<wire::Draft>(reply.body);
    return draft ? draft->id : "";
  }
  Reply Upload(const std::string& version, const std::string& id, const std::string& file,
               std::string content) {
    return Ask(Method::kPut, fmt::format("{}/{}/files/{}", Drafts(version), id, file),
               std::move(content));
  }
  Reply Commit(const std::string& version, const std::string& id, std::string body) {
    return Ask(Method::kPost, fmt::format("{}/{}/commit", Drafts(version), id), std::move(body));
  }
  // Publishes a release signed by the server; every platform's zip differs.
  Reply Publish(const std::string& version,
                const std::vector<std::string>& platforms = {"linux_amd64", "darwin_arm64"}) {
    std::string id = Open(version);
    for (const std::string& platform : platforms) {
      Reply reply = Upload(version, id, FileName(version, platform + ".zip"), Package(platform));
      EXPECT_EQ(reply.status, 200U) << reply.body;
    }
    return Commit(version, id, R"({"sign":true})");
  }
  wire::ProviderVersions Versions() {
    Reply reply = api.Get("/v1/providers/acme/demo/versions");
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return wire::Decode<wire::ProviderVersions>(reply.body).value_or(wire::ProviderVersions{});
  }
  wire::ProviderDownload Download(const std::string& version, const std::string& platform) {
    Reply reply = api.Get(fmt::format("/v1/providers/acme/demo/{}/download/{}", version, platform));
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return wire::DecodeProviderDownload(reply.body).value_or(wire::ProviderDownload{});
  }
  // The path of one of this server's URLs.
  static std::string PathOf(const std::string& url) {
    constexpr std::string_view kOrigin = "https://registry.example.com";
    EXPECT_TRUE(url.starts_with(kOrigin)) << url;
    return url.substr(std::min(kOrigin.size(), url.size()));
  }

  ApiFixture api;
};

TEST_F(ProviderApiTest, APublishShowsAtOnceWithEveryField) {
  Reply published = Publish("1.0.0");
  ASSERT_EQ(published.status, 201U) << published.body;
  auto outcome = wire::Decode<wire::PublishedProvider>(published.body);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->source, "registry.example.com/acme/demo");
  EXPECT_EQ(outcome->packages.size(), 2U);

  wire::ProviderVersions versions = Versions();
  ASSERT_EQ(versions.versions.size(), 1U);
  EXPECT_EQ(versions.versions[0].version, "1.0.0");
  EXPECT_EQ(versions.versions[0].protocols, std::vector<std::string>{"5.0"});
  EXPECT_EQ(versions.versions[0].platforms,
            (std::vector<wire::PlatformName>{{"darwin", "arm64"}, {"linux", "amd64"}}));
  EXPECT_EQ(versions.warnings, std::vector<std::string>());

  wire::ProviderDownload download = Download("1.0.0", "linux/amd64");
  std::string zip = Package("linux_amd64");
  EXPECT_EQ(download.os, "linux");
  EXPECT_EQ(download.arch, "amd64");
  EXPECT_EQ(download.filename, "terraform-provider-demo_1.0.0_linux_amd64.zip");
  EXPECT_EQ(download.shasum, Digest::Of(zip).hex());
  ASSERT_EQ(download.keys.size(), 1U);
  EXPECT_EQ(download.keys[0].key_id,
            outcome->key_fingerprint.substr(outcome->key_fingerprint.size() - 16));
  EXPECT_TRUE(download.keys[0].ascii_armor.starts_with("-----BEGIN PGP PUBLIC KEY BLOCK-----"));
  ASSERT_EQ(download.packages.size(), 2U);
  const wire::PackageHashes& hashes = download.packages.at("linux_amd64");
  EXPECT_EQ(hashes.package_size, zip.size());
  ASSERT_EQ(hashes.hashes.size(), 2U);
  EXPECT_EQ(hashes.hashes[0], "zh:" + download.shasum);
  EXPECT_TRUE(hashes.hashes[1].starts_with("h1:"));

  Reply served = api.Get(PathOf(download.download_url));
  EXPECT_EQ(served.body, zip);
  EXPECT_EQ(served.Get("Content-Type"), "application/zip");
  EXPECT_EQ(served.etag, "\"" + download.shasum + "\"");
  EXPECT_TRUE(served.Get("Cache-Control").contains("immutable"));
  Reply sums = api.Get(PathOf(download.shasums_url));
  EXPECT_TRUE(sums.body.contains(download.shasum + "  " + download.filename + "\n"));
  EXPECT_EQ(api.Get(PathOf(download.shasums_signature_url)).status, 200U);
}

TEST_F(ProviderApiTest, SharedBytesLeavePackagesOut) {
  std::string id = Open("1.0.0");
  for (const char* platform : {"darwin_amd64", "darwin_arm64"}) {
    Upload("1.0.0", id, FileName("1.0.0", std::string(platform) + ".zip"), Package("universal"));
  }
  ASSERT_EQ(Commit("1.0.0", id, R"({"sign":true})").status, 201U);
  EXPECT_EQ(Download("1.0.0", "darwin/arm64").packages.size(), 0U);
}

TEST_F(ProviderApiTest, NamesAreFoldedAndNormalised) {
  ASSERT_EQ(Publish("1.0.0").status, 201U);
  for (const char* path : {"/v1/providers/ACME/Demo/versions", "/v1/providers/Acme/DEMO/v1.0.0",
                           "/v1/providers/acme/demo/v1.0.0/download/linux/amd64"}) {
    EXPECT_EQ(api.Get(path).status, 200U) << path;
  }
  Reply folded = Ask(Method::kPost, Drafts("1.0.0", "ACME/Demo"));
  EXPECT_EQ(wire::Decode<wire::Draft>(folded.body)->address, "acme/demo");
  Reply unicode = Ask(Method::kPost, Drafts("1.0.0", "日本/demo"));
  EXPECT_EQ(unicode.status, 201U) << unicode.body;
}

TEST_F(ProviderApiTest, UnknownIsNotFound) {
  ASSERT_EQ(Publish("1.0.0").status, 201U);
  api.token.clear();
  for (const char* path : {
           "/v1/providers/acme/other/versions",
           "/v1/providers/other/demo/versions",
           "/v1/providers/-bad-/demo/versions",
           "/v1/providers/acme/xn--demo/versions",
           "/v1/providers/acme/demo/2.0.0/download/linux/amd64",
           "/v1/providers/acme/demo/latest/download/linux/amd64",
           "/v1/providers/acme/demo/9223372036854775808.0.0/download/linux/amd64",
           "/v1/providers/acme/demo/1.0.0/download/linux/riscv64",
           "/v1/providers/acme/demo/1.0.0/download/plan9/toaster",
           "/v1/providers/acme/demo/2.0.0",
           "/v1/providers/acme/other",
           "/download/providers/acme/demo/1.0.0/terraform-provider-demo_1.0.0_linux_riscv64.zip",
           "/download/providers/acme/demo/1.0.0/other",
           "/download/providers/acme/x/1.0.0/y",
       }) {
    Reply reply = api.Get(path);
    EXPECT_EQ(reply.status, 404U) << path;
    EXPECT_EQ(wire::DecodeErrors(reply.body).size(), 1U) << path;
  }
  EXPECT_TRUE(
      wire::DecodeErrors(api.Get("/v1/providers/acme/demo/1.0.0/download/linux/riscv64").body)[0]
          .contains("available: darwin_arm64, linux_amd64"));
}

TEST_F(ProviderApiTest, EveryProblemIsTold) {
  std::string id = Open("1.0.0");
  Reply file = Upload("1.0.0", id, FileName("1.0.0", "linux_amd64.zip"), "no zip");
  EXPECT_EQ(wire::Decode<wire::DraftFile>(file.body)->problems.size(), 1U);
  Upload("1.0.0", id, "README.md", "hello");
  Reply refused = Commit("1.0.0", id, "");
  EXPECT_EQ(refused.status, 422U);
  EXPECT_GE(wire::DecodeErrors(refused.body).size(), 4U) << refused.body;
  EXPECT_EQ(api.Get("/v1/providers/acme/demo/versions").status, 404U);
  Reply shown = Ask(Method::kGet, Drafts("1.0.0") + "/" + id);
  EXPECT_EQ(wire::Decode<wire::Draft>(shown.body)->files.size(), 2U);
  EXPECT_EQ(Ask(Method::kDelete, Drafts("1.0.0") + "/" + id).status, 204U);
  EXPECT_EQ(Ask(Method::kGet, Drafts("1.0.0") + "/" + id).status, 404U);
}

TEST_F(ProviderApiTest, StatusesOfDraftsAreTheContracts) {
  EXPECT_EQ(Ask(Method::kPost, Drafts("1.0")).status, 400U);
  EXPECT_EQ(Ask(Method::kPost, Drafts("9223372036854775808.0.0")).status, 400U);
  EXPECT_EQ(Ask(Method::kPost, Drafts("1.0.0", "acme/terraform-demo")).status, 400U);
  EXPECT_EQ(Ask(Method::kPost, Drafts("1.0.0", "a_/demo")).status, 400U);
  EXPECT_EQ(Ask(Method::kPost, Drafts("1.0.0", "acme/de_mo")).status, 400U);
  std::string id = Open("1.0.0");
  EXPECT_EQ(Commit("1.0.0", id, "{\"sign\":").status, 400U);
  EXPECT_EQ(Upload("1.0.0", "guess", FileName("1.0.0", "linux_amd64.zip"), "x").status, 404U);
  EXPECT_EQ(Commit("1.0.0", "guess", "").status, 404U);
  api.token.clear();
  EXPECT_EQ(Ask(Method::kPost, Drafts("1.0.0")).status, 401U);
  api.token = api.Token(Scope::kRead);
  EXPECT_EQ(Ask(Method::kPost, Drafts("1.0.0")).status, 403U);
  api.token = api.Token(Scope::kPublish, {"other"});
  EXPECT_EQ(Ask(Method::kPost, Drafts("1.0.0")).status, 403U);
  EXPECT_EQ(Upload("1.0.0", id, FileName("1.0.0", "linux_amd64.zip"), "x").status, 403U);
}

TEST_F(ProviderApiTest, PublishingAgainIsSafe) {
  ASSERT_EQ(Publish("1.0.0").status, 201U);
  Reply again = Publish("1.0.0");
  EXPECT_EQ(again.status, 200U) << again.body;
  Reply other = Publish("1.0.0", {"linux_amd64"});
  EXPECT_EQ(other.status, 409U) << other.body;
}

// The drafts of the losers used to stay open, until the namespace had reached its limit and all
// publishes failed.
TEST_F(ProviderApiTest, OfReleasesPublishedAtOnceExactlyOneWinsInWhateverOrderTheyCome) {
  constexpr int kPublishers = 6;
  constexpr int kRounds = 45;  // more losers than a namespace may have drafts
  std::mt19937 order(1);       // NOLINT(cert-msc51-cpp): the same order in every run
  for (int round = 0; round < kRounds; ++round) {
    const std::string version = fmt::format("1.{}.0", round);
    const std::string file = FileName(version, "linux_amd64.zip");
    struct Publisher {
      std::string content, draft;
      int steps = 0;
      Reply committed;
    };
    std::vector<Publisher> publishers(kPublishers);
    std::vector<std::size_t> turns;  // whose step is next
    for (std::size_t i = 0; i < publishers.size(); ++i) {
      publishers[i].content = Package(fmt::format("{}-{}", round, i));
      turns.insert(turns.end(), 3, i);
    }
    std::ranges::shuffle(turns, order);
    for (const std::size_t turn : turns) {
      Publisher& each = publishers[turn];
      switch (each.steps++) {
        case 0:
          each.draft = Open(version);
          break;
        case 1:
          ASSERT_EQ(Upload(version, each.draft, file, each.content).status, 200U);
          break;
        default:
          each.committed = Commit(version, each.draft, R"({"sign":true})");
      }
    }
    const std::string served = Download(version, "linux/amd64").shasum;
    int won = 0;
    for (const Publisher& each : publishers) {
      const bool mine = Digest::Of(each.content).hex() == served;
      won += mine ? 1 : 0;
      EXPECT_EQ(each.committed.status, mine ? 201U : 409U) << each.committed.body;
      EXPECT_EQ(Commit(version, each.draft, R"({"sign":true})").status, 404U) << "it is gone";
    }
    ASSERT_EQ(won, 1) << "round " << round;
  }
}

TEST_F(ProviderApiTest, DeprecationsWarnAndCanBeTakenBack) {
  for (const char* version : {"1.0.0", "1.1.0", "2.0.0"}) {
    ASSERT_EQ(Publish(version).status, 201U);
  }
  std::string base = "/api/v1/providers/acme/demo/";
  for (const char* version : {"1.0.0", "1.1.0"}) {
    Reply reply = Ask(Method::kPut, base + version + "/deprecation", R"({"message":"use 2.0.0"})");
    EXPECT_EQ(reply.status, 204U) << reply.body;
  }
  EXPECT_EQ(Versions().warnings,
            std::vector<std::string>{"acme/demo 1.1.0, 1.0.0 are deprecated: use 2.0.0"});
  EXPECT_EQ(Ask(Method::kPut, base + "1.1.0/deprecation", R"({"message":""})").status, 204U);
  EXPECT_EQ(Versions().warnings,
            std::vector<std::string>{"acme/demo 1.0.0 is deprecated: use 2.0.0"});
  EXPECT_EQ(Ask(Method::kPut, base + "3.0.0/deprecation", R"({"message":"x"})").status, 404U);
  EXPECT_EQ(Ask(Method::kPut, base + "1.0.0/deprecation", R"({"message":"a\nb"})").status, 400U);
}

TEST_F(ProviderApiTest, AWithdrawnVersionIsGone) {
  ASSERT_EQ(Publish("1.0.0").status, 201U);
  ASSERT_EQ(Publish("1.1.0").status, 201U);
  std::string url = Download("1.0.0", "linux/amd64").download_url;
  EXPECT_EQ(api.Get(PathOf(url)).status, 200U);
  std::string path = "/api/v1/providers/acme/demo/1.0.0";
  EXPECT_EQ(Ask(Method::kDelete, path, R"({"reason":""})").status, 400U);
  EXPECT_EQ(Ask(Method::kDelete, path, R"({"reason":"leaked a secret"})").status, 204U);
  EXPECT_EQ(Versions().versions.size(), 1U);
  for (const std::string& gone :
       {PathOf(url), std::string("/v1/providers/acme/demo/1.0.0/download/linux/amd64"),
        std::string("/v1/providers/acme/demo/1.0.0"),
        std::string("/api/v1/providers/acme/demo/1.0.0"),
        std::string("/api/v1/providers/acme/demo/1.0.0/docs")}) {
    const Reply reply = api.Get(gone);
    EXPECT_EQ(reply.status, 410U) << gone;
    EXPECT_TRUE(wire::DecodeErrors(reply.body)[0].contains("leaked a secret")) << reply.body;
  }
  // A network mirror's client would give up on its other sources.
  const Reply mirrored = api.Get("/mirror/registry.example.com/acme/demo/1.0.0.json");
  EXPECT_EQ(mirrored.status, 200U);
  EXPECT_EQ(mirrored.body, R"({"archives":{}})");
  Reply again = Ask(Method::kPost, Drafts("1.0.0"));
  EXPECT_EQ(again.status, 409U);
  EXPECT_TRUE(wire::DecodeErrors(again.body)[0].contains("withdrawn"));
  EXPECT_EQ(Ask(Method::kPost, path + "/restore", R"({"reason":"it did not"})").status, 204U);
  EXPECT_EQ(api.Get(PathOf(url)).status, 200U);
  EXPECT_EQ(Versions().versions.size(), 2U);
  api.token = api.Token(Scope::kPublish);
  EXPECT_EQ(Ask(Method::kDelete, path, R"({"reason":"x"})").status, 403U);
}

TEST_F(ProviderApiTest, ListsSearchesAndDescribes) {
  ASSERT_EQ(Publish("1.0.0").status, 201U);
  ASSERT_EQ(Publish("2.0.0-rc.1").status, 201U);
  auto list = wire::DecodeProviderList(api.Get("/v1/providers").body);
  ASSERT_TRUE(list);
  ASSERT_EQ(list->providers.size(), 1U);
  EXPECT_EQ(list->providers[0].version, "1.0.0");  // a release before a prerelease
  EXPECT_EQ(list->providers[0].source, "registry.example.com/acme/demo");
  Question search;
  search.path = "/v1/providers/search";
  EXPECT_EQ(api.Ask(search).status, 400U);
  for (auto [words, found] : {std::pair{"dem", 1U}, std::pair{"nothing", 0U}}) {
    search.query = fmt::format("q={}", words);
    EXPECT_EQ(wire::DecodeProviderList(api.Ask(search).body)->providers.size(), found);
  }
  EXPECT_EQ(wire::DecodeProviderList(api.Get("/v1/providers/ACME").body)->providers.size(), 1U);
  auto latest = wire::Decode<wire::ProviderDetails>(api.Get("/v1/providers/acme/demo").body);
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->versions, (std::vector<std::string>{"2.0.0-rc.1", "1.0.0"}));
  EXPECT_EQ(latest->version, "1.0.0");
  EXPECT_EQ(latest->platforms.size(), 2U);
  EXPECT_TRUE(latest->shasums_digest.starts_with("sha256:"));
}

TEST_F(ProviderApiTest, KeysAreAddedListedRotatedAndRemoved) {
  std::string path = "/api/v1/namespaces/Acme/keys";
  EXPECT_EQ(Ask(Method::kPost, path, "hello").status, 400U);
  Reply secret = Ask(Method::kPost, path, "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nabc\n");
  EXPECT_EQ(secret.status, 400U);
  EXPECT_TRUE(wire::DecodeErrors(secret.body)[0].contains("secret")) << secret.body;
  Reply rotated = Ask(Method::kPost, path + "/rotate");
  ASSERT_EQ(rotated.status, 201U) << rotated.body;
  wire::NamespaceKey key = wire::Decode<wire::KeyList>(rotated.body)->items.at(0);
  EXPECT_TRUE(key.server_made);
  EXPECT_EQ(key.algorithm, "Ed25519");
  EXPECT_EQ(Ask(Method::kPost, path, key.ascii_armor).status, 200U);  // it is there
  EXPECT_EQ(Ask(Method::kDelete, path + "/" + key.key_id).status, 204U);
  EXPECT_EQ(Ask(Method::kDelete, path + "/" + key.key_id).status, 404U);
  EXPECT_EQ(Ask(Method::kDelete, path + "/xyz").status, 400U);
  api.token.clear();
  auto listed = wire::Decode<wire::KeyList>(api.Get("/api/v1/namespaces/acme/keys").body);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->items.size(), 1U);
  EXPECT_NE(listed->items.at(0).removed, "");
  EXPECT_EQ(Ask(Method::kPost, path, "x").status, 401U);
  api.token = api.Token(Scope::kPublish);
  EXPECT_EQ(Ask(Method::kPost, path, "x").status, 403U);
}

TEST_F(ProviderApiTest, ARotationDropsKeptDocuments) {
  ASSERT_EQ(Publish("1.0.0").status, 201U);
  std::string before = Download("1.0.0", "linux/amd64").keys[0].key_id;
  ASSERT_EQ(Ask(Method::kPost, "/api/v1/namespaces/acme/keys/rotate").status, 201U);
  EXPECT_EQ(Download("1.0.0", "linux/amd64").keys[0].key_id, before);  // old releases keep theirs
  ASSERT_EQ(Publish("1.1.0").status, 201U);
  EXPECT_NE(Download("1.1.0", "linux/amd64").keys[0].key_id, before);
}

}  // namespace
}  // namespace koya::api
