// Module registries as upstream: lists, download documents of every form, and what they point to.
#include "upstream/modules/registry_modules.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/temp_folder_fake.h"
#include "domain/module_address.h"
#include "upstream/modules/git_server_fake.h"
#include "upstream/upstream_fixture_fake.h"

namespace koya::upstream {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

constexpr std::string_view kDiscoveryPath = "/.well-known/terraform.json";
constexpr std::string_view kVersionsPath = "/v1/modules/acme/vpc/aws/versions";
constexpr std::string_view kDownloadPath = "/v1/modules/acme/vpc/aws/1.0.0/download";
const std::string kTarGz = "\x1F\x8B and more";
const std::string kZip = "PK\x03\x04 and more";
ScriptedAnswer Json(std::string body) { return ScriptedAnswer::Json(200, std::move(body)); }
ScriptedAnswer Location(const std::string& location) {
  return {.status = 204, .fields = {{"X-Terraform-Get", location}}};
}

class RegistryModulesTest : public UpstreamTest {
 protected:
  RegistryModulesTest() {
    answers_.Set(kDiscoveryPath, Json(R"({"modules.v1":"/v1/modules/"})"));
    answers_.Set("/p.tgz", {.body = kTarGz});
    answers_.Set("/p.zip", {.body = kZip});
    server_ =
        Serve([this](const ScriptedRequest& request) { return answers_.Get(request.target); });
    Renew(Options());
  }

  // Nothing is remembered, nothing held against the host.
  void Renew(UpstreamOptions options) {
    source_.reset();
    services_.reset();
    fetcher_ = MakeFetcher(std::move(options));
    TokenSource tokens = [](const HostName&) { return std::string("t0ken"); };
    services_ = std::make_unique<ServiceDirectory>(*fetcher_, tokens);
    source_ = std::make_unique<RegistryModules>(*fetcher_, *services_, tokens);
  }

  HostName Host() const { return *HostName::Parse(fmt::format("127.0.0.1:{}", server_->port())); }
  Result<FetchedModuleVersions> Versions(const Validators& held = {}) {
    return source_->Versions(Host(), *ModuleAddress::Parse("acme/vpc/aws"), held, {});
  }
  Result<FetchedModule> Fetch(std::string_view version = "1.0.0") {
    Renew(Options());
    UniqueFd file(::open(path().c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    ASSIGN_OR_RETURN(LocatedModule located,
                     source_->Locate(Host(), *ModuleAddress::Parse("acme/vpc/aws"),
                                     *Version::Parse(version), {}));
    return source_->Fetch(located, {.file = file.get(),
                                    .scratch = scratch_.path(),
                                    .bounds = bounds_,
                                    .on_start = on_start_,
                                    .on_bytes = on_bytes_});
  }
  std::string path() const { return (folder_.path() / "archive").string(); }
  std::string Bytes() const { return Output("cat " + path()); }

  // The module is said to be at `location`, and brought as kTarGz or kZip.
  void ExpectFetched(const ScriptedAnswer& document, std::string_view bytes,
                     std::string_view folder = "") {
    answers_.Set(kDownloadPath, document);
    auto module = Fetch();
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ(module->size, bytes.size());
    EXPECT_EQ(module->folder, folder);
    EXPECT_EQ(Bytes(), bytes);
    EXPECT_EQ(module->source.find('?'), std::string::npos) << module->source;
  }
  void ExpectRefused(const ScriptedAnswer& document, ErrorKind kind, std::string_view words) {
    answers_.Set(kDownloadPath, document);
    auto module = Fetch();
    ASSERT_FALSE(module) << words;
    EXPECT_EQ(module.error().kind, kind) << module.error().message;
    EXPECT_NE(module.error().message.find(words), std::string::npos) << module.error().message;
    EXPECT_EQ(module.error().message.find("t0ken"), std::string::npos);
  }

  AnswersByPath answers_;
  ModuleLimits bounds_;
  std::function<Status(std::optional<std::uint64_t>)> on_start_;
  std::function<Status(std::uint64_t)> on_bytes_;
  TempFolder folder_;
  TempFolder scratch_;
  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<Fetcher> fetcher_;
  std::unique_ptr<ServiceDirectory> services_;
  std::unique_ptr<RegistryModules> source_;
};

TEST_F(RegistryModulesTest, ReadsReleaseTimesByTheCanonicalVersion) {
  answers_.Set(kVersionsPath, Json(R"({"modules":[{"versions":[
        {"version":"v1.0","discovered":"first"},{"version":"1.0.0","discovered":"second"},
        {"version":"1.1.0"},{"version":"nope","discovered":"third"}]}]})"));
  answers_.Set("/v1/modules/acme/vpc/aws/1.1.0",
               Json(R"({"published_at":"fourth","source":"https://git.example/x"})"));
  auto fetched = Versions();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->discovered, (std::map<std::string, std::string>{{"1.0.0", "first"}}));
  const ModuleAddress vpc = *ModuleAddress::Parse("acme/vpc/aws");
  EXPECT_EQ(source_->Details(Host(), vpc, *Version::Parse("1.1.0"), {}),
            (wire::ForeignDetails{"fourth", "https://git.example/x"}));
  auto missing = source_->Details(Host(), vpc, *Version::Parse("1.2.0"), {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);
}

TEST_F(RegistryModulesTest, ReadsAListOfVersions) {
  answers_.Set(kVersionsPath, {.fields = {{"ETag", "\"7\""}}, .body = R"({"modules":[{"versions":[
        {"version":"2.0.0"},{"version":"v1.0.0"},{"version":"1.0"},{"version":"1.0.0"},null,
        {"version":"18446744073709551616.0.0"},{"version":"latest"},{"version":"1.2.3+b"}]}]})"});
  auto fetched = Versions();
  ASSERT_TRUE(fetched) << fetched.error().message;
  std::vector<std::string> spelled;
  for (const Version& each : fetched->versions) spelled.push_back(each.ToString());
  EXPECT_EQ(spelled, (std::vector<std::string>{"2.0.0", "1.0.0", "1.2.3+b"}));
  EXPECT_EQ(fetched->skipped, 3u);
  EXPECT_EQ(fetched->validators.etag, "\"7\"");
  ScriptedRequest seen = server_->requests().at(1);
  EXPECT_EQ(seen.fields["authorization"], "Bearer t0ken");
  EXPECT_FALSE(seen.fields["x-terraform-version"].empty());

  answers_.Set(kVersionsPath, {.raw = "HTTP/1.1 304 Not Modified\r\n\r\n"});
  auto again = Versions({.etag = "\"7\"", .last_modified = ""});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->unchanged);
}

