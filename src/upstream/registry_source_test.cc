// Registries as upstream, from discovery to the signature, good ones and others.
#include "upstream/registry_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
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

constexpr std::string_view kDigest =
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
constexpr std::string_view kVersionsPath = "/v1/providers/acme/demo/versions";
constexpr std::string_view kDownloadPath = "/v1/providers/acme/demo/1.0.0/download/linux/amd64";
constexpr std::string_view kDiscoveryPath = "/.well-known/terraform.json";

ScriptedAnswer RegistryJson(std::string body) { return ScriptedAnswer::Json(200, std::move(body)); }

wire::ProviderDownload GoodDownload() {
  return {.protocols = {"5.0"},
          .os = "linux",
          .arch = "amd64",
          .filename = "terraform-provider-demo_1.0.0_linux_amd64.zip",
          .download_url = "/files/demo.zip",
          .shasums_url = "../../../../../../../files/SHA256SUMS",
          .shasums_signature_url = "/files/SHA256SUMS.sig",
          .shasum = std::string(kDigest),
          .keys = {{.key_id = "1", .ascii_armor = "armor"}},
          .packages = {{"linux_amd64", {{"zh:x"}, 5}}}};
}

class RegistrySourceTest : public UpstreamTest {
 protected:
  RegistrySourceTest() {
    answers_.Set(kDiscoveryPath, RegistryJson(R"({"providers.v1":"/v1/providers/"})"));
    answers_.Set(kVersionsPath, RegistryJson(R"({"versions":[{"version":"1.0.0"}]})"));
    answers_.Set(kDownloadPath, RegistryJson(wire::EncodeProviderDownload(GoodDownload())));
    answers_.Set("/files/SHA256SUMS", {.body = "sums"});
    answers_.Set("/files/SHA256SUMS.sig", {.body = "signature"});
    server_ =
        Serve([this](const ScriptedRequest& request) { return answers_.Get(request.target); });
    Renew();
  }

  // Nothing is remembered, nothing held against the host.
  void Renew() {
    source_.reset();
    services_.reset();
    UpstreamOptions options = Options();
    fetcher_ = MakeFetcher(options);
    TokenSource tokens = [](const HostName&) { return std::string("t0ken"); };
    services_ = std::make_unique<ServiceDirectory>(*fetcher_, tokens);
    source_ = std::make_unique<RegistrySource>(*fetcher_, *services_, tokens);
  }

  HostName Host() const { return *HostName::Parse(fmt::format("127.0.0.1:{}", server_->port())); }
  Result<FetchedVersions> Versions(const Validators& held = {}) {
    return source_->Versions(Host(), *ProviderAddress::Parse("acme/demo"), held, {});
  }
  Result<FetchedDownload> Download() {
    return source_->Download(Host(), *ProviderAddress::Parse("acme/demo"), *Version::Parse("1.0.0"),
                             *Platform::Parse("linux_amd64"), {});
  }
  std::size_t Asked(std::string_view path) const {
    std::size_t times = 0;
    for (const ScriptedRequest& request : server_->requests()) times += request.target == path;
    return times;
  }

  AnswersByPath answers_;
  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<Fetcher> fetcher_;
  std::unique_ptr<ServiceDirectory> services_;
  std::unique_ptr<RegistrySource> source_;
};

TEST_F(RegistrySourceTest, ReadsAListOfVersions) {
  answers_.Set(kVersionsPath, {.fields = {{"ETag", "\"7\""}, {"Content-Type", "text/plain"}},
                               .body = R"({"id":"acme/demo","warnings":["old"],"versions":[
        {"version":"1.0.0","protocols":["5.0"],"platforms":[{"os":"linux","arch":"amd64"}]},
        {"version":"1.0.0+meta"},{"version":"2.0.0-rc.1"},
        {"version":"v1.1.0"},{"version":"1.2"},{"version":"1.0.0"},{"version":"0.0.0"},
        {"version":"18446744073709551616.0.0"},{"version":"9223372036854775808.0.0"},
        {"version":"1.0.0-a_b"},{"version":""},{"version":7},null,[]]})"});
  auto fetched = Versions();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_FALSE(fetched->unchanged);
  EXPECT_EQ(fetched->skipped, 11u);
  EXPECT_EQ(fetched->validators.etag, "\"7\"");
  EXPECT_EQ(fetched->document.warnings, std::vector<std::string>{"old"});
  ASSERT_EQ(fetched->document.versions.size(), 3u);
  EXPECT_EQ(fetched->document.versions[0],
            (wire::ProviderVersion{"1.0.0", {"5.0"}, {{"linux", "amd64"}}}));
  EXPECT_EQ(fetched->document.versions[1].version, "1.0.0+meta");
  ScriptedRequest seen = server_->requests().at(1);
  EXPECT_EQ(seen.fields["authorization"], "Bearer t0ken");
  EXPECT_FALSE(seen.fields["x-terraform-version"].empty());
}

