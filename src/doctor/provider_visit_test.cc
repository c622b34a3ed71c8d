#include "doctor/provider_visit.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "domain/digest.h"
#include "signing/openpgp.h"
#include "signing/openpgp_fake.h"
#include "upstream/upstream_fixture_fake.h"
#include "wire/providers.h"

namespace koya::doctor {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;

constexpr std::string_view kVersionsPath = "/v1/providers/acme/demo/versions";
constexpr std::string_view kDownloadPath = "/v1/providers/acme/demo/1.1.0/download/linux/amd64";
constexpr std::string_view kFile = "terraform-provider-demo_1.1.0_linux_amd64.zip";
constexpr std::string_view kPackage = "pretends to be a zip";

ScriptedAnswer Json(std::string body) { return ScriptedAnswer::Json(200, std::move(body)); }

// A registry with acme/demo 1.1.0 for linux_amd64, as it should be.
class DoctorProviderTest : public upstream::UpstreamTest {
 protected:
  DoctorProviderTest() : key_(signing::GenerateKey("T <t@example.com>", signing::kKeysMadeAt)) {
    answers_.Set("/.well-known/terraform.json", Json(R"({"providers.v1":"/v1/providers/"})"));
    answers_.Set(kVersionsPath, Json(R"({"versions":[{"version":"1.0.0"},{"version":"1.1.0"},
                                      {"version":"2.0.0-rc.1"}]})"));
    answers_.Set(kDownloadPath, Json(wire::EncodeProviderDownload(Document())));
    SetSums(Digest::Of(kPackage).hex() + "  " + std::string(kFile) + "\n");
    answers_.Set("/demo.zip", {.body = std::string(kPackage)});
    server_ = Serve([this](const ScriptedRequest& each) { return answers_.Get(each.target); });
  }

  wire::ProviderDownload Document() const {
    return {.protocols = {"5.0"},
            .os = "linux",
            .arch = "amd64",
            .filename = std::string(kFile),
            .download_url = "/demo.zip",
            .shasums_url = "/SUMS",
            .shasums_signature_url = "/SUMS.sig",
            .shasum = Digest::Of(kPackage).hex(),
            .keys = {{.key_id = "1", .ascii_armor = key_->public_key.armor}},
            .packages = {}};
  }
  void SetSums(const std::string& sums) {
    answers_.Set("/SUMS", {.body = sums});
    answers_.Set("/SUMS.sig",
                 {.body = *signing::SignDetached(sums, key_->secret, signing::kSignedAt)});
  }

  // "ok …\nfailure …\n", each with what to do behind it.
  std::string Follow(std::string_view platform = "linux_amd64") {
    ProviderVisit visit{.host = *HostName::Parse(fmt::format("127.0.0.1:{}", server_->port())),
                        .address = *ProviderAddress::Parse("acme/demo"),
                        .platform = *Platform::Parse(platform),
                        .token = "t0ken",
                        .ca_file = Options().ca_file};
    std::string shown;
    FollowProvider(visit, [&](const Finding& each) {
      EXPECT_EQ(each.step, "provider");
      EXPECT_EQ(each.fix.empty(), each.severity == Severity::kOk) << each.message;
      last_repair_ = each.fix;
      shown += fmt::format("{} {}\n", SeverityName(each.severity), each.message);
    });
    return shown;
  }

  Result<signing::GeneratedKey> key_;
  upstream::AnswersByPath answers_;
  std::unique_ptr<http::ScriptedServer> server_;
  std::string last_repair_;
};

