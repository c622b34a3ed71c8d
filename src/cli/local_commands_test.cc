// Commands that look at settings, at a registry from outside, or at a stopped server's catalog.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/run_program_fake.h"
#include "http/scripted_server_fake.h"
#include "wire/tokens.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

TEST(ConfigCommandTest, ShowsWhereEachValueComesFrom) {
  ProgramRun run = RunKoya({"config", "show", "--sources", "--limits.archive_ratio", "77"},
                           {{"KOYA_LIMITS_MODULE_BYTES", "8MiB"}});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("KOYA_LIMITS_MODULE_BYTES"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("--limits.archive_ratio"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("77"), std::string::npos) << run.out;
  run = RunKoya({"config", "show", "--json", "--dev", "--listen", "127.0.0.1:1"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.substr(0, 1), "{") << run.out;
}

TEST(ConfigCommandTest, RefusesWhatIsNoSettingAndNamesTheNearest) {
  ProgramRun run = RunKoya({"config", "show"}, {{"KOYA_LIMITS_MODUL_BYTES", "8MiB"}});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("KOYA_LIMITS_MODULE_BYTES"), std::string::npos) << run.err;
  run = RunKoya({"config", "show", "--limits.modul_bytes", "8MiB"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("--limits.module_bytes"), std::string::npos) << run.err;
  run = RunKoya({"config", "show", "--limits.module_bytes", "many"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("--limits.module_bytes"), std::string::npos) << run.err;
  run = RunKoya({"serve", "--config", "/nonexistent/koya.toml"});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("/nonexistent/koya.toml"), std::string::npos) << run.err;
}

TEST(ConfigCommandTest, ChecksAFileAndNamesEveryProblem) {
  TempFolder folder;
  const std::string file = (folder / "koya.toml").string();
  std::ofstream(file) << "[server]\ndev = true\nlisen = \"127.0.0.1:1\"\nurl = \"http://a.test\"\n";
  ProgramRun run = RunKoya({"config", "check", file});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_TRUE(run.out.contains("problem  " + file + ":3: unknown setting server.lisen;"))
      << run.out;
  EXPECT_TRUE(run.out.contains("problem  server.url http://a.test (" + file + ":4) must"))
      << run.out;
  EXPECT_TRUE(run.out.ends_with("2 problems: correct them before you start the server\n"))
      << run.out;
  run = RunKoya({"config", "check", file, "--json"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.out.starts_with(R"({"problems":[{"line":3,"setting":"server.lisen","text":")"))
      << run.out;
  EXPECT_TRUE(run.out.contains("\"warnings\":[]")) << run.out;

  std::ofstream(file) << "[server]\ndev = true\n";
  run = RunKoya({"config", "check", "--config", file});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_EQ(run.out, "No problem: a server can start with these settings\n");
  run = RunKoya({"config", "check", file}, {{"KOYA_LISTEN", "0.0.0.0:8443"}});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_TRUE(run.out.starts_with("warning  ")) << run.out;
  run = RunKoya({"config", "check", (folder / "absent.toml").string()});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.out.contains("cannot read the settings file")) << run.out;
}

TEST(ConfigCommandTest, WritesAFileFromFlagsAndNeverOverOne) {
  TempFolder folder;
  const std::string file = (folder / "koya.toml").string();
  ProgramRun run =
      RunKoya({"config", "init", "--out", file, "--dev", "--limits.archive_ratio", "77"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.out.contains("Start the server: koya serve --config " + file)) << run.out;
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0600));
  run = RunKoya({"config", "show", "--json", "--config", file});
  EXPECT_TRUE(run.out.contains("\"limits.archive_ratio\":\"77\"")) << run.out;
  run = RunKoya({"config", "init", "--out", file, "--dev"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.err.contains("exists, and stays as it is")) << run.err;
  std::filesystem::remove(file);
  run = RunKoya({"config", "init", "--out", file, "--url", "https://koya.test", "--certificate",
                 "c", "--key", "k", "--catalog", "postgresql://db/koya"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.out.contains("Correct it, and then: koya config check " + file)) << run.out;
  run = RunKoya({"config", "init"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(run.out.contains("\n[server]\n# The folder for all")) << run.out;
}

TEST(ConfigCommandTest, AsksOnATerminalUntilAnAnswerIsAllowed) {
  TempFolder folder;
  const std::string file = (folder / "koya.toml").string();
  const auto ask = [&](const std::string& answers) {
    std::ostringstream out;
    std::ostringstream err;
    std::istringstream in(answers);
    Shell shell{.variables = {}, .out = out, .err = err, .in = &in, .show_input = [](bool) {}};
    const int status = RunProgram(shell, {"config", "init", "--out", file});
    return ProgramRun{status, out.str(), err.str()};
  };
  ProgramRun run = ask("koya.test\nhttps://koya.test\n\n\n\n/srv/koya\n\ns3://b/p\n\n\n");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.err.contains("\"koya.test\" is not allowed for server.url: write https://HOST"))
      << run.err;
  run = RunKoya({"config", "show", "--json", "--config", file});
  for (const char* part :
       {R"("server.url":"https://koya.test")", R"("server.insecure_http":"true")",
        R"("server.trusted_proxies":"127.0.0.1")", R"("server.listen":"127.0.0.1:8080")",
        R"("server.data":"/srv/koya")", R"("blobs.url":"s3://b/p")"}) {
    EXPECT_TRUE(run.out.contains(part)) << part << "\n" << run.out;
  }
  std::filesystem::remove(file);
  run = ask("https://koya.test\n");
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.err.contains("the input ended before the last answer")) << run.err;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(DocsCommandTest, PrintsThePages) {
  for (std::string page : {"api", "config", "cli"}) {
    ProgramRun run = RunKoya({"docs", page});
    EXPECT_EQ(run.status, 0) << page;
    EXPECT_NE(("\n" + run.out).find("\n# "), std::string::npos) << page;
  }
  std::string page = RunKoya({"docs", "cli"}).out;
  EXPECT_NE(page.find("## koya publish module\n"), std::string::npos);
  EXPECT_NE(page.find("Usage: koya publish module"), std::string::npos) << page;
  EXPECT_EQ(page.find("koya docs\n"), std::string::npos);
}

TEST(DoctorCommandTest, FailsWhenARegistryFails) {
  ScriptedServer server([](const ScriptedRequest&) {
    return ScriptedAnswer::Json(404, R"({"errors":["Not Found"]})");
  });
  // KOYA_TOKEN belongs to another server: it must not be shown to this one.
  Variables variables = {{"KOYA_URL", "https://own.test"}, {"KOYA_TOKEN", "secret"}};
  ProgramRun run = RunKoya({"doctor", server.url()}, variables);
  EXPECT_EQ(run.status, 1) << run.out;
  EXPECT_EQ(run.err, "");
  for (std::string_view words :
       {"FAILURE  address", "FAILURE  discovery", "no services", "fix:", "2 failures"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << run.out;
  }
  run = RunKoya({"doctor", server.url(), "--json"}, variables);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.out.starts_with(R"({"url":"http://127.0.0.1:)")) << run.out;
  EXPECT_NE(run.out.find(R"("healthy":false)"), std::string::npos);
  for (const ScriptedRequest& each : server.requests()) {
    EXPECT_FALSE(each.fields.contains("authorization"));
  }
}

TEST(DoctorCommandTest, ShowsAServerTheTokenThatIsForIt) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer::Json(200, "{}"); });
  std::string authority = server.url().substr(std::string_view("http://").size());
  const std::vector<Variables> kGiven = {{{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "secret"}},
                                         {{"TF_TOKEN_" + authority, "secret"}}};
  for (const Variables& variables : kGiven) {
    RunKoya({"doctor", server.url()}, variables);
  }
  RunKoya({"doctor", server.url(), "--token", "secret"});
  std::size_t shown = 0;
  for (const ScriptedRequest& each : server.requests()) {
    auto token = each.fields.find("authorization");
    if (token != each.fields.end() && token->second == "Bearer secret") ++shown;
  }
  EXPECT_GE(shown, 3u);
}

TEST(DoctorCommandTest, RefusesWhatIsNoAddress) {
  for (std::vector<std::string> arguments : std::vector<std::vector<std::string>>{
           {"doctor", "a.test", "--module", "acme"},
           {"doctor", "a.test", "--provider", "acme/demo/aws"},
           {"doctor", "a.test", "--provider", "acme/demo", "--platform", "linux"},
           {"doctor", "a.test", "--as", "trivy"},
           {"doctor", "a.test", "--as", "npm", "--module", "acme/vpc/aws"},
           {"doctor", "a.test", "--platform", "linux_amd64"}}) {
    EXPECT_EQ(RunKoya(arguments).status, 2);
  }
  EXPECT_EQ(RunKoya({"doctor", "ftp://x"}).status, 2);
}

TEST(PlaceTest, AMistypedDataFolderIsNotMadeAndCalledWhole) {
  TempFolder temporary;
  std::string folder = (temporary / "mistyped").string();
  const std::vector<std::vector<std::string>> kCommands = {
      {"verify"},
      {"mirror", "verify"},
      {"mirror", "list"},
      {"mirror", "prune", "--unused", "1d"},
      {"mirror", "export", (temporary / "export").string()},
      {"token", "list"},
      {"token", "revoke", "ci"}};
  for (std::vector<std::string> command : kCommands) {
    std::string line = testing::PrintToString(command);
    command.insert(command.end(), {"--data", folder});
    ProgramRun run = RunKoya(command);
    EXPECT_EQ(run.status, 1) << line;
    EXPECT_EQ(run.out, "") << line;
    EXPECT_NE(run.err.find("no catalog at " + folder + "/koya.db"), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder)) << line;
  }
}

constexpr const char* kWellStatus =
    R"({"version":"1.2.3","ready":true,"reasons":[],"database":"SQLite","migrations":[],)"
    R"("store":{"kind":"folder",)"
    R"("published_bytes":1500,"mirrored_bytes":2000000,"lost":0},"upstreams":[{"host":"a.test",)"
    R"("state":"fresh"}],"certificate":null,"backup":null,"work":{"waiting":3,"failed":0},)"
    R"("disk":{"bytes":1000,"free_bytes":500},"todo":[]})";

// A server whose answers to status and to /-/cli/ are these.
ProgramRun RunStatus(ScriptedAnswer status, std::vector<std::string> more = {}) {
  ScriptedServer server([status](const ScriptedRequest& request) {
    if (request.target == "/-/cli/") {
      return ScriptedAnswer::Json(200, R"({"version":"1.2.3","platforms":[]})");
    }
    return status;
  });
  std::vector<std::string> arguments = {"status", server.url()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return RunKoya(arguments, {{"KOYA_TOKEN", "koya_test"}, {"KOYA_URL", server.url()}});
}

TEST(StatusCommandTest, ShowsHowARegistryIs) {
  ProgramRun run = RunStatus(ScriptedAnswer::Json(200, kWellStatus));
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* line :
       {"version      1.2.3\n", "ready        yes\n", "database     SQLite\n",
        "migrations   none pending\n", "store        folder; published 1.5 kB, mirrored 2.0 MB\n",
        "disk         500 B of 1.0 kB free\n", "upstreams    a.test (fresh)\n",
        "certificate  unknown\n", "work         3 waiting, 0 failed\n", "todo         nothing\n"}) {
    EXPECT_TRUE(run.out.contains(line)) << line << run.out;
  }
  run = RunStatus(ScriptedAnswer::Json(200, kWellStatus), {"--json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, std::string(kWellStatus) + "\n");
}

TEST(StatusCommandTest, FailsWhenSomethingNeedsAHand) {
  std::string status = kWellStatus;
  status.replace(status.find(R"("todo":[])"), 9,
                 R"("todo":[{"code":"disk_low","subject":null,"text":"only 3 % is\u001b free"}])");
  ProgramRun run = RunStatus(ScriptedAnswer::Json(200, status));
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.out.contains("todo         only 3 % is")) << run.out;
  EXPECT_FALSE(run.out.contains("\x1b")) << run.out;
  status = kWellStatus;
  status.replace(status.find(R"("ready":true,"reasons":[])"), 25,
                 R"("ready":false,"reasons":["starting"])");
  run = RunStatus(ScriptedAnswer::Json(200, status));
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.out.contains("ready        no; starting\n")) << run.out;
}

TEST(StatusCommandTest, ShowsTheVersionToACallerWhoIsNoAdministrator) {
  for (int denial : {401, 403}) {
    ProgramRun run = RunStatus(ScriptedAnswer::Json(denial, PlainErrors("not you")));
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.out, "version      1.2.3\nready        it answers\n");
    EXPECT_TRUE(run.err.contains("needs an administrator's token: not you")) << run.err;
  }
  ProgramRun run = RunStatus(ScriptedAnswer::Json(503, PlainErrors("the catalog is away")));
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(run.err.contains("the catalog is away")) << run.err;
}

TEST(PlaceTest, LooksForTheCatalogWhereTheSettingsFileSays) {
  TempFolder temporary;
  std::filesystem::path data = temporary / "data";
  std::string config = (temporary / "koya.toml").string();
  std::ofstream(config) << "[server]\ndata = \"" << data.string() << "\"\n";
  ProgramRun run = RunKoya({"verify", "--config", config});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("no catalog at " + data.string()), std::string::npos) << run.err;
  run = RunKoya({"token", "create", "first", "--scope", "admin", "--config", config});
  EXPECT_EQ(run.status, 0) << run.err;
  run = RunKoya({"verify", "--config", config});
  EXPECT_EQ(run.status, 0) << run.err;
  // A damaged catalog is not reported as absent.
  std::filesystem::rename(data / "koya.db", data / "koya.db-wal");
  run = RunKoya({"verify", "--config", config});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("damaged"), std::string::npos) << run.err;
}

TEST(TokenCommandTest, WorksOnAStoppedServersCatalog) {
  TempFolder temporary;
  std::string folder = temporary.path().string();
  ProgramRun run =
      RunKoya({"token", "create", "first", "--scope", "admin", "--data", folder, "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  auto token = wire::Decode<wire::Token>(run.out);
  ASSERT_TRUE(token) << run.out;
  EXPECT_TRUE(token->token.starts_with("koya_"));
  run = RunKoya({"token", "list", "--data", folder});
  EXPECT_NE(run.out.find("first"), std::string::npos) << run.out << run.err;
  EXPECT_EQ(run.out.find(token->token), std::string::npos);
  run = RunKoya({"token", "create", "first", "--scope", "read", "--data", folder});
  EXPECT_EQ(run.status, 1) << run.out;
  run = RunKoya({"token", "revoke", "first", "--data", folder});
  EXPECT_EQ(run.status, 1) << "nobody else may do everything";
  EXPECT_NE(run.err.find("last administrator"), std::string::npos) << run.err;
  run = RunKoya({"user", "create", "root", "--admin", "--data", folder});
  EXPECT_EQ(run.status, 0) << run.err;
  run = RunKoya({"token", "revoke", "first", "--data", folder});
  EXPECT_EQ(run.status, 0) << run.err;
  run = RunKoya({"token", "revoke", "none", "--data", folder});
  EXPECT_EQ(run.status, 1) << run.out;
  run = RunKoya({"token", "list", "--data", folder, "--server", "https://a.test"});
  EXPECT_EQ(run.status, 2) << run.out;
}

}  // namespace
}  // namespace koya::cli
