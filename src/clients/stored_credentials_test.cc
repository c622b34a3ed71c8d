#include "clients/stored_credentials.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koya::clients {
namespace {

TEST(KeptCredentialsTest, WritesHostsOneWay) {
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
      {"münchen.example", "xn--mnchen-3ya.example"},
      {"XN--MNCHEN-3YA.example", "xn--mnchen-3ya.example"},
  };
  for (const auto& [host, expected] : kHosts) EXPECT_EQ(CredentialHost(host), expected) << host;
}

struct NamedHost {
  std::string_view variable;
  std::string_view host;  // "" when the variable names none
};

TEST(KeptCredentialsTest, ReadsHostsOutOfVariableNames) {
  const std::vector<NamedHost> kNames = {
      {"TF_TOKEN_example_com", "example.com"},
      {"TF_TOKEN_example.com", "example.com"},
      {"TF_TOKEN_EXAMPLE_COM", "example.com"},
      {"TF_TOKEN_my__host_example_com", "my-host.example.com"},
      {"TF_TOKEN_my-host_example_com", "my-host.example.com"},
      {"TF_TOKEN_xn____mnchen__3ya_example", "xn--mnchen-3ya.example"},
      {"TF_TOKEN_münchen_example", "xn--mnchen-3ya.example"},
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

TEST(KeptCredentialsTest, TakesTheLastOfTwoNamesAndNoEmptyToken) {
  auto kept = CredentialsFromVariables(
      {{"TF_TOKEN_a_test", "first"}, {"TF_TOKEN_b_test", ""}, {"TF_TOKEN_A.test", "second"}});
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].token, "second");
}

TEST(KeptCredentialsTest, ReadsTheClientsFile) {
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

TEST(KeptCredentialsTest, RefusesAFileThatIsNoObjectWithoutShowingIt) {
  for (std::string_view body : {"", "[]", "null", "\"secret\"", "{\"credentials\":{\"a\":secret"}) {
    auto kept = CredentialsFromFile(body, "/home/x/credentials.tfrc.json");
    ASSERT_FALSE(kept) << body;
    EXPECT_NE(kept.error().message.find("/home/x/credentials.tfrc.json"), std::string::npos);
    EXPECT_EQ(kept.error().message.find("secret"), std::string::npos);
  }
}

TEST(KeptCredentialsTest, KnowsWhereTheClientsKeepTheirFile) {
  auto files = CredentialFiles({{"HOME", "/h"}});
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0], "/h/.terraform.d/credentials.tfrc.json");
  EXPECT_EQ(files[1], "/h/.config/opentofu/credentials.tfrc.json");
  files = CredentialFiles({{"HOME", "/h"}, {"XDG_CONFIG_HOME", "/x"}});
  EXPECT_EQ(files[1], "/x/opentofu/credentials.tfrc.json");
  EXPECT_TRUE(CredentialFiles({}).empty());
}

}  // namespace
}  // namespace koya::clients
