// Commands that call a server, against a scripted one.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <atomic>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/run_program_fake.h"
#include "cli/text/upload_progress.h"
#include "cli/text/usage_block.h"
#include "domain/module_address.h"
#include "http/scripted_server_fake.h"
#include "wire/modules.h"
#include "wire/tokens.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

class RegistryCommandsTest : public testing::Test {
 protected:
  std::string Write(const std::filesystem::path& name, std::string_view content) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }

  static ProgramRun Call(const ScriptedServer& server, std::vector<std::string> arguments) {
    return RunKoya(std::move(arguments),
                   {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}});
  }

  static ScriptedServer::Respond Always(ScriptedAnswer answer) {
    return [answer](const ScriptedRequest&) { return answer; };
  }

  TempFolder folder_;
};

const wire::PublishedModule& Published() {
  static const auto* published = new wire::PublishedModule{
      .address = "acme/vpc/aws",
      .version = "1.2.0",
      .digest = "sha256:" + std::string(64, 'a'),
      .size = 5,
      .location = "https://registry.example.com/v1/x.tar.gz",
  };
  return *published;
}

TEST_F(RegistryCommandsTest, PublishStatesTheRepository) {
  const std::string archive = Write("vpc.zip", "bytes");
  struct Case {
    const char* url;
    const char* query;
  };
  for (const Case& each :
       {Case{"git@github.com:acme/network.git//modules/vpc",
             "?source_url=https%3A%2F%2Fgithub.com%2Facme%2Fnetwork%2F%2Fmodules%2Fvpc"},
        Case{"https://me:secret@github.com/acme/vpc",
             "?source_url=https%3A%2F%2Fgithub.com%2Facme%2Fvpc"}}) {
    ScriptedServer server(Always(ScriptedAnswer::Json(201, wire::Encode(Published()))));
    ProgramRun run = Call(
        server, {"publish", "module", archive, "acme/vpc/aws", "1.2.0", "--source-url", each.url});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(server.requests().at(0).target,
              std::string("/api/v1/modules/acme/vpc/aws/1.2.0") + each.query);
  }
  for (const char* url : {"http://me:secret@github.com/acme/vpc", "acme/vpc",
                          "https://github.com/a?b", "https://github.com/acme/vpc//../x"}) {
    ScriptedServer server(Always(ScriptedAnswer::Json(201, wire::Encode(Published()))));
    ProgramRun run =
        Call(server, {"publish", "module", archive, "acme/vpc/aws", "1.2.0", "--source-url", url});
    EXPECT_EQ(run.status, 1) << url;
    EXPECT_NE(run.err.find("--source-url: the source URL"), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("secret"), std::string::npos) << run.err;
    EXPECT_TRUE(server.requests().empty()) << "refused before anything is sent";
  }
}

