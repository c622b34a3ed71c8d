// koya search and koya reindex, against a scripted server.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/run_program_fake.h"
#include "cli/text/search_text.h"
#include "domain/search_record.h"
#include "http/scripted_server_fake.h"
#include "wire/error_document.h"
#include "wire/readings.h"
#include "wire/search.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

ScriptedServer::Respond SearchAnswer(unsigned status, std::string body) {
  return [answer = ScriptedAnswer::Json(status, std::move(body))](const ScriptedRequest&) {
    return answer;
  };
}

ProgramRun RunSearch(const ScriptedServer& server, std::vector<std::string> arguments) {
  return RunKoya(std::move(arguments), {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}});
}

wire::SearchResults Found() {
  return {.hits = {{.kind = "module",
                    .package = "module",
                    .address = "acme/vpc/aws",
                    .version = "1.2.0",
                    .name = "vpc",
                    .title = "A vpc größte vpcs",
                    .field = "name",
                    .snippet = "vpc",
                    .marks = {{0, 3}},
                    .published_at = "2026-11-21T00:00:00Z"},
                   {.kind = "input",
                    .package = "module",
                    .address = "acme/vpc/aws",
                    .version = "1.2.0",
                    .name = "cidr_block",
                    .title = "ネットワーク vpc の範囲",
                    .field = "title",
                    .snippet = "ネットワーク vpc の範囲",
                    .marks = {{7, 10}},
                    .published_at = "2026-11-21T00:00:00Z",
                    .deprecated = true}},
          .total = 41,
          .counts = {.modules = 1, .inputs = 40},
          .limit = 2,
          .next_offset = 2,
          .next_url = "/api/v1/search?q=vpc&limit=2&offset=2",
          .prev_url = ""};
}

TEST(SearchCommandsTest, TellsWhatWasFoundWithItsMatches) {
  ScriptedServer server(SearchAnswer(200, EncodeSearchResults(Found())));
  ProgramRun run = RunSearch(server, {"search", "vpc", "a&b", "--limit", "2", "--kind",
                                      "module,input", "--namespace", "acme"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "module     acme/vpc/aws 1.2.0\n           A vpc größte vpcs\ninput      cidr_block  "
            "acme/vpc/aws 1.2.0  deprecated\n           ネットワーク vpc の範囲\n\n1–2 of 41 "
            "(module 1, input 40)\nMore: --offset 2\n");
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].target,
            "/api/v1/search?q=vpc%20a%26b%20kind%3Amodule%2Cinput%20ns%3Aacme&limit=2&offset=0");
}

