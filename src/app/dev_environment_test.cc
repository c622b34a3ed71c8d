#include "app/dev_environment.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "app/private_file.h"
#include "base/manual_clock_fake.h"
#include "base/temp_folder_fake.h"

namespace koya {
namespace {

constexpr UnixSeconds kDay = 86400;
constexpr UnixSeconds kNow = 1'795'000'000;

// Whether OpenSSL, as a client that trusts `authority` alone, takes `server` for `name` at `time`.
bool Verifies(const std::string& server, const std::string& authority, const std::string& name,
              UnixSeconds time) {
  auto read = [](const std::string& pem) {
    std::unique_ptr<BIO, decltype(&BIO_free_all)> memory(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free_all);
    return std::unique_ptr<X509, decltype(&X509_free)>(
        PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr), X509_free);
  };
  auto leaf = read(server);
  auto root = read(authority);
  std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(), X509_STORE_free);
  X509_STORE_add_cert(store.get(), root.get());
  std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(X509_STORE_CTX_new(),
                                                                          X509_STORE_CTX_free);
  X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr);
  X509_VERIFY_PARAM* parameters = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_X509_STRICT);
  X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  X509_VERIFY_PARAM_set_time(parameters, time);
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str()) != 1) {
    X509_VERIFY_PARAM_set1_host(parameters, name.c_str(), 0);
  }
  bool good = X509_verify_cert(context.get()) == 1;
  ERR_clear_error();
  return good;
}