TEST_F(DoctorProviderTest, FollowsAGoodOneToItsPackage) {
  EXPECT_EQ(Follow(),
            "ok acme/demo has 3 versions, the newest is 1.1.0\n"
            "ok the download document of 1.1.0 for linux_amd64 names " +
                std::string(kFile) +
                "\nok SHA256SUMS names 1 packages, this one with the hash of the document\n"
                "ok the signature of SHA256SUMS is by one of the 1 keys that the document names\n"
                "ok the package has 20 bytes, and its hash is that of SHA256SUMS\n");
  // The token is for the registry's documents only.
  for (const ScriptedRequest& each : server_->requests()) {
    EXPECT_EQ(each.fields.contains("authorization"),
              each.target.starts_with("/v1/") || each.target.starts_with("/.well-known/"))
        << each.target;
  }
}

TEST_F(DoctorProviderTest, SaysWhereItEnds) {
  struct Case {
    std::string_view path;
    ScriptedAnswer answer;
    std::string_view words;  // of the last line
    std::size_t good;        // how many lines before are ok
  };
  const std::string digest = Digest::Of(kPackage).hex();
  wire::ProviderDownload no_keys = Document();
  no_keys.keys.clear();
  wire::ProviderDownload other = Document();
  other.arch = "arm64";
  const std::vector<Case> kCases = {
      {kVersionsPath, {.status = 404}, "failure", 0},
      {kVersionsPath, {.status = 401}, "401", 0},
      {kVersionsPath, Json("[]"), "failure the list of versions of acme/demo", 0},
      {kVersionsPath, Json(R"({"versions":[]})"), "no version that clients accept", 0},
      {kDownloadPath, {.status = 404}, "failure", 1},
      {kDownloadPath, Json("{}"), "the download document", 1},
      {kDownloadPath, Json(wire::EncodeProviderDownload(other)), "linux_arm64, not linux_amd64", 1},
      {kDownloadPath, Json(wire::EncodeProviderDownload(no_keys)), "key", 2},
      {"/SUMS", {.status = 404}, "SHA256SUMS", 1},
      {"/SUMS", {.body = digest + "  another.zip\n"}, "failure", 2},
      {"/SUMS.sig", {.status = 404}, "the signature of SHA256SUMS", 1},
      {"/SUMS.sig", {.body = "nothing"}, "failure", 2},
      {"/demo.zip", {.status = 404}, "failure", 4},
      {"/demo.zip", {.body = "other bytes"}, "which is not that of SHA256SUMS", 4},
  };
  for (const Case& each : kCases) {
    ScriptedAnswer good = answers_.Get(std::string(each.path));
    answers_.Set(each.path, each.answer);
    std::string shown = Follow();
    answers_.Set(each.path, good);
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < shown.size();) {
      std::size_t end = shown.find('\n', begin);
      lines.push_back(shown.substr(begin, end - begin));
      begin = end + 1;
    }
    ASSERT_EQ(lines.size(), each.good + 1) << each.path << "\n" << shown;
    EXPECT_TRUE(lines.back().starts_with("failure ")) << shown;
    EXPECT_NE(lines.back().find(each.words), std::string::npos) << shown;
  }
  EXPECT_NE(Follow("darwin_arm64").find("failure"), std::string::npos);
}

TEST_F(DoctorProviderTest, AMissingPackageIsNotMendedWithAToken) {
  answers_.Set("/demo.zip", {.status = 404});
  Follow();
  EXPECT_TRUE(last_repair_.starts_with("serve the package")) << last_repair_;
}

TEST_F(DoctorProviderTest, WarnsOfWhatHurtsSomeClients) {
  answers_.Set(kVersionsPath, Json(R"({"versions":[{"version":"v1.0"},{"version":"1.1.0"}]})"));
  SetSums(Digest::Of(kPackage).hex() + "  " + std::string(kFile) + "\n\n");
  std::string shown = Follow();
  EXPECT_TRUE(shown.starts_with("warning 1 entries of the list are not versions")) << shown;
  EXPECT_NE(shown.find("failure SHA256SUMS has a blank line"), std::string::npos) << shown;
  EXPECT_NE(shown.find("its hash is that of SHA256SUMS"), std::string::npos) << shown;
}

}  // namespace
}  // namespace koya::doctor
