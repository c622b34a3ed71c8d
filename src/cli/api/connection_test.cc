#include "cli/api/connection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace koya::cli {
namespace {

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
  const std::vector<clients::StoredCredential> kKept = {{"a.test", "kept-a", "TF_TOKEN_a_test"},
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