mode_t ModeOf(const std::filesystem::path& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

std::string Read(const std::filesystem::path& path) {
  auto text = ReadSmallFile(path);
  EXPECT_TRUE(text) << text.error().detail;
  return text.value_or("");
}

class DevEnvironmentTest : public testing::Test {
 protected:
  DevEnvironmentTest() { clock_.now = kNow; }

  DevPaths Ensure(std::string_view url) const {
    DevPaths paths(folder_ / "data");
    Status made = EnsureDevCertificates(paths, url, clock_);
    EXPECT_TRUE(made) << made.error().message << made.error().detail;
    return paths;
  }

  TempFolder folder_;
  ManualClock clock_;
};

TEST_F(DevEnvironmentTest, TheCertificateIsGoodForEveryName) {
  DevPaths paths = Ensure("https://koya.test:8443");
  std::string server = Read(paths.certificate);
  std::string authority = Read(paths.ca_certificate);
  for (std::string name : {"localhost", "127.0.0.1", "::1", "koya.test", "KOYA.test"}) {
    EXPECT_TRUE(Verifies(server, authority, name, kNow)) << name;
  }
  for (std::string name : {"example.com", "127.0.0.2", "::2", "a.koya.test", "test"}) {
    EXPECT_FALSE(Verifies(server, authority, name, kNow)) << name;
  }
  EXPECT_TRUE(Verifies(server, authority, "localhost", kNow - 1800)) << "a clock that is behind";
  EXPECT_TRUE(Verifies(server, authority, "localhost", kNow + 396 * kDay));
  EXPECT_FALSE(Verifies(server, authority, "localhost", kNow + 398 * kDay));
  EXPECT_FALSE(Verifies(server, authority, "localhost", kNow - kDay));
  EXPECT_FALSE(Verifies(server, MakeCertificateAuthority(kNow)->certificate, "localhost", kNow));
}

TEST_F(DevEnvironmentTest, AddressesAreNamesToo) {
  for (std::string url : {"https://192.0.2.7:8443", "https://[2001:db8::7]"}) {
    DevPaths paths = Ensure(url);
    std::string name = url.contains('[') ? "2001:db8::7" : "192.0.2.7";
    EXPECT_TRUE(Verifies(Read(paths.certificate), Read(paths.ca_certificate), name, kNow)) << url;
  }
}

TEST_F(DevEnvironmentTest, FilesAreForTheirOwnerAlone) {
  DevPaths paths = Ensure("https://127.0.0.1:8443");
  ASSERT_TRUE(WriteDevFiles(
      paths, {.url = "https://127.0.0.1:8443", .token = "koya_x", .metrics_url = ""}));
  EXPECT_EQ(ModeOf(paths.folder), 0700U);
  for (const auto& path : {paths.ca_key, paths.key, paths.admin_token, paths.environment,
                           paths.client_configuration}) {
    EXPECT_EQ(ModeOf(path), 0600U) << path;
  }
  ::chmod(paths.folder.c_str(), 0755);
  Ensure("https://127.0.0.1:8443");
  EXPECT_EQ(ModeOf(paths.folder), 0700U);
}

TEST_F(DevEnvironmentTest, ASecondStartChangesNothing) {
  DevPaths paths = Ensure("https://koya.test");
  std::string before = Read(paths.certificate) + Read(paths.ca_certificate);
  clock_.now += 300 * kDay;
  Ensure("https://koya.test");
  EXPECT_EQ(Read(paths.certificate) + Read(paths.ca_certificate), before);
}

TEST_F(DevEnvironmentTest, TheCertificateIsRenewedAndTheAuthorityKept) {
  DevPaths paths = Ensure("https://a.test");
  std::string authority = Read(paths.ca_certificate);
  struct {
    const char* what;
    std::function<void()> change;
    std::string url;
  } cases[] = {
      {"another name", [] {}, "https://b.test"},
      {"soon over", [&] { clock_.now += 380 * kDay; }, "https://b.test"},
      {"certificate gone", [&] { std::filesystem::remove(paths.certificate); }, "https://b.test"},
      {"key gone", [&] { std::filesystem::remove(paths.key); }, "https://b.test"},
      {"certificate damaged", [&] { std::ofstream(paths.certificate) << "-----BEGIN"; },
       "https://b.test"},
      {"empty key", [&] { std::ofstream(paths.key) << ""; }, "https://b.test"},
      {"key of another",
       [&] {
         std::filesystem::copy_file(paths.ca_key, paths.key,
                                    std::filesystem::copy_options::overwrite_existing);
       },
       "https://b.test"},
  };
  for (const auto& [what, change, url] : cases) {
    std::string before = Read(paths.certificate);
    change();
    Ensure(url);
    EXPECT_NE(Read(paths.certificate), before) << what;
    EXPECT_EQ(Read(paths.ca_certificate), authority) << what;
    EXPECT_TRUE(Verifies(Read(paths.certificate), authority, "b.test", clock_.now)) << what;
    EXPECT_EQ(ModeOf(paths.key), 0600U) << what;
  }
}

TEST_F(DevEnvironmentTest, TheAuthorityIsRenewedWithItsCertificate) {
  DevPaths paths = Ensure("https://a.test");
  struct {
    const char* what;
    std::function<void()> change;
  } cases[] = {
      {"certificate gone", [&] { std::filesystem::remove(paths.ca_certificate); }},
      {"key gone", [&] { std::filesystem::remove(paths.ca_key); }},
      {"damaged", [&] { std::ofstream(paths.ca_certificate) << "junk"; }},
      {"not an authority",
       [&] {
         std::filesystem::copy_file(paths.certificate, paths.ca_certificate,
                                    std::filesystem::copy_options::overwrite_existing);
         std::filesystem::copy_file(paths.key, paths.ca_key,
                                    std::filesystem::copy_options::overwrite_existing);
       }},
      {"would end before its certificates", [&] { clock_.now += 3300 * kDay; }},
      {"clock set back", [&] { clock_.now -= 4000 * kDay; }},
  };
  for (const auto& [what, change] : cases) {
    std::string before = Read(paths.ca_certificate);
    change();
    Ensure("https://a.test");
    EXPECT_NE(Read(paths.ca_certificate), before) << what;
    EXPECT_TRUE(Verifies(Read(paths.certificate), Read(paths.ca_certificate), "a.test", clock_.now))
        << what;
  }
}

TEST_F(DevEnvironmentTest, UrlsThatCannotBeUsed) {
  DevPaths paths(folder_ / "data");
  for (std::string_view url : {"", "koya", "https://", "/x"}) {
    EXPECT_FALSE(EnsureDevCertificates(paths, url, clock_)) << url;
    EXPECT_FALSE(WriteDevFiles(paths, {.url = std::string(url), .token = "t", .metrics_url = ""}));
  }
}

TEST_F(DevEnvironmentTest, AFolderThatCannotBeMadeIsAnError) {
  std::ofstream(folder_ / "data") << "a file";
  Status made = EnsureDevCertificates(DevPaths(folder_ / "data"), "https://a.test", clock_);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().detail.find("data"), std::string::npos);
}

