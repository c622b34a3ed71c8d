// koya user, service, group, namespace and grant: on a scripted server, and on a stopped server's
// data.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/run_program_fake.h"
#include "http/scripted_server_fake.h"
#include "wire/accounts.h"
#include "wire/namespaces.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

constexpr const char* kTime = "2026-11-21T16:41:10Z";

ProgramRun CallServer(const ScriptedServer& server, std::vector<std::string> arguments) {
  return RunKoya(std::move(arguments), {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}});
}

wire::Account Ada() { return {"user", "ada", true, kTime, "root", ""}; }
wire::Account AdaWithEmail() {
  wire::Account ada = Ada();
  ada.email = "ada@example.com";
  return ada;
}
wire::Account Ci() { return {"service", "ci", false, kTime, "", kTime}; }

// The request of one command, the response, and its output.
struct Exchanged {
  std::vector<std::string> arguments;
  std::string_view method;
  std::string_view target;
  std::string_view sent;
  unsigned status;
  std::string answer;
  std::string_view words;
  std::string json;  // "" for the answer itself
};

std::vector<Exchanged> AccountExchanges() {
  const std::string ada = wire::Encode(Ada());
  const std::string ci = wire::Encode(Ci());
  return {
      {{"user", "create", "ada", "--admin"},
       "POST",
       "/api/v1/users",
       R"({"name":"ada","admin":true})",
       201,
       ada,
       "Created the user \"ada\", an administrator",
       {}},
      {{"user", "create", "ada"},
       "POST",
       "/api/v1/users",
       R"({"name":"ada","admin":false})",
       201,
       ada,
       "Created the user",
       {}},
      {{"user", "disable", "ada@a.test"},
       "POST",
       "/api/v1/users/ada%40a.test/disable",
       "",
       200,
       ada,
       "Disabled the user \"ada\"",
       {}},
      {{"user", "enable", "ada"},
       "POST",
       "/api/v1/users/ada/enable",
       "",
       200,
       ada,
       "Enabled the user \"ada\"",
       {}},
      {{"user", "delete", "ada"},
       "DELETE",
       "/api/v1/users/ada",
       "",
       204,
       "",
       "Deleted the user \"ada\"",
       R"({"kind":"user","name":"ada","deleted":true})"},
      {{"user", "list"},
       "GET",
       "/api/v1/users",
       "",
       200,
       wire::Encode(wire::UserList{{Ada()}}),
       "ada   yes            enabled  2026-11-21T16:41:10Z  root        -",
       {}},
      {{"user", "list"},
       "GET",
       "/api/v1/users",
       "",
       200,
       wire::Encode(wire::UserList{{AdaWithEmail()}}),
       "ada   yes            enabled  2026-11-21T16:41:10Z  root        ada@example.com",
       {}},
      {{"service", "create", "ci"},
       "POST",
       "/api/v1/services",
       R"({"name":"ci"})",
       201,
       ci,
       "Created the service account \"ci\"",
       {}},
      {{"service", "disable", "ci"},
       "POST",
       "/api/v1/services/ci/disable",
       "",
       200,
       ci,
       "Disabled the service account",
       {}},
      {{"service", "enable", "ci"},
       "POST",
       "/api/v1/services/ci/enable",
       "",
       200,
       ci,
       "Enabled the service account",
       {}},
      {{"service", "delete", "ci"},
       "DELETE",
       "/api/v1/services/ci",
       "",
       204,
       "",
       "Deleted the service account",
       R"({"kind":"service","name":"ci","deleted":true})"},
      {{"service", "list"},
       "GET",
       "/api/v1/services",
       "",
       200,
       wire::Encode(wire::ServiceList{{Ci()}}),
       "disabled since 2026-11-21",
       {}},
  };
}