TEST_F(RegistryModulesTest, ReadsTenThousandVersions) {
  std::string body = R"({"modules":[{"versions":[{"version":"v1.0.0"})";
  for (int i = 1; i < 10'000; ++i) body += fmt::format(R"(,{{"version":"v1.0.{}"}})", i);
  answers_.Set(kVersionsPath, Json(body + "]}]}"));
  auto fetched = Versions();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->versions.size(), 10'000u);
}

TEST_F(RegistryModulesTest, ForgivesAMissingSlash) {
  answers_.Set(kDiscoveryPath, Json(R"({"modules.v1":"/v1/modules"})"));
  answers_.Set(kVersionsPath, Json(R"({"modules":[{"versions":[]}]})"));
  EXPECT_TRUE(Versions());
}

TEST_F(RegistryModulesTest, SaysWhatIsWrongWithALists) {
  struct Case {
    ScriptedAnswer answer;
    ErrorKind kind;
  };
  for (const Case& each : {
           Case{{.status = 404}, ErrorKind::kNotFound},
           Case{{.status = 410}, ErrorKind::kNotFound},
           Case{{.status = 401}, ErrorKind::kBadUpstream},
           Case{{.status = 500}, ErrorKind::kBadUpstream},
           Case{{.status = 204}, ErrorKind::kBadUpstream},
           Case{{.status = 429}, ErrorKind::kUnavailable},
           Case{{.body = "<html>"}, ErrorKind::kBadUpstream},
           Case{{.body = "{}"}, ErrorKind::kBadUpstream},
           Case{{.body = R"({"modules":[]})"}, ErrorKind::kBadUpstream},
           Case{{.body = R"({"modules":[null]})"}, ErrorKind::kBadUpstream},
       }) {
    Renew(Options());
    answers_.Set(kVersionsPath, each.answer);
    auto fetched = Versions();
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().kind, each.kind) << fetched.error().message;
  }
  answers_.Set(kDiscoveryPath, Json(R"({"providers.v1":"/v1/providers/"})"));
  Renew(Options());
  EXPECT_EQ(Versions().error().kind, ErrorKind::kNotFound);
}

