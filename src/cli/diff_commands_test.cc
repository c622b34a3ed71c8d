// koya diff, koya show --inputs, and the contents that koya publish shows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/program.h"
#include "cli/run_program_fake.h"
#include "cli/text/comparison_text.h"
#include "cli/text/output.h"
#include "http/scripted_server_fake.h"
#include "wire/comparison.h"
#include "wire/modules.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

wire::Comparison SomeChanges() {
  return {
      .from = "1.0.0",
      .to = "1.1.0",
      .verdict = "major",
      .given = "minor",
      .agrees = false,
      .wanted = "2.0.0",
      .text = "1.1.0 should be 2.0.0 at least: users have to change something.",
      .changes = {{"inputs", "removed", "input \"cidr\"", "variables.tf:12", "breaking",
                   "It was removed: callers that set it fail."},
                  {"inputs", "changed", "input \"zones\"", "variables.tf:20", "read",
                   "Its default changed from [\"eu-west-1a\", \"eu-west-1b\"] to [\"eu-west-1a\", "
                   "\"eu-west-1b\", \"eu-west-1c\"]."},
                  {"outputs", "added", "output \"id\"", "outputs.tf:1", "compatible", "It is new."},
                  {"resources", "moved", "aws_vpc.this", "main.tf:30", "safe",
                   "A moved block leads to aws_vpc.main: nothing is replaced."},
                  {"submodules", "added",
                   "modules/a-name-that-is-quite-long-and-leaves-no-room-for-more-in-this-line",
                   "modules/a/main.tf", "compatible", "The submodule is new."}}};
}

ScriptedServer::Respond AnswerJson(unsigned status, std::string body) {
  return [answer = ScriptedAnswer::Json(status, std::move(body))](const ScriptedRequest&) {
    return answer;
  };
}

ProgramRun AskServer(const ScriptedServer& server, std::vector<std::string> arguments) {
  return RunKoya(std::move(arguments), {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}});
}

std::size_t WidestLine(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, Columns(line));
  return widest;
}

TEST(DiffCommandTest, AnAddressOfTwoPartsIsAProvider) {
  wire::Comparison changes = SomeChanges();
  changes.changes = {{"platforms", "removed", "platform windows_386", "", "breaking",
                      "Removed: the provider can no longer be installed there."}};
  ScriptedServer server(AnswerJson(200, wire::Encode(changes)));
  ProgramRun run = AskServer(server, {"diff", "acme/demo", "1.0.0", "1.1.0", "--check"});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_EQ(server.requests().at(0).target, "/api/v1/providers/acme/demo/diff?from=1.0.0&to=1.1.0");
  EXPECT_EQ(run.out,
            R"(1.1.0 should be 2.0.0 at least: users have to change something.
acme/demo 1.0.0 → 1.1.0: 1 breaking

Platforms
  − removed  platform windows_386  breaking
      Removed: the provider can no longer be installed there.

Only declarations are compared: the behaviour of a provider can still change.
)");
}

wire::SourceDiff SomeSources() {
  return {
      .from = "1.0.0",
      .to = "1.1.0",
      .files =
          {{.path = "gone.tf", .status = "removed", .removed = 1, .hunks = {{1, 1, {{"-", "x"}}}}},
           {.path = "logo.png", .status = "changed", .binary = true},
           {.path = "long.tf", .status = "changed", .cut = true},
           {.path = "main.tf",
            .status = "changed",
            .added = 1,
            .removed = 1,
            .hunks = {{3,
                       3,
                       {{" ", "\ta"},
                        {"-", "b\x1b[31m"},
                        {"+", "c"},
                        {"\\", " No newline at end of file"}}}}},
           {.path = "new.tf", .status = "added", .added = 1, .hunks = {{1, 1, {{"+", "y"}}}}}},
      .cut = true};
}