std::vector<Exchanged> GroupExchanges() {
  const wire::Group group{"ops", kTime, "root"};
  return {
      {{"group", "create", "ops"},
       "POST",
       "/api/v1/groups",
       R"({"name":"ops"})",
       201,
       wire::Encode(group),
       "Created the group \"ops\"",
       {}},
      {{"group", "list"},
       "GET",
       "/api/v1/groups",
       "",
       200,
       wire::Encode(wire::GroupList{{group}}),
       "ops   2026-11-21T16:41:10Z  root",
       {}},
      {{"group", "delete", "ops"},
       "DELETE",
       "/api/v1/groups/ops",
       "",
       204,
       "",
       "Deleted the group \"ops\"",
       R"({"kind":"group","name":"ops","deleted":true})"},
      {{"group", "add", "ops", "--user", "a@b"},
       "PUT",
       "/api/v1/groups/ops/members/users/a%40b",
       "",
       204,
       "",
       "\"a@b\" is in the group \"ops\"",
       R"({"group":"ops","kind":"user","name":"a@b","added":true})"},
      {{"group", "add", "ops", "--service", "ci"},
       "PUT",
       "/api/v1/groups/ops/members/services/ci",
       "",
       204,
       "",
       "\"ci\" is in the group",
       R"({"group":"ops","kind":"service","name":"ci","added":true})"},
      {{"group", "remove", "ops", "--user", "ada"},
       "DELETE",
       "/api/v1/groups/ops/members/users/ada",
       "",
       204,
       "",
       "Took \"ada\" out of the group \"ops\"",
       R"({"group":"ops","kind":"user","name":"ada","removed":true})"},
      {{"group", "members", "ops"},
       "GET",
       "/api/v1/groups/ops/members",
       "",
       200,
       wire::Encode(wire::MemberList{{{"user", "ada", ""}, {"service", "ci", "corp"}}}),
       "user     ada   an administrator\nservice  ci    corp",
       {}},
  };
}

std::vector<Exchanged> NamespaceExchanges() {
  const wire::Namespace acme{"acme", "private", kTime, ""};
  const wire::Namespace titled{"acme", "private", kTime, "", "", "Acme & co", "All.\nAsk us."};
  const wire::Grant grant{"group", "ops", "owner", kTime, "root"};
  return {
      {{"namespace", "set", "acme", "--visibility", "private"},
       "PUT",
       "/api/v1/namespaces/acme",
       R"({"visibility":"private"})",
       201,
       wire::Encode(acme),
       "Created the namespace acme: it is private",
       {}},
      {{"namespace", "set", "acme", "--visibility", "public"},
       "PUT",
       "/api/v1/namespaces/acme",
       R"({"visibility":"public"})",
       200,
       wire::Encode(acme),
       "Set the namespace acme",
       {}},
      {{"namespace", "set", "acme", "--title", "Acme & co", "--description", "All.\nAsk us."},
       "PUT",
       "/api/v1/namespaces/acme",
       R"({"title":"Acme & co","description":"All.\nAsk us."})",
       200,
       wire::Encode(titled),
       "Set the namespace acme",
       {}},
      {{"namespace", "set", "acme", "--title", ""},
       "PUT",
       "/api/v1/namespaces/acme",
       R"({"title":""})",
       200,
       wire::Encode(acme),
       "Set the namespace acme",
       {}},
      {{"namespace", "show", "acme"},
       "GET",
       "/api/v1/namespaces/acme",
       "",
       200,
       wire::Encode(titled),
       "acme\n  title       Acme & co\n  about       All.\n              Ask us.\n  visibility",
       {}},
      {{"namespace", "list"},
       "GET",
       "/api/v1/namespaces",
       "",
       200,
       wire::Encode(wire::NamespaceList{{acme}}),
       "acme  private     2026-11-21T16:41:10Z  -",
       {}},
      {{"namespace", "show", "größe"},
       "GET",
       "/api/v1/namespaces/gr%C3%B6%C3%9Fe",
       "",
       200,
       wire::Encode(acme),
       "acme\n  visibility  private\n",
       {}},
      {{"grant", "add", "acme", "owner", "--group", "ops"},
       "PUT",
       "/api/v1/namespaces/acme/grants/groups/ops",
       R"({"role":"owner"})",
       200,
       wire::Encode(grant),
       "The group \"ops\" has the role owner in acme",
       {}},
      {{"grant", "add", "acme", "reader", "--user", "ada"},
       "PUT",
       "/api/v1/namespaces/acme/grants/users/ada",
       R"({"role":"reader"})",
       200,
       wire::Encode(grant),
       "has the role",
       {}},
      {{"grant", "list", "acme"},
       "GET",
       "/api/v1/namespaces/acme/grants",
       "",
       200,
       wire::Encode(wire::GrantList{{grant}}),
       "group  ops   owner  2026-11-21T16:41:10Z  root",
       {}},
      {{"grant", "remove", "acme", "--service", "ci"},
       "DELETE",
       "/api/v1/namespaces/acme/grants/services/ci",
       "",
       204,
       "",
       "Removed the role of the service account \"ci\" in acme",
       R"({"namespace":"acme","kind":"service","name":"ci","removed":true})"},
  };
}

