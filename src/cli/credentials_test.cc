#include "cli/credentials.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace koya::cli {
namespace {

TEST(CredentialsTest, WritesHostsOneWay) {
  const std::vector<std::pair<std::string_view, std::string_view>> kHosts = {
      {"example.com", "example.com"},
      {"EXAMPLE.Com", "example.com"},
      {"example.com:443", "example.com"},
      {"example.com:0443", "example.com"},
      {"example.com:08443", "example.com:8443"},
      {"127.0.0.1:8443", "127.0.0.1:8443"},
      {"[::1]", "[::1]"},
      {"[::1]:8443", "[::1]:8443"},
      {"example.com:", "example.com"},
  };
  for (const auto& [host, expected] : kHosts) EXPECT_EQ(CredentialHost(host), expected) << host;
}

struct NamedHost {
  std::string_view variable;
  std::string_view host;  // "" when the variable names none
};

TEST(CredentialsTest, ReadsHostsOutOfVariableNames) {
  const std::vector<NamedHost> kNames = {
      {"TF_TOKEN_example_com", "example.com"},
      {"TF_TOKEN_example.com", "example.com"},
      {"TF_TOKEN_EXAMPLE_COM", "example.com"},
      {"TF_TOKEN_my__host_example_com", "my-host.example.com"},
      {"TF_TOKEN_my-host_example_com", "my-host.example.com"},
      {"TF_TOKEN_xn____mnchen__3ya_example", "xn--mnchen-3ya.example"},
      {"TF_TOKEN_127_0_0_1:8443", "127.0.0.1:8443"},
      {"TF_TOKEN_localhost:443", "localhost"},
      {"TF_TOKEN_localhost_8443", "localhost.8443"},
      {"TF_TOKEN_localhost__8443", "localhost-8443"},
      {"TF_TOKEN_", ""},
      {"TF_TOKEN", ""},
      {"tf_token_example_com", ""},
      {"XTF_TOKEN_example_com", ""},
  };
  for (const NamedHost& each : kNames) {
    auto kept = CredentialsFromVariables({{std::string(each.variable), "secret"}});
    ASSERT_EQ(kept.size(), each.host.empty() ? 0u : 1u) << each.variable;
    if (kept.empty()) continue;
    EXPECT_EQ(kept[0].host, each.host) << each.variable;
    EXPECT_EQ(kept[0].token, "secret");
    EXPECT_EQ(kept[0].place, each.variable);
  }
}

TEST(CredentialsTest, TakesTheLastOfTwoNamesAndNoEmptyToken) {
  auto kept = CredentialsFromVariables(
      {{"TF_TOKEN_a_test", "first"}, {"TF_TOKEN_b_test", ""}, {"TF_TOKEN_A.test", "second"}});
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].token, "second");
}

TEST(CredentialsTest, ReadsTheClientsFile) {
  auto kept = CredentialsFromFile(
      R"({"credentials":{"A.test:443":{"token":"one"},"127.0.0.1:8443":{"token":"two","x":1},
          "b.test":{},"c.test":null,"d.test":{"token":5},"e.test":{"token":""}},"other":[]})",
      "place");
  ASSERT_TRUE(kept) << kept.error().message;
  ASSERT_EQ(kept->size(), 2u);
  EXPECT_EQ((*kept)[0].host, "a.test");
  EXPECT_EQ((*kept)[0].token, "one");
  EXPECT_EQ((*kept)[1].host, "127.0.0.1:8443");
  for (std::string_view empty : {"{}", R"({"credentials":[]})", R"({"credentials":null})"}) {
    auto none = CredentialsFromFile(empty, "place");
    ASSERT_TRUE(none) << empty;
    EXPECT_TRUE(none->empty()) << empty;
  }
}

TEST(CredentialsTest, RefusesAFileThatIsNoObjectWithoutShowingIt) {
  for (std::string_view body : {"", "[]", "null", "\"secret\"", "{\"credentials\":{\"a\":secret"}) {
    auto kept = CredentialsFromFile(body, "/home/x/credentials.tfrc.json");
    ASSERT_FALSE(kept) << body;
    EXPECT_NE(kept.error().message.find("/home/x/credentials.tfrc.json"), std::string::npos);
    EXPECT_EQ(kept.error().message.find("secret"), std::string::npos);
  }
}

TEST(CredentialsTest, KnowsWhereTheClientsKeepTheirFile) {
  auto files = CredentialFiles({{"HOME", "/h"}});
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0], "/h/.terraform.d/credentials.tfrc.json");
  EXPECT_EQ(files[1], "/h/.config/opentofu/credentials.tfrc.json");
  files = CredentialFiles({{"HOME", "/h"}, {"XDG_CONFIG_HOME", "/x"}});
  EXPECT_EQ(files[1], "/x/opentofu/credentials.tfrc.json");
  EXPECT_TRUE(CredentialFiles({}).empty());
}

