// koya setup, login, logout, session and user password: on a scripted server, with a scripted
// browser, and with a fake terminal.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/login_client.h"
#include "cli/run_program_fake.h"
#include "http/client/client.h"
#include "http/scripted_server_fake.h"
#include "wire/accounts.h"
#include "wire/discovery.h"
#include "wire/sign_in.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

constexpr const char* kSessionTime = "2026-11-21T16:41:10Z";
constexpr std::string_view kGoodPassword = "correct horse battery";

std::string FileText(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The value of a parameter in the query of `url`, undecoded.
std::string QueryValue(const std::string& url, const std::string& name) {
  for (const char* before : {"?", "&"}) {
    std::size_t begin = url.find(before + name + "=");
    if (begin == std::string::npos) continue;
    begin += name.size() + 2;
    return url.substr(begin, url.find('&', begin) - begin);
  }
  return {};
}

// The port in redirect_uri=http%3A%2F%2Flocalhost%3APORT%2Flogin.
std::string RedirectPort(const std::string& url) {
  std::string redirect = QueryValue(url, "redirect_uri");
  std::size_t begin = redirect.find("localhost%3A") + 12;
  return redirect.substr(begin, redirect.find("%2F", begin) - begin);
}

// One visit of a page, without looking at the answer.
void PageContext(const std::string& url, const std::string& method = "GET") {
  http::Client client;
  http::ClientRequest request;
  request.method = method;
  request.url = url;
  Result<http::ClientResponse> ignored = client.Send(request);
  static_cast<void>(ignored);
}

// A program with a browser: `visit` is given the page's URL, on a thread of its own.
class LoginRun {
 public:
  explicit LoginRun(std::function<void(const std::string& page)> visit)
      : visit_(std::move(visit)) {}

  ProgramRun Run(std::vector<std::string> arguments, Variables variables,
                 const std::string& input = {}) {
    std::ostringstream out;
    std::ostringstream err;
    std::istringstream in(input);
    std::jthread browser;
    Shell shell{.variables = std::move(variables), .out = out, .err = err, .in = &in};
    shell.open_browser = [&](const std::string& page) {
      browser = std::jthread([this, page] { visit_(page); });
      return true;
    };
    int status = RunProgram(shell, arguments);
    browser = {};
    return {status, out.str(), err.str()};
  }

 private:
  std::function<void(const std::string& page)> visit_;
};

// A server that has login.v1, and gives a token for the code "good-code".
class LoginServer {
 public:
  explicit LoginServer(wire::LoginService service = {"terraform-cli",
                                                     {"authz_code"},
                                                     "/oauth/authorize",
                                                     "/oauth/token",
                                                     20'000,
                                                     20'050})
      : service_(std::move(service)),
        server_([this](const ScriptedRequest& request) { return Answer(request); }) {}

  std::string url() const { return server_.url(); }
  std::vector<ScriptedRequest> requests() const { return server_.requests(); }
  std::string host() const { return url().substr(std::string_view("http://").size()); }

 private:
  ScriptedAnswer Answer(const ScriptedRequest& request) const {
    if (request.target == "/.well-known/terraform.json") {
      return ScriptedAnswer::Json(200, wire::EncodeDiscovery({{"modules.v1", "/v1/modules/"}},
                                                             wire::EncodeLoginService(service_)));
    }
    if (request.target == "/oauth/revoke") return ScriptedAnswer{.status = 200};
    if (request.target == "/v1/modules?limit=1") {
      bool good = request.fields.at("authorization") == "Bearer koya_good";
      return good ? ScriptedAnswer::Json(200, "{}")
                  : ScriptedAnswer::Json(401, PlainErrors("this token is unknown"));
    }
    bool code = request.body.find("code=good-code&") != std::string::npos;
    return code
               ? ScriptedAnswer::Json(200, wire::Encode<wire::AccessToken>(
                                               {"koya_given", "bearer", 7'776'000, "publish"}))
               : ScriptedAnswer::Json(
                     400, wire::Encode<wire::OAuthError>({"invalid_grant", "the code is unknown"}));
  }

  wire::LoginService service_;
  ScriptedServer server_;
};

// Acts as the server's page after the user has agreed.
void ComeBack(const std::string& page, const std::string& parameters) {
  PageContext("http://127.0.0.1:" + RedirectPort(page) + "/login?" + parameters +
              "&state=" + QueryValue(page, "state"));
}

TEST(LoginCommandTest, KeepsTheTokenThatTheServerGives) {
  TempFolder home;
  LoginServer server;
  std::string seen;
  LoginRun login([&](const std::string& page) {
    seen = page;
    // Foreign requests first: none of them ends the waiting.
    const std::string here = "http://127.0.0.1:" + RedirectPort(page);
    PageContext(here + "/favicon.ico");
    PageContext(here + "/login?code=evil&state=guess");
    PageContext(here + "/login?code=evil&state=" + QueryValue(page, "state"), "POST");
    ComeBack(page, "code=good-code");
  });
  ProgramRun run = login.Run({"login", server.url()}, {{"HOME", home.path()}});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("Signed in to " + server.url()), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("its scope is publish; it expires in 90 days"), std::string::npos)
      << run.out;
  EXPECT_EQ((run.out + run.err).find("koya_given"), std::string::npos);
  EXPECT_EQ(FileText(home / ".terraform.d/credentials.tfrc.json"),
            R"({"credentials":{")" + server.host() + R"(":{"token":"koya_given"}}})" + "\n");
  EXPECT_EQ(seen.find(server.url() + "/oauth/authorize?client_id=terraform-cli&code_challenge="),
            0U)
      << seen;
  EXPECT_EQ(QueryValue(seen, "code_challenge_method"), "S256");
  EXPECT_EQ(QueryValue(seen, "response_type"), "code");
  EXPECT_EQ(QueryValue(seen, "scope"), "publish");
  const ScriptedRequest exchange = server.requests().back();
  EXPECT_EQ(exchange.method, "POST");
  std::string verifier = QueryValue("?" + exchange.body, "code_verifier");
  EXPECT_EQ(ChallengeOf(verifier), QueryValue(seen, "code_challenge"));
  EXPECT_EQ(QueryValue("?" + exchange.body, "grant_type"), "authorization_code");
  EXPECT_EQ(QueryValue("?" + exchange.body, "redirect_uri"), QueryValue(seen, "redirect_uri"));
  EXPECT_EQ(exchange.fields.count("authorization"), 0U);
}

TEST(LoginCommandTest, SaysWhatItDidAsADocument) {
  TempFolder home;
  LoginServer server;
  LoginRun login([](const std::string& page) { ComeBack(page, "code=good-code"); });
  ProgramRun run =
      login.Run({"login", server.host(), "--scope", "read", "--json"}, {{"HOME", home.path()}});
  // Without a scheme https is meant, which this server does not speak.
  EXPECT_EQ(run.status, 1);
  run = login.Run({"login", server.url(), "--json"}, {{"HOME", home.path()}});
  EXPECT_EQ(run.out, R"({"url":")" + server.url() + R"(","file":")" +
                         (home / ".terraform.d/credentials.tfrc.json").string() +
                         R"(","scope":"publish","expires_in":7776000})" + "\n");
}

