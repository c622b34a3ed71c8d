// The mirror as clients see it: statuses, documents, and bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/common/api_fixture_fake.h"
#include "domain/platform.h"
#include "wire/error_document.h"
#include "wire/mirror.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

constexpr const char* kIndex = "/mirror/registry.example.org/acme/demo/index.json";
constexpr const char* kVersion = "/mirror/registry.example.org/acme/demo/1.0.0.json";
constexpr const char* kVersions = "/origin/registry.example.org/v1/providers/acme/demo/versions";
constexpr const char* kDownload =
    "/origin/registry.example.org/v1/providers/acme/demo/1.0.0/download/linux/amd64";
constexpr const char* kFile =
    "/mirror/registry.example.org/acme/demo/1.0.0/terraform-provider-demo_1.0.0_";

class MirrorApiTest : public ::testing::Test {
 protected:
  std::string Zip(std::string_view platform = "linux_amd64") {
    return api.upstream.Zip("1.0.0", *Platform::Parse(platform));
  }
  static std::string PathOf(const std::string& url) {
    constexpr std::string_view kBase = "https://registry.example.com";
    EXPECT_TRUE(url.starts_with(kBase)) << url;
    return url.substr(std::min(kBase.size(), url.size()));
  }

  ApiFixture api;
};

TEST_F(MirrorApiTest, ListsWhatUpstreamHas) {
  Reply index = api.Get(kIndex);
  ASSERT_EQ(index.status, 200U) << index.body;
  EXPECT_EQ(index.Get("Content-Type"), "application/json");
  EXPECT_EQ(wire::DecodeMirrorIndex(index.body).value(),
            (std::vector<std::string>{"1.0.0", "1.1.0"}));
  Reply version = api.Get(kVersion);
  ASSERT_EQ(version.status, 200U);
  auto archives = wire::DecodeMirrorVersion(version.body)->archives;
  ASSERT_EQ(archives.size(), 2U);
  const wire::MirrorArchive& archive = archives.at("darwin_arm64");
  EXPECT_EQ(archive.hashes,
            std::vector<std::string>{"zh:" + Digest::Of(Zip("darwin_arm64")).hex()});
  EXPECT_EQ(PathOf(archive.url), std::string(kFile) + "darwin_arm64.zip");
}

TEST_F(MirrorApiTest, ServesThePackageAndThenKnowsItsHashes) {
  ASSERT_EQ(api.Get(kVersion).status, 200U);
  Reply head = api.Get(std::string(kFile) + "linux_amd64.zip");
  EXPECT_EQ(head.status, 200U);
  EXPECT_EQ(head.etag, "\"" + Digest::Of(Zip()).hex() + "\"");
  api.SettleMirror();
  api.upstream.failure = Error{ErrorKind::kBadUpstream, "down", {}};
  EXPECT_EQ(api.Get(std::string(kFile) + "linux_amd64.zip").body, Zip());
  auto archives = wire::DecodeMirrorVersion(api.Get(kVersion).body)->archives;
  ASSERT_EQ(archives.at("linux_amd64").hashes.size(), 2U);
  EXPECT_TRUE(archives.at("linux_amd64").hashes[0].starts_with("h1:"));
}

TEST_F(MirrorApiTest, WhatIsRenderedAfterAFetchIsKept) {
  for (const std::string& path : {std::string(kIndex), std::string(kVersion)}) {
    ASSERT_EQ(api.Get(path).status, 200U);  // fetched for this answer
    std::uint64_t hits = api.documents().Counters().hits;
    ASSERT_EQ(api.Get(path).status, 200U);
    EXPECT_EQ(api.documents().Counters().hits, hits + 1) << path;
  }
}

TEST_F(MirrorApiTest, EmulatesTheOrigin) {
  auto versions = wire::Decode<wire::ProviderVersions>(api.Get(kVersions).body);
  ASSERT_TRUE(versions);
  EXPECT_EQ(versions->versions.size(), 2U);
  EXPECT_EQ(versions->versions[0].platforms.size(), 2U);
  Reply reply = api.Get(kDownload);
  ASSERT_EQ(reply.status, 200U) << reply.body;
  auto download = wire::DecodeProviderDownload(reply.body);
  ASSERT_TRUE(download);
  EXPECT_EQ(download->shasum, Digest::Of(Zip()).hex());
  ASSERT_EQ(download->keys.size(), 1U);
  EXPECT_EQ(download->packages.size(), 0U);  // upstream says no sizes, so neither does this
  EXPECT_TRUE(api.Get(PathOf(download->shasums_url)).body.contains(download->shasum));
  EXPECT_EQ(api.Get(PathOf(download->shasums_signature_url)).status, 200U);
}

TEST_F(MirrorApiTest, UnknownNeverStandsInTheWayOfOtherSources) {
  for (const char* path :
       {"/mirror/other.example.org/acme/demo/index.json", "/mirror/xn--/acme/demo/index.json",
        "/mirror/-/acme/demo/index.json", "/mirror/registry.example.org/acme/demo/index.html",
        "/origin/other.example.org/v1/providers/acme/demo/versions",
        "/origin/registry.example.org/v1/providers/acme/demo/9.0.0/download/"
        "linux/amd64",
        "/origin/registry.example.org/v1/providers/acme/demo/1.0.0/download/"
        "linux/arm"}) {
    EXPECT_EQ(api.Get(path).status, 404U) << path;
  }
  for (const char* path : {"/mirror/other.example.org/acme/demo/1.0.0.json",
                           "/mirror/registry.example.org/acme/demo/9.0.0.json",
                           "/mirror/registry.example.org/acme/demo/latest.json",
                           "/mirror/registry.example.com/acme/none/1.0.0.json"}) {
    Reply reply = api.Get(path);
    EXPECT_EQ(reply.status, 200U) << path;
    EXPECT_EQ(reply.body, R"({"archives":{}})") << path;
  }
}

