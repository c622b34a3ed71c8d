#include "doctor/tool_visit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koya::doctor {
namespace {

constexpr std::string_view kRoot = "https://a.test:8443";
constexpr std::string_view kDiscoveryPath = "/.well-known/terraform.json";
constexpr std::string_view kModuleListPath = "/v1/modules/acme/vpc/aws/versions";
constexpr std::string_view kModuleGetPath = "/v1/modules/acme/vpc/aws/1.10.0/download";
constexpr std::string_view kModuleRenovatePath = "/api/v1/renovate/modules/a.test/acme/vpc/aws";
constexpr std::string_view kProviderListPath = "/v1/providers/acme/demo/versions";
constexpr std::string_view kProviderGetPath = "/v1/providers/acme/demo/1.10.0/download/linux/amd64";
constexpr std::string_view kDetailsPath = "/v1/providers/acme/demo/1.10.0";
constexpr std::string_view kRenovatePath = "/api/v1/renovate/providers/a.test/acme/demo";
constexpr std::string_view kSumsPath = "/files/SUMS";

struct Response {
  unsigned status = 200;
  std::string body;
  std::string get = {};  // X-Terraform-Get
};

// A registry as every tool wants it.
std::map<std::string, Response, std::less<>> GoodRegistry() {
  std::string releases =
      R"({"releases":[{"version":"1.10.0","releaseTimestamp":"2026-01-31T12:00:00Z"}]})";
  return {
      {std::string(kDiscoveryPath),
       {200, R"({"modules.v1":"/v1/modules/","providers.v1":"/v1/providers/"})"}},
      {std::string(kModuleListPath),
       {200, R"({"modules":[{"versions":[{"version":"1.9.0"},{"version":"1.10.0"},
                 {"version":"2.0.0-rc.1"}]}]})"}},
      {std::string(kModuleGetPath), {204, "", "https://a.test:8443/x.tar.gz"}},
      {std::string(kModuleRenovatePath), {200, releases}},
      {std::string(kProviderListPath),
       {200, R"({"versions":[{"version":"1.10.0","platforms":[{"os":"linux","arch":"amd64"}]}]})"}},
      {std::string(kProviderGetPath),
       {200, R"({"os":"linux","arch":"amd64","filename":"x.zip","shasum":"00",
                 "download_url":"https://a.test:8443/files/x.zip",
                 "shasums_url":"https://a.test:8443/files/SUMS",
                 "packages":{"linux_amd64":{"hashes":["h1:1","zh:2"]}}})"}},
      {std::string(kDetailsPath), {200, R"({"source":"https://git.test/acme/demo"})"}},
      {std::string(kRenovatePath), {200, releases}},
      {std::string(kSumsPath), {200, "00  x.zip\n"}},
  };
}

class ToolVisitTest : public testing::Test {
 protected:
  // Plays a tool for acme/vpc/aws or acme/demo.
  Findings PlayAs(std::string_view name, bool module) {
    asked_.clear();
    const Tool& tool = *FindTool(name);
    ToolVisit visit{.tool = tool,
                    .requests = module ? tool.of_modules : tool.of_providers,
                    .kind = module ? "module" : "provider",
                    .registry = *http::ParseUrl(kRoot),
                    .address = module ? "acme/vpc/aws" : "acme/demo",
                    .os = "linux",
                    .arch = "amd64",
                    .token_for = [](const http::Url&) { return std::string("t0ken"); },
                    .ask = [this](const Question& question) { return Respond(question); }};
    Findings findings;
    PlayTool(visit, [&](Finding each) { findings.push_back(std::move(each)); });
    return findings;
  }

  Result<RecordedAnswer> Respond(const Question& question) {
    asked_.push_back(question);
    std::string path = question.url.path;
    if (question.url.Origin() != kRoot) return FailInvalid("no such host");
    auto found = registry_.find(path);
    Response response = found == registry_.end() ? Response{404, "{}"} : found->second;
    RecordedAnswer exchange;
    exchange.first = question.url;
    exchange.status = response.status;
    exchange.body = response.body;
    if (!response.get.empty()) exchange.fields.emplace_back("X-Terraform-Get", response.get);
    return exchange;
  }

  std::vector<std::string> AskedPaths() const {
    std::vector<std::string> paths;
    for (const Question& each : asked_) paths.push_back(each.url.path);
    return paths;
  }