TEST(LoginCommandTest, KeepsNothingWhenItIsRefused) {
  struct Refused {
    std::string name;
    std::string parameters;
    std::string_view words;
  };
  for (const Refused& each :
       {Refused{"denied", "error=access_denied&error_description=not+you%21", "not you!"},
        Refused{"a code that is no good", "code=other", "invalid_grant: the code is unknown"}}) {
    TempFolder home;
    LoginServer server;
    LoginRun login([&](const std::string& page) { ComeBack(page, each.parameters); });
    ProgramRun run = login.Run({"login", server.url()}, {{"HOME", home.path()}});
    EXPECT_EQ(run.status, 1) << each.name;
    EXPECT_NE(run.err.find(each.words), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(home / ".terraform.d")) << each.name;
  }
}

TEST(LoginCommandTest, RefusesServersThatOfferNone) {
  TempFolder home;
  ScriptedServer none([](const ScriptedRequest&) { return ScriptedAnswer::Json(200, "{}"); });
  ProgramRun run = RunKoya({"login", none.url()}, {{"HOME", home.path()}});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("does not support login"), std::string::npos) << run.err;
  LoginServer password({"c", {"password"}, "/a", "/t", 20'000, 20'010});
  run = RunKoya({"login", password.url()}, {{"HOME", home.path()}});
  EXPECT_NE(run.err.find("authz_code"), std::string::npos) << run.err;
  LoginServer clear({"c", {"authz_code"}, "/a", "http://elsewhere.test/t", 20'000, 20'010});
  run = RunKoya({"login", clear.url()}, {{"HOME", home.path()}});
  EXPECT_NE(run.err.find("not https"), std::string::npos) << run.err;
}

