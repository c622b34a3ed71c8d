#include "app/settings.h"
#include "base/temp_folder_fake.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace koya {
namespace {

// A folder that is gone after the test.
class SettingsTest : public testing::Test {
 protected:
  std::filesystem::path Write(std::string_view text) const {
    std::filesystem::path path = folder_ / "koya.toml";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  Result<LoadedSettings> FromFile(std::string_view text) const {
    return LoadSettings({.config = Write(text), .flags = {}, .environment = {}});
  }

  TempFolder folder_;
};

Result<LoadedSettings> FromFlags(std::vector<std::pair<std::string, std::string>> flags) {
  return LoadSettings({.config = {}, .flags = std::move(flags), .environment = {}});
}
Result<LoadedSettings> FromEnvironment(std::map<std::string, std::string> environment) {
  return LoadSettings({.config = {}, .flags = {}, .environment = std::move(environment)});
}

std::string MessageOf(const Result<LoadedSettings>& result) {
  return result ? "accepted" : result.error().message;
}

const SettingSource& SourceOf(const LoadedSettings& settings, std::string_view key) {
  std::size_t i = 0;
  while (AllSettings()[i].key != key) ++i;
  return settings.sources[i];
}

TEST(ProcessEnvironmentTest, KeepsItsOrderSinceOfTwoNamesOfOneHostTheLaterCounts) {
  // Libraries put new variables last.
  ASSERT_EQ(::setenv("TF_TOKEN_koya__test_example", "former", 1), 0);
  ASSERT_EQ(::setenv("TF_TOKEN_KOYA__test_example", "latter", 1), 0);
  std::vector<std::string> tokens;
  for (const auto& [name, value] : ProcessEnvironment()) {
    if (name.starts_with("TF_TOKEN_")) tokens.push_back(value);
  }
  EXPECT_EQ(tokens, (std::vector<std::string>{"former", "latter"}));
}

TEST_F(SettingsTest, EveryDurationMayBeASecond) {
  for (const SettingInfo& setting : AllSettings()) {
    if (!setting.allowed.starts_with("a duration")) continue;
    auto loaded = FromFlags({{FlagName(setting.key), "1s"}});
    EXPECT_TRUE(loaded) << setting.key << ": " << MessageOf(loaded);
  }
}

TEST_F(SettingsTest, DefaultsAreThoseOfTheContract) {
  auto loaded = FromFlags({});
  ASSERT_TRUE(loaded);
  const Settings& s = loaded->values;
  EXPECT_EQ(s.server.data, "./koya-data");
  EXPECT_EQ(s.server.listen.ToString(), "127.0.0.1:8443");
  EXPECT_EQ(BaseUrl(s, 8443), "https://127.0.0.1:8443");
  EXPECT_FALSE(s.server.dev);
  EXPECT_FALSE(s.metrics.listen);
  EXPECT_EQ(s.limits.module_bytes, 500ULL << 20);
  EXPECT_EQ(s.limits.module_unpacked_bytes, 1ULL << 30);
  EXPECT_EQ(s.limits.archive_ratio, 200U);
  EXPECT_EQ(s.limits.archive_entries, 50'000U);
  EXPECT_EQ(s.limits.token_requests, 0U);
  EXPECT_EQ(s.limits.address_requests, 0U);
  EXPECT_EQ(s.limits.token_bytes_per_day, 0U);
  EXPECT_EQ(s.limits.address_bytes_per_day, 0U);
  EXPECT_EQ(s.timeouts.header, std::chrono::seconds(10));
  EXPECT_EQ(s.timeouts.drain, std::chrono::seconds(10));
  EXPECT_EQ(s.timeouts.drain_delay, std::chrono::seconds(0));
  EXPECT_EQ(s.catalog.serve_stale, std::chrono::hours(1));
  EXPECT_FALSE(s.catalog.wait_for_migration);
  EXPECT_EQ(s.access.offline_grace, std::chrono::seconds(0));
}

TEST_F(SettingsTest, EverySettingHasNamesTextAndAReadableDefault) {
  std::set<std::string> names;
  for (const SettingInfo& info : AllSettings()) {
    EXPECT_TRUE(names.insert(EnvironmentName(info.key)).second) << info.key;
    if (!info.alias.empty()) {
      EXPECT_TRUE(names.insert(EnvironmentName(info.alias)).second) << info.key;
    }
    EXPECT_FALSE(info.text.empty()) << info.key;
    EXPECT_FALSE(info.allowed.empty()) << info.key;
    std::string value = DefaultText(info);
    EXPECT_FALSE(value.empty() && info.default_note.empty()) << info.key;
    if (!value.empty()) {
      EXPECT_TRUE(FromFlags({{FlagName(info.key), value}})) << info.key << "=" << value;
    }
  }
}

TEST_F(SettingsTest, FlagBeatsEnvironmentBeatsFileBeatsDefault) {
  std::filesystem::path file = Write(
      "log.level = \"error\"\n"
      "[server]\n"
      "listen = \"127.0.0.1:1\"\n"
      "data = \"/file\"\n");
  auto loaded = LoadSettings({.config = file,
                              .flags = {{"--listen", "127.0.0.1:3"}},
                              .environment = {{"KOYA_SERVER_LISTEN", "127.0.0.1:2"},
                                              {"KOYA_DATA", "/environment"},
                                              {"PATH", "/bin"}}});
  ASSERT_TRUE(loaded) << MessageOf(loaded);
  EXPECT_EQ(loaded->values.server.listen.port, 3);
  EXPECT_EQ(SourceOf(*loaded, "server.listen").where, "--listen");
  EXPECT_EQ(loaded->values.server.data, "/environment");
  EXPECT_EQ(SourceOf(*loaded, "server.data").where, "KOYA_DATA");
  EXPECT_EQ(loaded->values.log.level, LogLevel::kError);
  EXPECT_EQ(SourceOf(*loaded, "log.level").where, file.string() + ":1");
  EXPECT_EQ(SourceOf(*loaded, "log.access").kind, SettingSource::Kind::kDefault);
}

TEST_F(SettingsTest, ValuesThatAreTaken) {
  const std::pair<std::string, std::string> taken[] = {
      {"server.listen", "0.0.0.0:0"},
      {"server.listen", "[::1]:8443"},
      {"server.listen", "localhost:65535"},
      {"server.url", "https://koya.example.com"},
      {"server.url", "https://koya.example.com/"},
      {"server.url", "https://[::1]:8443"},
      {"server.url", "http://127.0.0.1:80"},
      {"web.status_url", "https://status.example.com"},
      {"mail.smtp", "off"},
      {"mail.smtp", "smtp://mail.example.com"},
      {"mail.smtp", "smtps://mail.example.com:465"},
      {"mail.smtp", "smtp://[::1]:25"},
      {"mail.from", "koya@example.com"},
      {"mail.user", "koya"},
      {"observability.otlp_endpoint", "http://127.0.0.1:4318"},
      {"observability.otlp_endpoint", "https://otel.example.com/koya"},
      {"web.status_url", "http://status.example.com:8080/koya?of=registry#now"},
      {"server.trusted_proxies", "10.0.0.0/8, 192.0.2.7,fd00::/8"},
      {"server.names", "koya.example.com,koya.example.com:8443"},
      {"server.threads", "0"},
      {"server.dev", "false"},
      {"metrics.listen", "off"},
      {"metrics.listen", "127.0.0.1:0"},
      {"cluster.listen", "off"},
      {"cluster.listen", "10.0.0.1:8444"},
      {"cluster.address", "koya-0.koya:8444"},
      {"catalog.url", "sqlite"},
      {"catalog.url", "postgresql://koya@one,two:5433/koya"},
      {"catalog.serve_stale", "0s"},
      {"catalog.serve_stale", "30d"},
      {"catalog.migrate", "wait"},
      {"catalog.migrate", "auto"},
      {"access.offline_grace", "15m"},
      {"timeouts.drain_delay", "0s"},
      {"timeouts.drain_delay", "5s"},
      {"catalog.url", "postgresql://koya:secret@db:5432/koya"},
      {"limits.module_bytes", "1KiB"},
      {"limits.header_bytes", "16KiB"},
      {"limits.token_requests", "off"},
      {"limits.token_requests", "1000000"},
      {"limits.address_requests", "0"},
      {"limits.address_requests", "1"},
      {"limits.token_bytes_per_day", "10GiB"},
      {"limits.address_bytes_per_day", "off"},
      {"timeouts.header", "1m"},
      {"blobs.gc_grace", "90d"},
      {"blobs.url", "folder"},
      {"blobs.url", "s3://koya"},
      {"blobs.url", "s3://koya/registry/one"},
      {"blobs.trash_for", "1s"},
      {"blobs.gc_every", "1s"},
      {"backup.to", "/mnt/backup/koya"},
      {"backup.to", "s3://koya-backups/main"},
      {"backup.every", "6h"},
      {"backup.keep", "1"},
      {"blobs.s3.endpoint", "http://127.0.0.1:7480"},
      {"blobs.s3.region", "eu-central-1"},
      {"blobs.s3.path_style", "auto"},
      {"blobs.s3.path_style", "false"},
      {"blobs.s3.sse", "aws:kms"},
      {"blobs.s3.sse_kms_key", "arn:aws:kms:eu-central-1:1:key/2"},
      {"blobs.s3.part_bytes", "5MiB"},
      {"blobs.s3.parallel_parts", "16"},
      {"blobs.s3.redirect", "misses"},
      {"blobs.s3.redirect_ttl", "1m"},
      {"cache.archives_bytes", "1GiB"},
      {"cache.scrub", "off"},
      {"log.level", "debug"},
      {"log.access", "false"},
      {"tls.key", "/etc/koya/key with spaces.pem"},
      {"upstream.network_mirror", "https://mirror.example.com/providers/"},
      {"upstream.network_mirror", "https://mirror.example.com:8443"},
      {"upstream.tokens", "registry.example.com=abc.DEF==,münchen.example:8443=x"},
      {"upstream.credentials_helper", "vault"},
      {"upstream.credentials_helper", "/usr/lib/koya/helper --role registry"},
      {"mirror.modules", "false"},
      {"modules.location", "auto"},
      {"publish.semver", "refuse-breaking"},
      {"publish.secrets", "refuse"},
  };
  for (const auto& [key, value] : taken) {
    auto loaded = FromFlags({{FlagName(key), value}});
    EXPECT_TRUE(loaded) << key << "=" << value << ": " << MessageOf(loaded);
  }
}

TEST_F(SettingsTest, ValuesThatAreRefused) {
  const std::pair<std::string, std::string> refused[] = {
      {"server.data", ""},
      {"server.data", std::string("a\0b", 3)},
      {"server.listen", ""},
      {"server.listen", ":8443"},
      {"server.listen", "127.0.0.1"},
      {"server.listen", "127.0.0.1:65536"},
      {"server.listen", "127.0.0.1:-1"},
      {"server.listen", "127.0.0.1:84 43"},
      {"server.listen", "::1:8443"},
      {"server.listen", "[::1:8443"},
      {"server.listen", "[127.0.0.1]:8443"},
      {"server.listen", "https://127.0.0.1:8443"},
      {"modules.location", "hosted"},
      {"publish.semver", "refuse-minor"},
      {"publish.secrets", "refuse-breaking"},
      {"server.url", "koya.example.com"},
      {"server.url", "https://"},
      {"server.url", "https:koya.example.com"},
      {"server.url", "https://koya.example.com/registry"},
      {"server.url", "https://koya.example.com?x=1"},
      {"server.url", "https://koya.example.com#x"},
      {"server.url", "https://user:pass@koya.example.com"},
      {"server.url", "https://koya.example.com:0"},
      {"server.url", "https://koya.example.com:99999"},
      {"server.url", "ftp://koya.example.com"},
      {"server.url", "https://koya example.com"},
      {"web.status_url", ""},
      {"web.status_url", "/status"},
      {"mail.smtp", "mail.example.com"},
      {"mail.smtp", "https://mail.example.com"},
      {"mail.smtp", "smtp://user:secret@mail.example.com"},
      {"mail.smtp", "smtp://mail.example.com/path"},
      {"mail.smtp", "smtp://"},
      {"mail.from", "koya"},
      {"mail.from", "Koya <koya@example.com>"},
      {"mail.user", "a b"},
      {"observability.otlp_endpoint", "127.0.0.1:4318"},
      {"observability.otlp_endpoint", "grpc://127.0.0.1:4317"},
      {"web.status_url", "status.example.com"},
      {"web.status_url", "//status.example.com"},
      {"web.status_url", "https://"},
      {"web.status_url", "https:status.example.com"},
      {"web.status_url", "javascript:alert(1)"},
      {"web.status_url", "ftp://status.example.com"},
      {"web.status_url", "https://user:pass@status.example.com"},
      {"web.status_url", "https://status.example.com:0"},
      {"web.status_url", "https://status.example.com/a b"},
      {"web.status_url", "https://status.example.com/\"><script>"},
      {"web.status_url", "https://status.example.com/\n"},
      {"server.trusted_proxies", "10.0.0.0/33"},
      {"server.trusted_proxies", "10.0.0.0/"},
      {"server.trusted_proxies", "10.0.0/8"},
      {"server.trusted_proxies", "fd00::/129"},
      {"server.trusted_proxies", "10.0.0.1,,10.0.0.2"},
      {"server.trusted_proxies", "proxy.example.com"},
      {"server.names", "https://koya.example.com"},
      {"server.threads", "-1"},
      {"server.threads", "1025"},
      {"server.threads", "two"},
      {"server.dev", "yes"},
      {"metrics.listen", "on"},
      {"metrics.listen", ""},
      {"cluster.listen", ":8444"},
      {"cluster.listen", ""},
      {"cluster.address", "koya-0.koya"},
      {"cluster.address", "koya-0.koya:0"},
      {"cluster.address", "0.0.0.0:8444"},
      {"cluster.address", "[::]:8444"},
      {"cluster.address", "off"},
      {"cluster.address", "https://koya-0.koya:8444"},
      {"catalog.url", "mysql://db/koya"},
      {"catalog.serve_stale", "10"},
      {"catalog.serve_stale", "-1s"},
      {"catalog.migrate", "never"},
      {"catalog.migrate", "true"},
      {"access.offline_grace", "off"},
      {"timeouts.drain_delay", "2h"},
      {"timeouts.drain_delay", ""},
      {"catalog.url", "postgresql://"},
      {"catalog.url", ""},
      {"limits.module_bytes", "500"},
      {"limits.module_bytes", "500MB"},
      {"limits.module_bytes", "0B"},
      {"limits.module_bytes", "99999999999GiB"},
      {"limits.archive_ratio", "0"},
      {"limits.archive_entries", "50,000"},
      {"limits.connections", "0"},
      {"limits.header_bytes", "1GiB"},
      {"limits.token_requests", "-1"},
      {"limits.token_requests", "1000001"},
      {"limits.address_requests", "0.5"},
      {"limits.address_requests", "10/s"},
      {"limits.token_bytes_per_day", "1000"},
      {"limits.address_bytes_per_day", "0B"},
      {"timeouts.header", "10"},
      {"timeouts.header", "0s"},
      {"timeouts.header", "1.5s"},
      {"timeouts.header", "2h"},
      {"backup.to", "backups"},
      {"backup.to", ""},
      {"backup.to", "s3://"},
      {"backup.every", "0s"},
      {"backup.keep", "0"},
      {"blobs.gc_grace", "0s"},
      {"blobs.url", ""},
      {"blobs.url", "s3://"},
      {"blobs.url", "s3:koya"},
      {"blobs.url", "https://koya.s3.amazonaws.com"},
      {"blobs.url", "s3://koya/a b"},
      {"blobs.url", "s3://koya?region=x"},
      {"blobs.trash_for", "0s"},
      {"blobs.gc_every", "hourly"},
      {"blobs.s3.endpoint", "127.0.0.1:7480"},
      {"blobs.s3.endpoint", "https://store.example.com/bucket"},
      {"blobs.s3.region", "eu central"},
      {"blobs.s3.path_style", "yes"},
      {"blobs.s3.sse", "aes256"},
      {"blobs.s3.part_bytes", "4MiB"},
      {"blobs.s3.parallel_parts", "0"},
      {"blobs.s3.parallel_parts", "17"},
      {"blobs.s3.first_byte_timeout", "0s"},
      {"blobs.s3.redirect", "always"},
      {"cache.archives_bytes", "off"},
      {"cache.scrub", "4"},
      {"mirror.freshness", "0s"},
      {"workers.threads", "0"},
      {"log.level", "verbose"},
      {"log.access", "on"},
      {"upstream.network_mirror", "mirror.example.com"},
      {"upstream.network_mirror", "http://mirror.example.com/"},
      {"upstream.network_mirror", "https://user:secret@mirror.example.com/"},
      {"upstream.network_mirror", "https://mirror.example.com/?token=x"},
      {"upstream.network_mirror", "https://[::1]/"},
      {"upstream.tokens", "registry.example.com"},
      {"upstream.tokens", "registry.example.com="},
      {"upstream.tokens", "=secret"},
      {"upstream.tokens", "registry.example.com=two words"},
      {"upstream.tokens", "https://registry.example.com=secret"},
      {"upstream.credentials_helper", " "},
      {"mirror.modules", "off"},
  };
  for (const auto& [key, value] : refused) {
    auto loaded = FromFlags({{FlagName(key), value}});
    ASSERT_FALSE(loaded) << key << "=" << value;
    EXPECT_EQ(loaded.error().kind, ErrorKind::kInvalid);
    // A switch that stands alone is the one empty value that is taken, so none of these is.
    EXPECT_NE(MessageOf(loaded).find(FlagName(key) + ": "), std::string::npos) << MessageOf(loaded);
    EXPECT_NE(MessageOf(loaded).find("write "), std::string::npos) << MessageOf(loaded);
  }
}

TEST_F(SettingsTest, FlagsHaveShortNamesAndSwitchesStandAlone) {
  auto loaded = FromFlags({{"--dev", ""},
                           {"--insecure-http", ""},
                           {"--url", "http://koya.test/"},
                           {"--server.trusted-proxies", "::1"},
                           {"--data", "/first"},
                           {"--data", "/last"}});
  ASSERT_TRUE(loaded) << MessageOf(loaded);
  EXPECT_TRUE(loaded->values.server.dev);
  EXPECT_TRUE(loaded->values.server.insecure_http);
  EXPECT_EQ(loaded->values.server.url, "http://koya.test");
  EXPECT_EQ(loaded->values.server.trusted_proxies, std::vector<std::string>{"::1"});
  EXPECT_EQ(loaded->values.server.data, "/last");
}

TEST_F(SettingsTest, NewNamespacesAreInternalUnlessASettingOrTheFirstRunSaysElse) {
  auto shown = [](const LoadedSettings& loaded) {
    const auto json = boost::json::parse(RenderSettings(loaded, {.json = true, .sources = true}));
    const auto& entry = json.at("access.default_visibility");
    return std::string(entry.at("value").as_string()) + ", " +
           std::string(entry.at("source").as_string());
  };
  const auto plain = FromFlags({});
  EXPECT_EQ(plain->values.access.default_visibility, std::nullopt);
  EXPECT_EQ(shown(*plain),
            "internal, default: the first administrator's choice comes first; with --dev "
            "public");
  const auto dev = FromFlags({{"--dev", ""}});
  EXPECT_EQ(dev->values.access.default_visibility, Visibility::kPublic);
  EXPECT_TRUE(shown(*dev).starts_with("public, default: "));
  const auto set = FromFlags({{"--dev", ""}, {"--access.default_visibility", "internal"}});
  EXPECT_EQ(set->values.access.default_visibility, Visibility::kInternal);
  EXPECT_EQ(shown(*set), "internal, --access.default_visibility");
}

TEST_F(SettingsTest, UnknownNamesAreToldWithTheirPlaceAndTheNearestName) {
  struct {
    Result<LoadedSettings> result;
    std::string_view expected;
  } cases[] = {
      {FromFile("[server]\nlisten = \"127.0.0.1:0\"\nlisen = \"x\"\n"),
       "koya.toml:3: unknown setting server.lisen; did you mean server.listen?"},
      {FromFile("[limits]\n\nmodule_byte = \"1MiB\"\n"),
       "koya.toml:3: unknown setting limits.module_byte; did you mean limits.module_bytes?"},
      {FromFile("[http]\nlisten = \"127.0.0.1:0\"\n"), "did you mean server.listen?"},
      {FromFile("[server.listen]\nport = 1\n"), "koya.toml:2: unknown setting server.listen.port"},
      {FromFile("[[server]]\nlisten = \"127.0.0.1:0\"\n"), "unknown setting server"},
      {FromFile("zzzzzzzzzzzz = 1\n"), "koya.toml:1: unknown setting zzzzzzzzzzzz; `koya config"},
      {FromEnvironment({{"KOYA_SERVER_LISEN", "x"}}),
       "unknown setting KOYA_SERVER_LISEN; did you mean KOYA_SERVER_LISTEN?"},
      {FromEnvironment({{"KOYA_server_listen", "x"}}), "unknown setting KOYA_server_listen"},
      {FromFlags({{"--lisen", "x"}}), "unknown setting --lisen; did you mean --listen?"},
      {FromFlags({{"--insecure-htp", ""}}), "did you mean --insecure-http?"},
      {FromFlags({{"--server.nmes", "x"}}), "did you mean --server.names?"},
      {FromFlags({{"", "x"}}), "unknown setting --"},
  };
  for (const auto& [result, expected] : cases) {
    EXPECT_NE(MessageOf(result).find(expected), std::string::npos)
        << MessageOf(result) << "\nshould have: " << expected;
  }
}

TEST_F(SettingsTest, AllProblemsAreToldAtOnce) {
  auto loaded = LoadSettings({.config = Write("[server]\nlisten = \"nowhere\"\n"),
                              .flags = {{"--dat", "x"}},
                              .environment = {{"KOYA_LOG_LEVEL", "loud"}}});
  std::string message = MessageOf(loaded);
  EXPECT_NE(message.find("koya.toml:2: \"nowhere\" is not allowed for server.listen: write HOST"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("KOYA_LOG_LEVEL: \"loud\" is not allowed"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean --data?"), std::string::npos) << message;
}

TEST_F(SettingsTest, ASettingMayBeGivenOnceInOnePlace) {
  EXPECT_NE(MessageOf(FromFile("data = \"/a\"\n[server]\ndata = \"/b\"\n")).find("set twice"),
            std::string::npos);
  EXPECT_NE(MessageOf(FromEnvironment({{"KOYA_DATA", "/a"}, {"KOYA_SERVER_DATA", "/b"}}))
                .find("set twice"),
            std::string::npos);
}

TEST_F(SettingsTest, VariablesOfOthersAreLeftAlone) {
  auto loaded = FromEnvironment({{"KOYA_URL", "https://elsewhere.example.com"},
                                 {"KOYA_TOKEN", "koya_secret"},
                                 {"KOYA_METRICS", "http://127.0.0.1:1/metrics"},
                                 {"KOYA_PORT", "tcp://10.0.0.1:8443"},
                                 {"KOYA_PORT_8443_TCP_ADDR", "10.0.0.1"},
                                 {"KOYA_SERVICE_HOST", "10.0.0.1"},
                                 {"koya_data", "/x"},
                                 {"HOME", "/root"}});
  ASSERT_TRUE(loaded) << MessageOf(loaded);
  EXPECT_EQ(loaded->values.server.url, "");
  EXPECT_EQ(loaded->values.server.data, "./koya-data");
}

TEST_F(SettingsTest, TomlTypesAreTaken) {
  auto loaded = FromFile(
      "server.dev = true\n"
      "server.trusted_proxies = [\"10.0.0.0/8\", \"::1\"]\n"
      "[server]\nthreads = 4\n[limits]\n");
  // TOML itself forbids to reopen [server] after dotted keys made it.
  EXPECT_FALSE(loaded);
  loaded = FromFile(
      "[server]\ndev = true\nthreads = 4\n"
      "trusted_proxies = [\"10.0.0.0/8\", \"::1\"]\nnames = []\n[limits]\n");
  ASSERT_TRUE(loaded) << MessageOf(loaded);
  EXPECT_TRUE(loaded->values.server.dev);
  EXPECT_EQ(loaded->values.server.threads, 4U);
  EXPECT_EQ(loaded->values.server.trusted_proxies.size(), 2U);
}

TEST_F(SettingsTest, FilesThatCannotBeUsed) {
  struct {
    std::string_view text;
    std::string_view expected;
  } cases[] = {
      {"[server\n", "koya.toml:1:"},
      {"listen = \n", "koya.toml:1:"},
      {"a = 1\na = 2\n", "koya.toml:2:"},
      {"\xFF\xFE\n", "koya.toml:1:"},
      {"server.listen = 1979-05-27\n", "koya.toml:1: this kind of value is not allowed for"},
      {"server.threads = 1.5\n", "koya.toml:1: this kind of value is not allowed for"},
      {"server.names = [\"a,b\"]\n", "this kind of value"},
      {"server.names = [{a = 1}]\n", "this kind of value"},
      {"server.names = [[\"a\"]]\n", "this kind of value"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_NE(MessageOf(FromFile(text)).find(expected), std::string::npos)
        << text << "\n"
        << MessageOf(FromFile(text));
  }
  EXPECT_NE(MessageOf(FromFile(std::string(2 << 20, '#'))).find("larger than"), std::string::npos);
  SettingsInput missing{.config = folder_ / "absent.toml", .flags = {}, .environment = {}};
  EXPECT_NE(MessageOf(LoadSettings(missing)).find("absent.toml: No such file"), std::string::npos);
  SettingsInput folder{.config = folder_.path(), .flags = {}, .environment = {}};
  EXPECT_NE(MessageOf(LoadSettings(folder)).find("cannot read"), std::string::npos);
}

TEST_F(SettingsTest, KoyaConfigNamesTheFileUnlessAFlagDoes) {
  std::string file = Write("data = \"/from-file\"\n").string();
  auto loaded = FromEnvironment({{"KOYA_CONFIG", file}});
  ASSERT_TRUE(loaded) << MessageOf(loaded);
  EXPECT_EQ(loaded->values.server.data, "/from-file");
  EXPECT_FALSE(FromEnvironment({{"KOYA_CONFIG", "/absent.toml"}}));
  EXPECT_TRUE(LoadSettings(
      {.config = file, .flags = {}, .environment = {{"KOYA_CONFIG", "/absent.toml"}}}));
}

TEST_F(SettingsTest, TheUrlFollowsTheAddress) {
  auto url = [](std::vector<std::pair<std::string, std::string>> flags, std::uint16_t port) {
    return BaseUrl(FromFlags(std::move(flags))->values, port);
  };
  EXPECT_EQ(url({{"--listen", "127.0.0.1:0"}}, 40123), "https://127.0.0.1:40123");
  EXPECT_EQ(url({{"--listen", "[::1]:0"}}, 40123), "https://[::1]:40123");
  EXPECT_EQ(url({{"--listen", "0.0.0.0:8443"}}, 8443), "https://localhost:8443");
  EXPECT_EQ(url({{"--listen", "[::]:8443"}}, 8443), "https://localhost:8443");
  EXPECT_EQ(url({{"--insecure-http", ""}}, 8443), "http://127.0.0.1:8443");
  EXPECT_EQ(url({{"--url", "https://KOYA.example.com:443/"}}, 1), "https://koya.example.com");
}

TEST_F(SettingsTest, WhatAServerNeedsTogether) {
  const std::pair<std::string, std::string> kDatabase = {"--catalog.url", "postgresql://db/koya"};
  struct {
    std::vector<std::pair<std::string, std::string>> flags;
    std::string_view expected;  // "" when it can start
  } cases[] = {
      {{{"--dev", ""}}, ""},
      {{{"--dev", ""}, {"--insecure-http", ""}}, ""},
      {{{"--insecure-http", ""}}, ""},
      {{{"--insecure-http", ""}, {"--url", "http://a.test"}}, ""},
      {{{"--insecure-http", ""}, {"--url", "https://a.test"}}, ""},
      {{{"--tls.certificate", "c"}, {"--tls.key", "k"}}, ""},
      {{{"--dev", ""}, {"--metrics.listen", "127.0.0.1:0"}, {"--listen", "127.0.0.1:0"}}, ""},
      {{}, "with --dev"},
      {{{"--insecure-http", ""}, {"--server.proxy_protocol", ""}},
       "server.proxy_protocol (--server.proxy_protocol) is set, but server.trusted_proxies names "
       "no"},
      {{{"--tls.certificate", "c"}}, "tls.certificate (--tls.certificate) is set, but tls.key is"},
      {{{"--tls.key", "k"}, {"--dev", ""}}, "tls.key (--tls.key) is set"},
      {{{"--tls.certificate", "c"}, {"--tls.key", "k"}, {"--dev", ""}}, "exclude each other"},
      {{{"--tls.certificate", "c"}, {"--tls.key", "k"}, {"--insecure-http", ""}}, "exclude"},
      {{{"--dev", ""}, {"--blobs.s3.region", "eu-central-1"}}, "set blobs.url to s3://"},
      {{{"--dev", ""},
        {"--blobs.url", "s3://koya"},
        {"--blobs.s3.sse", "AES256"},
        {"--blobs.s3.sse_kms_key", "k"}},
       "blobs.s3.sse = aws:kms"},
      {{{"--dev", ""}, {"--url", "http://a.test"}}, "must begin with https://"},
      {{{"--dev", ""}, {"--metrics.listen", "127.0.0.1:8443"}}, "are both 127.0.0.1:8443"},
      {{{"--dev", ""}, kDatabase, {"--cluster.listen", "127.0.0.1:0"}}, ""},
      {{{"--dev", ""},
        kDatabase,
        {"--cluster.listen", "0.0.0.0:8444"},
        {"--cluster.address", "one.test:8444"}},
       ""},
      {{{"--dev", ""}, kDatabase, {"--cluster.listen", "0.0.0.0:8444"}}, "needs cluster.address"},
      {{{"--dev", ""}, kDatabase, {"--cluster.listen", "[::]:8444"}}, "needs cluster.address"},
      {{{"--dev", ""}, {"--mail.smtp", "smtp://localhost"}}, "mail.from is not"},
      {{{"--dev", ""}, {"--mail.user", "koya"}}, "mail.password_file is not"},
      {{{"--dev", ""}, {"--mail.password_file", "password"}}, "mail.user is not"},
      {{{"--dev", ""}, kDatabase, {"--cluster.address", "one.test:8444"}}, "cluster.listen is not"},
      {{{"--dev", ""}, {"--cluster.listen", "127.0.0.1:8444"}}, "share a PostgreSQL database"},
      {{{"--dev", ""}, kDatabase, {"--cluster.listen", "127.0.0.1:8443"}}, "choose another port"},
  };
  for (const auto& [flags, expected] : cases) {
    auto loaded = FromFlags(flags);
    ASSERT_TRUE(loaded) << MessageOf(loaded);
    Status status = CheckForServing(*loaded);
    if (expected.empty()) {
      EXPECT_TRUE(status) << status.error().message;
    } else {
      ASSERT_FALSE(status) << expected;
      EXPECT_NE(status.error().message.find(expected), std::string::npos) << status.error().message;
    }
  }
}

TEST_F(SettingsTest, TheCacheHasAFolderOfItsOwn) {
  const std::filesystem::path data = folder_ / "data";
  std::filesystem::create_directories(data / "blobs" / "sha256");
  std::filesystem::create_directories(folder_ / "elsewhere");
  std::filesystem::create_directory_symlink(data / "blobs", folder_ / "link");
  std::filesystem::create_directory_symlink(folder_ / "elsewhere", folder_ / "other-link");
  struct {
    std::string cache;
    std::string_view expected;  // "" when it is taken
  } cases[] = {
      {(folder_ / "elsewhere").string(), ""},
      {(folder_ / "other-link").string(), ""},
      {(folder_ / "absent" / "cache").string(), ""},
      {(data / "cache").string(), ""},
      {(data / "cache").string() + "/", ""},
      {(data / "blobs2").string(), ""},
      {data.string() + "2", ""},
      {(data / "blobs" / ".." / "cache").string(), ""},
      {data.string(), "is the data folder (server.data)"},
      {data.string() + "/", "is the data folder (server.data)"},
      {(data / "cache" / "..").string(), "is the data folder (server.data)"},
      {folder_.path().string(), "contains the data folder"},
      {"/", "contains the data folder"},
      {(data / "blobs").string(), "is where the data folder stores its archives"},
      {(data / "blobs").string() + "/", "is where the data folder stores its archives"},
      {(data / "." / "blobs").string(), "is where the data folder stores its archives"},
      {(folder_ / "link").string(), "is where the data folder stores its archives"},
      {(folder_ / "link" / "absent").string(), "lies where the data folder stores its archives"},
      {(data / "blobs" / "sha256").string(), "lies where the data folder stores its archives"},
      {(data / "blobs" / "cache").string(), "lies where the data folder stores its archives"},
  };
  for (const auto& [cache, expected] : cases) {
    auto loaded = FromFlags({{"--dev", ""}, {"--data", data.string()}, {"--cache.folder", cache}});
    ASSERT_TRUE(loaded) << MessageOf(loaded);
    Status status = CheckForServing(*loaded);
    EXPECT_EQ(status.has_value(), expected.empty()) << cache;
    if (status) continue;
    const std::string& message = status.error().message;
    EXPECT_TRUE(message.starts_with("cache.folder " + cache + " (--cache.folder) ")) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message;
    EXPECT_NE(message.find("leave it out for " + data.string() + "/cache"), std::string::npos);
  }
}

TEST_F(SettingsTest, ABackupIsNotWrittenToWhatItIsABackupOf) {
  const std::filesystem::path data = folder_ / "data";
  std::filesystem::create_directories(data);
  std::filesystem::create_directory_symlink(data, folder_ / "link");
  const struct {
    std::string to;
    std::string blobs;
    bool is_taken;
  } cases[] = {
      {(folder_ / "backups").string(), "folder", true},
      {data.string() + "2", "folder", true},
      {"s3://backups", "folder", true},
      {"s3://koya/backups", "s3://koya/registry", true},
      {"s3://koya/registry2", "s3://koya/registry", true},
      {data.string(), "folder", false},
      {(data / "backups").string(), "folder", false},
      {(folder_ / "link" / "backups").string(), "folder", false},
      {folder_.path().string(), "folder", false},
      {"s3://koya", "s3://koya", false},
      {"s3://koya/registry/backups", "s3://koya/registry", false},
  };
  for (const auto& each : cases) {
    auto loaded = FromFlags({{"--dev", ""},
                             {"--data", data.string()},
                             {"--blobs.url", each.blobs},
                             {"--backup.to", each.to}});
    ASSERT_TRUE(loaded) << MessageOf(loaded);
    Status status = CheckForServing(*loaded);
    EXPECT_EQ(status.has_value(), each.is_taken) << each.to;
    if (!status) EXPECT_TRUE(status.error().message.starts_with("backup.to " + each.to));
  }
}

TEST_F(SettingsTest, AreShownWithTheirSourcesButWithoutSecrets) {
  auto loaded = FromFlags(
      {{"--catalog.url", "postgresql://koya:hunter2@db/koya"}, {"--listen", "127.0.0.1:1"}});
  ASSERT_TRUE(loaded);
  std::string text = RenderSettings(*loaded, {.json = false, .sources = true});
  EXPECT_NE(text.find("--listen"), std::string::npos);
  EXPECT_NE(text.find("(set)"), std::string::npos);
  EXPECT_EQ(text.find("hunter2"), std::string::npos);

  auto json = boost::json::parse(RenderSettings(*loaded, {.json = true, .sources = true}));
  EXPECT_EQ(json.as_object().size(), AllSettings().size());
  EXPECT_EQ(json.at("server.listen").at("value"), "127.0.0.1:1");
  EXPECT_EQ(json.at("server.listen").at("source"), "--listen");
  EXPECT_EQ(json.at("log.level").at("source"), "default");
  EXPECT_EQ(json.at("catalog.url").at("value"), "(set)");
  json = boost::json::parse(RenderSettings(*loaded, {.json = true, .sources = false}));
  EXPECT_EQ(json.at("server.listen"), "127.0.0.1:1");
}

TEST_F(SettingsTest, ARefusedSecretIsNotRepeated) {
  std::string message = MessageOf(FromFlags({{"--catalog.url", "mysql://koya:hunter2@db/koya"}}));
  EXPECT_EQ(message.find("hunter2"), std::string::npos) << message;
  EXPECT_NE(message.find("--catalog.url"), std::string::npos) << message;
}

TEST_F(SettingsTest, AFileTextHoldsWhatWasGivenAndReadsBackAsIt) {
  const std::vector<std::pair<std::string, std::string>> flags = {
      {"--url", "https://koya.test"},
      {"--insecure-http", ""},
      {"--server.trusted_proxies", "10.0.0.0/8,::1"},
      {"--server.secret", "a \"quoted\\ secret\""},
      {"--limits.connections", "500"},
      {"--blobs.url", "s3://bucket/prefix"},
      {"--blobs.s3.region", "auto"},
      {"--timeouts.idle", "60s"},
  };
  auto loaded = FromFlags(flags);
  ASSERT_TRUE(loaded) << MessageOf(loaded);
  const std::string text = SettingsFileText(*loaded);
  auto again = FromFile(text);
  ASSERT_TRUE(again) << MessageOf(again) << "\n" << text;
  EXPECT_EQ(RenderSettings(*again, {.json = true}), RenderSettings(*loaded, {.json = true}));
  EXPECT_EQ(again->values.server.secret, "a \"quoted\\ secret\"");
  for (std::size_t i = 0; i < AllSettings().size(); ++i) {
    EXPECT_EQ(again->sources[i].kind == SettingSource::Kind::kFile,
              loaded->sources[i].kind == SettingSource::Kind::kFlag)
        << AllSettings()[i].key;
  }
  EXPECT_TRUE(text.contains("\ntrusted_proxies = [\"10.0.0.0/8\", \"::1\"]\n")) << text;
  EXPECT_TRUE(text.contains("\nconnections = 500\n")) << text;
  EXPECT_TRUE(text.contains("\n# listen = \"127.0.0.1:8443\"\n")) << text;
  EXPECT_TRUE(FromFile(SettingsFileText(*FromFlags({})))) << "nothing was given";
}

TEST_F(SettingsTest, TheDocumentListsEverySetting) {
  std::string text = SettingsMarkdown();
  for (const SettingInfo& info : AllSettings()) {
    EXPECT_NE(text.find("| `" + std::string(info.key) + "` |"), std::string::npos) << info.key;
    EXPECT_NE(text.find("`" + EnvironmentName(info.key) + "`"), std::string::npos) << info.key;
  }
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY",
                           "no_proxy", "NO_PROXY"}) {
    EXPECT_TRUE(text.contains("`" + std::string(name) + "`")) << name;
  }
}

}  // namespace
}  // namespace koya
