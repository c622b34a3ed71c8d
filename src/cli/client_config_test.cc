#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/run_program_fake.h"
#include "clients/client_settings.h"
#include "http/scripted_server_fake.h"

namespace koya::cli {
namespace {

// The text without its comments and blank lines.
std::string Code(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    std::string line = text.substr(begin, end - begin);
    const std::size_t first = line.find_first_not_of(' ');
    if (first != line.npos && line[first] != '#') out += line + "\n";
    begin = end + 1;
  }
  return out;
}

TEST(ClientConfigTest, PointsRegistriesAtTheirOrigin) {
  ProgramRun run = RunKoya({"client-config", "--server", "https://koya.test:8443"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Code(run.out), R"(host "registry.opentofu.org" {
  services = {
    "providers.v1" = "https://koya.test:8443/origin/registry.opentofu.org/v1/providers/"
    "modules.v1"   = "https://koya.test:8443/origin/registry.opentofu.org/v1/modules/"
  }
}
)");
  for (std::string_view words :
       {"~/.tofurc", "~/.terraformrc", "export TF_TOKEN_registry_opentofu_org=",
        "env 'TF_TOKEN_koya_test:8443=", "credentials \"registry.opentofu.org\"",
        "tofu login koya.test:8443", "koya doctor https://koya.test:8443"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << "\n" << run.out;
  }
}

TEST(ClientConfigTest, LeadsTheNameOfARegistryThatHasMovedToTheServer) {
  ProgramRun run = RunKoya(
      {"client-config", "--server", "https://koya.test:8443", "--for-host", "app.terraform.io"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Code(run.out), R"(host "app.terraform.io" {
  services = {
    "providers.v1" = "https://koya.test:8443/v1/providers/"
    "modules.v1"   = "https://koya.test:8443/v1/modules/"
  }
}
)");
  EXPECT_TRUE(run.out.contains("export TF_TOKEN_app_terraform_io=")) << run.out;
  for (const char* flag : {"--upstream", "--mode"}) {
    run = RunKoya({"client-config", "--server", "https://koya.test", "--for-host", "a.test", flag,
                   std::string_view(flag) == "--mode" ? "mirror" : "b.test"});
    EXPECT_EQ(run.status, 2) << run.err;
  }
  EXPECT_EQ(
      RunKoya({"client-config", "--server", "https://koya.test", "--for-host", "no host"}).status,
      2);
}

TEST(ClientConfigTest, SaysWhatElseTheFileCanHold) {
  for (const char* mode : {"origin", "mirror"}) {
    ProgramRun run = RunKoya({"client-config", "--server", "https://koya.test", "--mode", mode});
    ASSERT_EQ(run.status, 0) << run.err;
    for (std::string_view words :
         {"#   credentials_helper \"NAME\" {}\n", "terraform-credentials-NAME", "# A .netrc cannot",
          "TF_REGISTRY_CLIENT_TIMEOUT=60", "TF_REGISTRY_DISCOVERY_RETRY=5",
          "TF_PROVIDER_DOWNLOAD_RETRY=5", "#   registry_protocols {\n",
          "#     request_timeout_seconds = 60\n", "#     retry_count             = 5\n"}) {
      EXPECT_NE(run.out.find(words), std::string::npos) << mode << " " << words << "\n" << run.out;
    }
    EXPECT_EQ(run.out.contains("trust_all_hashes"), std::string_view(mode) == "mirror");
  }
}

TEST(ClientConfigTest, NamesItAsANetworkMirror) {
  ProgramRun run =
      RunKoya({"client-config", "--upstream", "Registry.Terraform.io", "--upstream", "日本.example",
               "--upstream", "registry.terraform.io", "--mode", "mirror"},
              {{"KOYA_URL", "https://koya.test"}, {"KOYA_TOKEN", "secret"}});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Code(run.out), R"(provider_installation {
  network_mirror {
    url     = "https://koya.test/mirror/"
    include = ["registry.terraform.io/*/*", "日本.example/*/*"]
  }
  direct {
    exclude = ["registry.terraform.io/*/*", "日本.example/*/*"]
  }
}
)");
  EXPECT_EQ(run.out.find("secret"), std::string::npos);
  EXPECT_NE(run.out.find("export TF_TOKEN_koya_test="), std::string::npos) << run.out;
  // What only some clients take is a comment, in the block that it belongs to.
  for (std::string_view words : {"\n    # trust_all_hashes = true\n", "OpenTofu 1.12",
                                 "\n    # download_retry_count = 5\n"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << "\n" << run.out;
  }
}

// A server whose mirror is closed to anonymous callers: its list is denied.
http::ScriptedAnswer HiddenMirror(const http::ScriptedRequest& request) {
  bool hidden = request.target == "/api/v1/mirror/providers?limit=1" &&
                !request.fields.contains("authorization");
  return http::ScriptedAnswer::Json(hidden ? 404 : 500, R"({"errors":["nothing of this name"]})");
}

TEST(ClientConfigTest, HasAPlaceForTheTokenThatTheMirrorWants) {
  http::ScriptedServer server(HiddenMirror);
  const Variables variables = {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}};
  ProgramRun run = RunKoya({"client-config"}, variables);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(Code(run.out).find("credentials \"registry.opentofu.org\" {\n"
                               "  token = \"PUT-THE-TOKEN-HERE\"\n}\n"),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("#   export TF_TOKEN_registry_opentofu_org="), std::string::npos);
  EXPECT_EQ(run.out.find("koya_secret"), std::string::npos);
  run = RunKoya({"client-config", "--with-token", "--upstream", "a.test", "--upstream", "b.test"},
                variables);
  for (std::string_view block : {"credentials \"a.test\" {\n  token = \"koya_secret\"\n}\n",
                                 "credentials \"b.test\" {\n  token = \"koya_secret\"\n}\n"}) {
    EXPECT_NE(Code(run.out).find(block), std::string::npos) << run.out;
  }
}