TEST(LoginCommandTest, SaysWhereATokenComesFromThatWouldStandInTheWay) {
  LoginServer server;
  TempFolder home;
  const Variables plain = {{"HOME", home.path()}};
  Variables variable = plain;
  variable.emplace_back("TF_TOKEN_" + server.host(), "koya_x");
  // "127.0.0.1:PORT" is "127_0_0_1:PORT" there.
  for (char& c : variable.back().first) c = c == '.' ? '_' : c;
  ProgramRun run = RunKoya({"login", server.url()}, variable);
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("the variable TF_TOKEN_127_0_0_1:"), std::string::npos) << run.err;
  home.Write(".tofurc", "\ncredentials \"" + server.host() + "\" {\n  token = \"koya_x\"\n}\n");
  run = RunKoya({"login", server.url(), "--token-stdin"}, plain, "koya_good\n");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("/.tofurc:2"), std::string::npos) << run.err;
  home.Write(".tofurc", "credentials_helper \"pass\" {\n}\n");
  run = RunKoya({"login", server.url()}, plain);
  EXPECT_NE(run.err.find("credentials helper"), std::string::npos) << run.err;
  EXPECT_TRUE(server.requests().empty());
}

TEST(LoginCommandTest, KeepsATokenThatIsPasted) {
  LoginServer server;
  TempFolder home;
  const Variables variables = {{"HOME", home.path()}};
  const auto file = home / ".terraform.d/credentials.tfrc.json";
  struct Pasted {
    std::string input;
    std::string_view words;
  };
  for (const Pasted& bad :
       {Pasted{"koya_bad\n", "this token is unknown"}, Pasted{"", "the token is missing"},
        Pasted{"\n", "is missing"}, Pasted{"koya good\n", "a space"}}) {
    ProgramRun run = RunKoya({"login", server.url(), "--token-stdin"}, variables, bad.input);
    EXPECT_EQ(run.status, 1) << bad.input;
    EXPECT_NE(run.err.find(bad.words), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  ProgramRun run = RunKoya({"login", server.url(), "--token-stdin"}, variables, "koya_good\r\n");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(FileText(file).find("\"koya_good\""), std::string::npos);
}

TEST(LogoutCommandTest, RevokesAndForgets) {
  LoginServer server;
  TempFolder home;
  const Variables variables = {{"HOME", home.path()}};
  home.Write(".terraform.d/credentials.tfrc.json",
             R"({"credentials":{"other.test":{"token":"o"},")" + server.host() +
                 R"(":{"token":"koya_mine"}}})");
  ProgramRun run = RunKoya({"logout", server.url()}, variables);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("revoked and removed"), std::string::npos) << run.out;
  ASSERT_EQ(server.requests().size(), 1U);
  EXPECT_EQ(server.requests().front().body, "token=koya_mine&token_type_hint=access_token");
  EXPECT_EQ(FileText(home / ".terraform.d/credentials.tfrc.json"),
            "{\"credentials\":{\"other.test\":{\"token\":\"o\"}}}\n");
  run = RunKoya({"logout", server.url()}, variables);
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("no token is stored"), std::string::npos) << run.err;
}