TEST_F(RegistryCommandsTest, PublishesAnArchive) {
  ScriptedServer server(Always(ScriptedAnswer::Json(201, wire::Encode(Published()))));
  std::string archive = Write("vpc.zip", "bytes");
  ProgramRun run = Call(server, {"publish", "module", archive, "acme/vpc/aws", "1.2.0"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("Published acme/vpc/aws 1.2.0"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(Published().digest), std::string::npos);
  EXPECT_NE(run.out.find("module \"vpc\" {\n  source  = \"registry.example.com/acme/vpc/aws\"\n  "
                         "version = \"1.2.0\"\n}"),
            std::string::npos)
      << run.out;
  ScriptedRequest seen = server.requests().at(0);
  EXPECT_EQ(seen.method, "PUT");
  EXPECT_EQ(seen.target, "/api/v1/modules/acme/vpc/aws/1.2.0");
  EXPECT_EQ(seen.fields["content-type"], "application/zip");
  EXPECT_EQ(seen.fields["authorization"], "Bearer koya_secret");
  EXPECT_EQ(seen.fields["expect"], "100-continue");
  EXPECT_EQ(seen.body, "bytes");
}

TEST_F(RegistryCommandsTest, ComparesItsVersionWithTheServers) {
  struct Row {
    std::string version;
    std::string note;
  };
  const std::string own = RunKoya({"version"}).out.substr(5, RunKoya({"version"}).out.size() - 6);
  for (const Row& row : {Row{own, ""}, Row{"99.0.0", "more than a minor"}, Row{"dev", "minor"}}) {
    ScriptedServer server(Always(ScriptedAnswer::Json(
        200, fmt::format(R"({{"version":"{}","platforms":[]}})", row.version))));
    ProgramRun run = Call(server, {"version", "--server"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, fmt::format("koya {}\n{} runs koya {}\n", own, server.url(), row.version));
    EXPECT_TRUE(row.note.empty() ? run.err.empty() : run.err.contains(row.note)) << run.err;
    EXPECT_EQ(server.requests().at(0).target, "/-/cli/");
    run = Call(server, {"version", "--server", server.url(), "--json"});
    EXPECT_EQ(run.out,
              fmt::format("{{\"version\":\"{}\",\"server_version\":\"{}\"}}\n", own, row.version));
  }
  ScriptedServer older(Always(ScriptedAnswer::Json(404, R"({"errors":["not found here"]})")));
  EXPECT_EQ(Call(older, {"version", "--server"}).status, 1);
  EXPECT_EQ(RunKoya({"version", "--server", "not a url"}).status, 1);
}

TEST_F(RegistryCommandsTest, PublishesAFolderWithJson) {
  ScriptedServer server(Always(ScriptedAnswer::Json(200, wire::Encode(Published()))));
  Write("vpc/main.tf", "# nothing\n");
  Write("vpc/.git/HEAD", "junk");
  ProgramRun run = Call(server, {"publish", "module", (folder_ / "vpc").string(), "acme/vpc/aws",
                                 "1.2.0+b1", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, wire::Encode(Published()) + "\n");
  ScriptedRequest seen = server.requests().at(0);
  EXPECT_EQ(seen.target, "/api/v1/modules/acme/vpc/aws/1.2.0%2Bb1");
  EXPECT_EQ(seen.fields["content-type"], "application/gzip");
  EXPECT_EQ(seen.body.substr(0, 2), "\x1f\x8b");
}

TEST_F(RegistryCommandsTest, PublishesOnceMoreWhenTheServerDoesNotKnowWhetherItWasStored) {
  std::atomic<int> asked = 0;
  ScriptedServer server([&asked](const ScriptedRequest&) {
    if (++asked > 1) return ScriptedAnswer::Json(200, wire::Encode(Published()));
    ScriptedAnswer doubt = ScriptedAnswer::Json(503, PlainErrors("it may have been stored"));
    doubt.fields.emplace_back("Retry-After", "1");
    return doubt;
  });
  ProgramRun run =
      Call(server, {"publish", "module", Write("a.zip", "bytes"), "acme/vpc/aws", "1.2.0"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.err.starts_with("koya: it may have been stored")) << run.err;
  EXPECT_NE(run.err.find("koya: retrying in 1 s\n"), std::string::npos) << run.err;
  EXPECT_TRUE(run.out.starts_with(
      "Published acme/vpc/aws 1.2.0 (it was stored before the second attempt)\n"))
      << run.out;
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.requests()[1].body, "bytes");
}

TEST_F(RegistryCommandsTest, DoesNotPublishAgainWhereNothingSaysThatThisWouldHelp) {
  ScriptedServer server(Always(ScriptedAnswer::Json(502, PlainErrors("no server"))));
  ProgramRun run =
      Call(server, {"publish", "module", Write("a.zip", "bytes"), "acme/vpc/aws", "1.2.0"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err.find("retrying in"), std::string::npos) << run.err;
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(RegistryCommandsTest, SaysThatTheVersionWasThereAlready) {
  ScriptedServer server(Always(ScriptedAnswer::Json(200, wire::Encode(Published()))));
  ProgramRun run =
      Call(server, {"publish", "module", Write("a.tgz", "x"), "acme/vpc/aws", "1.2.0"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("Already published"), std::string::npos) << run.out;
}

struct CommandRefusal {
  std::string_view path;
  std::string_view words;
};

TEST_F(RegistryCommandsTest, RefusesPathsThatHoldNoModule) {
  ScriptedServer server(Always(ScriptedAnswer::Json(201, wire::Encode(Published()))));
  Write("empty.zip", "");
  Write("notes.txt", "x");
  Write("plain.tar", "x");
  std::filesystem::create_directories(folder_ / "hollow");
  const std::vector<CommandRefusal> kRefusals = {{"nowhere", "does not exist"},
                                                 {"empty.zip", "is empty"},
                                                 {"notes.txt", ".tar.gz, .tgz or .zip"},
                                                 {"plain.tar", ".tar.gz, .tgz or .zip"},
                                                 {"hollow", ".tf"}};
  for (const CommandRefusal& each : kRefusals) {
    std::string path = (folder_ / each.path).string();
    ProgramRun run = Call(server, {"publish", "module", path, "acme/vpc/aws", "1.2.0"});
    EXPECT_EQ(run.status, 1) << each.path;
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(each.words), std::string::npos) << run.err;
    EXPECT_NE(run.err.find(each.path), std::string::npos) << run.err;
  }
  EXPECT_TRUE(server.requests().empty());
}

struct Refusal {
  ScriptedAnswer answer;
  std::vector<std::string_view> words;
};

TEST_F(RegistryCommandsTest, SaysWhatTheServerRefused) {
  const std::vector<Refusal> kRefusals = {
      {ScriptedAnswer::Json(409, PlainErrors("1.2.0 exists; use a higher version")),
       {"1.2.0 exists; use a higher version"}},
      {ScriptedAnswer::Json(422, R"({"errors":["one is wrong","two is wrong"]})"),
       {"one is wrong; two is wrong"}},
      {{401, {}, "", {}}, {"token"}},
      {{404, {{"Content-Type", "text/html"}}, "<html>", {}}, {"is this a Koya server?"}},
      {{413, {}, "", {}}, {"rejects a body this large"}},
      {{500, {{"X-Request-Id", "r-77"}}, "", {}}, {"r-77", "log"}},
      {{502, {}, "oops", {}}, {"a proxy"}},
      {{301, {{"Location", "https://new.test/x?y"}}, "", {}}, {"https://new.test", "--server"}},
      {ScriptedAnswer::Json(201, "not json"), {"JSON"}},
      {{0, {}, "", "HTTP/1.1 "}, {"closed the connection"}},
  };
  std::string archive = Write("vpc.zip", "bytes");
  for (const Refusal& each : kRefusals) {
    ScriptedServer server(Always(each.answer));
    ProgramRun run = Call(server, {"publish", "module", archive, "acme/vpc/aws", "1.2.0"});
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.out, "");
    for (std::string_view words : each.words) {
      EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
    }
    EXPECT_EQ(run.err.find("secret"), std::string::npos) << run.err;
  }
}

// Programs act on a code and a status; sentences are for people.
TEST_F(RegistryCommandsTest, ErrorsAsJsonHaveCodeAndStatus) {
  struct Case {
    ScriptedAnswer answer;
    std::string_view end;  // of the document
  };
  const std::vector<Case> kCases = {
      {ScriptedAnswer::Json(400, PlainErrors("no")), R"("code":"invalid","status":400})"},
      {ScriptedAnswer::Json(401, PlainErrors("no")), R"("code":"unauthenticated","status":401})"},
      {ScriptedAnswer::Json(403, PlainErrors("no")), R"("code":"forbidden","status":403})"},
      {ScriptedAnswer::Json(404, PlainErrors("no")), R"("code":"not_found","status":404})"},
      {ScriptedAnswer::Json(409, PlainErrors("no")), R"("code":"conflict","status":409})"},
      {ScriptedAnswer::Json(410, PlainErrors("no")), R"("code":"gone","status":410})"},
      {ScriptedAnswer::Json(413, PlainErrors("no")), R"("code":"too_large","status":413})"},
      {ScriptedAnswer::Json(422, PlainErrors("no")), R"("code":"refused","status":422})"},
      {ScriptedAnswer::Json(500, PlainErrors("no")), R"("code":"internal","status":500})"},
      // The server's own word goes before what its status says.
      {ScriptedAnswer::Json(500, R"({"errors":["no"],"code":"corrupt","status":500})"),
       R"("code":"corrupt","status":500})"},
      {ScriptedAnswer::Json(502, R"({"errors":["no"],"code":"bad_upstream","status":502})"),
       R"("code":"bad_upstream","status":502})"},
      {ScriptedAnswer::Json(404, R"({"errors":["no"],"code":"of another server"})"),
       R"("code":"not_found","status":404})"},
      {{502, {}, "oops", {}}, R"("code":"unavailable","status":502})"},
      {{301, {{"Location", "https://new.test/x"}}, "", {}}, R"("code":"invalid","status":301})"},
      {{0, {}, "", "HTTP/1.1 "}, R"("code":"unavailable","status":null})"},
  };
  for (const Case& each : kCases) {
    ScriptedServer server(Always(each.answer));
    ProgramRun run = Call(server, {"show", "module", "acme/vpc/aws", "1.2.0", "--json"});
    EXPECT_EQ(run.status, 1) << each.end;
    EXPECT_TRUE(run.out.starts_with(R"({"errors":[")")) << run.out;
    EXPECT_TRUE(run.out.ends_with(std::string(each.end) + "\n")) << run.out;
  }
  ProgramRun usage = RunKoya({"show", "module", "acme/vpc/aws", "--jsn", "--json"});
  EXPECT_EQ(usage.status, 2);
  EXPECT_EQ(usage.out, R"({"errors":["unknown flag \"--jsn\"; did you mean \"--json\"?"],)"
                       R"("code":"invalid","status":null})"
                       "\n");
}

TEST_F(RegistryCommandsTest, SaysHowToGiveATokenWhenNoneWasSent) {
  ScriptedServer server(Always(ScriptedAnswer::Json(401, PlainErrors("a token is needed"))));
  ProgramRun run = RunKoya({"token", "list"}, {{"KOYA_URL", server.url()}});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("KOYA_TOKEN"), std::string::npos) << run.err;
  EXPECT_FALSE(server.requests().at(0).fields.contains("authorization"));
}

wire::ModuleDetails Module(std::string name, std::string version) {
  return {.ns = "acme",
          .name = std::move(name),
          .system = "aws",
          .version = std::move(version),
          .owner = "",
          .description = "",
          .source = "registry.example.com/acme/vpc/aws",
          .published_at = "2026-11-21T16:41:10Z",
          .versions = {}};
}

ScriptedAnswer TwoPages(const ScriptedRequest& request) {
  wire::ModuleList page;
  bool first = request.target.ends_with("offset=0");
  page.modules = {first ? Module("vpc", "1.2.0") : Module("dns", "2.0.0")};
  page.modules.front().visibility = "internal";
  page.modules.front().deprecated = !first;
  if (first) page.next_offset = 100;
  return ScriptedAnswer::Json(200, EncodeModuleList(page));
}

TEST_F(RegistryCommandsTest, VerboseShowsEachExchange) {
  ScriptedServer server([](const ScriptedRequest& request) {
    if (request.target.contains("offset=0")) return TwoPages(request);
    return ScriptedAnswer::Json(503, PlainErrors("try again later"));
  });
  ProgramRun run = Call(server, {"list", "modules"});
  EXPECT_EQ(run.status, 1);
  EXPECT_FALSE(run.err.contains("/v1/modules")) << run.err;
  run = Call(server, {"list", "modules", "--verbose"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.err.starts_with("koya: GET " + server.url() +
                                  "/v1/modules?limit=100&offset=0 answered 200\nkoya: GET " +
                                  server.url() + "/v1/modules?limit=100&offset=100 answered 503\n"))
      << run.err;
  EXPECT_FALSE(run.err.contains("koya_")) << "never the token";
  EXPECT_EQ(run.out, "");
}

// For completion scripts, which call it at each press of a key.
TEST_F(RegistryCommandsTest, WordsOfTheServerAreCached) {
  ScriptedServer server(TwoPages);
  const TempFolder cache;
  const Variables variables{{"KOYA_URL", server.url()}, {"XDG_CACHE_HOME", cache.path().string()}};
  for (int i = 0; i < 3; ++i) {
    const ProgramRun run = RunKoya({"complete-words", "show", "module", "acme/v"}, variables);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, "acme/vpc/aws\nacme/dns/aws\n");
  }
  EXPECT_EQ(server.requests().size(), 2U) << "its two pages, once";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"complete-words"},
           {"complete-words", "show"},
           {"complete-words", "show", "module", "--js"},
           {"complete-words", "show", "module", "x", "1"},
           {"complete-words", "show", "module", "--server", "https://127.0.0.1:1", "a/"},
           {"complete-words", "nonsense", "", "'"}}) {
    const ProgramRun run = RunKoya(words, variables);
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.out + run.err, "");
  }
}

