#include "doctor/module_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::doctor {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

RecordedAnswer Answer(unsigned status, Fields fields, std::string body = {}) {
  RecordedAnswer exchange;
  exchange.first = *http::ParseUrl("https://a.test/v1/modules/n/m/s/1.0.0/download");
  exchange.status = status;
  exchange.fields = std::move(fields);
  exchange.body = std::move(body);
  return exchange;
}

struct Unknown {
  unsigned status;
  std::string_view type;
  bool token;
  Severity severity;
  std::string_view words;
};

TEST(ModuleRulesTest, WantsA404ForWhatIsNotThere) {
  const std::vector<Unknown> kUnknown = {
      {404, "application/json", false, Severity::kOk, "404"},
      {404, "text/html", false, Severity::kWarning, "web server"},
      {404, "", false, Severity::kWarning, "web server"},
      {200, "application/json", false, Severity::kWarning, "does not exist"},
      {401, "application/json", false, Severity::kWarning, "requires a token"},
      {403, "application/json", false, Severity::kWarning, "requires a token"},
      {401, "application/json", true, Severity::kFailure, "with the token"},
      {403, "application/json", true, Severity::kFailure, "with the token"},
      {429, "application/json", false, Severity::kWarning, "too many"},
      {400, "application/json", false, Severity::kFailure, "400"},
      {500, "application/json", false, Severity::kFailure, "500"},
      {503, "text/html", true, Severity::kFailure, "503"},
  };
  for (const Unknown& each : kUnknown) {
    Finding finding = JudgeUnknown(
        "modules.v1", Answer(each.status, {{"Content-Type", std::string(each.type)}}), each.token);
    EXPECT_EQ(finding.severity, each.severity) << each.status;
    EXPECT_NE(finding.message.find(each.words), std::string::npos) << finding.message;
  }
}

struct Versions {
  unsigned status;
  std::string_view body;
  std::string_view newest;  // "" for none
  Severity worst;
  std::string_view words;
};

TEST(ModuleRulesTest, ChoosesAVersionAsClientsDo) {
  const std::vector<Versions> kVersions = {
      {200, R"({"modules":[{"versions":[{"version":"1.9.0"},{"version":"1.10.0"},
                {"version":"2.0.0-rc.1"}]}]})",
       "1.10.0", Severity::kOk, "3 versions"},
      {200, R"({"modules":[{"versions":[{"version":"1.0"},{"version":"v1.2.0"},
                {"version":"1.0.0"}]}]})",
       "1.0.0", Severity::kWarning, "\"1.0\", \"v1.2.0\""},
      {200, R"({"modules":[{"versions":[{"version":"1.0.0-rc.1"}]}]})", "", Severity::kFailure,
       "would choose"},
      {200, R"({"modules":[{"versions":[]}]})", "", Severity::kFailure, "would choose"},
      {200, R"({"modules":[]})", "", Severity::kFailure, ""},
      {200, R"([])", "", Severity::kFailure, ""},
      {200, "<html>", "", Severity::kFailure, ""},
      {404, "", "", Severity::kFailure, "no such module"},
      {401, "", "", Severity::kWarning, "requires a token"},
      {500, "", "", Severity::kFailure, "500"},
  };
  for (const Versions& each : kVersions) {
    VersionsVerdict verdict = JudgeVersions(Answer(each.status, {}, std::string(each.body)), false);
    EXPECT_EQ(verdict.newest ? verdict.newest->ToString() : "", each.newest) << each.body;
    Severity worst = Severity::kOk;
    std::string all;
    for (const Finding& finding : verdict.findings) {
      worst = std::max(worst, finding.severity);
      all += finding.message;
    }
    EXPECT_EQ(worst, each.worst) << each.body << all;
    EXPECT_NE(all.find(each.words), std::string::npos) << all;
  }
}

constexpr std::string_view kHex =
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

struct Download {
  std::string_view location;
  std::string_view url;  // "" when there is no archive to fetch
  std::string_view suffix;
  Severity worst;
};