TEST_F(RegistryModulesTest, BringsArchives) {
  const std::string url = server_->url();
  answers_.Set("/t", {.body = kTarGz});
  answers_.Set("/p.tgz?sig=a%2Fb&t=1", {.body = kTarGz});
  answers_.Set("/v1/modules/acme/vpc/aws/1.0.0/p.zip", {.body = kZip});
  ExpectFetched(Location(url + "/p.tgz"), kTarGz);
  ExpectFetched(Location("./p.zip"), kZip);
  ExpectFetched(Location("/t//*?archive=tar.gz"), kTarGz, "*");
  ExpectFetched(Location(url + "/p.tgz//modules/x?sig=a%2Fb&archive=tgz&t=1"), kTarGz, "modules/x");
  ExpectFetched(Json(fmt::format(R"({{"location":"{}/p.zip"}})", url)), kZip);
  // The body goes first; but who does not know of a "direct" one takes the field.
  ScriptedAnswer both = Json(R"({"location":"/p.zip"})");
  both.fields.emplace_back("X-Terraform-Get", "/p.tgz");
  ExpectFetched(both, kZip);
  both.body = R"({"location":"p.zip","use_registry_credentials":true})";
  ExpectFetched(both, kTarGz);
  both.body = "no JSON";
  ExpectFetched(both, kTarGz);
  ExpectFetched(Json(R"({"location":"p.zip","use_registry_credentials":false})"), kZip);
}

TEST_F(RegistryModulesTest, WhoHasNoRoomForAnArchiveEndsItsTransfer) {
  answers_.Set(kDownloadPath, Location("/p.tgz"));
  std::uint64_t announced = 0;
  std::uint64_t arrived = 0;
  on_start_ = [&](std::optional<std::uint64_t> length) -> Status {
    announced = length.value_or(0);
    return {};
  };
  on_bytes_ = [&](std::uint64_t bytes) -> Status {
    arrived += bytes;
    return {};
  };
  ASSERT_TRUE(Fetch());
  EXPECT_EQ(announced, kTarGz.size());
  EXPECT_EQ(arrived, kTarGz.size());
  on_bytes_ = [](std::uint64_t) -> Status { return Fail(ErrorKind::kStorageFull, "no room"); };
  EXPECT_EQ(Fetch().error().kind, ErrorKind::kStorageFull);
  arrived = 0;
  on_start_ = [](auto) -> Status { return Fail(ErrorKind::kStorageFull, "no room"); };
  EXPECT_EQ(Fetch().error().kind, ErrorKind::kStorageFull);
  EXPECT_EQ(arrived, 0U);
}

TEST_F(RegistryModulesTest, SendsTheTokenToTheRegistryAlone) {
  answers_.Set(kDownloadPath, Location("/p.tgz"));
  ASSERT_TRUE(Fetch());
  for (const ScriptedRequest& request : server_->requests()) {
    bool archive = request.target == "/p.tgz";
    EXPECT_EQ(request.fields.contains("authorization"), !archive) << request.target;
  }
}

TEST_F(RegistryModulesTest, AsksForTheVersionAsClientsSpellIt) {
  answers_.Set("/v1/modules/acme/vpc/aws/1.0.0-rc.1+b.2/download", Location("/p.tgz"));
  auto module = Fetch("1.0.0-rc.1+b.2");
  EXPECT_TRUE(module) << module.error().message;
}

TEST_F(RegistryModulesTest, SeesRelativeLocationsFromWhatWasAsked) {
  answers_.Set(kDownloadPath, {.status = 302, .fields = {{"Location", "/deep/er/down/load"}}});
  answers_.Set("/deep/er/down/load", Location("../p.zip"));
  answers_.Set("/v1/modules/acme/vpc/aws/p.zip", {.body = kZip});
  EXPECT_TRUE(Fetch());
}