TEST_F(MirrorApiTest, AFailingUpstreamIsNeverNotFound) {
  struct Row {
    ErrorKind kind;
    unsigned status;
  };
  for (Row row : {Row{ErrorKind::kBadUpstream, 502}, Row{ErrorKind::kUpstreamTimeout, 504},
                  Row{ErrorKind::kUnavailable, 503}}) {
    api.upstream.failure = Error{row.kind, "registry.example.org fails", {}, 7};
    for (const char* path : {kIndex, kVersion, kVersions, kDownload}) {
      Reply reply = api.Get(path);
      EXPECT_EQ(reply.status, row.status) << path;
      EXPECT_EQ(reply.Get("Retry-After"), row.status == 503 ? "7" : "") << path;
    }
  }
}

// An old list does not cover versions that are newer than it.
TEST_F(MirrorApiTest, WhatAListTooOldDoesNotNameIsNotNotFoundWhileUpstreamFails) {
  ASSERT_EQ(api.Get(kIndex).status, 200U);
  constexpr const char* kNewer = "/mirror/registry.example.org/acme/demo/9.0.0.json";
  constexpr const char* kNewerDownload =
      "/origin/registry.example.org/v1/providers/acme/demo/9.0.0/download/linux/amd64";
  EXPECT_EQ(api.Get(kNewerDownload).status, 404U);
  api.clock.now += 301;
  api.upstream.failure = Error{ErrorKind::kUnavailable, "down", {}, 7};
  EXPECT_EQ(api.Get(kNewer).status, 503U);
  EXPECT_EQ(api.Get(kNewerDownload).status, 503U);
}

// Pinned here, and not listed by their registry: it is asked again in its time.
TEST_F(MirrorApiTest, ARegistryThatHasNoneIsAskedAgain) {
  ASSERT_EQ(api.Get(kDownload).status, 200U);
  api.upstream.failure = Error{ErrorKind::kNotFound, "no such provider", {}};
  ASSERT_EQ(api.Get(kIndex).status, 200U);
  api.upstream.failure.reset();
  int asked = api.upstream.asked_versions;
  ASSERT_EQ(api.Get(kIndex).status, 200U);
  EXPECT_EQ(api.upstream.asked_versions, asked);
  api.clock.now += 301;
  EXPECT_EQ(wire::DecodeMirrorIndex(api.Get(kIndex).body).value().size(), 2U);
  EXPECT_GT(api.upstream.asked_versions, asked);
}

TEST_F(MirrorApiTest, AListKeptWhileTheClockWasAheadIsAskedForAgain) {
  api.clock.now += 86'400;
  ASSERT_EQ(api.Get(kIndex).status, 200U);
  api.clock.now -= 86'400;
  int asked = api.upstream.asked_versions;
  ASSERT_EQ(api.Get(kIndex).status, 200U);
  EXPECT_EQ(api.upstream.asked_versions, asked + 1);
}

// Whatever is announced meanwhile, an answer that upstream failed to give is not waited for twice.
TEST_F(MirrorApiTest, AStaleListIsNotAskedForTwiceInOneAnswer) {
  ASSERT_EQ(api.Get(kIndex).status, 200U);
  api.clock.now += 301;
  api.upstream.failure = Error{ErrorKind::kUpstreamTimeout, "hangs", {}};
  api.upstream.before_versions = [this] { api.documents().Invalidate("something else"); };
  int asked = api.upstream.asked_versions;
  EXPECT_EQ(api.Get(kIndex).status, 200U);
  EXPECT_EQ(api.upstream.asked_versions, asked + 1);
}

TEST_F(MirrorApiTest, HeldListsAreServedAndMarkedWhileUpstreamFails) {
  ASSERT_EQ(api.Get(kIndex).Get("Warning"), "");
  ASSERT_EQ(api.Get(kVersions).status, 200U);
  api.upstream.failure = Error{ErrorKind::kBadUpstream, "down", {}};
  EXPECT_EQ(api.Get(kIndex).Get("Warning"), "");  // still fresh
  api.clock.now += 301;
  for (const char* path : {kIndex, kVersions}) {
    Reply reply = api.Get(path);
    EXPECT_EQ(reply.status, 200U);
    EXPECT_EQ(reply.Get("Warning"), "110 koya \"Response is Stale\"");
  }
  api.upstream.failure.reset();
  api.clock.now += 5;  // recovery shows within seconds
  EXPECT_EQ(api.Get(kIndex).Get("Warning"), "");
}

TEST_F(MirrorApiTest, APolicyExplainsItselfWhereItCan) {
  api.Deny("*/acme/*");
  EXPECT_EQ(api.Get(kIndex).status, 404U);
  EXPECT_EQ(api.Get(kVersion).body, R"({"archives":{}})");
  auto versions = wire::Decode<wire::ProviderVersions>(api.Get(kVersions).body);
  ASSERT_TRUE(versions);
  EXPECT_EQ(versions->versions.size(), 0U);
  ASSERT_EQ(versions->warnings.size(), 1U);
  EXPECT_TRUE(versions->warnings[0].contains("policy.deny \"*/acme/*\""));
  Reply download = api.Get(kDownload);
  EXPECT_EQ(download.status, 403U);
  EXPECT_TRUE(wire::DecodeErrors(download.body)[0].contains("policy.deny"));
  EXPECT_EQ(api.upstream.asked_versions, 0);
}

}  // namespace
}  // namespace koya::api