TEST_F(RegistrySourceTest, ReadsTheDetailsOfAVersion) {
  struct Case {
    ScriptedAnswer answer;
    std::optional<std::string> time;
    ErrorKind kind;
  };
  for (const Case& each : {Case{RegistryJson(R"({"published_at":"2026-04-07T10:11:12Z"})"),
                                "2026-04-07T10:11:12Z", ErrorKind::kInternal},
                           Case{RegistryJson("{}"), "", ErrorKind::kInternal},
                           Case{RegistryJson("[]"), {}, ErrorKind::kBadUpstream},
                           Case{{.body = "<html>"}, {}, ErrorKind::kBadUpstream},
                           Case{{.status = 404}, {}, ErrorKind::kNotFound}}) {
    answers_.Set("/v1/providers/acme/demo/1.0.0", each.answer);
    Renew();
    auto details = source_->Details(Host(), *ProviderAddress::Parse("acme/demo"),
                                    *Version::Parse("1.0.0"), {});
    EXPECT_EQ(details.has_value(), each.time.has_value());
    if (details) EXPECT_EQ(details->published_at, each.time);
    if (!details) EXPECT_EQ(details.error().kind, each.kind) << details.error().message;
  }
}

TEST_F(RegistrySourceTest, AsksWhetherTheListChanged) {
  answers_.Set(kVersionsPath, {.raw = "HTTP/1.1 304 Not Modified\r\n\r\n"});
  auto fetched = Versions({.etag = "\"7\"", .last_modified = ""});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_TRUE(fetched->unchanged);
  EXPECT_EQ(server_->requests().at(1).fields["if-none-match"], "\"7\"");
}

TEST_F(RegistrySourceTest, ReadsTenThousandVersions) {
  wire::ProviderVersions document;
  for (int i = 0; i < 10'000; ++i) {
    document.versions.push_back(
        {fmt::format("1.{}.0", i), {"5.0", "6.0"}, {{"linux", "amd64"}, {"darwin", "arm64"}}});
  }
  answers_.Set(kVersionsPath, RegistryJson(wire::Encode(document)));
  auto fetched = Versions();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->document, document);
  EXPECT_EQ(fetched->skipped, 0u);
}

TEST_F(RegistrySourceTest, RemembersDiscoveryForItsTime) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Versions());
  EXPECT_EQ(Asked(kDiscoveryPath), 1u);
  clock_.Advance(std::chrono::seconds(600));
  ASSERT_TRUE(Versions());
  EXPECT_EQ(Asked(kDiscoveryPath), 2u);
  // A host in trouble keeps the services that it had; one that takes them away does not.
  clock_.Advance(std::chrono::seconds(600));
  answers_.Set(kDiscoveryPath, {.status = 500});
  EXPECT_TRUE(Versions());
  answers_.Set(kDiscoveryPath, {.status = 404});
  auto gone = Versions();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::kNotFound);
}

TEST_F(RegistrySourceTest, ASlowDiscoveryLeavesTimeForTheServicesThatAreRemembered) {
  std::atomic<bool> slow = false;
  server_ = Serve(Respond([&](const ScriptedRequest& request) {
    if (!slow || request.target != kDiscoveryPath) return answers_.Get(request.target);
    clock_.Advance(std::chrono::seconds(16));  // of the 30 for all
    return ScriptedAnswer{.status = 503};
  }));
  ASSERT_TRUE(Versions());
  clock_.Advance(std::chrono::seconds(600));
  slow = true;
  auto fetched = Versions();
  EXPECT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(Asked(kDiscoveryPath), 2u);
}

