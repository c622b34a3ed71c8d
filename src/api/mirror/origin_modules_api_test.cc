// Modules of other registries as clients see them: statuses, documents, and bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/common/api_fixture_fake.h"
#include "base/run_task.h"
#include "catalog/upstream_catalog.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/upstream_record.h"
#include "domain/version.h"
#include "wire/error_document.h"
#include "wire/modules.h"

namespace koya::api {
namespace {

constexpr const char* kOriginVersions =
    "/origin/registry.example.org/v1/modules/acme/vpc/aws/versions";
constexpr const char* kOriginDownload =
    "/origin/registry.example.org/v1/modules/acme/vpc/aws/1.0.0/download";
constexpr const char* kArchive =
    "/origin/registry.example.org/v1/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.tar.gz";
constexpr std::string_view kBase = "https://registry.example.com";

class OriginModulesApiTest : public ::testing::Test {
 protected:
  ApiFixture api;
};

TEST_F(OriginModulesApiTest, ListsWhatUpstreamHas) {
  Reply reply = api.Get(kOriginVersions);
  ASSERT_EQ(reply.status, 200U) << reply.body;
  EXPECT_EQ(reply.Get("Content-Type"), "application/json");
  auto document = wire::DecodeModuleVersions(reply.body);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->source, "acme/vpc/aws");
  EXPECT_EQ(document->versions, (std::vector<std::string>{"1.1.0", "1.0.0"}));
}

TEST_F(OriginModulesApiTest, LeadsEveryClientToTheArchive) {
  Reply terraform = api.Get(kOriginDownload);
  EXPECT_EQ(terraform.status, 204U) << terraform.body;
  std::string location = terraform.Get("X-Terraform-Get");
  ASSERT_TRUE(location.starts_with(std::string(kBase) + kArchive + "?checksum=sha256:"))
      << location;
  Reply opentofu = api.Get(kOriginDownload, "OpenTofu/1.12.0");
  EXPECT_EQ(opentofu.status, 200U);
  EXPECT_EQ(wire::DecodeModuleLocation(opentofu.body).value(), location);
  EXPECT_EQ(opentofu.Get("Vary"), "Accept-Encoding, User-Agent, Accept");
  EXPECT_FALSE(opentofu.body.contains("use_registry_credentials"));

  api.upstream_modules.failure = Error{ErrorKind::kBadUpstream, "down", {}};
  Reply archive = api.Get(kArchive);
  ASSERT_EQ(archive.status, 200U) << archive.body;
  EXPECT_EQ(archive.Get("Content-Type"), "application/gzip");
  EXPECT_TRUE(location.ends_with(Digest::Of(archive.body).ToString()));
  EXPECT_EQ(api.Get(kArchive).etag, archive.etag);
  EXPECT_EQ(api.upstream_modules.asked_packages, 1);
}

// The archive may be asked for without its document: by another server's cache, or by a person.
TEST_F(OriginModulesApiTest, AnArchiveIsFetchedWhenItIsAskedForFirst) {
  EXPECT_EQ(api.Get(kArchive).status, 200U);
  EXPECT_EQ(api.Get(kOriginDownload).status, 204U);
  EXPECT_EQ(api.upstream_modules.asked_packages, 1);
}

TEST_F(OriginModulesApiTest, UnknownIsNotFound) {
  for (const char* path :
       {"/origin/other.example.org/v1/modules/acme/vpc/aws/versions",
        "/origin/other.example.org/v1/modules/acme/vpc/aws/1.0.0/download",
        "/origin/xn--/v1/modules/acme/vpc/aws/versions",
        "/origin/registry.example.org/v1/modules/acme/vpc/AWS/versions",
        "/origin/registry.example.org/v1/modules/-/vpc/aws/versions",
        "/origin/registry.example.org/v1/modules/acme/vpc/aws/latest/download",
        "/origin/registry.example.org/v1/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.zip",
        "/origin/registry.example.org/v1/modules/acme/vpc/aws/1.0.0/1.0.0.tar.gz"}) {
    EXPECT_EQ(api.Get(path).status, 404U) << path;
  }
  EXPECT_EQ(api.upstream_modules.asked_packages, 0);
}

TEST_F(OriginModulesApiTest, AFailingUpstreamIsNeverNotFound) {
  struct Row {
    ErrorKind kind;
    unsigned status;
  };
  for (Row row : {Row{ErrorKind::kBadUpstream, 502}, Row{ErrorKind::kTooLarge, 502},
                  Row{ErrorKind::kRefused, 502}, Row{ErrorKind::kUpstreamTimeout, 504},
                  Row{ErrorKind::kUnavailable, 503}, Row{ErrorKind::kNotFound, 404}}) {
    api.upstream_modules.failure = Error{row.kind, "registry.example.org fails", {}, 7};
    for (const char* path : {kOriginDownload, kArchive}) {
      Reply reply = api.Get(path);
      EXPECT_EQ(reply.status, row.status) << path;
      EXPECT_EQ(reply.Get("Retry-After"), row.status == 503 ? "7" : "") << path;
    }
  }
}

TEST_F(OriginModulesApiTest, HeldListsAreServedAndMarkedWhileUpstreamFails) {
  ASSERT_EQ(api.Get(kOriginVersions).Get("Warning"), "");
  api.upstream_modules.failure = Error{ErrorKind::kBadUpstream, "down", {}};
  api.clock.now += 301;
  EXPECT_EQ(api.Get(kOriginVersions).Get("Warning"), "110 koya \"Response is Stale\"");
  api.upstream_modules.failure.reset();
  api.clock.now += 5;  // recovery shows within seconds
  EXPECT_EQ(api.Get(kOriginVersions).Get("Warning"), "");
}

TEST_F(OriginModulesApiTest, APolicyExplainsItself) {
  api.Deny("*/acme/vpc/*");
  for (const char* path : {kOriginVersions, kOriginDownload, kArchive}) {
    Reply reply = api.Get(path);
    EXPECT_EQ(reply.status, 403U) << path;
    EXPECT_TRUE(wire::DecodeErrors(reply.body)[0].contains("policy.deny \"*/acme/vpc/*\"")) << path;
  }
  EXPECT_EQ(api.upstream_modules.asked_versions + api.upstream_modules.asked_packages, 0);
}

// An archive that stays in use does not grow old: its use is noted though its file stays open.
TEST_F(OriginModulesApiTest, TheUseOfAnOpenArchiveIsNoted) {
  ASSERT_EQ(api.Get(kArchive).status, 200U);
  UpstreamModule module{*HostName::Parse("registry.example.org"),
                        *ModuleAddress::Parse("acme/vpc/aws")};
  auto used_at = [&] {
    api.WriteUses();
    return RunTask(api.catalog().upstream_modules().FindUpstreamModule(module,
                                                                       *Version::Parse("1.0.0")))
        ->used_at;
  };
  UnixSeconds first = used_at();
  for (int minutes = 0; minutes < 180; minutes += 20) {
    api.clock.now += 1200;
    ASSERT_EQ(api.Get(kArchive).status, 200U);
    EXPECT_LE(api.clock.now - used_at(), 2 * 3600);
  }
  EXPECT_GE(used_at(), first + 3600);
}

}  // namespace
}  // namespace koya::api