TEST(CredentialsTest, TakesServersInTheFormsPeopleWrite) {
  const std::vector<std::pair<std::string_view, std::string_view>> kServers = {
      {"https://example.com", "https://example.com"},
      {"https://example.com/", "https://example.com"},
      {"https://Example.com:443", "https://example.com"},
      {"example.com", "https://example.com"},
      {"127.0.0.1:8443", "https://127.0.0.1:8443"},
      {"http://127.0.0.1:8080", "http://127.0.0.1:8080"},
      {"https://[::1]:8443", "https://[::1]:8443"},
  };
  for (const auto& [text, origin] : kServers) {
    auto url = ParseServer(text, "--server");
    ASSERT_TRUE(url) << text << ": " << url.error().message;
    EXPECT_EQ(url->Origin(), origin) << text;
  }
}

TEST(CredentialsTest, RefusesOtherServersAndSaysHowToWriteThem) {
  const std::vector<std::pair<std::string_view, std::string_view>> kRefused = {
      {"ftp://example.com", "https://HOST"},
      {"https://", "https://HOST"},
      {"https://example.com:port", "https://HOST"},
      {"https://example.com/v1/modules/", "https://example.com"},
      {"https://example.com?x=1", "leave the path out"},
      {"https://user:secret@example.com", "--token"},
      {"", "https://HOST"},
  };
  for (const auto& [text, words] : kRefused) {
    auto url = ParseServer(text, "KOYA_URL");
    ASSERT_FALSE(url) << text;
    EXPECT_NE(url.error().message.find(words), std::string::npos) << url.error().message;
    EXPECT_NE(url.error().message.find("KOYA_URL"), std::string::npos) << url.error().message;
    EXPECT_EQ(url.error().message.find("secret"), std::string::npos) << url.error().message;
  }
}

struct Choice {
  std::string_view what;
  ServerFlags flags;
  Variables variables;
  std::string_view origin;
  std::string_view token;
};

TEST(CredentialsTest, PrefersFlagsThenEnvironmentThenWhatIsKept) {
  const std::vector<KeptCredential> kKept = {{"a.test", "kept-a", "TF_TOKEN_a_test"},
                                             {"a.test", "older", "file"},
                                             {"app.terraform.io", "public", "file"}};
  const Variables kBoth = {{"KOYA_URL", "https://b.test"}, {"KOYA_TOKEN", "env"}};
  const std::vector<Choice> kChoices = {
      {"flags", {"https://c.test", "flag"}, kBoth, "https://c.test", "flag"},
      {"environment", {}, kBoth, "https://b.test", "env"},
      {"server flag", {"https://c.test", ""}, kBoth, "https://c.test", "env"},
      {"token flag", {"", "flag"}, kBoth, "https://b.test", "flag"},
      {"kept for a flag", {"https://a.test:443", ""}, {}, "https://a.test", "kept-a"},
      {"kept for a variable", {}, {{"KOYA_URL", "a.test"}}, "https://a.test", "kept-a"},
      {"the one kept", {}, {}, "https://a.test", "kept-a"},
      {"nothing kept", {"https://d.test", ""}, {}, "https://d.test", ""},
      {"another port", {"https://a.test:8443", ""}, {}, "https://a.test:8443", ""},
  };
  for (const Choice& each : kChoices) {
    auto choice = ChooseServer(each.flags, each.variables, kKept);
    ASSERT_TRUE(choice) << each.what << ": " << choice.error().message;
    EXPECT_EQ(choice->url.Origin(), each.origin) << each.what;
    EXPECT_EQ(choice->token, each.token) << each.what;
    EXPECT_EQ(choice->note.empty(), each.what != "the one kept") << choice->note;
  }
}

TEST(CredentialsTest, AsksForAServerWhenNoneOrSeveralComeIntoQuestion) {
  auto none = ChooseServer({}, {}, {{"registry.opentofu.org", "t", ""}});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("KOYA_URL"), std::string::npos);
  auto several = ChooseServer({}, {}, {{"a.test", "t1", ""}, {"b.test", "t2", ""}});
  ASSERT_FALSE(several);
  EXPECT_NE(several.error().message.find("a.test, b.test"), std::string::npos);
  EXPECT_EQ(several.error().message.find("t1"), std::string::npos);
}

TEST(CredentialsTest, RefusesTokensThatWouldBreakAHeaderWithoutShowingThem) {
  for (std::string_view token : {"two words", "line\nbreak", "\"caf\xc3\xa9\"", "nul\x01"}) {
    auto choice = ChooseServer({"https://a.test", std::string(token)}, {}, {});
    ASSERT_FALSE(choice) << token;
    EXPECT_EQ(choice.error().message.find(token), std::string::npos);
  }
}

TEST(CredentialsTest, WarnsOfTokensInTheClear) {
  EXPECT_FALSE(ChooseServer({"http://a.test", "t"}, {}, {})->note.empty());
  EXPECT_TRUE(ChooseServer({"http://a.test", ""}, {}, {})->note.empty());
  EXPECT_TRUE(ChooseServer({"http://127.0.0.1:8080", "t"}, {}, {})->note.empty());
  EXPECT_TRUE(ChooseServer({"https://a.test", "t"}, {}, {})->note.empty());
}

}  // namespace
}  // namespace koya::cli
