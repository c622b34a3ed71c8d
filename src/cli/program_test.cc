// The command line as such: statuses, usage errors, help, completion.
#include "cli/program.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/completion.h"
#include "cli/run_program_fake.h"

namespace koya::cli {
namespace {

struct Usage {
  std::vector<std::string> arguments;
  std::string_view words;
};

TEST(ProgramTest, EndsUsageErrorsWithStatusTwoAndSaysWhatToDo) {
  const std::vector<Usage> kUsages = {
      {{}, "COMMAND"},
      {{"frobnicate"}, "unknown command \"frobnicate\""},
      {{"pubilsh"}, "did you mean \"publish\"?"},
      {{"publish"}, "koya publish --help"},
      {{"publish", "modul"}, "did you mean \"module\"?"},
      {{"publish", "module"}, "PATH"},
      {{"publish", "module", "."}, "ADDRESS"},
      {{"publish", "module", ".", "a/b/c"}, "VERSION"},
      {{"publish", "module", ".", "a/b/c", "1.0.0", "more"}, "unexpected argument \"more\""},
      {{"publish", "module", ".", "a/b/c", "1.0.0", "--sever", "x"}, "did you mean \"--server\"?"},
      {{"publish", "module", ".", "a/b/c", "1.0.0", "--tokn=secret"}, "did you mean \"--token\"?"},
      {{"publish", "module", ".", "a/b/c", "1.0.0", "--server"}, "--server"},
      {{"list", "modules", "--no-such-flag"}, "unknown flag \"--no-such-flag\""},
      {{"list", "modules", "-x"}, "unknown flag \"-x\""},
      {{"token", "create"}, "NAME"},
      {{"token", "create", "x"}, "--scope"},
      {{"token", "create", "x", "--scope", "root"},
       "--scope: \"root\" is not a choice: use read, publish or admin"},
      {{"list"}, "koya list: a command is missing: modules or providers"},
      {{"token", "create", "x", "--scope", "read", "--expires", "soon"}, "90d"},
      {{"token", "create", "my token", "--scope", "read"}, "1 to 64 letters"},
      {{"token", "revoke", "ci/../x"}, "1 to 64 letters"},
      {{"token", "make"}, "unknown command \"make\""},
      {{"withdraw", "a/b/c", "1.0.0"}, "--reason"},
      {{"withdraw", "a/b", "1.0.0"}, "--reason"},
      {{"publish", "provider"}, "DIST_DIR"},
      {{"publish", "provider", "."}, "ADDRESS"},
      {{"publish", "provder", "."}, "did you mean \"provider\"?"},
      {{"publish", "provider", ".", "a/b", "1.0.0", "more"}, "unexpected argument \"more\""},
      {{"publish", "provider", ".", "a/b", "--jobs", "0"}, "--jobs"},
      {{"publish", "provider", ".", "a/b", "--jobs", "33"}, "1 to 32"},
      {{"publish", "provider", ".", "a/b", "--sing"}, "did you mean \"--sign\"?"},
      {{"deprecate", "a/b", "1.0.0"}, "--message or --undo"},
      {{"deprecate", "a/b", "1.0.0", "--undo", "--message", "x"}, "--undo"},
      {{"deprecate", "a/b"}, "VERSION"},
      {{"key"}, "koya key --help"},
      {{"key", "ad"}, "did you mean \"add\"?"},
      {{"key", "add", "acme"}, "KEY.asc"},
      {{"key", "remove", "acme"}, "KEY_ID"},
      {{"key", "list"}, "NAMESPACE"},
      {{"list", "provider"}, "did you mean \"providers\"?"},
      {{"serve", "--listen", "nonsense"}, "HOST:PORT"},
      {{"serve", "--dev=maybe"}, "true or false"},
      {{"serve", "--catalog.url", "mysql://secret"}, "this value is not allowed"},
      {{"serve", "--mirror.freshness", "soon"}, "a duration from 1s"},
      {{"config", "show", "--policy.deny", "acme"}, "HOST/NAMESPACE/TYPE"},
      {{"list", "modules", "--namespace", "acme/vpc"}, "namespace"},
      {{"list", "providers", "--namespace", "acme_"}, "begin and end"},
      {{"list", "modules", "--server", "ftp://a"}, "https://HOST[:PORT]"},
      {{"list", "modules", "--token", "secret secret"}, "another invalid character"},
      {{"token", "create", "x", "--scope", "read", "--namespace", "a/b"}, "team-*"},
      {{"publish", "provider", ".", "a/b", "--protocols", "6.0,six"}, "MAJOR.MINOR"},
      {{"mirror", "fetch", "a/b", "--platform", "linux"}, "linux_amd64"},
      {{"mirror", "fetch", "a/b", "--default-host", "https://a"}, "host name"},
      {{"mirror", "prune", "--keep-bytes", "many"}, "20GiB"},
      {{"client-config", "--upstream", "https://a"}, "host name"},
      {{"doctor", "a.test", "--module", "acme"}, "NAMESPACE/NAME/SYSTEM"},
      {{"publish", "module", ".", "acme/vpc/AWS", "1.0.0"}, "lower-case"},
      {{"publish", "module", ".", "acme/vpc/aws", "v1.0.0"}, "write 1.0.0"},
      {{"publish", "module", ".", "acme/vpc/aws", "0.0.0"}, "0.0.0"},
      {{"publish", "module", ".", "search/vpc/aws", "1.0.0"}, "reserved"},
      {{"show", "module", "acme"}, "NAMESPACE/NAME/SYSTEM"},
      {{"withdraw", "acme/vpc/aws", "1.0.0", "--reason", " "}, "it is empty"},
      {{"withdraw", "acme", "1.0.0", "--reason", "x"}, "NAMESPACE/TYPE for a provider"},
      {{"withdraw", "acme/de_mo", "1.0.0", "--reason", "x"}, "write \"-\" instead"},
      {{"publish", "provider", ".", "acme/vpc/aws"}, "NAMESPACE/TYPE"},
      {{"publish", "provider", ".", "acme/terraform-demo"}, "write acme/demo"},
      {{"show", "provider", "acme"}, "NAMESPACE/TYPE"},
      {{"deprecate", "acme/demo", "1.0.0", "--message", " "}, "it is empty"},
      {{"deprecate", "acme/vpc/AWS", "1.0.0", "--undo"}, "AWS"},
      {{"key", "list", "xn--acme"}, "punycode"},
      {{"doctor", "ftp://x"}, "https://HOST"},
      {{"doctor", "a.test", "--as", "trivy"}, "--as: --module or --provider"},
      {{"doctor", "a.test", "--as", "npm", "--module", "a/b/c"}, "tfupdate"},
      {{"show", "module", "acme/vpc/aws", "one"}, "1.4.0"},
      {{"withdraw", "acme/demo", "x", "--reason", "x"}, "1.4.0"},
      {{"deprecate", "acme/demo", "x", "--undo"}, "1.4.0"},
      {{"mirror", "fetch", "acme"}, "acme"},
      {{"publish", "module", ".", "acme/vpc", "1.0.0"}, "NAMESPACE/NAME/SYSTEM"},
      {{"completion"}, "SHELL"},
      {{"completion", "csh"}, "csh"},
      {{"version", "--jsn"}, "did you mean \"--json\"?"},
  };
  for (const Usage& each : kUsages) {
    ProgramRun run = RunKoya(each.arguments);
    std::string line = testing::PrintToString(each.arguments);
    EXPECT_EQ(run.status, 2) << line;
    EXPECT_EQ(run.out, "") << line;
    EXPECT_NE(run.err.find(each.words), std::string::npos) << line << "\n" << run.err;
    EXPECT_EQ(run.err.find("secret"), std::string::npos) << run.err;
  }
}

TEST(ProgramTest, PrintsHelpOnStdout) {
  const std::vector<Usage> kHelp = {
      {{"--help"}, "KOYA_URL"},
      {{"-h"}, "publish"},
      {{"publish", "--help"}, "module"},
      {{"publish", "module", "--help"}, "Examples:"},
      {{"token", "create", "--help"}, "--namespace"},
      {{"completion", "--help"}, "~/.bashrc"},
      {{"--help"}, "koya publish provider dist acme/demo --sign"},
      {{"publish", "provider", "--help"}, "GoReleaser"},
      {{"key", "--help"}, "koya key rotate acme"},
      {{"--version"}, "koya "},
  };
  for (const Usage& each : kHelp) {
    ProgramRun run = RunKoya(each.arguments);
    EXPECT_EQ(run.status, 0) << testing::PrintToString(each.arguments);
    EXPECT_EQ(run.err, "");
    EXPECT_NE(run.out.find(each.words), std::string::npos) << run.out;
  }
}

TEST(ProgramTest, PrintsItsVersion) {
  EXPECT_EQ(RunKoya({"version"}).out.substr(0, 5), "koya ");
  EXPECT_EQ(RunKoya({"version", "--json"}).out.substr(0, 12), "{\"version\":\"");
}

TEST(ProgramTest, RefusesBadArgumentsBeforeItCallsAnybody) {
  const std::vector<Usage> kRefused = {
      {{"publish", "provider", "/nonexistent", "acme/demo"}, "not a folder"},
      {{"list", "providers"}, "KOYA_URL"},
      {{"list", "modules"}, "KOYA_URL"},
  };
  for (const Usage& each : kRefused) {
    ProgramRun run = RunKoya(each.arguments);
    EXPECT_EQ(run.status, 1) << testing::PrintToString(each.arguments);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(run.err.starts_with("koya: ")) << run.err;
    EXPECT_NE(run.err.find(each.words), std::string::npos) << run.err;
  }
}

TEST(ProgramTest, GivesFailuresAsADocumentWithJson) {
  ProgramRun run = RunKoya({"list", "modules", "--json"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.out.starts_with("{\"errors\":[\"")) << run.out;
  EXPECT_NE(run.err.find("koya: "), std::string::npos);
}

TEST(CompletionTest, OffersEveryCommandAndFlag) {
  for (std::string_view shell : {"bash", "zsh", "fish"}) {
    ProgramRun run = RunKoya({"completion", std::string(shell)});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    for (std::string_view word : {"publish", "module", "token", "revoke", "server", "expires",
                                  "read publish admin", "bash", "publish module"}) {
      EXPECT_NE(run.out.find(word), std::string::npos) << shell << ": " << word;
    }
  }
}

TEST(ProgramTest, ACommandDeclaredAloneIsTheSameAsAmongAll) {
  Invocation invocation{.shell = Shell{{}, std::cout, std::cerr}, .action = {}};
  const auto all = BuildCommands(invocation);
  const std::vector<const CLI::App*> commands =
      std::as_const(*all).get_subcommands([](const CLI::App*) { return true; });
  ASSERT_GT(commands.size(), 40u);
  for (const CLI::App* command : commands) {
    const auto alone = BuildCommands(invocation, command->get_name());
    ASSERT_EQ(alone->get_subcommands(nullptr).size(), 1u) << command->get_name();
    const CLI::App* same = alone->get_subcommands(nullptr).front();
    EXPECT_EQ(same->help("koya", CLI::AppFormatMode::All),
              command->help("koya", CLI::AppFormatMode::All));
    EXPECT_EQ(same->get_group(), command->get_group());
  }
  for (const std::string_view none : {"", "serv", "--version", "koya"}) {
    EXPECT_EQ(BuildCommands(invocation, none)->get_subcommands(nullptr).size(), commands.size());
  }
}

TEST(CompletionTest, KnowsWhatMayFollowACommand) {
  Invocation invocation{.shell = Shell{{}, std::cout, std::cerr}, .action = {}};
  auto program = BuildCommands(invocation);
  std::vector<CompletionEntry> table = CompletionTable(*program);
  EXPECT_EQ(table[0].path, "");
  auto publish = std::ranges::find(table, "publish module", &CompletionEntry::path);
  ASSERT_NE(publish, table.end());
  EXPECT_TRUE(publish->takes_path);
  auto server = std::ranges::find(publish->flags, "--server", &CompletionFlag::name);
  ASSERT_NE(server, publish->flags.end());
  EXPECT_TRUE(server->takes_value);
  auto json = std::ranges::find(publish->flags, "--json", &CompletionFlag::name);
  ASSERT_NE(json, publish->flags.end());
  EXPECT_FALSE(json->takes_value);
  for (std::string_view path : {"publish provider", "key add"}) {
    auto command = std::ranges::find(table, path, &CompletionEntry::path);
    ASSERT_NE(command, table.end()) << path;
    EXPECT_TRUE(command->takes_path) << path;
  }
  auto completion = std::ranges::find(table, "completion", &CompletionEntry::path);
  ASSERT_NE(completion, table.end());
  EXPECT_EQ(completion->words.size(), 3u);
}

TEST(CompletionTest, KnowsWhichArgumentALineEndsWith) {
  Invocation invocation{.shell = Shell{{}, std::cout, std::cerr}, .action = {}};
  auto program = BuildCommands(invocation);
  struct Case {
    std::vector<std::string> words;
    std::string command, name, beginning;
    std::size_t before = 0;
  };
  const Case kCases[] = {
      {{}, "", "", ""},
      {{"sho"}, "", "", ""},
      {{"show", "module", ""}, "show module", "ADDRESS", ""},
      {{"show", "module", "acme/v"}, "show module", "ADDRESS", "acme/v"},
      {{"show", "module", "--json", "acme/vpc/aws", "1."}, "show module", "VERSION", "1.", 1},
      {{"show", "module", "--server", "https://a.test", "ac"}, "show module", "ADDRESS", "ac"},
      {{"show", "module", "--server=https://a.test", "ac"}, "show module", "ADDRESS", "ac"},
      {{"show", "module", "--server", "ht"}, "show module", "", ""},
      {{"show", "module", "--out"}, "show module", "", ""},
      {{"diff", "acme/vpc/aws", "1.0.0", ""}, "diff", "TO", "", 2},
      {{"namespace", "show", "a"}, "namespace show", "NAMESPACE", "a"},
  };
  for (const Case& each : kCases) {
    const CompletedArgument end = ArgumentAtEnd(*program, each.words);
    EXPECT_EQ(end.command, each.command);
    EXPECT_EQ(end.name, each.name) << each.command;
    EXPECT_EQ(end.beginning, each.beginning) << each.command;
    EXPECT_EQ(end.before.size(), each.before) << each.command;
  }
}

TEST(CompletionTest, LeavesNothingUnquotedThatAShellWouldRead) {
  std::vector<CompletionEntry> table = {
      {.path = "", .words = {{"go", "it's $HOME: `x`"}}, .flags = {}},
      {.path = "go", .words = {}, .flags = {{.name = "--x", .about = "a: b"}}}};
  for (const CompletionEntry& entry : table) EXPECT_FALSE(entry.takes_path);
  std::string zsh = *CompletionScript("zsh", table);
  EXPECT_NE(zsh.find("'--x:a\\: b'"), std::string::npos) << zsh;
  EXPECT_FALSE(CompletionScript("csh", table));
}

}  // namespace
}  // namespace koya::cli