TEST(SearchCommandsTest, AsksForAnOrder) {
  ScriptedServer server(SearchAnswer(200, wire::EncodeSearchResults(Found())));
  EXPECT_EQ(RunSearch(server, {"search", "vpc", "--sort", "newest"}).status, 0);
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].target, "/api/v1/search?q=vpc&limit=15&offset=0&sort=newest");
  ProgramRun run = RunSearch(server, {"search", "vpc", "--sort", "worst"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("best, newest or name"), std::string::npos) << run.err;
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(SearchCommandsTest, ShowsWhichRegistryAModuleIsKeptOf) {
  wire::SearchResults found = Found();
  found.hits.resize(1);
  found.hits[0].address = "registry.example.org/acme/vpc/aws";
  found.hits[0].hostname = "registry.example.org";
  ScriptedServer server(SearchAnswer(200, EncodeSearchResults(found)));
  ProgramRun run = RunSearch(server, {"search", "vpc"});
  EXPECT_TRUE(run.out.starts_with("module     registry.example.org/acme/vpc/aws 1.2.0\n"))
      << run.out;
}

TEST(SearchCommandsTest, ShowsWhichRegistryAProviderIsKeptOf) {
  wire::SearchResults found = Found();
  found.hits.resize(1);
  found.hits[0].kind = "provider";
  found.hits[0].package = "provider";
  found.hits[0].address = "registry.example.org/acme/vpc";
  found.hits[0].hostname = "registry.example.org";
  ScriptedServer server(SearchAnswer(200, EncodeSearchResults(found)));
  ProgramRun run = RunSearch(server, {"search", "vpc"});
  EXPECT_TRUE(run.out.starts_with("provider   registry.example.org/acme/vpc 1.2.0\n")) << run.out;
}

TEST(SearchCommandsTest, ShowsGuidesByTheirPagesAndWhyPackagesWereFound) {
  wire::SearchResults found = Found();
  found.hits.resize(1);
  found.hits[0].why = "needs";
  found.hits.push_back({.kind = "setting",
                        .name = "server.url",
                        .title = "The URL of this server.",
                        .field = "name",
                        .snippet = "server.url",
                        .why = "name",
                        .url = "/-/docs/config#user-server"});
  found.counts = {.modules = 1, .settings = 1};
  found.total = 2;
  ScriptedServer server(SearchAnswer(200, EncodeSearchResults(found)));
  ProgramRun run = RunSearch(server, {"search", "hashicorp/aws"});
  EXPECT_TRUE(run.out.starts_with("module     acme/vpc/aws 1.2.0  needs it\n")) << run.out;
  EXPECT_TRUE(
      run.out.contains("setting    server.url  /-/docs/config#user-server\n"
                       "           The URL of this server.\n"))
      << run.out;
  EXPECT_TRUE(run.out.contains("(module 1, setting 1)")) << run.out;
}

TEST(SearchCommandsTest, PrintsTheServersDocument) {
  const std::string body = EncodeSearchResults(Found());
  ScriptedServer server(SearchAnswer(200, body));
  EXPECT_EQ(RunSearch(server, {"search", "vpc", "--json"}).out, body + "\n");
}

TEST(SearchCommandsTest, SaysWhenThereIsNothing) {
  wire::SearchResults nothing{.next_url = "", .prev_url = ""};
  {
    ScriptedServer server(SearchAnswer(200, EncodeSearchResults(nothing)));
    ProgramRun run = RunSearch(server, {"search", "nowhere"});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(run.err.contains("no results for nowhere")) << run.err;
    EXPECT_TRUE(run.err.contains("version:any")) << run.err;
  }
  nothing.missing = {"nowhere", "ever"};
  {
    ScriptedServer server(SearchAnswer(200, EncodeSearchResults(nothing)));
    EXPECT_TRUE(RunSearch(server, {"search", "nowhere", "ever", "vpc"})
                    .err.contains("Nothing contains nowhere, ever: leave it out"));
  }
  nothing.counts.inputs = 3;
  {
    ScriptedServer server(SearchAnswer(200, EncodeSearchResults(nothing)));
    EXPECT_TRUE(RunSearch(server, {"search", "cidr", "--kind", "output"})
                    .err.contains("of other kinds: input 3"));
  }
  nothing.total = 3;
  ScriptedServer server(SearchAnswer(200, EncodeSearchResults(nothing)));
  EXPECT_TRUE(RunSearch(server, {"search", "cidr", "--offset", "20"})
                  .err.contains("there are only 3: use a smaller --offset"));
}

TEST(SearchCommandsTest, SaysWhenItIsNotAllOrNotExactlyThat) {
  wire::SearchResults found = Found();
  found.cut = found.forgiven = true;
  found.missing = {"replica", "read"};
  found.cut_kinds = {"input"};
  ScriptedServer server(SearchAnswer(200, EncodeSearchResults(found)));
  ProgramRun run = RunSearch(server, {"search", "vcp"});
  EXPECT_TRUE(run.err.contains("similar results")) << run.err;
  EXPECT_TRUE(
      run.err.contains("no result has all these words; showing results without replica, read"))
      << run.err;
  EXPECT_TRUE(run.out.contains("1–2 of 41 or more (")) << run.out;
  EXPECT_TRUE(run.out.contains("input 40+")) << run.out;
  EXPECT_FALSE(run.out.contains("--kind"));
  for (SearchKind kind : kSearchKinds) {
    if (kind != SearchKind::kInput) found.cut_kinds.emplace_back(SearchKindName(kind));
  }
  ScriptedServer all(SearchAnswer(200, EncodeSearchResults(found)));
  run = RunSearch(all, {"search", "vcp"});
  EXPECT_TRUE(run.out.contains("limit it to a kind, for example --kind input")) << run.out;
}

TEST(SearchCommandsTest, RefusesWhatIsNoSearch) {
  const ProgramRun run = RunKoya({"search", "vpc", "--kind", "inputs"});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(run.err.contains("unknown kind \"inputs\"")) << run.err;
  EXPECT_EQ(RunKoya({"search"}).status, 2);
  EXPECT_EQ(RunKoya({"search", "vpc", "--limit", "101"}).status, 2);
  EXPECT_EQ(RunKoya({"search", "vpc", "--limit", "0"}).status, 2);
}

// Matches far into a text, long texts, and characters that would harm a terminal.
TEST(SearchCommandsTest, LinesAreAsWideAsATerminal) {
  struct Case {
    std::string snippet;
    std::vector<wire::SearchMark> marks;
    std::string line;
  };
  const std::string words = "one two three four five six seven eight nine ten ";
  const Case cases[] = {
      {"a\x1b[31mb\nc", {}, "a [31mb c"},
      {"\u202Eabc", {}, " abc"},
      {std::string(100, 'x'), {}, std::string(68, 'x') + "…"},
      {std::string(69, 'x'), {}, std::string(69, 'x')},
      {words + words + "here", {{98, 102}}, "…six seven eight nine ten *here*"},
      {words + words,
       {{0, 3}},
       "*one* two three four five six seven eight nine ten one two three fou…"},
      {"網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路",
       {},
       "網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路網路…"},
      {"short", {{3, 90}, {90, 95}}, "sho*rt*"},
  };
  for (const Case& each : cases) {
    wire::SearchResults found = Found();
    found.hits = {{.kind = "input",
                   .package = "module",
                   .address = "acme/vpc/aws",
                   .version = "1.0.0",
                   .name = "x",
                   .field = "text",
                   .snippet = each.snippet,
                   .marks = each.marks}};
    std::ostringstream out;
    std::ostringstream err;
    const Shell shell{
        .variables = {{"NO_COLOR", "1"}}, .out = out, .err = err, .out_is_terminal = true};
    Output output(shell, false);
    PrintSearchResults(found, "x", output);
    const std::string text = out.str();
    const std::size_t begin = text.find('\n') + 1;
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    EXPECT_EQ(line, "           " + each.line);
  }
}

// Programs and files get names as they are, and texts whole.
TEST(SearchCommandsTest, WhatIsPipedIsPlainAndWhole) {
  wire::SearchResults found = Found();
  const std::string text(300, 'x');
  found.hits = {{.kind = "module",
                 .package = "module",
                 .address = "acme/backup/aws",
                 .version = "1.0.0",
                 .name = "backup",
                 .field = "text",
                 .snippet = text + " backup",
                 .marks = {{301, 307}}},
                {.kind = "input",
                 .package = "module",
                 .address = "acme/backup/aws",
                 .version = "1.0.0",
                 .name = "backup_plan",
                 .field = "name",
                 .snippet = "backup_plan",
                 .marks = {{0, 6}}}};
  ScriptedServer server(SearchAnswer(200, EncodeSearchResults(found)));
  const ProgramRun run = RunSearch(server, {"search", "backup"});
  EXPECT_TRUE(run.out.starts_with("module     acme/backup/aws 1.0.0\n           " + text +
                                  " backup\ninput      backup_plan  acme/backup/aws 1.0.0\n"))
      << run.out;
}

TEST(SearchCommandsTest, MarksInColoursWhereThereAreSome) {
  std::ostringstream out;
  std::ostringstream err;
  const Shell shell{.variables = {}, .out = out, .err = err, .out_is_terminal = true};
  Output output(shell, false);
  PrintSearchResults(Found(), "vpc", output);
  EXPECT_TRUE(out.str().contains("acme/\x1b[33mvpc\x1b[0m/aws 1.2.0")) << out.str();
}

// ---- koya reindex

TEST(SearchCommandsTest, ReindexesStepByStep) {
  std::vector<std::string> steps = {"modules/acme/vpc/aws@1.0.0", "providers/acme/demo", ""};
  std::size_t asked = 0;
  ScriptedServer server([&](const ScriptedRequest&) {
    const std::string next = steps[std::min(asked++, steps.size() - 1)];
    return ScriptedAnswer::Json(
        200, wire::Encode<wire::ReindexReport>({.next = next, .indexed = 10, .removed = 1}));
  });
  ProgramRun run = RunSearch(server, {"reindex"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "Indexed 30; removed 3; names only 0\n");
  EXPECT_TRUE(run.err.contains("--after 'modules/acme/vpc/aws@1.0.0'")) << run.err;
  ASSERT_EQ(server.requests().size(), 3u);
  EXPECT_EQ(server.requests()[0].target, "/api/v1/reindex");
  EXPECT_EQ(server.requests()[0].body, R"({"after":""})");
  EXPECT_EQ(server.requests()[2].body, R"({"after":"providers/acme/demo"})");
  asked = 2;
  run = RunSearch(server, {"reindex", "--json", "--after", "providers/acme/demo"});
  EXPECT_EQ(run.out, "{\"next\":null,\"indexed\":10,\"removed\":1,\"problems\":[]}\n");
}

// ---- koya inspect --all

TEST(SearchCommandsTest, InspectsAllStepByStep) {
  std::size_t asked = 0;
  ScriptedServer server([&](const ScriptedRequest&) {
    const bool first = asked++ % 2 == 0;
    wire::ReadingReport report{
        .next = first ? "published/7" : "", .read = 5, .left = first ? 6U : 1U, .problems = {}};
    if (first) report.problems = {{"a/b/c", "1.0.0", "no gzip"}};
    return ScriptedAnswer::Json(200, wire::Encode(report));
  });
  ProgramRun run = RunSearch(server, {"inspect", "--all"});
  EXPECT_EQ(run.status, 1) << "something could not be read";
  EXPECT_EQ(run.out, "Analyzed 10; could not be read 1\n");
  EXPECT_TRUE(run.err.contains("a/b/c 1.0.0: cannot be read: no gzip")) << run.err;
  EXPECT_TRUE(run.err.contains("5 of 11 analyzed")) << run.err;
  EXPECT_TRUE(run.err.contains("10 of 11 analyzed")) << run.err;
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[0].target, "/api/v1/inspect");
  EXPECT_EQ(server.requests()[0].body, R"({"after":""})");
  EXPECT_EQ(server.requests()[1].body, R"({"after":"published/7"})");
  run = RunSearch(server, {"inspect", "--all", "--json"});
  EXPECT_EQ(run.out,
            "{\"next\":null,\"read\":10,\"left\":1,\"problems\":[{\"address\":\"a/b/c\","
            "\"version\":\"1.0.0\",\"problem\":\"no gzip\"}]}\n");
  ++asked;
  run = RunSearch(server, {"inspect", "--all"});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(SearchCommandsTest, InspectTakesAPathOrAll) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer::Json(500, "{}"); });
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"inspect"},
                                             {"inspect", ".", "--all"},
                                             {"inspect", "--all", "--module-version", "1.0.0"}}) {
    ProgramRun run = RunSearch(server, arguments);
    EXPECT_EQ(run.status, 2) << run.err;
  }
  EXPECT_EQ(server.requests().size(), 0u);
}

TEST(SearchCommandsTest, ReindexSaysWhatCannotBeReadAndHowToGoOn) {
  std::size_t asked = 0;
  ScriptedServer server([&](const ScriptedRequest&) {
    if (++asked == 2) {
      return ScriptedAnswer::Json(503, R"({"errors":["the catalog does not answer"]})");
    }
    return ScriptedAnswer::Json(
        200,
        wire::Encode<wire::ReindexReport>(
            {.next = "modules/a/b/c", .indexed = 1, .problems = {{"a/b/c", "1.0.0", "no gzip"}}}));
  });
  ProgramRun run = RunSearch(server, {"reindex"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.err.contains("a/b/c 1.0.0: found by its name only: no gzip")) << run.err;
  EXPECT_TRUE(run.err.contains("resume from here with --after 'modules/a/b/c'")) << run.err;
}

}  // namespace
}  // namespace koya::cli