TEST_F(RegistrySourceTest, FollowsDiscoveryToOtherPlacesWithoutTheToken) {
  auto other = Serve([&](const ScriptedRequest& request) {
    return request.target == "/d.json" ? RegistryJson(R"({"providers.v1":"v1/providers/?x#y"})")
                                       : RegistryJson(R"({"versions":[{"version":"3.0.0"}]})");
  });
  answers_.Set(kDiscoveryPath, {.status = 302, .fields = {{"Location", other->url() + "/d.json"}}});
  auto fetched = Versions();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->document.versions.at(0).version, "3.0.0");
  auto seen = other->requests();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].target, kVersionsPath) << "relative to where the document was found";
  for (ScriptedRequest& request : seen) EXPECT_FALSE(request.fields.contains("authorization"));
}

struct RegistryFault {
  std::string_view name;
  ScriptedAnswer answer;
  ErrorKind kind;
  std::string_view words;
};

std::vector<RegistryFault> DiscoveryFaults() {
  using enum ErrorKind;
  auto typed = [](std::string type, std::string body) {
    return ScriptedAnswer{.fields = {{"Content-Type", std::move(type)}}, .body = std::move(body)};
  };
  return {
      {"none", {.status = 404}, kNotFound, "the discovery document"},
      {"protected", {.status = 401}, kBadUpstream, "answered 401"},
      {"broken", {.status = 503}, kBadUpstream, "answered 503"},
      {"HTML", typed("text/html", "<html>"), kBadUpstream, "Content-Type \"text/html\""},
      {"HTML called JSON", RegistryJson("<html>"), kBadUpstream, "is not JSON"},
      {"no type", {.body = "{}"}, kBadUpstream, "no Content-Type"},
      {"other type", typed("application/problem+json", "{}"), kBadUpstream,
       "application/json only"},
      {"array", RegistryJson("[]"), kBadUpstream, "not an object"},
      {"2 MiB", RegistryJson("{\"x\":\"" + std::string(2 << 20, 'x') + "\"}"), kBadUpstream,
       "larger than 1048576 bytes"},
      {"no such service", RegistryJson(R"({"modules.v1":"/v1/modules/"})"), kNotFound,
       "does not offer the service providers.v1"},
      {"an object", RegistryJson(R"({"providers.v1":{}})"), kBadUpstream,
       "something that is not a URL"},
      {"no URL", RegistryJson(R"({"providers.v1":"https://"})"), kBadUpstream,
       "which is not a URL"},
      {"an empty one", RegistryJson(R"({"providers.v1":""})"), kBadUpstream, "which is not a URL"},
      {"plain http", RegistryJson(R"({"providers.v1":"http://127.0.0.1/"})"), kBadUpstream,
       "not https"},
      {"a file", RegistryJson(R"({"providers.v1":"file:///etc/"})"), kBadUpstream, "not a URL"},
      {"a password", RegistryJson(R"({"providers.v1":"https://u:secret@127.0.0.1/"})"),
       kBadUpstream, "user name or password"},
      {"private", RegistryJson(R"({"providers.v1":"https://10.0.0.1/"})"), kBadUpstream,
       "10.0.0.1 is a private address"},
  };
}

TEST_F(RegistrySourceTest, SaysWhatIsWrongWithDiscovery) {
  for (const RegistryFault& fault : DiscoveryFaults()) {
    Renew();
    answers_.Set(kDiscoveryPath, fault.answer);
    auto fetched = Versions();
    ASSERT_FALSE(fetched) << fault.name;
    const std::string& message = fetched.error().message;
    EXPECT_EQ(fetched.error().kind, fault.kind) << fault.name << ": " << message;
    EXPECT_NE(message.find(fault.words), std::string::npos) << fault.name << ": " << message;
    EXPECT_EQ(message.find("secret"), std::string::npos) << message;
  }
  EXPECT_EQ(Asked(kVersionsPath), 0u);
}

TEST_F(RegistrySourceTest, TakesTypesWithParameters) {
  answers_.Set(kDiscoveryPath, {.fields = {{"Content-Type", "Application/JSON; charset=utf-8"}},
                                .body = R"({"providers.v1":"/v1/providers/"})"});
  EXPECT_TRUE(Versions());
}

TEST_F(RegistrySourceTest, SaysWhatIsWrongWithTheList) {
  using enum ErrorKind;
  const std::vector<RegistryFault> kFaults = {
      {"404", {.status = 404}, kNotFound, "the list of versions of acme/demo"},
      {"HTML", {.body = "<html>"}, kBadUpstream, "is not valid JSON"},
      {"array", RegistryJson("[]"), kBadUpstream, "must be a JSON object"},
      {"no array inside", RegistryJson(R"({"versions":{}})"), kBadUpstream, "must be an array"},
      {"truncated", RegistryJson(R"({"versions":[)"), kBadUpstream, "is not valid JSON"},
      {"too large", RegistryJson(std::string(kMaxMetadata + 1, ' ')), kBadUpstream,
       "larger than 4194304"},
  };
  for (const RegistryFault& fault : kFaults) {
    Renew();
    answers_.Set(kVersionsPath, fault.answer);
    auto fetched = Versions();
    ASSERT_FALSE(fetched) << fault.name;
    EXPECT_EQ(fetched.error().kind, fault.kind) << fault.name << ": " << fetched.error().message;
    EXPECT_NE(fetched.error().message.find(fault.words), std::string::npos)
        << fault.name << ": " << fetched.error().message;
  }
}

TEST_F(RegistrySourceTest, FetchesADownloadWithSumsAndSignature) {
  auto fetched = Download();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->os + "_" + fetched->arch, "linux_amd64");
  EXPECT_EQ(fetched->shasum, kDigest);
  EXPECT_EQ(fetched->download_url, server_->url() + "/files/demo.zip");
  EXPECT_EQ(fetched->sums, "sums");
  EXPECT_EQ(fetched->signature, "signature");
  EXPECT_EQ(fetched->keys.at(0).ascii_armor, "armor");
  EXPECT_EQ(fetched->packages.at("linux_amd64").package_size, 5u);
  EXPECT_FALSE(fetched->from_mirror);
  for (ScriptedRequest& request : server_->requests()) {
    bool open = request.target.starts_with("/files/");
    EXPECT_EQ(request.fields.contains("authorization"), !open) << request.target;
  }
}

TEST_F(RegistrySourceTest, AttachmentsHaveAbsoluteUrlsThatMayBeFetched) {
  wire::ProviderDownload document = GoodDownload();
  document.attachments = {{"a.cdx.json", "/files/a", std::string(kDigest), 1},
                          {"b.cdx.json", "../b?t=1", std::string(kDigest), 1},
                          {"c.cdx.json", "ftp://files.example/c", std::string(kDigest), 1},
                          {"d.html", "/files/d", std::string(kDigest), 1}};
  answers_.Set(kDownloadPath, RegistryJson(wire::EncodeProviderDownload(document)));
  auto fetched = Download();
  ASSERT_TRUE(fetched) << fetched.error().message;
  const std::string host = fmt::format("https://127.0.0.1:{}", server_->port());
  ASSERT_EQ(fetched->attachments.size(), 2U);
  EXPECT_EQ(fetched->attachments[0].url, host + "/files/a");
  EXPECT_EQ(fetched->attachments[1].url, host + "/v1/providers/acme/demo/1.0.0/download/b?t=1");
  EXPECT_TRUE(fetched->attachments_dropped.contains("name ends with"));
  EXPECT_TRUE(fetched->attachments_dropped.contains("c.cdx.json")) << fetched->attachments_dropped;
}

TEST_F(RegistrySourceTest, AnArchiveThatIsNotWhereTheRegistrySaysIsTheRegistrysFault) {
  ArchiveTransfer transfer{.url = server_->url() + "/files/demo.zip"};
  Status fetched = source_->FetchArchive(transfer);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().kind, ErrorKind::kBadUpstream) << fetched.error().message;
}

TEST_F(RegistrySourceTest, AReleaseWithoutKeysNeedsNoSignature) {
  wire::ProviderDownload document = GoodDownload();
  document.keys.clear();
  answers_.Set(kDownloadPath, RegistryJson(wire::EncodeProviderDownload(document)));
  answers_.Set("/files/SHA256SUMS.sig", {.status = 404});
  auto fetched = Download();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->signature, "");
  document.shasums_signature_url.clear();
  answers_.Set(kDownloadPath, RegistryJson(wire::EncodeProviderDownload(document)));
  EXPECT_TRUE(Download());
}

struct BadDownload {
  std::string_view name;
  void (*change)(wire::ProviderDownload&);
  std::string_view words;
};

TEST_F(RegistrySourceTest, RefusesDownloadsThatCannotBeUsed) {
  const std::vector<BadDownload> kRows = {
      {"another platform", [](auto& d) { d.arch = "arm64"; }, "describes linux_arm64, not"},
      {"shasum", [](auto& d) { d.shasum = "abc"; }, "64 hexadecimal digits"},
      {"http package", [](auto& d) { d.download_url = "http://a.test/x.zip"; }, "not https"},
      {"file package", [](auto& d) { d.download_url = "file:///etc/passwd"; }, "not a URL"},
      {"http sums", [](auto& d) { d.shasums_url = "http://a.test/x"; }, "SHA256SUMS is said"},
      {"sums missing", [](auto& d) { d.shasums_url = "/files/none"; }, "answered 404"},
      {"private sums", [](auto& d) { d.shasums_url = "https://10.1.1.1/x"; }, "private address"},
      {"signature missing", [](auto& d) { d.shasums_signature_url = "/none"; }, "answered 404"},
      {"signature unsaid", [](auto& d) { d.shasums_signature_url = ""; }, "does not say where"},
  };
  for (const BadDownload& row : kRows) {
    Renew();
    wire::ProviderDownload document = GoodDownload();
    row.change(document);
    answers_.Set(kDownloadPath, RegistryJson(wire::EncodeProviderDownload(document)));
    auto fetched = Download();
    ASSERT_FALSE(fetched) << row.name;
    EXPECT_EQ(fetched.error().kind, ErrorKind::kBadUpstream) << row.name;
    EXPECT_NE(fetched.error().message.find(row.words), std::string::npos)
        << row.name << ": " << fetched.error().message;
  }
}

TEST_F(RegistrySourceTest, SaysWhatIsWrongWithADownloadsAnswers) {
  using enum ErrorKind;
  struct Row {
    std::string path;
    ScriptedAnswer answer;
    ErrorKind kind;
    std::string_view words;
  };
  const std::vector<Row> kRows = {
      {std::string(kDownloadPath), {.status = 404}, kNotFound, "1.0.0 for linux_amd64"},
      {std::string(kDownloadPath), {.status = 403}, kBadUpstream, "the token that is stored"},
      {std::string(kDownloadPath), RegistryJson("[]"), kBadUpstream, "must be a JSON object"},
      {std::string(kDownloadPath), RegistryJson("{}"), kBadUpstream, "given, and not empty"},
      {"/files/SHA256SUMS", {.body = std::string((1 << 20) + 1, 'x')}, kBadUpstream, "larger"},
      {"/files/SHA256SUMS", {.status = 500}, kBadUpstream, "answered 500"},
      {"/files/SHA256SUMS.sig", {.body = std::string(65537, 'x')}, kBadUpstream, "65536 bytes"},
      {"/files/SHA256SUMS.sig",
       {.status = 429, .fields = {{"Retry-After", "60"}}},
       kUnavailable,
       "the signature of SHA256SUMS"},
  };
  for (const Row& row : kRows) {
    Renew();
    ScriptedAnswer kept = answers_.Get(row.path);
    answers_.Set(row.path, row.answer);
    auto fetched = Download();
    answers_.Set(row.path, kept);
    ASSERT_FALSE(fetched) << row.path;
    EXPECT_EQ(fetched.error().kind, row.kind) << row.path << ": " << fetched.error().message;
    EXPECT_NE(fetched.error().message.find(row.words), std::string::npos)
        << row.path << ": " << fetched.error().message;
  }
}

TEST(TokenForTest, GoesToTheHostAndThoseBelowIt) {
  TokenSource tokens = [](const HostName&) { return std::string("t"); };
  struct Row {
    std::string_view host;
    std::string_view url;
    std::string_view token;
  };
  const std::vector<Row> kRows = {
      {"example.com", "https://example.com/x", "t"},
      {"example.com", "https://app.example.com/x", "t"},
      {"example.com:8443", "https://example.com:8443/x", "t"},
      {"example.com", "http://example.com/x", ""},
      {"example.com", "https://example.com:8443/x", ""},
      {"example.com:8443", "https://example.com/x", ""},
      {"example.com", "https://badexample.com/x", ""},
      {"example.com", "https://example.com.evil.test/x", ""},
      {"app.example.com", "https://example.com/x", ""},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(TokenFor(*HostName::Parse(row.host), *http::ParseUrl(row.url), tokens), row.token)
        << row.host << " " << row.url;
  }
  EXPECT_EQ(TokenFor(*HostName::Parse("a.test"), *http::ParseUrl("https://a.test/"), {}), "");
}

}  // namespace
}  // namespace koya::upstream
