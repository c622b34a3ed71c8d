// Network mirrors as upstream.
#include "upstream/mirror_source.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "upstream/upstream_fixture_fake.h"

namespace koya::upstream {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

constexpr std::string_view kIndex = "/p/xn--mnchen-3ya.example/acme/demo/index.json";
constexpr std::string_view kVersion = "/p/xn--mnchen-3ya.example/acme/demo/1.0.0.json";

ScriptedAnswer Json(std::string body) { return ScriptedAnswer::Json(200, std::move(body)); }

class MirrorSourceTest : public UpstreamTest {
 protected:
  MirrorSourceTest() {
    server_ =
        Serve([this](const ScriptedRequest& request) { return answers_.Get(request.target); });
    Renew();
  }
  void Renew() {
    source_.reset();
    fetcher_ = MakeFetcher();
    auto source = MirrorSource::Create(
        *fetcher_, [](const HostName&) { return std::string("t0ken"); }, server_->url() + "/p");
    if (!source) ADD_FAILURE() << source.error().message;
    if (source) source_.emplace(*std::move(source));
  }
  Result<FetchedVersions> Versions(const Validators& held = {}) {
    return source_->Versions(host_, *ProviderAddress::Parse("acme/demo"), held, {});
  }
  Result<FetchedDownload> Download() {
    return source_->Download(host_, *ProviderAddress::Parse("acme/demo"), *Version::Parse("1.0.0"),
                             *Platform::Parse("linux_amd64"), {});
  }

  HostName host_ = *HostName::Parse("münchen.example");
  AnswersByPath answers_;
  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<Fetcher> fetcher_;
  std::optional<MirrorSource> source_;
};

TEST_F(MirrorSourceTest, ReadsAnIndexAndLeavesOutWhatIsNoVersion) {
  ScriptedAnswer index =
      Json(R"({"versions":{"1.0.0":{},"2.0.0-rc.1":null,"v1":{},"18446744073709551616.0.0":{}}})");
  index.fields.emplace_back("ETag", "\"1\"");
  answers_.Set(kIndex, index);
  auto fetched = Versions();
  ASSERT_TRUE(fetched) << fetched.error().message;
  ASSERT_EQ(fetched->document.versions.size(), 2u);
  EXPECT_EQ(fetched->document.versions[0].version, "1.0.0");
  EXPECT_EQ(fetched->document.versions[1].version, "2.0.0-rc.1");
  EXPECT_EQ(fetched->skipped, 2u);
  EXPECT_EQ(fetched->validators.etag, "\"1\"");
  EXPECT_EQ(server_->requests().at(0).fields["authorization"], "Bearer t0ken");
  answers_.Set(kIndex, {.raw = "HTTP/1.1 304 Not Modified\r\n\r\n"});
  fetched = Versions(fetched->validators);
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_TRUE(fetched->unchanged);
}

TEST_F(MirrorSourceTest, ReadsAPackagesPlaceAndHashes) {
  const std::string kZip(64, 'A');
  answers_.Set(kVersion, {.status = 302, .fields = {{"Location", "/moved/x/1.0.0.json"}}});
  answers_.Set(
      "/moved/x/1.0.0.json",
      Json(R"({"archives":{"linux_amd64":{"url":"../files/demo.zip?x=1","hashes":["h1:abc","zh:)" +
           kZip + R"(","h9:x"]},"linux_arm64":{"url":"b.zip"}}})"));
  auto fetched = Download();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->download_url, server_->url() + "/moved/files/demo.zip?x=1");
  EXPECT_EQ(fetched->filename, "demo.zip");
  EXPECT_EQ(fetched->shasum, std::string(64, 'a'));
  EXPECT_EQ(fetched->hashes, (std::vector<std::string>{"h1:abc", "zh:" + kZip, "h9:x"}));
  EXPECT_TRUE(fetched->from_mirror);
  EXPECT_EQ(fetched->os + "_" + fetched->arch, "linux_amd64");
}

TEST_F(MirrorSourceTest, TellsOfTheOtherPlatformsToo) {
  const std::string kZip(64, 'b');
  answers_.Set(kVersion, Json(R"({"archives":{"linux_arm64":{"url":"a.zip","hashes":["h1:x","zh:)" +
                              kZip + R"("]},"linux_386":{"url":"b.zip","hashes":["h1:y"]}}})"));
  auto fetched = Download();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->download_url, "");
  EXPECT_EQ(fetched->shasum, "");
  ASSERT_EQ(fetched->packages.size(), 1U);
  EXPECT_EQ(fetched->packages.at("linux_arm64").hashes,
            (std::vector<std::string>{"h1:x", "zh:" + kZip}));
}