// What a shell has in `variable` after reading the file `environment`.
std::string InShell(const std::filesystem::path& environment, const std::string& variable) {
  ::setenv("FILE_TO_READ", environment.c_str(), 1);
  std::string command = ". \"$FILE_TO_READ\" && printf %s \"$" + variable + "\"";
  std::unique_ptr<FILE, int (*)(FILE*)> shell(::popen(command.c_str(), "r"), ::pclose);
  std::string text;
  for (int c = std::fgetc(shell.get()); c != EOF; c = std::fgetc(shell.get())) {
    text += static_cast<char>(c);
  }
  return text;
}

TEST_F(DevEnvironmentTest, TheShellReadsTheEnvironmentWhateverThePathHolds) {
  DevPaths paths(folder_ / "it's $HOME `id` \"here\" \\");
  ASSERT_TRUE(WriteDevFiles(paths, {.url = "https://127.0.0.1:8443",
                                    .token = "koya_abc-DEF_123",
                                    .metrics_url = "http://127.0.0.1:40001"}));
  EXPECT_EQ(InShell(paths.environment, "SSL_CERT_FILE"), paths.ca_certificate.string());
  EXPECT_TRUE(paths.ca_certificate.is_absolute());
  EXPECT_EQ(InShell(paths.environment, "KOYA_URL"), "https://127.0.0.1:8443");
  EXPECT_EQ(InShell(paths.environment, "KOYA_TOKEN"), "koya_abc-DEF_123");
  EXPECT_EQ(InShell(paths.environment, "KOYA_METRICS"), "http://127.0.0.1:40001");
  EXPECT_EQ(Read(paths.admin_token), "koya_abc-DEF_123\n");
  EXPECT_EQ(ReadDevToken(paths).value(), "koya_abc-DEF_123");
}

TEST_F(DevEnvironmentTest, WithoutATokenOrAListenerThereIsNone) {
  DevPaths paths(folder_ / "data");
  EXPECT_EQ(ReadDevToken(paths).value(), "");
  ASSERT_TRUE(WriteDevFiles(paths, {.url = "https://a.test", .token = "t", .metrics_url = ""}));
  EXPECT_EQ(Read(paths.environment).find("KOYA_METRICS"), std::string::npos);
}

TEST_F(DevEnvironmentTest, TheClientConfigurationHoldsTheTokenForEachName) {
  DevPaths paths(folder_ / "data");
  auto configuration = [&](std::string url) {
    EXPECT_TRUE(
        WriteDevFiles(paths, {.url = std::move(url), .token = "koya_t", .metrics_url = ""}));
    return Read(paths.client_configuration);
  };
  auto has = [](const std::string& text, const std::string& host) {
    return text.contains("credentials \"" + host + "\" {\n  token = \"koya_t\"\n}\n");
  };
  std::string text = configuration("https://127.0.0.1:8443");
  EXPECT_TRUE(has(text, "127.0.0.1:8443") && has(text, "localhost:8443"));
  text = configuration("https://koya.test");
  EXPECT_TRUE(has(text, "koya.test"));
  EXPECT_FALSE(text.contains("localhost"));
  text = configuration("https://[::1]:8443");
  EXPECT_FALSE(text.contains("[::1]")) << "clients refuse such a block";
  EXPECT_TRUE(has(text, "127.0.0.1:8443"));
}

TEST_F(DevEnvironmentTest, NoDraftsAreLeftBehind) {
  DevPaths paths = Ensure("https://a.test");
  ASSERT_TRUE(WriteDevFiles(paths, {.url = "https://a.test", .token = "t", .metrics_url = ""}));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(paths.folder)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 7U);
}

}  // namespace
}  // namespace koya