TEST_F(RegistryCommandsTest, OpenPrintsThePageWithoutABrowser) {
  const std::pair<std::vector<std::string>, std::string> kCases[] = {
      {{"acme/vpc/aws"}, "/modules/acme/vpc/aws"},
      {{"acme/vpc/aws", "1.0.0+b.1"}, "/modules/acme/vpc/aws/1.0.0%2Bb.1"},
      {{"acme/demo", "1.0.0"}, "/providers/acme/demo/1.0.0"},
      {{"acme", "--print"}, "/namespaces/acme"},
  };
  for (const auto& [words, path] : kCases) {
    std::vector<std::string> line{"open"};
    line.insert(line.end(), words.begin(), words.end());
    const ProgramRun run = RunKoya(line, {{"KOYA_URL", "https://koya.test"}});
    EXPECT_EQ(run.out, "https://koya.test" + path + "\n") << run.err;
  }
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"acme", "1.0.0"},
                                             {"a/b/c/d"},
                                             {"ac me"},
                                             {"acme/../aws"},
                                             {"acme/vpc/aws", "latest"}}) {
    std::vector<std::string> line{"open"};
    line.insert(line.end(), words.begin(), words.end());
    const ProgramRun run = RunKoya(line, {{"KOYA_URL", "https://koya.test"}});
    EXPECT_NE(run.status, 0) << words.front();
    EXPECT_EQ(run.out, "");
  }
}