  std::map<std::string, Response, std::less<>> registry_ = GoodRegistry();
  std::vector<Question> asked_;
};

std::string Lines(const Findings& findings) {
  std::string text;
  for (const Finding& each : findings) {
    text += std::string(SeverityName(each.severity)) + " " + each.message + "\n";
  }
  return text;
}

struct Plays {
  std::string_view tool;
  bool module;
  std::vector<std::string_view> paths;
};

TEST_F(ToolVisitTest, PlaysEachToolsRequests) {
  const std::vector<Plays> kPlays = {
      {"renovate", true, {kDiscoveryPath, kModuleListPath, kModuleRenovatePath}},
      {"renovate",
       false,
       {kDiscoveryPath, kProviderListPath, kProviderGetPath, kSumsPath, kRenovatePath}},
      {"dependabot", true, {kDiscoveryPath, kModuleListPath, kModuleGetPath}},
      {"dependabot", false, {kDiscoveryPath, kProviderListPath, kDetailsPath, kProviderGetPath}},
      {"terragrunt", true, {kDiscoveryPath, kModuleListPath, kModuleGetPath}},
      {"terragrunt", false, {kDiscoveryPath, kProviderListPath, kProviderGetPath}},
      {"tflint", true, {}},
      {"tflint", false, {}},
      {"tfupdate", true, {kModuleListPath}},
      {"tfupdate", false, {kProviderListPath, kProviderGetPath}},
      {"updatecli", true, {kDiscoveryPath, kModuleListPath}},
      {"updatecli", false, {kDiscoveryPath, kProviderListPath}},
      {"trivy", true, {kDiscoveryPath, kModuleListPath, kModuleGetPath}},
      {"trivy", false, {}},
      {"infracost", true, {kDiscoveryPath, kModuleListPath, kModuleGetPath}},
      {"checkov", true, {kDiscoveryPath, kModuleListPath, kModuleGetPath}},
      {"checkov", false, {}},
  };
  for (const Plays& each : kPlays) {
    Findings findings = PlayAs(each.tool, each.module);
    EXPECT_EQ(AskedPaths(), std::vector<std::string>(each.paths.begin(), each.paths.end()))
        << each.tool << "\n"
        << Lines(findings);
    EXPECT_FALSE(findings.empty()) << each.tool;
    for (const Finding& finding : findings) {
      EXPECT_EQ(finding.severity, Severity::kOk) << finding.message;
      EXPECT_EQ(finding.step, each.tool);
    }
  }
}

TEST_F(ToolVisitTest, SendsTheTokenWhereTheToolDoes) {
  const std::vector<std::pair<std::string_view, std::vector<std::string>>> kTokens = {
      {"renovate", {"t0ken", "t0ken", "t0ken"}},
      {"dependabot", {"t0ken", "t0ken", "t0ken"}},
      {"terragrunt", {"t0ken", "t0ken", "t0ken"}},
      {"infracost", {"t0ken", "t0ken", "t0ken"}},
      {"trivy", {"", "t0ken", "t0ken"}},
      {"checkov", {"", "t0ken", "t0ken"}},
      {"updatecli", {"", ""}},
      {"tfupdate", {""}},
  };
  for (const auto& [tool, tokens] : kTokens) {
    PlayAs(tool, true);
    std::vector<std::string> sent;
    for (const Question& each : asked_) sent.push_back(each.token);
    EXPECT_EQ(sent, tokens) << tool;
  }
  PlayAs("renovate", true);
  std::pair<std::string, std::string> accept = {"Accept", "application/json"};
  EXPECT_EQ(asked_.front().fields.back(), accept);
}

struct Faulty {
  std::string_view tool;
  bool module;
  std::string_view path;
  Response response;
  std::string_view words;  // of a finding
  Severity worst = Severity::kFailure;
};