TEST(ClientConfigTest, HasNoCredentialsWhereStrangersMayRead) {
  http::ScriptedServer server(
      [](const http::ScriptedRequest&) { return http::ScriptedAnswer::Json(200, "{}"); });
  ProgramRun run = RunKoya({"client-config"}, {{"KOYA_URL", server.url()}});
  EXPECT_EQ(Code(run.out).find("credentials"), std::string::npos) << run.out;
  run = RunKoya({"client-config", "--with-token"},
                {{"KOYA_URL", server.url()}, {"HOME", "/nonexistent"}});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("no token for"), std::string::npos) << run.err;
}

TEST(ClientConfigTest, GivesANetworkMirrorsTokenUnderItsOwnName) {
  Result<std::string> text = clients::ClientSettings({.server = "https://koya.test:8443",
                                                      .registries = {*HostName::Parse("a.test")},
                                                      .mode = clients::ClientMode::kMirror,
                                                      .token = "x\"${y}\\"});
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("credentials \"koya.test:8443\" {\n  token = \"x\\\"$${y}\\\\\"\n}\n"),
            std::string::npos)
      << *text;
}

TEST(ClientConfigTest, PrintsWhatToConfigureInATool) {
  const Variables variables = {{"KOYA_URL", "https://koya.test"}, {"KOYA_TOKEN", "koya_secret"}};
  ProgramRun run = RunKoya({"client-config", "--for", "renovate"}, variables);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.out.contains("https://koya.test/api/v1/renovate/modules/{{packageName}}"))
      << run.out;
  EXPECT_FALSE(run.out.contains("koya_secret"));
  EXPECT_EQ(RunKoya({"client-config", "--for", "make"}, variables).status, 2);
  run = RunKoya({"client-config", "--for", "renovate", "--server", "https://koya.test:8443"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.err.contains("serve this registry on port 443")) << run.err;
}

TEST(ClientConfigTest, LetsClientsAskBothWhereThatIsWanted) {
  clients::ClientSettingsRequest wish{.server = "https://koya.test",
                                      .registries = {*HostName::Parse("a.test")},
                                      .mode = clients::ClientMode::kMirror};
  EXPECT_TRUE(clients::ClientSettings(wish)->contains("exclude = [\"a.test/*/*\"]"));
  wish.direct = true;
  const std::string text = *clients::ClientSettings(wish);
  EXPECT_FALSE(text.contains("exclude")) << text;
  EXPECT_TRUE(text.contains("direct {\n  }")) << text;
  ProgramRun run = RunKoya({"client-config", "--direct"}, {{"KOYA_URL", "https://koya.test"}});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.err.contains("--direct needs --mode mirror")) << run.err;
}

TEST(ClientConfigTest, WritesInternationalNamesAsEachPlaceNeedsThem) {
  ProgramRun run =
      RunKoya({"client-config", "--upstream", "日本.example", "--server", "https://koya.test"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("host \"日本.example\""), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("/origin/xn--wgv71a.example/v1/"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("TF_TOKEN_xn____wgv71a_example="), std::string::npos) << run.out;
}

TEST(ClientConfigTest, RefusesWhatClientsRefuse) {
  struct Case {
    std::vector<std::string> arguments;
    int status;
    std::string_view words;
  };
  const std::vector<Case> kCases = {
      {{"--server", "https://koya.test", "--upstream", "https://x.test"}, 2, "https://x.test"},
      {{"--server", "https://koya.test", "--upstream", "xn--wgv71a.example"}, 2, "xn--"},
      {{"--server", "https://koya.test", "--upstream", "a.test:8443", "--mode", "mirror"},
       1,
       "has a port"},
      {{"--server", "http://127.0.0.1:80", "--mode", "mirror"}, 1, "not https"},
      {{"--server", "https://koya.test/path"}, 2, "koya.test/path"},
      {{}, 1, "KOYA_URL"},
      {{"--server", "https://koya.test", "--mode", "both"}, 2, "both"},
  };
  for (const Case& each : kCases) {
    std::vector<std::string> arguments = {"client-config"};
    arguments.insert(arguments.end(), each.arguments.begin(), each.arguments.end());
    ProgramRun run = RunKoya(arguments, {{"HOME", "/nonexistent"}});
    EXPECT_EQ(run.status, each.status) << each.words;
    EXPECT_EQ(run.out, "") << each.words;
    EXPECT_NE(run.err.find(each.words), std::string::npos) << run.err;
  }
}

TEST(TokenVariableTest, IsSpelledAsClientsReadIt) {
  const std::vector<std::pair<std::string, std::string>> kCases = {
      {"registry.opentofu.org", "TF_TOKEN_registry_opentofu_org"},
      {"my-host.test", "TF_TOKEN_my__host_test"},
      {"127.0.0.1:8443", "TF_TOKEN_127_0_0_1:8443"},
      {"Example.com:443", "TF_TOKEN_example_com"},
  };
  for (const auto& [host, name] : kCases)
    EXPECT_EQ(clients::TokenVariable(*HostName::Parse(host)), name);
}

}  // namespace
}  // namespace koya::cli