TEST_F(RegistryCommandsTest, ListsAllPages) {
  ScriptedServer server(TwoPages);
  ProgramRun run = Call(server, {"list", "modules"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "MODULE        LATEST  VISIBILITY  STATE       PUBLISHED             DESCRIPTION\n"
            "acme/vpc/aws  1.2.0   internal                2026-11-21T16:41:10Z\n"
            "acme/dns/aws  2.0.0   internal    deprecated  2026-11-21T16:41:10Z\n");
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[1].target, "/v1/modules?limit=100&offset=100");
  run = Call(server, {"list", "modules", "--json", "--namespace", "acme"});
  auto list = wire::DecodeModuleList(run.out);
  ASSERT_TRUE(list) << run.out;
  EXPECT_EQ(list->modules.size(), 2u);
  EXPECT_EQ(server.requests()[2].target, "/v1/modules/acme?limit=100&offset=0");
}

TEST_F(RegistryCommandsTest, EndsWhenPagesGoInCircles) {
  ScriptedServer server([](const ScriptedRequest&) {
    wire::ModuleList page;
    page.modules = {Module("vpc", "1.2.0")};
    page.next_offset = 0;
    return ScriptedAnswer::Json(200, EncodeModuleList(page));
  });
  EXPECT_EQ(Call(server, {"list", "modules"}).status, 0);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(RegistryCommandsTest, ShowsAModule) {
  wire::ModuleDetails module = Module("vpc", "1.2.0");
  module.versions = {"1.2.0", "1.1.0"};
  module.downloads = 41;
  ScriptedServer server(Always(ScriptedAnswer::Json(200, EncodeModuleDetails(module))));
  ProgramRun run = Call(server, {"show", "module", "acme/vpc/aws"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("1.2.0, 1.1.0"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("  fetched      41 times\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("\"registry.example.com/acme/vpc/aws\""), std::string::npos) << run.out;
  run = Call(server, {"show", "module", "acme/vpc/aws", "v1.2.0", "--json"});
  EXPECT_EQ(run.out, EncodeModuleDetails(module) + "\n");
  EXPECT_EQ(server.requests()[0].target, "/v1/modules/acme/vpc/aws");
  EXPECT_EQ(server.requests()[1].target, "/api/v1/modules/acme/vpc/aws/1.2.0");
  ASSERT_EQ(server.requests().size(), 3U) << "as a document nothing more is asked for";
  EXPECT_EQ(server.requests()[2].target, "/v1/modules/acme/vpc/aws/1.2.0");
}

TEST_F(RegistryCommandsTest, Withdraws) {
  ScriptedServer server(Always({204, {}, "", {}}));
  ProgramRun run = Call(server, {"withdraw", "acme/vpc/aws", "1.2.0", "--reason", "leaks \"a\" key",
                                 "--successor", "1.2.1", "--yes"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(server.requests().at(0).target, "/api/v1/usage/impact/acme/vpc/aws/1.2.0");
  ScriptedRequest seen = server.requests().at(1);
  EXPECT_EQ(seen.method, "DELETE");
  EXPECT_EQ(seen.target, "/api/v1/modules/acme/vpc/aws/1.2.0");
  EXPECT_EQ(seen.body,
            wire::Encode<wire::Withdrawal>({.reason = "leaks \"a\" key", .successor = "1.2.1"}));
}

TEST_F(RegistryCommandsTest, RestoresWhatWasWithdrawn) {
  ScriptedServer server(Always({204, {}, "", {}}));
  ProgramRun run = Call(server, {"restore", "acme/vpc/aws", "1.2.0", "--reason", "by mistake"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "Restored acme/vpc/aws 1.2.0\n");
  run = Call(server, {"restore", "acme/demo", "1.2.0", "--reason", "by mistake", "--json"});
  EXPECT_EQ(run.out, "{\"address\":\"acme/demo\",\"version\":\"1.2.0\",\"restored\":true}\n");
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.requests()[0].method, "POST");
  EXPECT_EQ(server.requests()[0].target, "/api/v1/modules/acme/vpc/aws/1.2.0/restore");
  EXPECT_EQ(server.requests()[0].body, wire::Encode(wire::Restore{"by mistake"}));
  EXPECT_EQ(server.requests()[1].target, "/api/v1/providers/acme/demo/1.2.0/restore");
}

TEST_F(RegistryCommandsTest, MakesListsAndRevokesTokens) {
  wire::Token token{.name = "ci",
                    .token = "koya_new",
                    .scope = "publish",
                    .namespaces = {"acme", "team-*"},
                    .expires = "2027-01-01T00:00:00Z",
                    .created = "2026-11-21T16:41:10Z",
                    .last_used = ""};
  ScriptedServer server([&](const ScriptedRequest& request) {
    if (request.method == "POST") return ScriptedAnswer::Json(201, wire::Encode(token));
    if (request.method == "DELETE") return ScriptedAnswer{204, {}, "", {}};
    wire::Token shown = token;
    shown.token.clear();
    shown.last_used = "2026-11-22T10:00:00Z";
    shown.last_used_from = "192.0.2.7";
    return ScriptedAnswer::Json(200, wire::Encode(wire::TokenList{{shown}}));
  });
  std::vector<std::string> create = {"token",   "create",      "ci",   "--scope",
                                     "publish", "--namespace", "acme", "--namespace",
                                     "team-*",  "--expires",   "90d"};
  ProgramRun run = Call(server, create);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "koya_new\n");
  EXPECT_NE(run.err.find("not shown again"), std::string::npos);
  auto sent = wire::Decode<wire::TokenRequest>(server.requests().at(0).body);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->namespaces, (std::vector<std::string>{"acme", "team-*"}));
  EXPECT_EQ(sent->expires, "90d");
  for (const char* life : {"never", "12h"}) {
    create.back() = life;
    EXPECT_EQ(Call(server, create).status, 0) << life;
    EXPECT_EQ(wire::Decode<wire::TokenRequest>(server.requests().back().body)->expires, life);
  }
  create.push_back("--json");
  EXPECT_EQ(Call(server, create).out, wire::Encode(token) + "\n");

  run = Call(server, {"token", "list"});
  EXPECT_NE(run.out.find("acme, team-*"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("2026-11-22T10:00:00Z  192.0.2.7"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("koya_new"), std::string::npos);
  run = Call(server, {"token", "revoke", "ci.main"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(server.requests().back().target, "/api/v1/tokens/ci.main");
}

TEST_F(RegistryCommandsTest, ListsTheTokensOfAFilterAHundredAtOnce) {
  const wire::Token token{.name = "ci",
                          .scope = "read",
                          .account = "build",
                          .account_kind = "service",
                          .account_created_by = "ada"};
  ScriptedServer server([&](const ScriptedRequest& request) {
    const bool first = request.target.ends_with("offset=0");
    const std::vector<wire::Token> part(first ? 100 : 1, token);
    return ScriptedAnswer::Json(200, wire::Encode(wire::TokenList{part}));
  });
  ProgramRun run = Call(server, {"token", "list", "--filter", "unused", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(wire::Decode<wire::TokenList>(run.out)->items.size(), 101U);
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.requests()[0].target, "/api/v1/tokens?filter=unused&limit=100&offset=0");
  EXPECT_EQ(server.requests()[1].target, "/api/v1/tokens?filter=unused&limit=100&offset=100");
  run = Call(server, {"token", "list", "--filter", "ends_soon"});
  EXPECT_TRUE(run.out.contains("service build (created by ada)")) << run.out;
  for (const char* wrong : {"old", "", "UNUSED"}) {
    EXPECT_EQ(Call(server, {"token", "list", "--filter", wrong}).status, 2) << wrong;
  }
}

TEST(ModuleBlockTest, WritesLabelsThatTheClientsTake) {
  auto address = ModuleAddress::Parse("acme/3tier/aws");
  EXPECT_TRUE(ModuleBlock("h.test", *address, "1.0.0").starts_with("module \"_3tier\" {"));
  EXPECT_EQ(HostWarning("h.test"), "");
  EXPECT_EQ(HostWarning("127.0.0.1:8443"), "");
  EXPECT_NE(HostWarning("localhost:8443").find("no dot"), std::string::npos);
}

TEST(ProgressBarTest, ShowsHowFarItIs) {
  using std::chrono::milliseconds;
  EXPECT_EQ(ProgressLine(0, 100 << 20, milliseconds(0)), "  0%  0.0 of 100.0 MiB  0.0 MiB/s");
  EXPECT_EQ(ProgressLine(50 << 20, 100 << 20, milliseconds(5000)),
            " 50%  50.0 of 100.0 MiB  10.0 MiB/s");
  EXPECT_NE(ProgressLine(100, 100, milliseconds(1)).find("checking"), std::string::npos);
  EXPECT_NE(ProgressLine(0, 0, milliseconds(1)).find("checking"), std::string::npos);
}

TEST(ProgressBarTest, PrintsLinesInAPipe) {
  std::ostringstream stream;
  ProgressBar bar(stream, 100, false, std::chrono::milliseconds(0));
  bar.Show(10, "vpc.tar.gz");
  bar.Show(100);
  EXPECT_TRUE(stream.str().starts_with("koya:  10%  ")) << stream.str();
  EXPECT_TRUE(stream.str().ends_with("vpc.tar.gz\nkoya: sent; the server is checking it\n"))
      << stream.str();
  std::ostringstream short_one;
  ProgressBar(short_one, 100, false).Show(10);
  EXPECT_EQ(short_one.str(), "");
}

TEST(ProgressBarTest, LeavesNoTraceOfAShortUpload) {
  std::ostringstream stream;
  {
    ProgressBar bar(stream, 100, true);
    bar.Show(50);
  }
  EXPECT_EQ(stream.str(), "");
}

}  // namespace
}  // namespace koya::cli