TEST(ModuleRulesTest, ReadsLocationsAsTheClientsFetcherDoes) {
  std::string checksum = "checksum=sha256:" + std::string(kHex);
  const std::vector<std::pair<Download, std::string>> kDownloads = {
      {{"", "https://a.test/x.tar.gz", ".tar.gz", Severity::kOk},
       "https://a.test/x.tar.gz?" + checksum},
      {{"", "https://a.test/x.zip?sig=1", ".zip", Severity::kOk},
       "https://a.test/x.zip?sig=1&" + checksum},
      {{"", "https://a.test/x", ".tar.gz", Severity::kOk},
       "https://a.test/x?archive=tar.gz&" + checksum},
      {{"", "https://a.test/x.zip", ".zip", Severity::kOk},
       "https://a.test/x.zip//sub?" + checksum},
      {{"", "https://a.test/x.zip", ".zip", Severity::kWarning}, "https://a.test/x.zip"},
      {{"", "https://a.test/x.zip", ".zip", Severity::kWarning}, "/x.zip?" + checksum},
      {{"", "https://a.test/v1/modules/n/m/s/1.0.0/x.zip", ".zip", Severity::kWarning},
       "./x.zip?" + checksum},
      {{"", "http://a.test/x.zip", ".zip", Severity::kFailure}, "http://a.test/x.zip?" + checksum},
      {{"", "", "", Severity::kFailure}, "https://a.test/x?" + checksum},
      {{"", "", "", Severity::kFailure}, "https://a.test/x.tar?" + checksum},
      {{"", "", "", Severity::kFailure}, "x.zip"},
      {{"", "", "", Severity::kFailure}, ""},
      {{"", "", "", Severity::kOk}, "git::https://a.test/r.git"},
      {{"", "", "", Severity::kOk}, "s3::https://a.test/b/k"},
  };
  for (const auto& [each, location] : kDownloads) {
    DownloadVerdict verdict =
        JudgeDownload(Answer(204, {{"X-Terraform-Get", location}}), ClientKind::kTerraform);
    Severity worst = Severity::kOk;
    for (const Finding& finding : verdict.findings) worst = std::max(worst, finding.severity);
    EXPECT_EQ(worst, each.worst) << location;
    ASSERT_EQ(verdict.archive.has_value(), !each.url.empty()) << location;
    if (!verdict.archive) continue;
    EXPECT_EQ(verdict.archive->url.ToString(), each.url) << location;
    EXPECT_EQ(verdict.archive->suffix, each.suffix) << location;
  }
}

struct Form {
  unsigned status;
  bool header;
  std::string_view body;
  ClientKind client;
  bool found;
};

TEST(ModuleRulesTest, KnowsWhereEachClientReadsTheLocation) {
  constexpr std::string_view kBody = R"({"location":"https://a.test/x.zip"})";
  const std::vector<Form> kForms = {
      {204, true, "", ClientKind::kTerraform, true},
      {204, true, "", ClientKind::kOpenTofu, true},
      {200, true, kBody, ClientKind::kTerraform, true},
      {200, false, kBody, ClientKind::kTerraform, false},
      {200, false, kBody, ClientKind::kOpenTofu, true},
      {200, false, "", ClientKind::kOpenTofu, false},
      {204, false, "", ClientKind::kTerraform, false},
      {204, false, "", ClientKind::kOpenTofu, false},
      {202, true, "", ClientKind::kTerraform, false},
      {404, false, "", ClientKind::kTerraform, false},
  };
  for (const Form& each : kForms) {
    Fields fields;
    if (each.header) fields.emplace_back("X-Terraform-Get", "https://a.test/x.zip");
    DownloadVerdict verdict =
        JudgeDownload(Answer(each.status, fields, std::string(each.body)), each.client);
    EXPECT_EQ(verdict.archive.has_value(), each.found) << each.status << each.body;
    EXPECT_EQ(AnyFailure(verdict.findings), !each.found) << each.status << each.body;
  }
}

struct Archive {
  std::string_view suffix;
  ArchiveFacts facts;
  bool checksum_right;
  Severity worst;
  std::string_view words;
};

TEST(ModuleRulesTest, ChecksTheArchive) {
  const std::vector<Archive> kArchives = {
      {".zip", {200, 200, 4, "PK\x03\x04"}, true, Severity::kOk, "4 bytes"},
      {".tar.gz", {405, 200, 4, "\x1f\x8b\x08"}, true, Severity::kWarning, "HEAD"},
      {".tar.gz", {200, 200, 4, "PK\x03\x04"}, true, Severity::kFailure, "is not a tar.gz"},
      {".zip", {200, 200, 4, "\x1f\x8b\x08"}, true, Severity::kFailure, "is not a zip"},
      {".zip", {200, 200, 4, "PK\x03\x04"}, false, Severity::kFailure, "checksum"},
      {".zip", {200, 401, 0, ""}, true, Severity::kFailure, "401"},
      {".zip", {200, 404, 0, ""}, true, Severity::kFailure, "404"},
  };
  for (const Archive& each : kArchives) {
    ArchiveLocation location{.url = *http::ParseUrl("https://a.test/x"),
                             .checksum = Digest::Of(each.checksum_right ? "" : "other"),
                             .suffix = std::string(each.suffix)};
    Findings findings = JudgeArchive(location, each.facts);
    ASSERT_EQ(findings.size(), 1u) << each.words;
    EXPECT_EQ(findings[0].severity, each.worst) << findings[0].message;
    EXPECT_NE(findings[0].message.find(each.words), std::string::npos) << findings[0].message;
  }
}

}  // namespace
}  // namespace koya::doctor