TEST(LogoutCommandTest, ForgetsWhatCannotBeRevoked) {
  TempFolder home;
  home.Write(".terraform.d/credentials.tfrc.json",
             R"({"credentials":{"127.0.0.1:9":{"token":"koya_mine"}}})");
  ProgramRun run = RunKoya({"logout", "http://127.0.0.1:9", "--json"}, {{"HOME", home.path()}});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "{\"url\":\"http://127.0.0.1:9\",\"removed\":true,\"revoked\":false}\n");
  EXPECT_NE(run.err.find("could not revoke"), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("koya_mine"), std::string::npos);
}

// ---- set-up, passwords and sessions

// Arguments and input of one command, its request, the response, and its output.
struct SignInExchange {
  std::vector<std::string> arguments;
  std::string input;
  std::string method;
  std::string target;
  std::string sent;
  unsigned status;
  std::string answer;
  std::string words;
  std::string json;
};

wire::Session AdasSession() {
  return {"s1", "ada", "password", "192.0.2.1", "Firefox/1", kSessionTime, kSessionTime, ""};
}

std::vector<SignInExchange> SignInExchanges() {
  const std::string root =
      wire::Encode<wire::Account>({"user", "root", true, kSessionTime, "", ""});
  const std::string list = wire::Encode(wire::SessionList{{AdasSession()}});
  const std::string good(kGoodPassword);
  const std::string sent_password = R"({"password":")" + good + R"("})";
  return {
      {{"setup", "--token", "koya_s", "--user", "root", "--password-stdin"},
       good + "\nmore\n",
       "POST",
       "/api/v1/setup",
       R"({"token":"koya_s","user":"root","password":")" + good + R"("})",
       201,
       root,
       "Next: sign in with \"koya login http://127.0.0.1",
       root},
      {{"setup", "--token", "koya_s", "--user", "root", "--password-stdin", "--visibility",
        "private", "--name", "Kumo 雲"},
       good,
       "POST",
       "/api/v1/setup",
       R"({"token":"koya_s","user":"root","password":")" + good +
           R"(","visibility":"private","name":"Kumo 雲"})",
       201,
       root,
       "New namespaces are private, unless access.default_visibility is set",
       root},
      {{"setup", "--token-stdin", "--user", "root", "--password-stdin"},
       "koya_s\n" + good,
       "POST",
       "/api/v1/setup",
       R"({"token":"koya_s","user":"root","password":")" + good + R"("})",
       201,
       root,
       "Created the user \"root\", an administrator",
       root},
      {{"user", "password", "ada@a.test", "--password-stdin"},
       good + "\n",
       "PUT",
       "/api/v1/users/ada%40a.test/password",
       sent_password,
       204,
       "",
       "Set the password of \"ada@a.test\"",
       R"({"user":"ada@a.test","set":true})"},
      {{"user", "password", "ada", "--password-stdin", "--old"},
       "before\n" + good,
       "PUT",
       "/api/v1/users/ada/password",
       R"({"password":")" + good + R"(","old_password":"before"})",
       204,
       "",
       "Set the password",
       R"({"user":"ada","set":true})"},
      {{"user", "language", "ada", "ja"},
       "",
       "PUT",
       "/api/v1/users/ada/language",
       R"({"language":"ja"})",
       204,
       "",
       "Pages for \"ada\" are in ja",
       R"({"user":"ada","language":"ja"})"},
      {{"user", "language", "ada", "auto"},
       "",
       "PUT",
       "/api/v1/users/ada/language",
       R"({"language":"auto"})",
       204,
       "",
       "use the browser's language",
       R"({"user":"ada","language":"auto"})"},
      {{"user", "password", "ada", "--remove"},
       "",
       "PUT",
       "/api/v1/users/ada/password",
       R"({"password":null})",
       204,
       "",
       "Removed the password of \"ada\"",
       R"({"user":"ada","removed":true})"},
      {{"whoami"},
       "",
       "GET",
       "/api/v1/whoami",
       "",
       200,
       R"({"server":"https://koya.test","account":"ada","kind":"user","token":"laptop","scope":"publish","namespaces":["acme"],"expires":null})",
       "server      https://koya.test\nuser        ada\ntoken       laptop\n"
       "scope       publish\nnamespaces  acme\nexpires     never\n",
       R"({"server":"https://koya.test","account":"ada","kind":"user","token":"laptop","scope":"publish","namespaces":["acme"],"expires":null})"},
      {{"session", "list"},
       "",
       "GET",
       "/api/v1/sessions",
       "",
       200,
       list,
       "s1  ada   password  192.0.2.1",
       list},
      {{"session", "list", "--user", "ada@a.test"},
       "",
       "GET",
       "/api/v1/sessions?user=ada%40a.test",
       "",
       200,
       list,
       "Firefox/1",
       list},
      {{"session", "end", "s1"},
       "",
       "DELETE",
       "/api/v1/sessions/s1",
       "",
       204,
       "",
       "Ended the session s1",
       R"({"id":"s1","ended":true})"},
      {{"session", "end", "--user", "ada"},
       "",
       "DELETE",
       "/api/v1/users/ada/sessions",
       "",
       200,
       R"({"ended":2})",
       "Ended 2 sessions of \"ada\"",
       R"({"ended":2})"},
  };
}

