#include "doctor/tool_visit.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koya::doctor {
namespace {

RecordedAnswer ToolAnswer(unsigned status, std::string body, std::string_view get = {}) {
  RecordedAnswer exchange;
  exchange.first = *http::ParseUrl("https://a.test/v1/modules/n/m/s/versions");
  exchange.status = status;
  exchange.body = std::move(body);
  if (!get.empty()) exchange.fields.emplace_back("x-terraform-get", get);
  return exchange;
}

struct JsonCase {
  std::string_view path;
  FieldForm form;
  std::string_view body;
  std::string_view fault;  // "" when it is taken
};

TEST(ToolRulesTest, ReadsFieldsOfDocuments) {
  using enum FieldForm;
  const std::vector<JsonCase> kCases = {
      {"modules.v1", kService, R"({"modules.v1":"/v1/m"})", ""},
      {"modules.v1", kService, R"({"modules.v1":"https://b.test/m"})", ""},
      {"modules.v1", kServiceJoin, R"({"modules.v1":"https://b.test/m/"})", ""},
      {"modules.v1", kServicePath, R"({"modules.v1":"/v1/m/"})", ""},
      {"modules", kOneElement, R"({"modules":[{}]})", ""},
      {"modules", kElements, R"({"modules":[{},{}]})", ""},
      {"packages", kElements, R"({"packages":{"linux_amd64":{}}})", ""},
      {"a[].b[].version", kVersion,
       R"({"a":[{"b":[{"version":"1.0.0"},{"version":"2.0.0-rc.1"}]}]})", ""},
      {"packages[].hashes[]", kHash, R"({"packages":{"x":{"hashes":["zh:1","h1:2"]}}})", ""},
      {"a[].hashes[]", kLockHash, R"({"a":{"x":{"hashes":["zh:1","h1:2"]}}})", ""},
      {"u", kUrl, R"({"u":"http://a.test/x"})", ""},
      {"t", kTime, R"({"t":"2026-01-31T12:00:00Z"})", ""},
      {"t", kText, R"({"t":"x"})", ""},

      {"modules.v1", kService, R"({})", "\"modules.v1\" is missing"},
      {"modules.v1", kService, R"({"modules.v1":null})", "is missing"},
      {"modules.v1", kService, R"({"modules.v1":""})", "is missing"},
      {"modules.v1", kService, R"({"modules.v1":{"a":1}})", "is {\"a\":1}"},
      {"modules.v1", kService, R"({"modules.v1":"http://a.test/"})", "an https URL"},
      {"modules.v1", kService, R"({"modules.v1":"v1/m/"})", "\"v1/m/\""},
      {"modules.v1", kService, R"({"modules.v1":"//b.test/m/"})", "a path on the host"},
      {"modules.v1", kServiceJoin, R"({"modules.v1":"/v1/m"})", "a slash at its end"},
      {"modules.v1", kServicePath, R"({"modules.v1":"https://a.test/v1/m/"})",
       "a path on the host"},
      {"modules", kOneElement, R"({"modules":[]})", "it has 0"},
      {"modules", kOneElement, R"({"modules":[{},{}]})", "it has 2"},
      {"modules", kElements, R"({"modules":7})", "array with elements: 7"},
      {"modules", kElements, R"([])", "not a JSON object"},
      {"modules", kElements, "<html>", "not a JSON object"},
      {"a[].version", kVersion, R"({"a":[{"version":"v1.0"}]})", "\"v1.0\", not a version"},
      {"a[].version", kVersion, R"({"a":[{"version":"1.0.0"},{}]})", "is missing"},
      {"a[].version", kVersion, R"({"a":[]})", "has no element"},
      {"a[].version", kVersion, R"({"a":[1]})", "is missing"},
      {"a[].version", kVersion, R"({"a":"1.0.0"})", "is missing"},
      {"packages[].hashes[]", kHash, R"({"packages":{"x":{"hashes":["sha256:1"]}}})", "a hash"},
      {"packages[].hashes[]", kHash, R"({"packages":{"x":{"hashes":[]}}})", "has no element"},
      {"a[].hashes[]", kLockHash, R"({"a":{"x":{"hashes":["zh:1"]}}})", "has no \"h1:\""},
      {"u", kUrl, R"({"u":"/files/x.zip"})", "an absolute URL"},
      {"t", kTime, R"({"t":"yesterday"})", "a time as"},
  };
  for (const JsonCase& each : kCases) {
    NeededField field = {each.path, each.form, "stops", "do it"};
    FieldVerdict verdict =
        CheckField(*FindTool("trivy"), field, ToolAnswer(200, std::string(each.body)));
    bool good = each.fault.empty();
    EXPECT_EQ(verdict.finding.severity, good ? Severity::kOk : Severity::kFailure)
        << each.body << verdict.finding.message;
    EXPECT_NE(verdict.finding.message.find(each.fault), std::string::npos)
        << each.body << verdict.finding.message;
    EXPECT_TRUE(verdict.finding.message.starts_with("GET https://a.test/v1/modules/n/m/s/versions"))
        << verdict.finding.message;
    EXPECT_EQ(verdict.finding.message.ends_with("; Trivy stops"), !good);
    EXPECT_EQ(verdict.finding.fix, good ? "" : "do it");
    EXPECT_TRUE(good || verdict.values.empty());
  }
}

struct LocationCase {
  FieldPlace place;
  FieldForm form;
  unsigned status;
  std::string_view header;
  std::string_view body;
  std::string_view value;  // "" when there is none
};

TEST(ToolRulesTest, FindsTheLocationWhereEachToolLooks) {
  using enum FieldForm;
  using enum FieldPlace;
  constexpr std::string_view kUrlOfArchive = "https://a.test/x.tar.gz";
  constexpr std::string_view kGit = "git::https://a.test/x.git?ref=v1";
  constexpr std::string_view kJsonOfArchive = R"({"location":"https://a.test/x.tar.gz"})";
  constexpr std::string_view kWithFlag =
      R"({"location":"https://a.test/x.tar.gz","use_registry_credentials":false})";
  const std::vector<LocationCase> kCases = {
      {kHeader, kLocation, 204, kUrlOfArchive, "", kUrlOfArchive},
      {kHeader, kLocation, 200, kGit, "{}", kGit},
      {kHeader, kAnyLocation, 204, "./x.zip", "", "./x.zip"},
      {kHeader, kHostLocation, 204, "/x.zip", "", "/x.zip"},
      {kHeaderElseJson, kLocation, 200, "", kJsonOfArchive, kUrlOfArchive},
      {kHeaderElseJson, kLocation, 204, kUrlOfArchive, "", kUrlOfArchive},
      {kHeaderElseJson, kLocation, 200, kGit, kJsonOfArchive, kGit},
      {kByStatus, kLocation, 200, kGit, kWithFlag, kUrlOfArchive},
      {kByStatus, kLocation, 204, kUrlOfArchive, "", kUrlOfArchive},

      {kHeader, kLocation, 204, "", "", ""},
      {kHeader, kLocation, 200, "", kJsonOfArchive, ""},
      {kHeader, kLocation, 204, "/x.zip", "", ""},
      {kHeader, kLocation, 204, "x.zip", "", ""},
      {kHeader, kHostLocation, 204, "../x.zip", "", ""},
      {kHeader, kAnyLocation, 204, "x.zip", "", ""},
      {kHeaderElseJson, kLocation, 200, "", kWithFlag, ""},  // it reads texts alone
      {kHeaderElseJson, kLocation, 204, "", "", ""},
      {kByStatus, kLocation, 200, kUrlOfArchive, "", ""},
      {kByStatus, kLocation, 204, "", kJsonOfArchive, ""},
      {kByStatus, kLocation, 200, "", R"({"location":"./x.zip"})", ""},
  };
  for (const LocationCase& each : kCases) {
    NeededField field = {"X-Terraform-Get", each.form,          "stops",
                         "do it",           Severity::kWarning, each.place};
    FieldVerdict verdict = CheckField(*FindTool("terragrunt"), field,
                                      ToolAnswer(each.status, std::string(each.body), each.header));
    EXPECT_EQ(verdict.finding.severity, each.value.empty() ? Severity::kWarning : Severity::kOk)
        << each.header << each.body;
    EXPECT_EQ(verdict.values, each.value.empty()
                                  ? std::vector<std::string>()
                                  : std::vector<std::string>{std::string(each.value)})
        << verdict.finding.message;
  }
}

struct StatusCase {
  unsigned status;
  std::string_view tool;
  bool token;
  Severity severity;
  std::string_view fix;
};

TEST(ToolRulesTest, SaysWhatAStatusMeansToATool) {
  const std::vector<StatusCase> kCases = {
      {200, "trivy", false, Severity::kOk, ""},
      {204, "trivy", false, Severity::kOk, ""},
      {401, "trivy", false, Severity::kFailure, "--token"},
      {403, "trivy", true, Severity::kFailure, "expired"},
      {401, "tfupdate", false, Severity::kFailure, "sends no token"},
      {404, "trivy", true, Severity::kFailure, "address"},
      {302, "trivy", true, Severity::kFailure, "respond with 200"},
      {500, "trivy", true, Severity::kFailure, "log"},
  };
  constexpr std::array<unsigned, 2> kTaken = {200, 204};
  ToolRequest request = {"list", "", "", kTaken, {}, "stops"};
  for (const StatusCase& each : kCases) {
    Finding finding =
        CheckStatus(*FindTool(each.tool), request, ToolAnswer(each.status, ""), each.token);
    EXPECT_EQ(finding.severity, each.severity) << each.status;
    EXPECT_NE(finding.fix.find(each.fix), std::string::npos) << finding.fix;
    EXPECT_EQ(finding.step, each.tool);
  }
}

}  // namespace
}  // namespace koya::doctor
