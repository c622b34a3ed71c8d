// koya usage, and the impact shown before a version is withdrawn.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/api/usage_client.h"
#include "cli/run_program_fake.h"
#include "http/scripted_server_fake.h"
#include "wire/modules.h"
#include "wire/namespaces.h"
#include "wire/usage.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

ScriptedServer::Respond UsageAnswer(unsigned status, std::string body) {
  return [answer = ScriptedAnswer::Json(status, std::move(body))](const ScriptedRequest& request) {
    return request.method == "GET" || request.method == "POST" ? answer
                                                               : ScriptedAnswer{204, {}, "", {}};
  };
}

ProgramRun RunUsage(const ScriptedServer& server, std::vector<std::string> arguments) {
  return RunKoya(std::move(arguments), {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}});
}

std::size_t Widest(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

wire::UsageReport Versions() {
  return {
      .address = "acme/vpc/aws",
      .since = "2026-10-25",
      .by = "version",
      .counted = true,
      .named = true,
      .total = 128,
      .bots = 40,
      .consumers = 12,
      .people = 1,
      .rows =
          {{.name = "2.1.0", .count = 80, .consumers = 8, .people = 1, .last_day = "2026-11-23"},
           {.name = "1.2.0", .count = 48, .consumers = 4, .last_day = "2026-11-19"}},
      .days = {{"2026-11-23", 128}}};
}

wire::UsageImpact Impact() {
  return {
      .address = "acme/vpc/aws",
      .version = "1.2.0",
      .since = "2026-08-26",
      .counted = true,
      .named = true,
      .total = 21,
      .all = 525,
      .consumers = 2,
      .people = 0,
      .rows = {
          {.name = "payments-prod",
           .principal = "service:deploy",
           .label = "payments-prod",
           .count = 20,
           .last_day = "2026-11-19"},
          {.name = "service:ci", .principal = "service:ci", .count = 1, .last_day = "2026-11-18"}}};
}

TEST(UsageCommandTest, TellsWhichVersionsAreFetched) {
  ScriptedServer server(UsageAnswer(200, wire::Encode(Versions())));
  ProgramRun run = RunUsage(server, {"usage", "acme/vpc/aws"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out,
            "acme/vpc/aws\n"
            "  128 fetches since 2026-10-25, by 12 consumers and 1 person\n"
            "  40 fetches more by bots\n"
            "\n"
            "VERSION  FETCHES  SHARE  CONSUMERS  PEOPLE  LAST\n"
            "2.1.0    80       63 %   8          1       2026-11-23\n"
            "1.2.0    48       38 %   4          0       2026-11-19\n");
  EXPECT_EQ(server.requests().back().target, "/api/v1/usage/modules/acme/vpc/aws?by=version");
  run = RunUsage(server, {"usage", "acme/vpc/aws", "--json", "--days", "7", "--by", "client"});
  EXPECT_EQ(run.out, wire::Encode(Versions()) + "\n");
  EXPECT_EQ(server.requests().back().target, "/api/v1/usage/modules/acme/vpc/aws?by=client&days=7");
}

TEST(UsageCommandTest, ConsumersFitIntoEightyColumns) {
  wire::UsageReport report = Versions();
  report.by = "consumer";
  report.rows = {{.name = std::string(64, 'l'),
                  .principal = "service:" + std::string(64, 's'),
                  .label = std::string(64, 'l'),
                  .count = 123'456'789,
                  .last_day = "2026-11-23"},
                 {.name = "bad\x1b[31m", .count = 1, .last_day = "2026-11-23"}};
  ScriptedServer server(UsageAnswer(200, wire::Encode(report)));
  ProgramRun run = RunUsage(server, {"usage", "acme/vpc/aws", "--by", "consumer"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_LE(Widest(run.out), 84U) << run.out;
  EXPECT_FALSE(run.out.contains("\x1b[31m")) << run.out;
}

TEST(UsageCommandTest, WhoMayNotKnowIsToldWhoMay) {
  wire::UsageReport report = Versions();
  report.by = "consumer";
  report.named = false;
  report.counted = false;
  report.partial = true;
  report.rows.clear();
  ScriptedServer server(UsageAnswer(200, wire::Encode(report)));
  ProgramRun run = RunUsage(server, {"usage", "acme/demo", "--by", "consumer"});
  EXPECT_TRUE(run.err.contains("only the namespace's owners")) << run.err;
  EXPECT_TRUE(run.err.contains("counts no fetches")) << run.err;
  EXPECT_TRUE(run.err.contains("left out")) << run.err;
}

TEST(UsageCommandTest, AddressesAreOursOrAnotherRegistrys) {
  struct Case {
    std::string text;
    std::string path;  // "": none
  };
  const Case kCases[] = {
      {"acme/vpc/aws", "/api/v1/usage/modules/acme/vpc/aws"},
      {"acme/demo", "/api/v1/usage/providers/acme/demo"},
      {"acme/デモ", "/api/v1/usage/providers/acme/%E3%83%87%E3%83%A2"},
      {"registry.example.org/acme/demo",
       "/api/v1/usage/mirror/providers/registry.example.org/acme/demo"},
      {"registry.example.org/acme/vpc/aws",
       "/api/v1/usage/mirror/modules/registry.example.org/acme/vpc/aws"},
      {"", ""},
      {"acme", ""},
      {"registry.example.org", ""},
      {"registry.example.org/acme", ""},
      {"a/b/c/d", ""},
      {"acme/de mo", ""},
      {"acme//aws", ""},
      {"/acme/demo", ""},
      {"https://registry.example.org/acme/demo", ""},
  };
  for (const Case& each : kCases) {
    Result<CountedThing> thing = CountedThing::Parse(each.text);
    EXPECT_EQ(thing ? thing->UsageLine().path : "", each.path) << each.text;
  }
}

TEST(UsageCommandTest, WrongLinesAreRefused) {
  struct Case {
    std::vector<std::string> arguments;
    std::string words;
  };
  const Case kCases[] = {
      {{"usage"}, "ADDRESS"},
      {{"usage", "acme"}, "acme"},
      {{"usage", "acme/vpc/aws", "x"}, "1.4.0"},
      {{"usage", "acme/vpc/aws", "--by", "x"}, "--by"},
      {{"usage", "acme/vpc/aws", "--days", "0"}, "--days"},
      {{"usage", "acme/vpc/aws", "--days", "4000"}, "--days"},
      {{"usage", "lag"}, "NAMESPACE"},
      {{"usage", "forget"}, "PRINCIPAL"},
      {{"usage", "unused", "--kind", "x"}, "--kind"},
  };
  for (const Case& each : kCases) {
    ProgramRun run = RunKoya(each.arguments, {});
    EXPECT_EQ(run.status, 2) << each.words << run.out << run.err;
    EXPECT_TRUE(run.err.contains(each.words)) << run.err;
  }
}

TEST(UsageCommandTest, TellsWhoWouldMissAVersion) {
  ScriptedServer server(UsageAnswer(200, wire::Encode(Impact())));
  ProgramRun run = RunUsage(server, {"usage", "acme/vpc/aws", "v1.2.0", "--days", "90"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "acme/vpc/aws 1.2.0\n"
            "  21 fetches since 2026-08-26, 4 % of all, by 2 consumers\n"
            "  payments-prod (service:deploy), last on 2026-11-19\n"
            "  service:ci, last on 2026-11-18\n");
  EXPECT_EQ(server.requests().back().target, "/api/v1/usage/impact/acme/vpc/aws/1.2.0?days=90");
  run = RunUsage(server, {"usage", "registry.example.org/acme/demo", "1.2.0"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.err.contains("another registry")) << run.err;
}

TEST(UsageCommandTest, TellsWhichModulesWouldMissIt) {
  wire::UsageImpact impact = Impact();
  impact.rows.clear();
  impact.total = 0;
  impact.counted_since = "2026-11-01";
  impact.callers = {{"acme/exact/aws", "1.0.0", "modules/a", "1.2.0", ""},
                    {"acme/net/aws", "3.1.0", "", "~> 1.2", "1.3.0"},
                    {"acme/any/aws", "1.0.0", "", "", "2.0.0"}};
  ScriptedServer server(UsageAnswer(200, wire::Encode(impact)));
  ProgramRun run = RunUsage(server, {"usage", "acme/vpc/aws", "1.2.0"});
  EXPECT_EQ(run.out,
            "acme/vpc/aws 1.2.0: no recorded fetches since 2026-11-01 (counting since "
            "2026-11-01)\n  Modules here that use it:\n  acme/exact/aws 1.0.0 (modules/a) requires "
            "1.2.0: no other version matches\n  acme/net/aws 3.1.0 requires ~> 1.2: would get "
            "1.3.0\n  acme/any/aws 1.0.0 accepts any version: would get 2.0.0\n");
  impact.callers.assign(12, impact.callers[0]);
  impact.callers_more = impact.unknown_more = true;
  impact.unknown = 3;
  ScriptedServer many(UsageAnswer(200, wire::Encode(impact)));
  run = RunUsage(many, {"withdraw", "acme/vpc/aws", "1.2.0", "--reason", "leaks", "--yes"});
  EXPECT_TRUE(
      run.err.contains("no other version matches\n  and at least 2 others\n  unknown: at "
                       "least 3 calls whose source or version is an expression\n"))
      << run.err;
  impact = Impact();
  impact.unknown = 1;
  ScriptedServer unknown(UsageAnswer(200, wire::Encode(impact)));
  run = RunUsage(unknown, {"usage", "acme/vpc/aws", "1.2.0"});
  EXPECT_TRUE(run.out.ends_with("  unknown: 1 call whose source or version is an expression\n"))
      << run.out;
}

TEST(UsageCommandTest, WithdrawTellsItFirst) {
  ScriptedServer server(UsageAnswer(200, wire::Encode(Impact())));
  for (const char* json : {"", "--json"}) {
    std::vector<std::string> line = {"withdraw", "acme/vpc/aws", "1.2.0",
                                     "--reason", "leaks",        "--yes"};
    if (*json != 0) line.push_back(json);
    ProgramRun run = RunUsage(server, line);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(run.err.contains("payments-prod (service:deploy), last on")) << run.err;
    EXPECT_FALSE(run.out.contains("payments-prod")) << run.out;
    EXPECT_EQ(server.requests().back().method, "DELETE");
  }
  ProgramRun run = RunUsage(server, {"deprecate", "acme/demo", "1.2.0", "--message", "use 2"});
  EXPECT_TRUE(run.err.contains("21 fetches")) << run.err;
  run = RunUsage(server, {"deprecate", "acme/demo", "1.2.0", "--undo"});
  EXPECT_EQ(run.err, "");
}

TEST(UsageCommandTest, AServerThatCannotSayStopsNobody) {
  for (unsigned status : {404U, 403U, 500U, 400U}) {
    ScriptedServer server(UsageAnswer(status, PlainErrors("there is nothing")));
    ProgramRun run =
        RunUsage(server, {"withdraw", "acme/vpc/aws", "1.2.0", "--reason", "leaks", "--yes"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(run.err.contains("cannot find the users of ")) << run.err;
    EXPECT_EQ(server.requests().back().method, "DELETE");
  }
}

TEST(UsageCommandTest, OnATerminalWithdrawAsks) {
  struct Case {
    std::string reply;
    std::vector<std::string> more;
    bool done;
  };
  const Case kCases[] = {{"y\n", {}, true},       {"yes\n", {}, true},  {"Y\n", {}, true},
                         {"n\n", {}, false},      {"\n", {}, false},    {"", {}, false},
                         {"yonder\n", {}, false}, {"", {"--yes"}, true}};
  for (const Case& each : kCases) {
    ScriptedServer server(UsageAnswer(200, wire::Encode(Impact())));
    std::ostringstream out;
    std::ostringstream err;
    std::istringstream in(each.reply);
    Shell shell{.variables = {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}},
                .out = out,
                .err = err,
                .in = &in,
                .show_input = [](bool) {}};
    std::vector<std::string> line = {"withdraw", "acme/vpc/aws", "1.2.0", "--reason", "leaks"};
    line.insert(line.end(), each.more.begin(), each.more.end());
    EXPECT_EQ(RunProgram(shell, line), each.done ? 0 : 1) << err.str();
    EXPECT_EQ(err.str().contains("Withdraw acme/vpc/aws 1.2.0? [y/N] "), each.more.empty());
    EXPECT_EQ(server.requests().back().method, each.done ? "DELETE" : "GET") << each.reply;
  }
}

TEST(UsageCommandTest, OnATerminalPublishAsksBeforeItMakesANamespace) {
  struct Case {
    unsigned found;
    std::string reply;
    std::vector<std::string> more;
    std::string_view methods;
    int status;
  };
  const TempFolder folder;
  std::ofstream(folder / "vpc.zip", std::ios::binary) << "bytes";
  const std::string published =
      wire::Encode<wire::PublishedModule>({.address = "acme/vpc/aws",
                                           .version = "1.2.0",
                                           .digest = "sha256:" + std::string(64, 'a'),
                                           .size = 5,
                                           .location = "https://r.example.com/x",
                                           .made_namespace = "internal"});
  const Case kCases[] = {{404, "y\n", {}, "GET PUT ", 0},    {404, "n\n", {}, "GET ", 1},
                         {404, "", {"--yes"}, "PUT ", 0},    {200, "", {}, "GET PUT ", 0},
                         {403, "", {}, "GET PUT ", 0},       {500, "", {}, "GET PUT ", 0},
                         {404, "", {"--dry-run"}, "PUT ", 1}};
  for (const Case& each : kCases) {
    ScriptedServer server([&](const ScriptedRequest& request) {
      if (request.method == "PUT") return ScriptedAnswer::Json(201, published);
      EXPECT_EQ(request.target, "/api/v1/namespaces/acme");
      return ScriptedAnswer::Json(each.found, each.found == 200
                                                  ? wire::Encode<wire::Namespace>({.name = "acme"})
                                                  : PlainErrors("it is not there yet"));
    });
    std::ostringstream out;
    std::ostringstream err;
    std::istringstream in(each.reply);
    Shell shell{.variables = {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}},
                .out = out,
                .err = err,
                .in = &in,
                .show_input = [](bool) {}};
    std::vector<std::string> line = {"publish", "module", (folder / "vpc.zip").string(),
                                     "acme/vpc/aws", "1.2.0"};
    line.insert(line.end(), each.more.begin(), each.more.end());
    EXPECT_EQ(RunProgram(shell, line), each.status) << err.str();
    std::string methods;
    for (const ScriptedRequest& request : server.requests()) methods += request.method + " ";
    EXPECT_EQ(methods, each.methods) << each.found << each.reply;
    EXPECT_EQ(err.str().contains("koya: it is not there yet\nCreate the namespace acme? [y/N] "),
              each.found == 404 && each.more.empty())
        << err.str();
    if (each.status == 0) {
      EXPECT_TRUE(
          err.str().contains("koya: created the namespace \"acme\", which is internal: users who "
                             "are signed in or have a token can read it"))
          << err.str();
    }
  }
}

// A script must confirm a withdrawal explicitly.
TEST(UsageCommandTest, WithoutATerminalWithdrawNeedsYes) {
  ScriptedServer server(UsageAnswer(200, wire::Encode(Impact())));
  ProgramRun run = RunUsage(server, {"withdraw", "acme/vpc/aws", "1.2.0", "--reason", "leaks"});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(run.err.contains("--yes")) << run.err;
  EXPECT_EQ(run.out, "");
  run = RunUsage(server, {"withdraw", "acme/demo", "1.2.0", "--reason", "leaks", "--json"});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(run.out.ends_with(R"("code":"invalid","status":null})"
                                "\n"))
      << run.out;
  EXPECT_TRUE(server.requests().empty()) << "nothing is asked for either";
}

TEST(UsageCommandTest, UsedByListsAllConsumersAndDependents) {
  wire::UsedBy used{.address = "acme/vpc/aws",
                    .since = "2026-10-25",
                    .counted_since = "2026-11-20",
                    .counted = true,
                    .named = true,
                    .total = 4,
                    .behind = 1,
                    .dependents = {{"acme/net/aws", "2.0.0", "modules/a", "~> 1.0"},
                                   {"acme/app/aws", "1.0.0", "", ""}}};
  ScriptedServer server([used](const ScriptedRequest& request) mutable {
    const bool first = request.target.ends_with("offset=0");
    used.meta = {.limit = 1, .current_offset = first ? 0U : 1U, .total = 2};
    used.consumers = {
        first ? wire::UsedByConsumer{.name = "prod",
                                     .versions = {{"1.1.0", "2026-11-21"}, {"1.0.0", "2026-11-20"}},
                                     .behind = 2}
              : wire::UsedByConsumer{.name = "service:ci", .versions = {{"2.0.0", "2026-11-21"}}}};
    return ScriptedAnswer::Json(200, wire::Encode(used));
  });
  ProgramRun run = RunUsage(server, {"usage", "used-by", "acme/vpc/aws", "--days", "7"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "acme/vpc/aws\n"
            "  4 fetches since 2026-11-20, by 2 consumers\n"
            "  1 of 2 consumers behind the newest release\n"
            "\n"
            "CONSUMER    VERSION  LAST        BEHIND\n"
            "prod        1.1.0    2026-11-21  2\n"
            "            1.0.0    2026-11-20\n"
            "service:ci  2.0.0    2026-11-21  0\n"
            "\n"
            "DEPENDENT     VERSION  FOLDER     REQUIRES\n"
            "acme/net/aws  2.0.0    modules/a  ~> 1.0\n"
            "acme/app/aws  1.0.0    -          any\n");
  EXPECT_EQ(server.requests().back().target,
            "/api/v1/usage/modules/acme/vpc/aws/used-by?days=7&limit=1000&offset=1");
  run = RunUsage(server, {"usage", "used-by", "acme/demo", "--json"});
  EXPECT_TRUE(run.out.contains(R"("name":"service:ci")")) << run.out;
  EXPECT_TRUE(
      server.requests().back().target.starts_with("/api/v1/usage/providers/acme/demo/used-by?"));
  run = RunUsage(server, {"usage", "used-by", "registry.example.org/acme/demo"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.err.contains("--by consumer")) << run.err;
  EXPECT_EQ(RunUsage(server, {"usage", "used-by"}).status, 2);
}

TEST(UsageCommandTest, SaysSinceWhenFetchesAreCounted) {
  wire::UsageReport report{.address = "acme/vpc/aws", .since = "2026-08-30", .by = "version"};
  ScriptedServer fresh(UsageAnswer(200, wire::Encode(report)));
  EXPECT_TRUE(RunUsage(fresh, {"usage", "acme/vpc/aws"})
                  .out.contains("  no fetches: nothing has been counted yet\n"));
  report.counted_since = "2026-11-20";
  ScriptedServer server(UsageAnswer(200, wire::Encode(report)));
  EXPECT_TRUE(
      RunUsage(server, {"usage", "acme/vpc/aws"}).out.contains("  0 fetches since 2026-11-20\n"));
  const wire::UnusedPage page{.days = 180, .counted_since = "2026-11-20", .counted = true};
  ScriptedServer unused(UsageAnswer(200, wire::Encode(page)));
  EXPECT_TRUE(RunUsage(unused, {"usage", "unused"}).err.contains("counting since 2026-11-20"));
  const wire::UsageLag lag{.ns = "acme", .counted_since = "2026-11-20", .counted = true};
  ScriptedServer lagging(UsageAnswer(200, wire::Encode(lag)));
  EXPECT_TRUE(RunUsage(lagging, {"usage", "lag", "acme"}).err.contains("since 2026-11-20"));
}

TEST(UsageCommandTest, TellsWhoIsBehindAndWhatNobodyFetches) {
  wire::UsageLag lag{
      .ns = "acme",
      .days = 30,
      .counted = true,
      .behind_median = 1,
      .behind_p90 = 2,
      .days_median = 1,
      .days_p90 = 40,
      .rows = {{"service:ci", "prod", "module", "acme/vpc/aws", "1.0.0", "2.0.0", 2, 40}}};
  ScriptedServer server(UsageAnswer(200, wire::Encode(lag)));
  ProgramRun run = RunUsage(server, {"usage", "lag", "acme"});
  EXPECT_EQ(
      run.out,
      "CONSUMER  THING         HAS    LATEST  BEHIND  DAYS\nprod      acme/vpc/aws  1.0.0  2.0.0   "
      "2       40\n\nMedian: 1 release (1 day) behind; 90th percentile: 2 (40 days)\n");
  EXPECT_EQ(server.requests().back().target, "/api/v1/usage/lag?namespace=acme");
  ScriptedServer pages([](const ScriptedRequest& request) {
    const bool first = request.target.ends_with("offset=0");
    wire::UnusedPage page{.days = 180, .counted = true};
    page.rows = {{first ? "acme/a/aws" : "acme/b/aws", "1.0.0", "2026-01-02T03:04:05Z", 1,
                  first ? "" : "2026-02-01"}};
    if (first) page.next = "1000";
    return ScriptedAnswer::Json(200, wire::Encode(page));
  });
  run = RunUsage(pages, {"usage", "unused", "acme"});
  EXPECT_EQ(run.out,
            "THING       LATEST  PUBLISHED   FETCHED\n"
            "acme/a/aws  1.0.0   2026-01-02  never\n"
            "acme/b/aws  1.0.0   2026-01-02  2026-02-01\n");
  EXPECT_EQ(pages.requests().back().target,
            "/api/v1/usage/unused?kind=modules&namespace=acme&offset=1000");
}

TEST(UsageCommandTest, Forgets) {
  ScriptedServer server(UsageAnswer(200, wire::Encode<wire::ForgottenUsage>({"user:ada", 7})));
  ProgramRun run = RunUsage(server, {"usage", "forget", "user:ada"});
  EXPECT_EQ(run.out, "Forgot user:ada: 7 rows are anonymous now\n");
  EXPECT_EQ(server.requests().back().target, "/api/v1/usage/forget");
  EXPECT_EQ(server.requests().back().body, wire::Encode(wire::ForgetRequest{"user:ada"}));
}

}  // namespace
}  // namespace koya::cli