TEST(SignInCommandsTest, AskTheServer) {
  for (const SignInExchange& each : SignInExchanges()) {
    ScriptedServer server(
        [&](const ScriptedRequest&) { return ScriptedAnswer::Json(each.status, each.answer); });
    const Variables variables = {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}};
    ProgramRun run = RunKoya(each.arguments, variables, each.input);
    EXPECT_EQ(run.status, 0) << each.words << run.err;
    EXPECT_NE(run.out.find(each.words), std::string::npos) << each.words << "\n" << run.out;
    ASSERT_EQ(server.requests().size(), 1U) << each.words;
    const ScriptedRequest request = server.requests().front();
    EXPECT_EQ(request.method, each.method);
    EXPECT_EQ(request.target, each.target);
    EXPECT_EQ(request.body, each.sent);
    // During setup there is no token yet.
    EXPECT_EQ(request.fields.count("authorization"), each.arguments.front() == "setup" ? 0U : 1U);
    std::vector<std::string> arguments = each.arguments;
    arguments.emplace_back("--json");
    EXPECT_EQ(RunKoya(arguments, variables, each.input).out, each.json + "\n");
  }
}

TEST(SignInCommandsTest, AUserIsMadeWithAPassword) {
  ScriptedServer server([](const ScriptedRequest& request) {
    return request.method == "PUT"
               ? ScriptedAnswer{.status = 204}
               : ScriptedAnswer::Json(201, wire::Encode<wire::Account>(
                                               {"user", "ada", false, kSessionTime, "root", ""}));
  });
  const Variables variables = {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}};
  const std::vector<std::string> command = {"user", "create", "ada", "--password-stdin"};
  ProgramRun refused = RunKoya(command, variables, "short\n");
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(server.requests().empty()) << "one that is no good makes nobody";
  ProgramRun run = RunKoya(command, variables, std::string(kGoodPassword) + "\n");
  ASSERT_EQ(run.status, 0) << run.err;
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.requests()[0].target, "/api/v1/users");
  EXPECT_EQ(server.requests()[1].target, "/api/v1/users/ada/password");
}

