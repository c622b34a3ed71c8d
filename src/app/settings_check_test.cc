// What `koya config check` finds in settings and in the files that they name.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/dev_environment.h"
#include "app/settings.h"
#include "base/temp_folder_fake.h"

namespace koya {
namespace {

// A certificate for koya.test that is valid from about kIssued on, and the settings that use it.
class CheckSettingsTest : public testing::Test {
 protected:
  static constexpr UnixSeconds kIssued = 1'790'000'000;
  static constexpr UnixSeconds kDay = 86'400;

  CheckSettingsTest() {
    auto authority = MakeCertificateAuthority(kIssued);
    auto issued = IssueServerCertificate(*authority, {"koya.test"}, kIssued);
    Put("tls.pem", issued->certificate);
    Put("tls.key", issued->key);
    Put("other.key", IssueServerCertificate(*authority, {"koya.test"}, kIssued)->key);
    Put("empty.pem", "");
  }

  std::filesystem::path Write(std::string_view text) const { return Put("koya.toml", text); }
  std::filesystem::path Put(const std::string& name, std::string_view text) const {
    std::filesystem::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }

  // Of a file that has TLS, a URL and `more`; "FOLDER" is replaced.
  SettingsFindings Check(std::string more, UnixSeconds now = kIssued + kDay,
                         std::string key = "tls.key") const {
    std::string text =
        "[tls]\ncertificate = \"FOLDER/tls.pem\"\nkey = \"FOLDER/" + key + "\"\n" + more;
    for (std::size_t at = 0; (at = text.find("FOLDER")) != text.npos;) {
      text.replace(at, 6, folder_.path().string());
    }
    std::filesystem::permissions(
        Write(text), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return CheckSettings({.config = folder_ / "koya.toml", .flags = {}, .environment = {}}, now);
  }

  TempFolder folder_;
};

using Lines = std::vector<std::string>;

Lines TextsOf(const std::vector<SettingsFinding>& findings) {
  Lines texts;
  for (const SettingsFinding& each : findings) texts.push_back(each.text);
  return texts;
}

TEST_F(CheckSettingsTest, SoundSettingsHaveNoFindings) {
  for (const char* more : {
           "[server]\nurl = \"https://koya.test\"\nlisten = \"0.0.0.0:443\"",
           "[server]\nurl = \"https://koya.test:8443\"\ndata = \"/var/lib/koya\"",
           "[upstream]\ntokens = [\"registry.opentofu.org=t\"]",
           "[policy]\ndeny = [\"*/acme/*\", \"registry.opentofu.org/acme/*\"]",
           "[metrics]\nlisten = \"127.0.0.1:9090\"",
           "[catalog]\nurl = \"postgresql://koya@db/koya\"",
       }) {
    const SettingsFindings findings = Check(more);
    EXPECT_EQ(TextsOf(findings.problems), Lines()) << more;
    EXPECT_EQ(TextsOf(findings.warnings), Lines()) << more;
  }
}

TEST_F(CheckSettingsTest, AllProblemsAreReportedAtOnce) {
  const SettingsFindings findings = Check(
      "[server]\nlisen = \"0.0.0.0:443\"\nurl = \"http://koya.test\"\n"
      "[limits]\nmodule_bytes = \"8 parsecs\"\n[blobs.s3]\nregion = \"a\"\nsse = \"AES256\"\n"
      "[upstream]\nca_file = \"FOLDER/absent.pem\"",
      kIssued + kDay, "other.key");
  ASSERT_EQ(findings.problems.size(), 7U) << testing::PrintToString(TextsOf(findings.problems));
  const char* parts[] = {"koya.toml:5: unknown setting server.lisen; did you mean server.listen?",
                         "koya.toml:8: \"8 parsecs\" is not allowed for limits.module_bytes",
                         "must begin with https://",
                         "blobs.s3.region (",
                         "blobs.s3.sse (",
                         "does not belong to the certificate",
                         "absent.pem cannot be read: No such file or directory"};
  std::size_t index = 0;
  for (const char* part : parts) {
    EXPECT_TRUE(findings.problems[index].text.contains(part)) << part << "\n"
                                                              << findings.problems[index].text;
    ++index;
  }
  EXPECT_EQ(findings.problems[0].line, 5U);
  EXPECT_EQ(findings.problems[0].setting, "server.lisen");
  EXPECT_EQ(findings.problems[2].line, 6U);
  EXPECT_EQ(findings.problems[2].setting, "server.url");
}

TEST_F(CheckSettingsTest, TheCertificateIsValidNowAndForTheUrl) {
  struct {
    UnixSeconds now;
    std::string_view problem;
    std::string_view warning;
  } cases[] = {
      {kIssued + kDay, "", ""},
      {kIssued - 30 * kDay, "is valid from 20", ""},
      {kIssued + 400 * kDay, "has expired at 20", ""},
  };
  for (const auto& [now, problem, warning] : cases) {
    const SettingsFindings findings = Check("", now);
    EXPECT_EQ(findings.problems.empty(), problem.empty()) << now;
    for (const auto& each : findings.problems)
      EXPECT_TRUE(each.text.contains(problem)) << each.text;
    EXPECT_EQ(TextsOf(findings.warnings), Lines());
  }
  const SettingsFindings elsewhere = Check("[server]\nurl = \"https://other.test\"");
  ASSERT_EQ(elsewhere.warnings.size(), 1U);
  EXPECT_TRUE(
      elsewhere.warnings[0].text.contains("is not for other.test, the host of server.url ("))
      << elsewhere.warnings[0].text;
}

TEST_F(CheckSettingsTest, ACertificateThatEndsSoonIsAWarning) {
  for (UnixSeconds day = 370; day < 400; ++day) {
    const SettingsFindings findings = Check("", kIssued + day * kDay);
    if (findings.warnings.empty()) continue;
    EXPECT_TRUE(findings.problems.empty());
    EXPECT_TRUE(findings.warnings[0].text.contains(", in 13 days: every client refuses it then"))
        << findings.warnings[0].text;
    return;
  }
  FAIL() << "it never warned";
}

TEST_F(CheckSettingsTest, WarningsNameTheConsequence) {
  struct {
    std::string_view file;
    std::string_view expected;
  } cases[] = {
      {"[server]\nlisten = \"0.0.0.0:443\"", "download locations begin with https://localhost:443"},
      {"[server]\ndata = \"data\"", "is the relative path data"},
      {"[metrics]\nlisten = \"0.0.0.0:9090\"",
       "everyone who reaches the port can read the metrics"},
      {"[upstream]\ntokens = [\"else.test=t\"]",
       "else.test is not in upstream.hosts, so its token"},
      {"[policy]\nallow = [\"else.test/a/*\"]", "else.test/a/* matches nothing"},
      {"[policy]\ndeny = [\"else.test/a/*\"]", "(FILE:5): else.test/a/* matches nothing"},
  };
  for (const auto& [file, expected] : cases) {
    const SettingsFindings findings = Check(std::string(file));
    EXPECT_EQ(TextsOf(findings.problems), Lines()) << file;
    ASSERT_EQ(findings.warnings.size(), 1U) << file;
    std::string warning = findings.warnings[0].text;
    if (std::size_t at = warning.find(At("koya.toml")); at != warning.npos) {
      warning.replace(at, At("koya.toml").size(), "FILE");
    }
    EXPECT_TRUE(warning.contains(expected)) << warning;
  }
}

TEST_F(CheckSettingsTest, PlainHttpAndDevelopmentServersThatOthersReachAreWarnings) {
  struct {
    std::vector<std::pair<std::string, std::string>> flags;
    std::vector<std::string_view> expected;
  } cases[] = {
      {{{"--dev", ""}}, {}},
      {{{"--dev", ""}, {"--listen", "0.0.0.0:8443"}}, {"server.url is not set", "for one machine"}},
      {{{"--insecure-http", ""}, {"--server.trusted_proxies", "::1"}}, {}},
      {{{"--insecure-http", ""}}, {"in place of its clients"}},
      {{{"--insecure-http", ""}, {"--listen", "10.0.0.1:80"}, {"--url", "https://koya.test"}},
       {"in place of its clients", "clear text"}},
  };
  for (const auto& [flags, expected] : cases) {
    const SettingsFindings findings =
        CheckSettings({.config = {}, .flags = flags, .environment = {}}, kIssued);
    EXPECT_EQ(TextsOf(findings.problems), Lines());
    ASSERT_EQ(findings.warnings.size(), expected.size())
        << testing::PrintToString(TextsOf(findings.warnings));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(findings.warnings[i].text.contains(expected[i])) << findings.warnings[i].text;
    }
  }
}

TEST_F(CheckSettingsTest, SecretsInAFileThatOthersReadAreWarnings) {
  struct {
    std::string_view file;
    std::filesystem::perms mode;
    std::size_t warnings;
  } cases[] = {
      {"server.secret = \"0123456789abcdef\"", std::filesystem::perms(0644), 1},
      {"server.secret = \"0123456789abcdef\"", std::filesystem::perms(0640), 0},
      {"catalog.url = \"postgresql://koya:pw@db/koya\"", std::filesystem::perms(0604), 1},
      {"catalog.url = \"postgresql://db/koya?password=pw\"", std::filesystem::perms(0604), 1},
      {"catalog.url = \"postgresql://koya@db:5432/koya\"", std::filesystem::perms(0604), 0},
      {"upstream.tokens = [\"registry.opentofu.org=t\"]", std::filesystem::perms(0644), 1},
      {"server.threads = 2", std::filesystem::perms(0644), 0},
  };
  for (const auto& [file, mode, warnings] : cases) {
    const std::filesystem::path path = Write(file);
    std::filesystem::permissions(path, mode);
    const SettingsFindings findings =
        CheckSettings({.config = path, .flags = {{"--dev", ""}}, .environment = {}}, kIssued);
    EXPECT_EQ(TextsOf(findings.problems), Lines()) << file;
    ASSERT_EQ(findings.warnings.size(), warnings) << file;
    if (warnings == 0) continue;
    EXPECT_TRUE(findings.warnings[0].text.contains("chmod 600")) << findings.warnings[0].text;
    EXPECT_FALSE(findings.warnings[0].text.contains("0123456789abcdef"))
        << findings.warnings[0].text;
  }
}

TEST_F(CheckSettingsTest, AFileThatCannotBeReadIsTheOnlyProblem) {
  for (const auto& [name, text, expected] :
       {std::tuple{"absent.toml", "", "cannot read the settings file"},
        std::tuple{"bad.toml", "[server\nlisten", ":1:"}}) {
    if (*text != 0) Put(name, text);
    const SettingsFindings findings =
        CheckSettings({.config = At(name), .flags = {}, .environment = {}}, kIssued);
    ASSERT_EQ(findings.problems.size(), 1U) << name;
    EXPECT_TRUE(findings.problems[0].text.contains(expected)) << findings.problems[0].text;
  }
}

}  // namespace
}  // namespace koya