TEST_F(RegistryModulesTest, GoesOnFromAPageOnce) {
  answers_.Set("/page?terraform-get=1",
               {.body = R"(<head><meta name="terraform-get" content="/p.tgz//modules"></head>)"});
  ExpectFetched(Location("/page//x"), kTarGz, "modules/x");
  answers_.Set("/page?terraform-get=1", {.fields = {{"X-Terraform-Get", "./t//*?archive=tgz"}}});
  answers_.Set("/t", {.body = kTarGz});
  ExpectFetched(Location("/page"), kTarGz, "*");

  answers_.Set("/page?terraform-get=1", {.fields = {{"X-Terraform-Get", "/other"}}});
  ExpectRefused(Location("/page"), ErrorKind::kBadUpstream, "another page");
  answers_.Set("/page?terraform-get=1", {.body = "<html>"});
  ExpectRefused(Location("/page"), ErrorKind::kBadUpstream, "not that of an archive");
  answers_.Set("/page?terraform-get=1", {.fields = {{"X-Terraform-Get", "file:///etc"}}});
  ExpectRefused(Location("/page"), ErrorKind::kBadUpstream, "file: is not supported");
  answers_.Set("/page?terraform-get=1", {.status = 404});
  ExpectRefused(Location("/page"), ErrorKind::kBadUpstream, "answered 404");
}

TEST_F(RegistryModulesTest, HonoursChecksums) {
  const std::string sha256 = Output("printf '\\037\\213 and more' | sha256sum").substr(0, 64);
  const std::string md5 = Output("printf '\\037\\213 and more' | md5sum").substr(0, 32);
  const std::string sha512 = Output("printf '\\037\\213 and more' | sha512sum").substr(0, 128);
  for (const std::string& sum :
       {"sha256:" + sha256, sha256, "md5:" + md5, md5, "sha512:" + sha512}) {
    ExpectFetched(Location("/p.tgz?checksum=" + sum), kTarGz);
  }
  ExpectRefused(Location("/p.tgz?checksum=sha256:" + std::string(64, '0')), ErrorKind::kBadUpstream,
                "was announced");
  ExpectRefused(Location("/p.tgz?checksum=sha512:" + std::string(128, '0')),
                ErrorKind::kBadUpstream, "was announced");
}

TEST_F(RegistryModulesTest, RefusesWhatCannotBeFollowed) {
  using enum ErrorKind;
  ExpectRefused({.status = 204}, kBadUpstream, "does not say where");
  ExpectRefused(Json("{}"), kBadUpstream, "does not say where");
  ExpectRefused(Json("[]"), kBadUpstream, "download document");
  ExpectRefused({.body = "<html>"}, kBadUpstream, "download document");
  ExpectRefused({.status = 202}, kBadUpstream, "answered 202");
  ExpectRefused({.status = 404}, kNotFound, "answered 404");
  ExpectRefused({.status = 401}, kBadUpstream, "rejects the token");
  ExpectRefused(Location("file:///etc/passwd"), kBadUpstream, "file: is not supported");
  ExpectRefused(Location("http://127.0.0.1/p.tgz"), kBadUpstream, "http: is not supported");
  ExpectRefused(Location("p.tgz"), kBadUpstream, "not a URL");
  ExpectRefused(Location("https://10.0.0.1/p.tgz"), kBadUpstream, "private address");
  ExpectRefused(Location("git::https://10.0.0.1/r.git"), kBadUpstream, "private address");
  ExpectRefused(Location("git::ssh://git@10.0.0.1/r.git"), kBadUpstream, "private address");
}

TEST_F(RegistryModulesTest, RefusesBadArchives) {
  using enum ErrorKind;
  answers_.Set("/html.tgz", {.body = "<html>"});
  answers_.Set("/empty.zip", {.body = ""});
  answers_.Set("/zip.tgz", {.body = kZip});
  answers_.Set("/p.tar.xz", {.body = std::string("\xFD\x37zXZ\0x", 7)});
  answers_.Set("/p.tbz2", {.body = "BZh9"});
  answers_.Set("/short.tgz", {.raw = "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n\x1F\x8B"});
  ExpectRefused(Location("/html.tgz"), kBadUpstream, "is not an archive");
  ExpectRefused(Location("/empty.zip"), kBadUpstream, "is not an archive");
  ExpectRefused(Location("/zip.tgz"), kBadUpstream, "is a zip file");
  ExpectRefused(Location("/p.tar.xz"), kBadUpstream, "bzip2 or xz");
  ExpectRefused(Location("/p.tbz2"), kBadUpstream, "bzip2 or xz");
  ExpectRefused(Location("/short.tgz"), kBadUpstream, "the archive");
  ExpectRefused(Location("/missing.tgz"), kBadUpstream, "answered 404");
  bounds_.package_bytes = 5;
  ExpectRefused(Location("/p.tgz"), kTooLarge, "the limit is 5");
}

TEST_F(RegistryModulesTest, BringsRepositories) {
  FakeRepository repository;
  repository.File("main.tf", "")
      .File("modules/x/main.tf", "")
      .Submodule("s")
      .Commit("refs/tags/v1.0.0");
  auto git = Serve([&](const ScriptedRequest& request) { return repository.Answer(request); });
  answers_.Set(kDownloadPath,
               Location("git::" + git->url() + "/r.git//modules/x?ref=v1.0.0&depth=1"));
  auto module = Fetch();
  ASSERT_TRUE(module) << module.error().message << module.error().detail;
  EXPECT_EQ(module->folder, "modules/x");
  EXPECT_EQ(module->source, "git repository " + git->url() + "/r.git at v1.0.0");
  EXPECT_EQ(module->warnings.size(), 1u);
  EXPECT_EQ(Output("tar -tzf " + path()), "main.tf\nmodules/\nmodules/x/\nmodules/x/main.tf\ns/\n");
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
  for (const ScriptedRequest& request : git->requests()) {
    EXPECT_FALSE(request.fields.contains("authorization"));
  }
}

TEST(ModuleVersionsTest, SpellsVersionsAsClientsAskForThem) {
  for (auto [listed, asked] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"1.0.0", "1.0.0"},
           {"v1.0.0", "1.0.0"},
           {"1.0", "1.0.0"},
           {"v1.2", "1.2.0"},
           {"2", "2.0.0"},
           {"01.002.0003", "1.2.3"},
           {"1.0.0-rc.1", "1.0.0-rc.1"},
           {"1.0.0rc1", "1.0.0-rc1"},
           {"1-beta", "1.0.0-beta"},
           {"v1.2+build.7", "1.2.0+build.7"},
           {"1.0.0-rc1+b", "1.0.0-rc1+b"},
           {"0.0.1", "0.0.1"},
           {"9223372036854775807.0.0", "9223372036854775807.0.0"},
       }) {
    auto version = CanonicalVersion(listed);
    ASSERT_TRUE(version) << listed;
    EXPECT_EQ(version->ToString(), asked);
  }
}

