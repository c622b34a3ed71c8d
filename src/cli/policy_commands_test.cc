// koya policy: on a scripted server, and on a stopped server's data.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/run_program_fake.h"
#include "http/scripted_server_fake.h"
#include "policy/policy_file.h"
#include "wire/policy.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

constexpr std::string_view kPolicyText = "version = 1\r\n# größe \" ' %\n";
constexpr const char* kPolicyTime = "2026-11-21T16:41:10Z";

struct PolicyExchange {
  std::vector<std::string> arguments;
  std::string_view method;
  std::string_view target;
  std::string_view sent;
  std::string answer;
  std::string_view words;
};

wire::PolicyVerdict ExplainedAws(std::string verdict, std::string until = "") {
  return {.address = "r/hashicorp/aws",
          .version = "6.1.1",
          .verdict = verdict,
          .until = until,
          .clock = "registry",
          .seen = kPolicyTime,
          .revision = 3,
          .by = "user:ada",
          .reasons = {{"cool-down", std::move(verdict), std::move(until), "releases must wait"}},
          .instead = "6.0.3"};
}

std::vector<PolicyExchange> PolicyExchanges() {
  const std::string policy = wire::Encode(wire::Policy{.revision = 3,
                                                       .toml = std::string(kPolicyText),
                                                       .by = "user:ada",
                                                       .at = kPolicyTime,
                                                       .reason = "r"});
  return {
      {{"policy", "set", "-", "--reason", "wait a week & more"},
       "PUT",
       "/api/v1/policy?reason=wait%20a%20week%20%26%20more",
       kPolicyText,
       R"({"revision":3})",
       "Revision 3 of the policy is in force"},
      {{"policy", "set", "-", "--reason", "r", "--expect", "0", "--strict"},
       "PUT",
       "/api/v1/policy?reason=r&expect=0&strict=true",
       kPolicyText,
       R"({"revision":1})",
       "Revision 1"},
      {{"policy", "show"}, "GET", "/api/v1/policy", "", policy, kPolicyText},
      {{"policy", "show", "3"}, "GET", "/api/v1/policy/revisions/3", "", policy, kPolicyText},
      {{"policy", "history"},
       "GET",
       "/api/v1/policy/revisions",
       "",
       wire::Encode(wire::PolicyRevisions{{{2, "user:ada", kPolicyTime, "back"}}}),
       "2         2026-11-21T16:41:10Z  user:ada  back"},
      {{"policy", "rollback", "1", "--reason", "builds failed"},
       "POST",
       "/api/v1/policy/rollback",
       R"({"revision":1,"reason":"builds failed"})",
       R"({"revision":3})",
       "Revision 3 of the policy is in force: the text of revision 1"},
      {{"policy", "baseline", "*/acme/*", "--reason", "in use"},
       "POST",
       "/api/v1/policy/baseline",
       R"({"pattern":"*/acme/*","reason":"in use"})",
       R"({"admitted":1})",
       "Admitted 1 version that was not admitted before"},
      {{"policy", "explain", "hashicorp/aws", "6.1.1", "--at", "2026-12-01T00:00:00Z"},
       "GET",
       "/api/v1/policy/explain?address=hashicorp%2Faws&version=6.1.1&at=2026-12-01T00%3A00%3A00Z",
       "",
       wire::Encode(ExplainedAws("allow")),
       "r/hashicorp/aws 6.1.1: ALLOWED\n"
       "  revision 3 by user:ada; seen here 2026-11-21T16:41:10Z; clients see 6.0.3\n"
       "  cool-down  allow: releases must wait\n"},
      {{"policy", "held"},
       "GET",
       "/api/v1/policy/held",
       "",
       wire::Encode(wire::HeldVersions{{{"r/acme/demo", "1.1.0", "hold", kPolicyTime, {"a", "b"}},
                                        {"r/acme/demo", "2.0.0", "refuse", "", {"c"}}}}),
       "ADDRESS      VERSION  VERDICT  UNTIL                 RULES\n"
       "r/acme/demo  1.1.0    hold     2026-11-21T16:41:10Z  a, b\n"
       "r/acme/demo  2.0.0    refuse   -                     c\n"},
      {{"policy", "test", "-", "--since", "30d"},
       "POST",
       "/api/v1/policy/test?since=30d",
       kPolicyText,
       wire::Encode(wire::PolicyTest{{{"r/acme/demo", "1.1.0", 0}}, {}, {{"r/b/c", "2.0.0", 1}}}),
       "held     r/acme/demo 1.1.0  0 requests\nlifted   r/b/c 2.0.0  1 request\n"},
      {{"policy", "test", "-"},
       "POST",
       "/api/v1/policy/test",
       kPolicyText,
       wire::Encode(wire::PolicyTest()),
       "Nothing that is used would change"},
  };
}

TEST(PolicyCommandsTest, AskTheServer) {
  for (const PolicyExchange& each : PolicyExchanges()) {
    ScriptedServer server(
        [&](const ScriptedRequest&) { return ScriptedAnswer::Json(200, each.answer); });
    const Variables variables = {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}};
    const ProgramRun run = RunKoya(each.arguments, variables, std::string(kPolicyText));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(run.out.contains(each.words)) << run.out;
    ASSERT_EQ(server.requests().size(), 1U) << each.target;
    const ScriptedRequest request = server.requests().front();
    EXPECT_EQ(request.method, each.method);
    EXPECT_EQ(request.target, each.target);
    EXPECT_EQ(request.body, each.sent);
    EXPECT_EQ(request.fields.at("authorization"), "Bearer koya_secret");
    std::vector<std::string> arguments = each.arguments;
    arguments.emplace_back("--json");
    EXPECT_EQ(RunKoya(arguments, variables, std::string(kPolicyText)).out, each.answer + "\n");
  }
}

TEST(PolicyCommandsTest, PrintEachProblemWithItsPlace) {
  const std::string problems =
      wire::Encode(wire::PolicyProblems{.errors = {"line 3, column 1: a", "b"},
                                        .code = "refused",
                                        .status = 422,
                                        .problems = {{3, 1, "the rule \x01 has no condition"},
                                                     {0, 0, "a policy has at most 1 MiB"}}});
  ScriptedServer server(
      [&](const ScriptedRequest&) { return ScriptedAnswer::Json(422, problems); });
  const Variables variables = {{"KOYA_URL", server.url()}};
  TempFolder folder;
  const std::string file = (folder / "policy.toml").string();
  std::ofstream(file) << kPolicyText;
  ProgramRun run = RunKoya({"policy", "set", file, "--reason", "r"}, variables);
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, file + ":3:1: the rule \\x01 has no condition\n" + file +
                         ": a policy has at most 1 MiB\n");
  run = RunKoya({"policy", "set", "-", "--reason", "r", "--json"}, variables, "x");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, problems + "\n");
  EXPECT_TRUE(run.err.starts_with("-:3:1: ")) << run.err;
}

TEST(PolicyCommandsTest, SayWhatTheServerRefused) {
  for (const unsigned status : {403U, 409U, 422U}) {
    ScriptedServer server([&](const ScriptedRequest&) {
      return ScriptedAnswer::Json(status, PlainErrors("revision 4 is in force, not 3"));
    });
    const Variables variables = {{"KOYA_URL", server.url()}};
    for (const PolicyExchange& each : PolicyExchanges()) {
      const ProgramRun run = RunKoya(each.arguments, variables, std::string(kPolicyText));
      EXPECT_EQ(run.status, 1);
      EXPECT_EQ(run.out, "");
      EXPECT_TRUE(run.err.contains("revision 4 is in force, not 3")) << run.err;
    }
  }
}

TEST(PolicyCommandsTest, RulesThatDidSomethingAreSaidBesideTheText) {
  const wire::Policy policy{.revision = 3,
                            .toml = std::string(kPolicyText),
                            .by = "user:ada",
                            .at = std::string(kPolicyTime),
                            .reason = "r",
                            .rules = {{"cool-down", 12, 1}, {"idle", 0, 0}}};
  ScriptedServer server(
      [&](const ScriptedRequest&) { return ScriptedAnswer::Json(200, wire::Encode(policy)); });
  const Variables variables = {{"KOYA_URL", server.url()}};
  const ProgramRun run = RunKoya({"policy", "show"}, variables);
  EXPECT_EQ(run.out, kPolicyText);
  EXPECT_EQ(run.err, "koya: under revision 3, the rule cool-down held 12 and refused 1\n");
  EXPECT_EQ(RunKoya({"policy", "show", "--json"}, variables).err, "");
}

TEST(PolicyCommandsTest, ShowTakesAddressesOfOtherRegistries) {
  for (const auto& [arguments, status, words] :
       {std::tuple<std::vector<std::string>, int, std::string_view>{
            {"show", "module", "registry.test/acme/vpc/aws", "--inputs"}, 1, "cannot be shown"},
        {{"show", "module", "no host/acme/vpc/aws"}, 2, "host"},
        {{"show", "module", "registry.test/acme/vpc/AWS!"}, 2, "AWS!"},
        {{"show", "provider", "registry.test/hashicorp/aws", "--docs"}, 1, "need a version"}}) {
    const ProgramRun run = RunKoya(arguments, {{"KOYA_URL", "https://koya.test"}});
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_TRUE(run.err.contains(words)) << run.err;
  }
}

TEST(PolicyCommandsTest, SayThatThereIsNone) {
  ScriptedServer server([](const ScriptedRequest& request) {
    return ScriptedAnswer::Json(200, request.target.ends_with("revisions")
                                         ? R"({"revisions":[]})"
                                         : R"({"revision":0,"toml":"","by":null,"at":null})");
  });
  const Variables variables = {{"KOYA_URL", server.url()}};
  for (const char* verb : {"show", "history"}) {
    const ProgramRun run = RunKoya({"policy", verb}, variables);
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, "koya: no policy was ever set\n");
  }
}

TEST(PolicyCommandsTest, ExitWithOneForWhatIsStopped) {
  struct Row {
    std::vector<std::string> arguments;
    std::string answer;
    int status;
    std::string_view words;
  };
  const wire::PolicyTestVersion used{"r/a/b", "1.0.0", 2};
  const wire::PolicyTestVersion unused{"r/a/b", "1.0.0", 0};
  const std::vector<std::string> explain = {"policy", "explain", "hashicorp/aws"};
  wire::PolicyVerdict changed = ExplainedAws("refuse");
  changed.reasons = {{"", "refuse", "", "other bytes"}};
  const std::vector<std::string> test = {"policy", "test", "-"};
  const Row rows[] = {
      {explain, wire::Encode(ExplainedAws("allow")), 0, "6.1.1: ALLOWED\n"},
      {explain, wire::Encode(ExplainedAws("note")), 0, "6.1.1: ALLOWED, with a note\n"},
      {explain, wire::Encode(ExplainedAws("hold", kPolicyTime)), 1,
       "6.1.1: HELD until 2026-11-21T16:41:10Z\n"},
      {explain, wire::Encode(ExplainedAws("hold")), 1, "6.1.1: HELD\n"},
      {explain, wire::Encode(ExplainedAws("refuse")), 1, "6.1.1: REFUSED\n"},
      {explain, wire::Encode(changed), 1, "\n  -  refuse: other bytes\n"},
      {{"show", "provider", "registry.test/hashicorp/aws", "6.1.1"},
       wire::Encode(ExplainedAws("hold")),
       0,
       "6.1.1: HELD\n"},
      {{"show", "module", "registry.test/acme/vpc/aws"},
       wire::Encode(changed),
       0,
       "6.1.1: REFUSED\n"},
      {explain,
       R"({"address":"r/a/b","verdict":"refuse","until":null,"reasons":[],"seen":null,"by":null})",
       1, "r/a/b: REFUSED\n  no policy was ever set; never seen here; clients see no version\n"},
      {test, wire::Encode(wire::PolicyTest{{used}, {}, {}}), 1, "held     r/a/b 1.0.0  2 requests"},
      {test, wire::Encode(wire::PolicyTest{{}, {used}, {}}), 1, "refused  r/a/b 1.0.0  2 requests"},
      {test, wire::Encode(wire::PolicyTest{{unused}, {unused}, {used}}), 0, "lifted   r/a/b"},
  };
  for (const Row& row : rows) {
    ScriptedServer server(
        [&](const ScriptedRequest&) { return ScriptedAnswer::Json(200, row.answer); });
    const ProgramRun run = RunKoya(row.arguments, {{"KOYA_URL", server.url()}}, "version = 1");
    EXPECT_EQ(run.status, row.status) << row.words << run.err;
    EXPECT_TRUE(run.out.contains(row.words)) << run.out;
  }
}

TEST(PolicyCommandsTest, InitPrintsAPolicyThatCanBeSet) {
  for (const char* age : {"7d", "36h", "1s", "3650d", "90m"}) {
    const ProgramRun run = RunKoya({"policy", "init", "--cool-down", age});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    const auto parsed = policy::ParsePolicy(run.out);
    ASSERT_TRUE(parsed) << parsed.error().at(0).text;
    ASSERT_EQ(parsed->rules().size(), 1U);
  }
  for (const char* age :
       {"", "0s", "0d", "7", "d", "-7d", "7 d", "1.5d", "3651d", "7w!", "99999999999999999999d"}) {
    const ProgramRun run = RunKoya({"policy", "init", "--cool-down", age});
    EXPECT_EQ(run.status, 2) << age;
    EXPECT_EQ(run.out, "") << age;
  }
  EXPECT_EQ(RunKoya({"policy", "init"}).status, 2);
}

TEST(PolicyCommandsTest, EndWithStatusTwoOnWrongLines) {
  const std::vector<std::vector<std::string>> kWrong = {
      {"policy"},
      {"policy", "sett"},
      {"policy", "set"},
      {"policy", "set", "-"},
      {"policy", "set", "-", "--reason"},
      {"policy", "set", "-", "--reason", "r", "--expect", "x"},
      {"policy", "set", "-", "--reason", "r", "--expect", "-1"},
      {"policy", "set", "a", "b", "--reason", "r"},
      {"policy", "show", "x"},
      {"policy", "show", "-1"},
      {"policy", "show", "1", "2"},
      {"policy", "history", "1"},
      {"policy", "rollback", "--reason", "r"},
      {"policy", "rollback", "1"},
      {"policy", "rollback", "first", "--reason", "r"},
      {"policy", "baseline", "*/*/*"},
      {"policy", "baseline", "--reason", "r"},
      {"policy", "baseline", "*", "--reason", "r"},
      {"policy", "baseline", "acme/demo", "--reason", "r"},
      {"policy", "explain"},
      {"policy", "explain", "acme/demo", "1.0.0", "2.0.0"},
      {"policy", "explain", "acme/demo", "--at", "yesterday"},
      {"policy", "explain", "acme/demo", "--at", "1969-01-01"},
      {"policy", "held", "acme/demo"},
      {"policy", "test"},
      {"policy", "test", "-", "--since", "0d"},
      {"policy", "test", "-", "--since", "week"}};
  for (const std::vector<std::string>& arguments : kWrong) {
    const ProgramRun run = RunKoya(arguments, {{"KOYA_URL", "http://127.0.0.1:1"}});
    EXPECT_EQ(run.status, 2) << testing::PrintToString(arguments) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

TEST(PolicyCommandsTest, SayWhichFileCannotBeSent) {
  TempFolder folder;
  const Variables variables = {{"KOYA_URL", "http://127.0.0.1:1"}};
  const std::string large = (folder / "large.toml").string();
  std::ofstream(large) << std::string(policy::kMostPolicyBytes + 1, '#');
  for (const std::string& file : {(folder / "none.toml").string(), folder.path().string(), large}) {
    const ProgramRun run = RunKoya({"policy", "set", file, "--reason", "r"}, variables);
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(run.err.contains(file)) << run.err;
    EXPECT_FALSE(run.err.contains("127.0.0.1")) << run.err;
  }
}

TEST(PolicyCommandsTest, WorkOnAStoppedServersData) {
  TempFolder folder;
  const std::string data = folder.path().string();
  ASSERT_EQ(RunKoya({"token", "create", "first", "--scope", "admin", "--data", data}).status, 0);
  const std::string text = RunKoya({"policy", "init", "--cool-down", "7d"}).out;
  ProgramRun run = RunKoya({"policy", "set", "-", "--reason", "wait", "--data", data}, {}, text);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(RunKoya({"policy", "show", "--data", data}).out, text);
  run = RunKoya({"policy", "set", "-", "--reason", "r", "--data", data}, {}, "version = 3\nx = 1");
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.err.contains("-:1:11: ")) << run.err;
  EXPECT_TRUE(run.err.contains("-:2:1: ")) << run.err;
  EXPECT_EQ(RunKoya({"policy", "show", "--data", data}).out, text);
}

}  // namespace
}  // namespace koya::cli