TEST_F(ToolVisitTest, SaysWhichFieldAToolMisses) {
  constexpr std::string_view kAbsolute = R"({"modules.v1":"https://a.test:8443/v1/modules/"})";
  constexpr std::string_view kNoSlash =
      R"({"modules.v1":"/v1/modules","providers.v1":"/v1/providers"})";
  constexpr std::string_view kTwo =
      R"({"modules":[{"versions":[{"version":"1.10.0"}]},{"versions":[{"version":"1.10.0"}]}]})";
  constexpr std::string_view kBare = R"({"versions":[{"version":"1.10.0"}]})";
  constexpr std::string_view kInJson = R"({"location":"https://a.test:8443/x.tar.gz"})";
  const std::vector<Faulty> kFaulty = {
      {"updatecli", true, kDiscoveryPath, {200, std::string(kAbsolute)}, "requests a wrong URL"},
      {"dependabot", true, kDiscoveryPath, {200, std::string(kNoSlash)}, "a slash at its end"},
      {"checkov", true, kDiscoveryPath, {200, std::string(kNoSlash)}, "requests a wrong path"},
      {"renovate",
       false,
       kDiscoveryPath,
       {200, std::string(kAbsolute)},
       "\"providers.v1\" is missing"},
      {"infracost", true, kDiscoveryPath, {404, ""}, "status 404 for the discovery document"},
      {"trivy",
       true,
       kModuleListPath,
       {200, std::string(kTwo)},
       "it has 2; Trivy finds no version"},
      {"updatecli", true, kModuleListPath, {200, std::string(kTwo)}, "it has 2"},
      {"tfupdate", true, kModuleListPath, {404, "{}"}, "no discovery, and sends no token"},
      {"terragrunt", true, kModuleGetPath, {204, ""}, "Terragrunt does not download the module"},
      {"infracost",
       true,
       kModuleGetPath,
       {200, std::string(kInJson)},
       "\"X-Terraform-Get\" is missing"},
      {"checkov", true, kModuleGetPath, {204, "", "./x.tar.gz"}, "an absolute location, or a path"},
      {"trivy", true, kModuleGetPath, {204, "", "./x.tar.gz"}, "an absolute location"},
      {"trivy", true, kModuleGetPath, {302, ""}, "status 302"},
      {"renovate", false, kProviderListPath, {200, std::string(kBare)}, "platforms[].arch"},
      {"terragrunt", false, kProviderListPath, {200, std::string(kBare)}, "platforms[].arch"},
      {"tfupdate", false, kProviderGetPath, {200, "{}"}, "\"shasum\" is missing"},
      {"renovate", false, kSumsPath, {403, ""}, "status 403 for the SHA256SUMS"},

      {"dependabot",
       true,
       kModuleGetPath,
       {200, std::string(kInJson)},
       "shows no changes",
       Severity::kWarning},
      {"renovate", true, kModuleRenovatePath, {404, "{}"}, "no release times", Severity::kWarning},
      {"renovate",
       true,
       kModuleRenovatePath,
       {200, R"({"releases":[{"version":"1.0.0"}]})"},
       "minimumReleaseAge",
       Severity::kWarning},
      {"dependabot", false, kProviderGetPath, {200, "{}"}, "lock file", Severity::kWarning},
  };
  for (const Faulty& each : kFaulty) {
    registry_ = GoodRegistry();
    registry_[std::string(each.path)] = each.response;
    Findings findings = PlayAs(each.tool, each.module);
    EXPECT_EQ(AnyFailure(findings), each.worst == Severity::kFailure) << Lines(findings);
    auto found = std::ranges::find_if(findings, [&](const Finding& finding) {
      return finding.message.find(each.words) != std::string::npos;
    });
    ASSERT_NE(found, findings.end()) << each.words << "\n" << Lines(findings);
    EXPECT_EQ(found->severity, each.worst) << Lines(findings);
    EXPECT_FALSE(found->fix.empty()) << Lines(findings);
    EXPECT_EQ(AskedPaths().back(), each.path) << "the tool ends there";
  }
}

TEST_F(ToolVisitTest, ServicesElsewhereAndWithoutASlashAreFoundAsTheToolDoes) {
  registry_[std::string(kDiscoveryPath)] = {200, R"({"modules.v1":"/v1/modules"})"};
  EXPECT_FALSE(AnyFailure(PlayAs("terragrunt", true)));
  registry_[std::string(kDiscoveryPath)] = {200, R"({"modules.v1":"https://b.test/m/"})"};
  Findings findings = PlayAs("trivy", true);
  EXPECT_EQ(asked_.back().url.ToString(), "https://b.test/m/acme/vpc/aws/versions");
  EXPECT_NE(findings.back().message.find("no such host"), std::string::npos) << Lines(findings);
}

}  // namespace
}  // namespace koya::doctor