TEST_F(MirrorSourceTest, FetchesArchivesWithoutTheToken) {
  answers_.Set("/p/demo.zip", {.body = "bytes"});
  std::string taken;
  ArchiveTransfer transfer{.url = server_->url() + "/p/demo.zip"};
  transfer.sink = [&](std::span<const std::byte> bytes) -> Status {
    taken.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  ASSERT_TRUE(source_->FetchArchive(transfer));
  EXPECT_EQ(taken, "bytes");
  EXPECT_FALSE(server_->requests().at(0).fields.contains("authorization"));
}

TEST_F(MirrorSourceTest, AnArchiveThatIsNotWhereTheMirrorSaysIsTheMirrorsFault) {
  ArchiveTransfer transfer{.url = server_->url() + "/p/missing.zip"};
  Status fetched = source_->FetchArchive(transfer);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().kind, ErrorKind::kBadUpstream) << fetched.error().message;
}

struct MirrorFault {
  std::string_view name;
  ScriptedAnswer answer;
  ErrorKind kind;
  std::string_view words;
};

TEST_F(MirrorSourceTest, SaysWhatIsWrong) {
  using enum ErrorKind;
  auto typed = [](std::string type, std::string body) {
    return ScriptedAnswer{.fields = {{"Content-Type", std::move(type)}}, .body = std::move(body)};
  };
  const std::vector<MirrorFault> kBoth = {
      {"404", {.status = 404}, kNotFound, "answered 404"},
      {"403", {.status = 403}, kBadUpstream, "answered 403"},
      {"500", {.status = 500}, kBadUpstream, "answered 500"},
      {"HTML", typed("text/html", "{}"), kBadUpstream, "Content-Type is \"text/html\""},
      {"no type", {.body = "{}"}, kBadUpstream, "not application/json"},
      {"HTML called JSON", Json("<html>"), kBadUpstream, "not valid JSON"},
      {"array", Json("[]"), kBadUpstream, "must be a JSON object"},
      {"wrong shape", Json(R"({"versions":[],"archives":[]})"), kBadUpstream, "must be an object"},
  };
  for (const MirrorFault& fault : kBoth) {
    Renew();
    answers_.Set(kIndex, fault.answer);
    answers_.Set(kVersion, fault.answer);
    auto versions = Versions();
    ASSERT_FALSE(versions) << fault.name;
    EXPECT_EQ(versions.error().kind, fault.kind) << fault.name << ": " << versions.error().message;
    EXPECT_NE(versions.error().message.find(fault.words), std::string::npos)
        << fault.name << ": " << versions.error().message;
    auto download = Download();
    ASSERT_FALSE(download) << fault.name;
    EXPECT_EQ(download.error().kind, fault.kind) << fault.name;
    EXPECT_NE(download.error().message.find(fault.words), std::string::npos)
        << fault.name << ": " << download.error().message;
  }
}

TEST_F(MirrorSourceTest, SaysWhatIsWrongWithAPackage) {
  using enum ErrorKind;
  const std::vector<MirrorFault> kFaults = {
      {"missing platform", Json(R"({"archives":{"linux_386":{"url":"a"}}})"), kNotFound,
       "has no package for linux_amd64"},
      {"no archives", Json(R"({"archives":{}})"), kNotFound, "has no package for linux_amd64"},
      {"null", Json(R"({"archives":{"linux_amd64":null}})"), kBadUpstream, "array of objects"},
      {"no url", Json(R"({"archives":{"linux_amd64":{}}})"), kBadUpstream, "\"url\""},
      {"plain http", Json(R"({"archives":{"linux_amd64":{"url":"http://a.test/x"}}})"),
       kBadUpstream, "not https"},
      {"a file", Json(R"({"archives":{"linux_amd64":{"url":"file:///etc/passwd"}}})"), kBadUpstream,
       "not a URL"},
  };
  for (const MirrorFault& fault : kFaults) {
    Renew();
    answers_.Set(kVersion, fault.answer);
    auto download = Download();
    ASSERT_FALSE(download) << fault.name;
    EXPECT_EQ(download.error().kind, fault.kind) << fault.name << ": " << download.error().message;
    if (fault.name == "null") continue;  // refused in the words of the decoder
    EXPECT_NE(download.error().message.find(fault.words), std::string::npos)
        << fault.name << ": " << download.error().message;
  }
}

TEST_F(MirrorSourceTest, RefusesAddressesThatAreNone) {
  for (std::string_view base :
       {"", "mirror.example.com", "http://mirror.example.com/", "file:///srv/mirror/",
        "https://mirror.example.com/?x=1", "https://mirror.example.com/#x",
        "https://user:secret@mirror.example.com/", "https://[::1]/"}) {
    auto source = MirrorSource::Create(*fetcher_, {}, base);
    ASSERT_FALSE(source) << base;
    EXPECT_EQ(source.error().kind, ErrorKind::kInvalid) << base;
    EXPECT_NE(source.error().message.find("write https://HOST[:PORT]/PATH/"), std::string::npos);
    EXPECT_EQ(source.error().message.find("secret"), std::string::npos) << source.error().message;
  }
}

}  // namespace
}  // namespace koya::upstream