void ExpectExchanged(const Exchanged& each) {
  std::string line = testing::PrintToString(each.arguments);
  ScriptedServer server(
      [&](const ScriptedRequest&) { return ScriptedAnswer::Json(each.status, each.answer); });
  ProgramRun run = CallServer(server, each.arguments);
  EXPECT_EQ(run.status, 0) << line << run.err;
  EXPECT_EQ(run.err, "") << line;
  EXPECT_TRUE(run.out.contains(each.words)) << line << run.out;
  std::vector<std::string> with_json = each.arguments;
  with_json.push_back("--json");
  run = CallServer(server, with_json);
  EXPECT_EQ(run.status, 0) << line << run.err;
  EXPECT_EQ(run.out, (each.json.empty() ? each.answer : each.json) + "\n") << line;
  ASSERT_EQ(server.requests().size(), 2U) << line;
  for (ScriptedRequest& seen : server.requests()) {
    EXPECT_EQ(seen.method, each.method) << line;
    EXPECT_EQ(seen.target, each.target) << line;
    EXPECT_EQ(seen.body, each.sent) << line;
    EXPECT_EQ(seen.fields["authorization"], "Bearer koya_secret") << line;
  }
}

TEST(AccessCommandsTest, AskTheServerAndSayWhatItDid) {
  for (const Exchanged& each : AccountExchanges()) ExpectExchanged(each);
  for (const Exchanged& each : GroupExchanges()) ExpectExchanged(each);
  for (const Exchanged& each : NamespaceExchanges()) ExpectExchanged(each);
}

TEST(AccessCommandsTest, SayWhatTheServerRefused) {
  for (std::vector<Exchanged> all : {AccountExchanges(), GroupExchanges(), NamespaceExchanges()}) {
    for (const Exchanged& each : all) {
      std::string line = testing::PrintToString(each.arguments);
      ScriptedServer server([](const ScriptedRequest&) {
        return ScriptedAnswer::Json(403, PlainErrors("an administrator is needed"));
      });
      ProgramRun run = CallServer(server, each.arguments);
      EXPECT_EQ(run.status, 1) << line;
      EXPECT_EQ(run.out, "") << line;
      EXPECT_TRUE(run.err.contains("an administrator is needed")) << run.err;
      EXPECT_FALSE(run.err.contains("secret")) << run.err;
    }
  }
}

TEST(AccessCommandsTest, SayThatThereIsNothing) {
  const std::vector<Exchanged> kEmpty = {
      {{"user", "list"}, "", "", "", 200, wire::Encode(wire::UserList{{}}), "no users", {}},
      {{"service", "list"},
       "",
       "",
       "",
       200,
       wire::Encode(wire::ServiceList{{}}),
       "no service accounts",
       {}},
      {{"group", "list"}, "", "", "", 200, wire::Encode(wire::GroupList{{}}), "no groups", {}},
      {{"group", "members", "ops"},
       "",
       "",
       "",
       200,
       wire::Encode(wire::MemberList{{}}),
       "no members",
       {}},
      {{"namespace", "list"},
       "",
       "",
       "",
       200,
       wire::Encode(wire::NamespaceList{{}}),
       "no namespaces",
       {}},
      {{"grant", "list", "acme"},
       "",
       "",
       "",
       200,
       wire::Encode(wire::GrantList{{}}),
       "no roles are granted",
       {}},
  };
  for (const Exchanged& each : kEmpty) {
    ScriptedServer server(
        [&](const ScriptedRequest&) { return ScriptedAnswer::Json(each.status, each.answer); });
    ProgramRun run = CallServer(server, each.arguments);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(run.err.contains(each.words)) << run.err;
  }
}

struct WrongLine {
  std::vector<std::string> arguments;
  std::string_view words;
};

void ExpectUsageErrors(const std::vector<WrongLine>& lines) {
  for (const WrongLine& each : lines) {
    ProgramRun run = RunKoya(each.arguments, {{"KOYA_URL", "http://127.0.0.1:1"}});
    std::string line = testing::PrintToString(each.arguments);
    EXPECT_EQ(run.status, 2) << line << run.err;
    EXPECT_EQ(run.out, "") << line;
    EXPECT_TRUE(run.err.contains(each.words)) << line << "\n" << run.err;
    EXPECT_TRUE(run.err.contains("--help")) << line << "\n" << run.err;
  }
}