TEST(ModuleVersionsTest, LeavesOutWhatClientsPassOverAndWhatWeCannotHold) {
  for (std::string_view listed : {"",
                                  "v",
                                  "vv1.0.0",
                                  "V1.0.0",
                                  "latest",
                                  "1.",
                                  "1..0",
                                  ".1",
                                  "1.0.0.1",
                                  "1.0.0.",
                                  "1.0.0-",
                                  "1.0.0+",
                                  "1.0.0 ",
                                  " 1.0.0",
                                  "1.0.0~1",
                                  "1.0.0-a..b",
                                  "-1.0.0",
                                  "1.0.0/../x",
                                  "0.0.0",
                                  "9223372036854775808.0.0",
                                  "18446744073709551616.0.0",
                                  "1.0.99999999999999999999999",
                                  "1.0.0-01",
                                  "1.0.0-\xC3\xA9"}) {
    EXPECT_FALSE(CanonicalVersion(listed)) << listed;
  }
  EXPECT_FALSE(CanonicalVersion(std::string_view("1.0.0\0", 6)));
  EXPECT_FALSE(CanonicalVersion("1.0.0-" + std::string(200, 'a')));
}

TEST(ModuleVersionsTest, KeepsTheOrderAndEachOnce) {
  auto read = CanonicalVersionsOf({"2.0.0", "v1", "nope", "1.0.0", "1.0.0+a", "1.0", "1.0.0.0"});
  EXPECT_EQ(read.skipped, 2u);
  std::vector<std::string> spelled;
  for (const Version& each : read.versions) spelled.push_back(each.ToString());
  EXPECT_EQ(spelled, (std::vector<std::string>{"2.0.0", "1.0.0", "1.0.0+a"}));
}

}  // namespace
}  // namespace koya::upstream