TEST(DiffCommandTest, SourcesAreAUnifiedDiff) {
  ScriptedServer server(AnswerJson(200, wire::Encode(SomeSources())));
  ProgramRun run = AskServer(server, {"diff", "acme/vpc/aws", "1.0.0", "1.1.0", "--source"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "--- a/gone.tf\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n"
            "--- a/logo.png\n+++ b/logo.png\n"
            "--- a/long.tf\n+++ b/long.tf\n"
            "--- a/main.tf\n+++ b/main.tf\n@@ -3,2 +3,2 @@\n \ta\n-b\x1b[31m\n+c\n"
            "\\ No newline at end of file\n"
            "--- /dev/null\n+++ b/new.tf\n@@ -0,0 +1,1 @@\n+y\n")
      << "a file gets the text as it is";
  for (const char* told : {"logo.png is no text", "long.tf is too long", "too large to show"}) {
    EXPECT_TRUE(run.err.contains(told)) << run.err;
  }
  EXPECT_EQ(server.requests().at(0).target,
            "/api/v1/modules/acme/vpc/aws/diff/source?from=1.0.0&to=1.1.0");
  run = AskServer(server, {"diff", "acme/vpc/aws", "1.0.0", "1.1.0", "--source", "--json"});
  EXPECT_EQ(run.out, wire::Encode(SomeSources()) + "\n");
  EXPECT_EQ(wire::Decode<wire::SourceDiff>(run.out), SomeSources());
  run = AskServer(server, {"diff", "acme/demo", "1.0.0", "1.1.0", "--source"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.err.contains("--source compares modules")) << run.err;
  run = AskServer(server, {"diff", "acme/vpc/aws", "1.0.0", "1.1.0", "--source", "--check"});
  EXPECT_EQ(run.status, 2);
  for (const char* wrong :
       {"", "{}", R"({"from":"1","to":"2"})", R"({"from":"1","to":"2","files":[{"path":"a"}]})",
        R"({"from":"1","to":"2","files":{}})"}) {
    EXPECT_FALSE(wire::Decode<wire::SourceDiff>(wrong)) << wrong;
  }
}

TEST(DiffCommandTest, ReadsWellAt80ColumnsWithoutColour) {
  ScriptedServer server(AnswerJson(200, wire::Encode(SomeChanges())));
  ProgramRun run = AskServer(server, {"diff", "acme/vpc/aws", "v1.0.0", "1.1.0"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            R"(1.1.0 should be 2.0.0 at least: users have to change something.
acme/vpc/aws 1.0.0 → 1.1.0: 1 breaking, 1 to read, 2 compatible, 1 safe

Inputs
  − removed  input "cidr"  breaking  variables.tf:12
      It was removed: callers that set it fail.
  ~ changed  input "zones"  read this  variables.tf:20
      Its default changed from ["eu-west-1a", "eu-west-1b"] to ["eu-west-1a",
      "eu-west-1b", "eu-west-1c"].

Outputs
  + added    output "id"  compatible  outputs.tf:1
      It is new.

Resources and providers
  → moved    aws_vpc.this  safe  main.tf:30
      A moved block leads to aws_vpc.main: nothing is replaced.

Submodules
  + added    modules/a-name-that-is-quite-long-and-leaves-no-room-for-more-in-this-line  compatible
      modules/a/main.tf
      The submodule is new.

Only declarations are compared: the behaviour of a module can still change.
)");
  EXPECT_EQ(server.requests().at(0).target,
            "/api/v1/modules/acme/vpc/aws/diff?from=1.0.0&to=1.1.0");
}

TEST(DiffCommandTest, ColoursSayWhatWordsSayWithout) {
  std::ostringstream out;
  std::ostringstream err;
  Shell shell{.variables = {}, .out = out, .err = err, .out_is_terminal = true};
  Output output(shell, false);
  PrintComparison(SomeChanges(), "acme/vpc/aws", output);
  const std::string text = out.str();
  EXPECT_TRUE(text.starts_with("\x1b[31m1.1.0 should be")) << text;
  EXPECT_NE(
      text.find("  \x1b[31m−\x1b[0m input \"cidr\"  \x1b[31mbreaking\x1b[0m  variables.tf:12"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  \x1b[32m+\x1b[0m output \"id\""), std::string::npos) << text;
  // A safe change has no colour: its word is shown instead.
  EXPECT_NE(text.find("  → moved    aws_vpc.this  safe"), std::string::npos) << text;
}

TEST(DiffCommandTest, ADocumentAndAStatusForPrograms) {
  const std::string document = wire::Encode(SomeChanges());
  ScriptedServer server(AnswerJson(200, document));
  ProgramRun run = AskServer(server, {"diff", "acme/vpc/aws", "1.0.0", "1.1.0", "--json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, document + "\n");
  EXPECT_EQ(AskServer(server, {"diff", "acme/vpc/aws", "1.0.0", "1.1.0", "--check"}).status, 1);
  wire::Comparison fine = SomeChanges();
  fine.agrees = true;
  ScriptedServer agreeing(AnswerJson(200, wire::Encode(fine)));
  EXPECT_EQ(AskServer(agreeing, {"diff", "acme/vpc/aws", "1.0.0", "1.1.0", "--check"}).status, 0);
}

TEST(DiffCommandTest, NothingAServerSaysReachesTheTerminalAsIs) {
  wire::Comparison hostile = SomeChanges();
  hostile.text = "\x1b[2Jgone";
  hostile.changes = {{"\x1b[1m", "\x1b[3m", "\x1b[4m", "\x1b[5m", "\x1b[6m", "\x1b[7m"}};
  ScriptedServer server(AnswerJson(200, wire::Encode(hostile)));
  ProgramRun run = AskServer(server, {"diff", "acme/vpc/aws", "1.0.0", "1.1.0"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos) << run.out;
}

TEST(DiffCommandTest, SaysWhatIsWrong) {
  ScriptedServer server(
      AnswerJson(404, PlainErrors("module acme/vpc/aws has no version 9.0.0 here")));
  ProgramRun run = AskServer(server, {"diff", "acme/vpc/aws", "1.0.0", "9.0.0"});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("no version 9.0.0"), std::string::npos) << run.err;
  EXPECT_EQ(AskServer(server, {"diff", "acme/vpc/aws", "1.0.0"}).status, 2);
  EXPECT_EQ(AskServer(server, {"diff", "acme/vpc/aws", "one", "two"}).status, 2);
  EXPECT_EQ(AskServer(server, {"diff", "acme", "1.0.0", "2.0.0"}).status, 2);
}

constexpr std::string_view kInsideAnswer =
    R"x({"reader":1,"root":{"path":"","inputs":[)x"
    R"x({"name":"cidr","type":"string","type_tree":"string","default":"10.0.0.0/16",)x"
    R"x("required":false,"description":"The range.","sensitive":true,"file":"main.tf","line":1},)x"
    R"x({"name":"zones","type":"list(string)","required":true,"file":"main.tf","line":7}],)x"
    R"x("outputs":[{"name":"id","description":"","value":"aws_vpc.main.id"}],)x"
    R"x("resources":[{"mode":"managed","type":"aws_vpc","name":"main","count":"1"}]},)x"
    R"x("submodules":[{"path":"modules/sub","inputs":[],"outputs":[],"resources":[]}]})x";

ScriptedServer::Respond InsideServer() {
  return [](const ScriptedRequest& request) {
    if (request.target.starts_with("/v1/")) {
      wire::ModuleDetails latest{.ns = "acme", .name = "vpc", .system = "aws", .version = "1.2.0"};
      return ScriptedAnswer::Json(200, EncodeModuleDetails(latest));
    }
    return ScriptedAnswer::Json(200, std::string(kInsideAnswer));
  };
}

TEST(ShowInsideTest, ShowsOnlyWhatWasAskedFor) {
  ScriptedServer server(InsideServer());
  ProgramRun run = AskServer(server, {"show", "module", "acme/vpc/aws", "1.1.0", "--inputs"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "acme/vpc/aws 1.1.0\n"
            "  Inputs 2\n"
            "    cidr   string = \"10.0.0.0/16\" (sensitive)\n"
            "      The range.\n"
            "    zones  list(string) (required)\n");
  EXPECT_EQ(server.requests().at(0).target, "/api/v1/modules/acme/vpc/aws/1.1.0");
  run = AskServer(server, {"show", "module", "acme/vpc/aws", "--outputs", "--resources"});
  EXPECT_EQ(run.out,
            "acme/vpc/aws 1.2.0\n"
            "  Outputs 1\n"
            "    id  aws_vpc.main.id\n"
            "  Resources 1\n"
            "    aws_vpc.main (count)\n");
  run = AskServer(server,
                  {"show", "module", "acme/vpc/aws", "--inputs", "--submodule", "modules/sub"});
  EXPECT_EQ(run.out, "acme/vpc/aws 1.2.0 modules/sub\n  No inputs\n");
}

TEST(ShowInsideTest, GivesTheListsAsTheyAre) {
  ScriptedServer server(InsideServer());
  ProgramRun run = AskServer(server, {"show", "module", "acme/vpc/aws", "--outputs", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(
      run.out,
      "{\"outputs\":[{\"name\":\"id\",\"description\":\"\",\"value\":\"aws_vpc.main.id\"}]}\n");
  run = AskServer(server,
                  {"show", "module", "acme/vpc/aws", "1.2.0", "--inputs", "--resources", "--json"});
  EXPECT_TRUE(run.out.starts_with(R"({"inputs":[{"name":"cidr","type":"string",)")) << run.out;
  EXPECT_NE(run.out.find(R"(],"resources":[{"mode":"managed",)"), std::string::npos) << run.out;
}

TEST(ShowInsideTest, SaysWhatIsNotThere) {
  ScriptedServer server(InsideServer());
  ProgramRun run = AskServer(
      server, {"show", "module", "acme/vpc/aws", "--inputs", "--submodule", "modules/no"});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("there are modules/sub"), std::string::npos) << run.err;
  run = AskServer(server, {"show", "module", "acme/vpc/aws", "--submodule", "modules/sub"});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("--inputs"), std::string::npos) << run.err;
}

constexpr std::string_view kWholeAnswer =
    R"x({"reader":2,"root":{"path":"","readme":"README.md","required_version":">= 1.5",)x"
    R"x("inputs":[{"name":"cidr","type":"string","required":true},)x"
    R"x({"name":"zones","type":"number","default":2,"required":false}],)x"
    R"x("outputs":[{"name":"id","value":"aws_vpc.main.id"}],)x"
    R"x("resources":[{"mode":"managed","type":"aws_vpc","name":"main"}],)x"
    R"x("required_providers":[{"name":"aws","source":"hashicorp/aws","version":"~> 5.0",)x"
    R"x("address":"registry.opentofu.org/hashicorp/aws"}],)x"
    R"x("module_calls":[{"name":"subnets","source":"./modules/subnets","version":""}]},)x"
    R"x("submodules":[{"path":"modules/subnets"}],"examples":[{"path":"examples/complete"}],)x"
    R"x("warnings":[{"file":"outputs.tf","line":7,"text":"column 10: the end of the line stands )x"
    R"x(where a value should"}],"warnings_left_out":2,)x"
    R"x("licence":{"spdx":"MIT","file":"LICENSE","evidence":"x"},)x"
    R"x("changelog":"### Added\n\n- zones: \u001b[31msubnets of several\n",)x"
    R"x("changelog_file":"CHANGELOG.md","file_count":6,"bytes":1234})x";

// A deprecated version; `inside` is the response for its contents.
ScriptedServer::Respond DeprecatedServer(ScriptedAnswer inside) {
  return [inside](const ScriptedRequest& request) {
    if (!request.target.starts_with("/v1/")) return inside;
    wire::ModuleDetails latest{.ns = "acme", .name = "vpc", .system = "aws", .version = "1.2.0"};
    latest.source = "registry.example.com/acme/vpc/aws";
    latest.published_at = "2026-11-21T16:41:10Z";
    latest.deprecation = "use \x1b[31m2.0.0";
    return ScriptedAnswer::Json(200, EncodeModuleDetails(latest));
  };
}

TEST(ShowInsideTest, ShowsAtAGlanceWhatThereIs) {
  ScriptedServer server(DeprecatedServer(ScriptedAnswer::Json(200, std::string(kWholeAnswer))));
  ProgramRun run = AskServer(server, {"show", "module", "acme/vpc/aws"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_FALSE(run.out.contains('\x1b')) << run.out;
  EXPECT_TRUE(run.out.starts_with("acme/vpc/aws 1.2.0\n  deprecated   use ")) << run.out;
  const std::size_t licence = run.out.find("  licence ");
  ASSERT_NE(licence, std::string::npos) << run.out;
  const std::size_t changelog = run.out.find("    - zones: ");
  ASSERT_NE(changelog, std::string::npos) << run.out;
  EXPECT_EQ(run.out.substr(licence, changelog - licence),
            "  licence      LICENSE: MIT\n"
            "  client       >= 1.5\n"
            "  provider     registry.opentofu.org/hashicorp/aws ~> 5.0\n"
            "  calls        ./modules/subnets\n"
            "  inside       2 inputs (1 required), 1 output, 1 resource\n"
            "  submodule    modules/subnets\n"
            "  example      examples/complete\n"
            "  README       README.md\n"
            "  size         6 files, 1234 bytes\n"
            "  changelog\n"
            "    ### Added\n");
  EXPECT_TRUE(
      run.out.contains("  warning      outputs.tf:7: column 10: the end of the line stands "
                       "where a value\n"
                       "               should\n"
                       "  warning      and 2 more\n"
                       "\n"
                       "module \"vpc\" {\n"))
      << run.out;
}

TEST(ShowInsideTest, WhatIsInsideKeepsNobodyFromTheRest) {
  for (const ScriptedAnswer& inside :
       {ScriptedAnswer::Json(503, R"({"errors":["others are being read"]})"),
        ScriptedAnswer::Json(404, R"({"errors":["the archive is lost"]})"),
        ScriptedAnswer::Json(200, "{}")}) {
    ScriptedServer server(DeprecatedServer(inside));
    ProgramRun run = AskServer(server, {"show", "module", "acme/vpc/aws"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(run.err.contains("the contents are unavailable")) << run.err;
    EXPECT_TRUE(run.out.contains("  published    2026-11-21T16:41:10Z\n\nmodule \"vpc\" {\n"))
        << run.out;
  }
}

class PublishInsideTest : public testing::Test {
 protected:
  std::string Module() {
    std::ofstream(folder_ / "vpc.tar.gz") << "bytes";
    return (folder_ / "vpc.tar.gz").string();
  }
  static wire::PublishedModule Answer(bool dry_run) {
    return {.address = "acme/vpc/aws",
            .version = "1.1.0",
            .digest = "sha256:" + std::string(64, 'a'),
            .size = 5,
            .location = "https://registry.example.com/v1/x.tar.gz",
            .dry_run = dry_run,
            .warnings = {{"main.tf", 28, "column 10: the line ends where a value should stand"},
                         {"LICENSE", 0, "it is not known"}},
            .warnings_left_out = 3,
            .comparison = SomeChanges(),
            .semver = "warn"};
  }

  TempFolder folder_;
};

TEST_F(PublishInsideTest, ADryRunTellsAllOfIt) {
  ScriptedServer server(AnswerJson(200, wire::Encode(Answer(true))));
  ProgramRun run =
      AskServer(server, {"publish", "module", Module(), "acme/vpc/aws", "1.1.0", "--dry-run"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(server.requests().at(0).target, "/api/v1/modules/acme/vpc/aws/1.1.0?dry_run=true");
  EXPECT_TRUE(
      run.out.starts_with("Can be published: acme/vpc/aws 1.1.0 (dry run: nothing was stored)\n"))
      << run.out;
  for (std::string_view part :
       {"\n1.1.0 should be 2.0.0 at least", "\nSince 1.0.0: 1 breaking, 1 to read",
        "  − removed  input \"cidr\"  breaking", "\nWarnings 5\n",
        "  main.tf:28: column 10: the line ends", "  LICENSE: it is not known\n",
        "  and 3 more\n"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
  }
  run = AskServer(server,
                  {"publish", "module", Module(), "acme/vpc/aws", "1.1.0", "--dry-run", "--json"});
  EXPECT_EQ(run.out, wire::Encode(Answer(true)) + "\n");
}

TEST_F(PublishInsideTest, ADryRunOfWhatWouldBeRefusedFails) {
  wire::PublishedModule refused = Answer(true);
  refused.refusal = "acme/vpc/aws 1.1.0 is not published: publish it as 2.0.0";
  ScriptedServer server(AnswerJson(200, wire::Encode(refused)));
  for (bool json : {false, true}) {
    std::vector<std::string> arguments = {"publish",      "module", Module(),
                                          "acme/vpc/aws", "1.1.0",  "--dry-run"};
    if (json) arguments.emplace_back("--json");
    ProgramRun run = AskServer(server, std::move(arguments));
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.err, "koya: " + refused.refusal + "\n");
    EXPECT_NE(run.out.find(json ? R"("refusal":"acme)" : "Would be rejected: acme"),
              std::string::npos)
        << run.out;
  }
}

TEST_F(PublishInsideTest, AServerThatKnowsNoDryRunsIsToldOf) {
  ScriptedServer server(AnswerJson(201, wire::Encode(Answer(false))));
  ProgramRun run =
      AskServer(server, {"publish", "module", Module(), "acme/vpc/aws", "1.1.0", "--dry-run"});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("was published"), std::string::npos) << run.err;
}

TEST_F(PublishInsideTest, APublishSaysWhatDoesNotAgree) {
  ScriptedServer server(AnswerJson(201, wire::Encode(Answer(false))));
  ProgramRun run = AskServer(server, {"publish", "module", Module(), "acme/vpc/aws", "1.1.0"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err,
            "koya: warning: main.tf:28: column 10: the line ends where a value should stand\nkoya: "
            "warning: LICENSE: it is not known\nkoya: and 3 more warnings\nkoya: warning: 1.1.0 "
            "should be 2.0.0 at least: users have to change something.\nkoya: \"koya diff "
            "acme/vpc/aws 1.0.0 1.1.0\" shows what changed\n");
  wire::PublishedModule fine = Answer(false);
  fine.warnings.clear();
  fine.warnings_left_out = 0;
  fine.comparison->agrees = true;
  fine.comparison->text = "1.1.0 matches the changes since 1.0.0: no declarations changed.";
  ScriptedServer agreeing(AnswerJson(201, wire::Encode(fine)));
  run = AskServer(agreeing, {"publish", "module", Module(), "acme/vpc/aws", "1.1.0"});
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("\n1.1.0 matches the changes since 1.0.0"), std::string::npos) << run.out;
}

TEST_F(PublishInsideTest, ARefusalIsTheServersWords) {
  const std::string words = "acme/vpc/aws 1.1.0 is not published: 1.1.0 should be 2.0.0 at least";
  ScriptedServer server(AnswerJson(422, PlainErrors(words)));
  ProgramRun run = AskServer(server, {"publish", "module", Module(), "acme/vpc/aws", "1.1.0"});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
}

TEST(ColumnsTest, WrapsAtBlanks) {
  EXPECT_EQ(WrapText("", 10), std::vector<std::string>{});
  EXPECT_EQ(WrapText("a b c", 3), (std::vector<std::string>{"a b", "c"}));
  EXPECT_EQ(WrapText("  alongword b ", 4), (std::vector<std::string>{"alongword", "b"}));
  EXPECT_EQ(Columns("→ä"), 2U);
  EXPECT_LE(WidestLine("ab\nabc"), 3U);
}

}  // namespace
}  // namespace koya::cli