TEST(AccessCommandsTest, EndWithStatusTwoOnWrongLinesAboutAccounts) {
  ExpectUsageErrors({
      {{"user"}, "koya user --help"},
      {{"user", "crate"}, "did you mean \"create\"?"},
      {{"user", "create"}, "NAME"},
      {{"user", "create", "a b"}, "use 1 to 64 letters"},
      {{"user", "create", ".."}, "not dots alone"},
      {{"user", "create", "a", "b"}, "unexpected argument \"b\""},
      {{"user", "create", "a", "--admn"}, "did you mean \"--admin\"?"},
      {{"user", "create", "a", "--data", "x", "--server", "https://a.test"}, "--server"},
      {{"user", "list", "a"}, "unexpected argument"},
      {{"user", "disable"}, "NAME"},
      {{"user", "disable", "a/b"}, "use 1 to 64 letters"},
      {{"user", "enable"}, "NAME"},
      {{"user", "enable", ""}, "use 1 to 64 letters"},
      {{"user", "delete"}, "NAME"},
      {{"user", "delete", "größe"}, "use 1 to 64 letters"},
      {{"service"}, "koya service --help"},
      {{"service", "create"}, "NAME"},
      {{"service", "create", "ci@a.test"}, "use 1 to 64 letters"},
      {{"service", "create", "ci", "--admin"}, "unknown flag \"--admin\""},
      {{"service", "list", "--jsn"}, "did you mean \"--json\"?"},
      {{"service", "disable"}, "NAME"},
      {{"service", "enable", "a b"}, "use 1 to 64 letters"},
      {{"service", "delete"}, "NAME"},
  });
}

TEST(AccessCommandsTest, EndWithStatusTwoOnWrongLinesAboutGroups) {
  ExpectUsageErrors({
      {{"group"}, "koya group --help"},
      {{"group", "join"}, "unknown command \"join\""},
      {{"group", "create"}, "NAME"},
      {{"group", "create", "a@b"}, "use 1 to 64 letters"},
      {{"group", "list", "more"}, "unexpected argument"},
      {{"group", "delete"}, "NAME"},
      {{"group", "delete", "a b"}, "use 1 to 64 letters"},
      {{"group", "members"}, "NAME"},
      {{"group", "members", "*"}, "use 1 to 64 letters"},
      {{"group", "add"}, "GROUP"},
      {{"group", "add", "ops"}, "--user or --service"},
      {{"group", "add", "ops", "--user"}, "--user"},
      {{"group", "add", "ops", "--user", ""}, "use 1 to 64 letters"},
      {{"group", "add", "ops", "--user", "a", "--service", "b"}, "--service"},
      {{"group", "add", "ops", "--group", "b"}, "unknown flag \"--group\""},
      {{"group", "remove", "ops"}, "--user or --service"},
      {{"group", "remove", "ops", "--service", "a@b"}, "use 1 to 64 letters"},
  });
}

TEST(AccessCommandsTest, EndWithStatusTwoOnWrongLinesAboutNamespaces) {
  ExpectUsageErrors({
      {{"namespace"}, "koya namespace --help"},
      {{"namespace", "set"}, "NAME"},
      {{"namespace", "set", "acme"}, "--visibility"},
      {{"namespace", "set", "acme"}, "--description"},
      {{"namespace", "set", "acme", "--title"}, "--title"},
      {{"namespace", "set", "acme", "--title", "a\nb"}, "is one line"},
      {{"namespace", "set", "acme", "--title", std::string(81, 'a')}, "80 at most"},
      {{"namespace", "set", "acme", "--description", "\x1B[1m"}, "control characters"},
      {{"namespace", "set", "acme", "--description", std::string(501, 'a')}, "500 at most"},
      {{"namespace", "set", "acme", "--visibility", "secret"}, "secret"},
      {{"namespace", "set", "acme", "--semver", "strict"}, "strict"},
      {{"namespace", "set", "a.b", "--visibility", "public"}, "letters, digits"},
      {{"namespace", "set", "--visibility", "public"}, "NAME"},
      {{"namespace", "list", "acme"}, "unexpected argument"},
      {{"namespace", "show"}, "NAME"},
      {{"namespace", "show", "-acme"}, "-acme"},
      {{"namespace", "show", "a/b"}, "letters, digits"},
      {{"grant"}, "koya grant --help"},
      {{"grant", "add"}, "NAMESPACE"},
      {{"grant", "add", "acme"}, "ROLE"},
      {{"grant", "add", "acme", "owner"}, "--user, --group or --service"},
      {{"grant", "add", "acme", "root", "--user", "ada"}, "root"},
      {{"grant", "add", "a.b", "owner", "--user", "ada"}, "letters, digits"},
      {{"grant", "add", "acme", "owner", "--user", "a b"}, "use 1 to 64 letters"},
      {{"grant", "add", "acme", "owner", "--user", "a", "--group", "b"}, "--group"},
      {{"grant", "add", "acme", "owner", "--service", "a", "--group", "b"}, "--group"},
      {{"grant", "add", "acme", "owner", "--service", "a", "--user", "b"}, "--service"},
      {{"grant", "list"}, "NAMESPACE"},
      {{"grant", "list", "acme", "--user", "ada"}, "unknown flag \"--user\""},
      {{"grant", "remove", "acme"}, "--user, --group or --service"},
      {{"grant", "remove", "acme", "owner", "--user", "ada"}, "unexpected argument"},
      {{"grant", "remove", "acme", "--group", "a@b"}, "use 1 to 64 letters"},
  });
}