TEST(SignInCommandsTest, RefuseBeforeTheyAsk) {
  struct Refused {
    std::vector<std::string> arguments;
    std::string input;
    int status;
    std::string_view words;
  };
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer::Json(500, "{}"); });
  const std::vector<Refused> kRefused = {
      {{"setup", "--user", "root", "--password-stdin"}, "x\n", 1, "no set-up token"},
      {{"setup", "--token", "koya_s", "--user", "root"}, "x\n", 1, "use --password-stdin"},
      {{"setup", "--token", "koya_s", "--password-stdin"}, "x\n", 2, "--user"},
      {{"setup", "--token", "a b", "--user", "root"}, "", 2, "a space"},
      {{"setup", "--token", "koya_s", "--user", "root", "--visibility", "secret"},
       "",
       2,
       "internal"},
      {{"setup", "--token", "a", "--token-stdin", "--user", "r"}, "", 2, "--token"},
      {{"setup", "--token", "koya_s", "--user", "root", "--password-stdin"}, "short\n", 1, "12"},
      {{"setup", "--token", "koya_s", "--user", "root", "--password-stdin"}, "", 1, "is missing"},
      {{"setup", "--token", "koya_s", "--user", "no/slash"}, "", 2, "no/slash"},
      {{"user", "password", "ada"}, "x\n", 1, "use --password-stdin"},
      {{"user", "password", "ada", "--remove", "--password-stdin"}, "x\n", 2, "--remove"},
      {{"user", "password", "ada", "--password-stdin"}, "\n", 1, "is missing"},
      {{"user", "password", "ada", "--password-stdin"}, std::string(5000, 'x'), 1, "longer than"},
      {{"user", "password", "adaadaadaada", "--password-stdin"}, "AdaAdaAdaAda\n", 1, "name"},
      {{"service", "password", "ci"}, "x\n", 2, "password"},
      {{"session", "end"}, "", 1, "specify the ID"},
      {{"session", "end", "s1", "--user", "ada"}, "", 1, "specify the ID"},
      {{"session"}, "", 2, "a command is missing"},
      {{"login"}, "", 2, "URL"},
      {{"login", "ftp://x.test"}, "", 2, "ftp"},
      {{"login", "https://x.test/path"}, "", 2, "path"},
      {{"login", "https://x.test", "--scope", "write"}, "", 2, "write"},
      {{"login", "https://x.test", "--scope", "read", "--token-stdin"}, "", 2, "--scope"},
      {{"login", "https://x.test"}, "", 1, "HOME is not set"},
      {{"logout"}, "", 2, "URL"},
  };
  for (const Refused& each : kRefused) {
    ProgramRun run =
        RunKoya(each.arguments, {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_x"}}, each.input);
    EXPECT_EQ(run.status, each.status) << each.arguments.front() << each.words << run.err;
    EXPECT_NE(run.err.find(each.words), std::string::npos) << each.words << "\n" << run.err;
    EXPECT_EQ(run.out, "");
  }
  EXPECT_TRUE(server.requests().empty());
}

// A terminal that records whether echo is on.
struct TypedRun {
  std::vector<bool> shown;
  ProgramRun run;
};
TypedRun RunTyped(std::vector<std::string> arguments, Variables variables,
                  const std::string& typed) {
  TypedRun result;
  std::ostringstream out;
  std::ostringstream err;
  std::istringstream in(typed);
  Shell shell{.variables = std::move(variables), .out = out, .err = err, .in = &in};
  shell.show_input = [&](bool shown) { result.shown.push_back(shown); };
  int status = RunProgram(shell, arguments);
  result.run = {status, out.str(), err.str()};
  return result;
}

TEST(TerminalPasswordTest, IsAskedForTwiceAndNotShown) {
  ScriptedServer server([](const ScriptedRequest&) { return ScriptedAnswer{.status = 204}; });
  const Variables variables = {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_x"}};
  const std::string good = std::string(kGoodPassword) + "\n";
  TypedRun typed = RunTyped({"user", "password", "ada"}, variables, good + good);
  EXPECT_EQ(typed.run.status, 0) << typed.run.err;
  EXPECT_EQ(typed.shown, (std::vector<bool>{false, true, false, true}));
  EXPECT_NE(typed.run.err.find("New password of ada: \nThe same again: \n"), std::string::npos)
      << typed.run.err;
  EXPECT_EQ(server.requests().size(), 1U);
  typed = RunTyped({"user", "password", "ada"}, variables, good + "another horse battery\n");
  EXPECT_EQ(typed.run.status, 1);
  EXPECT_NE(typed.run.err.find("the two passwords differ"), std::string::npos) << typed.run.err;
  EXPECT_EQ(typed.run.err.find("horse"), std::string::npos);
  EXPECT_EQ(server.requests().size(), 1U);
}

// ---- the browser's way back

TEST(LoginCallbackTest, IsReadOnceItHasTheState) {
  using Kind = LoginCallback::Kind;
  struct Line {
    std::string_view request;
    Kind kind;
    std::string text;
  };
  const std::vector<Line> kLines = {
      {"GET /login?code=a%2Fb&state=S HTTP/1.1", Kind::kCode, "a/b"},
      {"GET /?state=S&code=c HTTP/1.0", Kind::kCode, "c"},
      {"GET /any/path?x=1&code=c&state=S HTTP/1.1", Kind::kCode, "c"},
      {"GET /login?error=access_denied&state=S HTTP/1.1", Kind::kDenied, "access_denied"},
      {"GET /?error=e&error_description=a+b&code=c&state=S HTTP/1.1", Kind::kDenied, "e: a b"},
      {"POST /login?code=c&state=S HTTP/1.1", Kind::kNotGet, ""},
      {"HEAD /login?code=c&state=S HTTP/1.1", Kind::kNotGet, ""},
      {"GET /login HTTP/1.1", Kind::kStranger, ""},
      {"GET /login?code=c HTTP/1.1", Kind::kStranger, ""},
      {"GET /login?code=c&state=T HTTP/1.1", Kind::kStranger, ""},
      {"GET /login?code=c&state= HTTP/1.1", Kind::kStranger, ""},
      {"GET /login?code=&state=S HTTP/1.1", Kind::kStranger, ""},
      {"GET /login?state=S HTTP/1.1", Kind::kStranger, ""},
      {"GET /login?error=e&state=T HTTP/1.1", Kind::kStranger, ""},
      {"GET /login?code=c&state=S&state=S HTTP/1.1", Kind::kStranger, ""},
      {"GET /login?code=c&code=d&state=S HTTP/1.1", Kind::kStranger, ""},
      {"GET /login?code=%zz&state=S HTTP/1.1", Kind::kStranger, ""},
      {"GET /login?code=%4&state=S HTTP/1.1", Kind::kStranger, ""},
      {"GET", Kind::kStranger, ""},
      {"", Kind::kStranger, ""},
      {"GET /login?code=c&state=S", Kind::kStranger, ""},
  };
  for (const Line& line : kLines) {
    LoginCallback callback = ReadCallback(line.request, "S");
    EXPECT_EQ(callback.kind, line.kind) << line.request;
    EXPECT_EQ(callback.text, line.text) << line.request;
  }
}

TEST(LoginListenerTest, GivesUpAndTakesOnlyFreePorts) {
  auto listener = LoginListener::Open(20'100, 20'150);
  ASSERT_TRUE(listener) << listener.error().message;
  auto second = LoginListener::Open(listener->port(), listener->port());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kConflict);
  auto code = listener->WaitForCode("S", std::chrono::seconds(0));
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().kind, ErrorKind::kTimeout);
}

}  // namespace
}  // namespace koya::cli
