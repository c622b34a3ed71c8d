// koya audit: on a scripted server, and on a stopped server's data.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/temp_folder_fake.h"
#include "cli/run_program_fake.h"
#include "cli/text/output.h"
#include "http/scripted_server_fake.h"
#include "wire/audit.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

ProgramRun AskAuditServer(const ScriptedServer& server, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "audit");
  return RunKoya(std::move(arguments), {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}});
}

wire::AuditEntry EntryOf(std::uint64_t id) {
  return {.id = id,
          .time = "2026-11-21T16:41:10Z",
          .kind = "change",
          .actor = "user:ada",
          .address = "192.0.2.1",
          .action = "token.revoke",
          .target = "token:ci" + std::to_string(id)};
}

// Entries 3, 2 and 1, one a page; request targets are added to `asked`.
ScriptedAnswer OnePageEach(const ScriptedRequest& request, std::vector<std::string>& asked) {
  asked.push_back(request.target);
  wire::AuditPage page{.entries = {EntryOf(3)}, .next = "3"};
  if (request.target.ends_with("below=3")) page = {{EntryOf(2)}, "2"};
  if (request.target.ends_with("below=2")) page = {{EntryOf(1)}, ""};
  return ScriptedAnswer::Json(200, wire::Encode(page));
}

TEST(AuditCommandsTest, ListPageByPage) {
  std::vector<std::string> asked;
  ScriptedServer server(
      [&](const ScriptedRequest& request) { return OnePageEach(request, asked); });
  ProgramRun run = AskAuditServer(server, {"list"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.out.contains("TIME"));
  EXPECT_TRUE(run.out.contains("user:ada"));
  EXPECT_LT(run.out.find("token:ci3"), run.out.find("token:ci1"));
  EXPECT_EQ(asked,
            (std::vector<std::string>{"/api/v1/audit?limit=50", "/api/v1/audit?limit=49&below=3",
                                      "/api/v1/audit?limit=48&below=2"}));
  run = AskAuditServer(server, {"list", "--limit", "2", "--json"});
  auto page = wire::Decode<wire::AuditPage>(run.out);
  ASSERT_TRUE(page) << run.out << run.err;
  EXPECT_EQ(page->entries, (std::vector<wire::AuditEntry>{EntryOf(3), EntryOf(2)}));
  run = AskAuditServer(server, {"list", "--jsonl"});
  EXPECT_EQ(run.out, wire::Encode(EntryOf(3)) + "\n" + wire::Encode(EntryOf(2)) + "\n" +
                         wire::Encode(EntryOf(1)) + "\n");
}

// In a pipe everything whole; at a terminal what fits its width.
TEST(AuditCommandsTest, TablesFitTheTerminal) {
  wire::AuditEntry entry = EntryOf(3);
  entry.sentence = "Granted publisher in edge to user:chiyo: " + std::string(200, 'x');
  ScriptedServer server([&](const ScriptedRequest&) {
    return ScriptedAnswer::Json(200, wire::Encode<wire::AuditPage>({.entries = {entry}}));
  });
  const Variables variables{
      {"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}, {"NO_COLOR", "1"}};
  for (const std::size_t columns : {80U, 120U}) {
    const ProgramRun run = RunKoya({"audit", "list"}, variables, "", columns);
    EXPECT_TRUE(run.out.contains("Granted publisher in edge")) << run.out;
    EXPECT_TRUE(run.out.contains("x…\n")) << run.out;
    EXPECT_FALSE(run.out.contains("16:41:10")) << run.out;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(Columns(line), columns) << line;
  }
  for (const ProgramRun& run : {RunKoya({"audit", "list"}, variables),
                                RunKoya({"audit", "list", "-o", "wide"}, variables, "", 80)}) {
    EXPECT_TRUE(run.out.contains(entry.sentence + "\n")) << run.out;
    EXPECT_TRUE(run.out.contains("2026-11-21T16:41:10Z  user:ada  192.0.2.1  token.revoke"))
        << run.out;
  }
  const ProgramRun json = RunKoya({"audit", "list", "-o", "json"}, variables, "", 80);
  EXPECT_TRUE(wire::Decode<wire::AuditPage>(json.out)) << json.out;
}

TEST(OutputTest, TimesAreRelative) {
  const UnixSeconds now = *ParseRfc3339("2026-11-21T16:41:10Z");
  const std::pair<const char*, const char*> kCases[] = {
      {"2026-11-21T16:41:10Z", "0 seconds ago"},
      {"2026-11-21T16:40:09Z", "61 seconds ago"},
      {"2026-11-21T16:38:10Z", "3 minutes ago"},
      {"2026-11-20T16:41:10Z", "24 hours ago"},
      {"2026-11-18T16:41:10Z", "3 days ago"},
      {"2026-12-03T16:41:10Z", "in 12 days"},
      {"2026-01-03T16:41:10Z", "2026-01-03"},
      {"2028-01-03T16:41:10Z", "2028-01-03"},
      {"2026-11-21", "2026-11-21"},
      {"never", "never"},
      {"", ""},
  };
  for (const auto& [time, text] : kCases) EXPECT_EQ(RelativeTime(time, now), text);
}

TEST(AuditCommandsTest, ListSendsItsFilters) {
  std::string asked;
  ScriptedServer server([&](const ScriptedRequest& request) {
    asked = request.target;
    return ScriptedAnswer::Json(200, wire::Encode<wire::AuditPage>({}));
  });
  ProgramRun run =
      AskAuditServer(server, {"list", "--actor", "user:a b", "--action", "token", "--target",
                              "module:acme/", "--namespace", "acme", "--address", "::1", "--kind",
                              "denied", "--since", "24h", "--until", "2026-11-21"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(run.err.contains("no entries")) << run.err;
  EXPECT_EQ(asked,
            "/api/v1/audit?limit=50&actor=user%3Aa%20b&action=token&target=module%3Aacme%2F"
            "&namespace=acme&address=%3A%3A1&kind=denied&since=24h&until=2026-11-21");
}

TEST(AuditCommandsTest, VerifySaysWhatItFound) {
  wire::AuditReport report{.whole = true,
                           .checked = 7,
                           .anchor = {2, std::string(64, 'a')},
                           .head = {9, std::string(64, 'b')},
                           .damage = {}};
  std::string asked;
  ScriptedServer server([&](const ScriptedRequest& request) {
    asked = request.target;
    return ScriptedAnswer::Json(200, wire::Encode(report));
  });
  ProgramRun run = AskAuditServer(server, {"verify", "--expect", "5:ab"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(asked, "/api/v1/audit/verify?expect=5%3Aab");
  EXPECT_TRUE(run.out.contains("intact: 7 entries")) << run.out;
  EXPECT_TRUE(run.out.contains("9:" + std::string(64, 'b'))) << run.out;
  EXPECT_TRUE(run.out.contains("up to 2")) << run.out;
  report.whole = false;
  report.damage = {4, "entry 4 is missing"};
  run = AskAuditServer(server, {"verify"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(run.err.contains("entry 4 is missing")) << run.err;
  run = AskAuditServer(server, {"verify", "--json"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(wire::Decode<wire::AuditReport>(run.out), report);
}

TEST(AuditCommandsTest, SayWhatTheServerRefused) {
  ScriptedServer server([](const ScriptedRequest&) {
    return ScriptedAnswer::Json(403, PlainErrors("an administrator is needed"));
  });
  for (std::vector<std::string> arguments :
       {std::vector<std::string>{"list"}, {"list", "--jsonl"}, {"verify"}}) {
    ProgramRun run = AskAuditServer(server, arguments);
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(run.err.contains("an administrator is needed")) << run.err;
  }
}

TEST(AuditCommandsTest, WrongLinesEndWithStatusTwo) {
  const std::vector<std::vector<std::string>> kLines = {
      {"audit"},
      {"audit", "lst"},
      {"audit", "list", "x"},
      {"audit", "list", "--kind", "other"},
      {"audit", "list", "--limit", "0"},
      {"audit", "list", "-o", "narrow"},
      {"audit", "list", "--limit", "many"},
      {"audit", "list", "--json", "--jsonl"},
      {"audit", "list", "--expect", "1:a"},
      {"audit", "verify", "x"},
      {"audit", "verify", "--expect"},
      {"audit", "verify", "--data", "x", "--server", "https://a.test"},
  };
  for (const std::vector<std::string>& line : kLines) {
    ProgramRun run = RunKoya(line, {{"KOYA_URL", "http://127.0.0.1:1"}});
    EXPECT_EQ(run.status, 2) << testing::PrintToString(line) << run.err;
    const bool json = std::ranges::find(line, "--json") != line.end();
    EXPECT_EQ(run.out.starts_with("{\"errors\":[\""), json) << run.out;
    EXPECT_EQ(run.out.empty(), !json) << run.out;
    EXPECT_TRUE(run.err.contains("--help")) << run.err;
  }
}

TEST(AuditCommandsTest, WorkOnAStoppedServersData) {
  TempFolder folder;
  const std::string data = (folder / "data").string();
  ASSERT_EQ(RunKoya({"token", "create", "ci", "--scope", "admin", "--data", data}, {}).status, 0);
  ProgramRun run = RunKoya({"audit", "list", "--data", data, "--json"}, {});
  EXPECT_EQ(run.status, 0) << run.err;
  auto page = wire::Decode<wire::AuditPage>(run.out);
  ASSERT_TRUE(page) << run.out;
  ASSERT_EQ(page->entries.size(), 1U);
  EXPECT_EQ(page->entries[0].actor, "koya");
  EXPECT_EQ(page->entries[0].action, "token.create");
  EXPECT_EQ(page->entries[0].target, "token:ci");
  EXPECT_FALSE(run.out.contains("koya_")) << "no token is in it";
  run = RunKoya({"audit", "verify", "--data", data, "--json"}, {});
  EXPECT_EQ(run.status, 0) << run.err;
  auto report = wire::Decode<wire::AuditReport>(run.out);
  ASSERT_TRUE(report) << run.out;
  EXPECT_TRUE(report->whole);
}

}  // namespace
}  // namespace koya::cli