class LocalAccessTest : public testing::Test {
 protected:
  ProgramRun Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--data", temporary_.path().string()});
    return RunKoya(arguments);
  }
  void Must(const std::vector<std::string>& arguments) {
    ProgramRun run = Run(arguments);
    EXPECT_EQ(run.status, 0) << testing::PrintToString(arguments) << run.err;
  }
  void Refused(const std::vector<std::string>& arguments, std::string_view words) {
    ProgramRun run = Run(arguments);
    EXPECT_EQ(run.status, 1) << testing::PrintToString(arguments);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(run.err.contains(words)) << run.err;
  }

  TempFolder temporary_;
};

TEST_F(LocalAccessTest, WorksOnAStoppedServersData) {
  Refused({"user", "create", "root", "--admin"}, "no catalog at");
  Must({"token", "create", "first", "--scope", "admin"});
  Must({"user", "create", "root", "--admin"});
  Must({"service", "create", "ci"});
  Must({"group", "create", "ops"});
  Must({"group", "add", "ops", "--user", "root"});
  Must({"group", "add", "ops", "--service", "CI"});
  Must({"namespace", "set", "acme", "--visibility", "private"});
  Must({"grant", "add", "acme", "publisher", "--group", "ops"});
  auto users = wire::Decode<wire::UserList>(Run({"user", "list", "--json"}).out);
  ASSERT_TRUE(users);
  ASSERT_EQ(users->items.size(), 1U);
  EXPECT_TRUE(users->items.front().admin);
  EXPECT_EQ(users->items.front().created_by, "koya");
  auto members = wire::Decode<wire::MemberList>(Run({"group", "members", "ops", "--json"}).out);
  ASSERT_TRUE(members);
  ASSERT_EQ(members->items.size(), 2U);
  EXPECT_EQ(members->items.back().name, "ci");
  auto grants = wire::Decode<wire::GrantList>(Run({"grant", "list", "acme", "--json"}).out);
  ASSERT_TRUE(grants);
  ASSERT_EQ(grants->items.size(), 1U);
  EXPECT_EQ(grants->items.front().role, "publisher");
  Must({"grant", "remove", "acme", "--group", "ops"});
  Must({"group", "remove", "ops", "--user", "root"});
  Must({"service", "disable", "ci"});
  Must({"service", "enable", "ci"});
  Must({"service", "delete", "ci"});
  Must({"group", "delete", "ops"});
  EXPECT_TRUE(Run({"namespace", "show", "acme"}).out.contains("private"));
}

TEST_F(LocalAccessTest, RefusesWhatIsNotThereAndTheLastAdministratorsEnd) {
  Must({"token", "create", "first", "--scope", "admin"});
  Must({"user", "create", "root", "--admin"});
  Must({"token", "revoke", "first"});
  Refused({"user", "disable", "root"}, "last administrator");
  Refused({"user", "delete", "root"}, "last administrator");
  Refused({"user", "create", "ROOT"}, "already");
  Refused({"user", "enable", "none"}, "no user named");
  Refused({"service", "delete", "none"}, "no service account named");
  Refused({"group", "members", "none"}, "no group named");
  Refused({"group", "delete", "none"}, "no group named");
  Refused({"group", "add", "none", "--user", "root"}, "no group named");
  Refused({"group", "remove", "none", "--user", "root"}, "no group named");
  Refused({"namespace", "show", "none"}, "no namespace");
  Refused({"namespace", "set", "api", "--visibility", "public"}, "is reserved");
  Refused({"grant", "list", "none"}, "no namespace");
  Refused({"grant", "add", "none", "reader", "--user", "root"}, "no namespace");
  Refused({"grant", "remove", "none", "--user", "root"}, "has no role");
  EXPECT_TRUE(Run({"user", "list"}).out.contains("enabled"));
}

}  // namespace
}  // namespace koya::cli
