#include "web/access/account_pages.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "web/common/html_page_fake.h"
#include "web/sample_pages_fake.h"

namespace koya::web {
namespace {

PageFrame OwnFrame() {
  PageFrame frame = SampleFrame(Language::kEnglish);
  frame.account = "mika";
  return frame;
}

HtmlElement OwnInput(const HtmlPage& page, std::string_view name) {
  for (const HtmlElement& input : page.All("input")) {
    if (input.Value("name") == name) return input;
  }
  ADD_FAILURE() << "no input " << name;
  return {};
}

// The command is what the form says, word by word.
TEST(NewTokenTest, TellsTheCommandThatDoesTheSame) {
  NewTokenPage page{.url = "https://koya.test"};
  EXPECT_TRUE(ReadHtml(RenderNewToken(OwnFrame(), page))
                  .text.contains("koya token create ci --scope read --expires 90d --server "
                                 "https://koya.test"));
  page.name = "it's";
  page.scope = "publish";
  page.namespaces = "acme,  team-*";
  page.ends = "365d";
  EXPECT_TRUE(ReadHtml(RenderNewToken(OwnFrame(), page))
                  .text.contains("koya token create 'it'\\''s' --scope publish --namespace acme "
                                 "--namespace 'team-*' --expires 365d"));
}

TEST(NewTokenTest, KeepsWhatWasTypedAndPointsAtWhatIsWrong) {
  NewTokenPage page{.name = "a b", .namespaces = "acme", .url = "https://koya.test"};
  page.errors.Add("name", "token_name");
  const HtmlPage read = ReadHtml(RenderNewToken(OwnFrame(), page));
  const HtmlElement name = OwnInput(read, "name");
  EXPECT_EQ(name.Value("value"), "a b");
  EXPECT_EQ(name.Value("aria-invalid"), "true");
  EXPECT_EQ(name.Value("aria-describedby"), "name_problem name_hint");
  EXPECT_FALSE(OwnInput(read, "namespaces").Has("aria-invalid"));
  EXPECT_EQ(OwnInput(read, "namespaces").Value("value"), "acme");
}

TEST(MadeTokenTest, HasTheTokenInABlockThatClientsTake) {
  TokenRecord token{.name = "ci", .secret = Digest{Sha256Bytes{}}};
  MadeTokenPage page{.token = token,
                     .text = "koya_abc",
                     .url = "https://koya.test:8443",
                     .host = *HostName::Parse("koya.test:8443")};
  const HtmlPage read = ReadHtml(RenderMadeToken(OwnFrame(), page));
  EXPECT_TRUE(read.text.contains("credentials \"koya.test:8443\" {\n  token = \"koya_abc\"\n}"));
  EXPECT_TRUE(read.text.contains("env 'TF_TOKEN_koya_test:8443=koya_abc'"));
  for (const HtmlElement& element : read.elements) {
    for (const auto& [name, value] : element.attributes) {
      EXPECT_FALSE(value.contains("koya_abc")) << element.name << " " << name;
    }
  }
}

TEST(TokensTest, SayWhatEachMay) {
  TokenRecord token{.name = "ci", .secret = Digest{Sha256Bytes{}}, .scope = Scope::kPublish};
  token.namespaces = {"acme"};
  token.expires_at = 100;
  token.created_at = 1'794'960'000;
  const HtmlPage read = ReadHtml(RenderTokens(OwnFrame(), {.tokens = {token}, .now = 200}));
  for (std::string_view told :
       {"ci", "read and publish", "acme", "18 Nov 2026", "never", "expired"}) {
    EXPECT_TRUE(read.text.contains(told)) << told;
  }
  const auto links = read.All("a");
  EXPECT_TRUE(std::ranges::any_of(links, [](const HtmlElement& link) {
    return link.Value("href") == "/-/settings/tokens/ci/revoke" &&
           link.Value("aria-label") == "Revoke ci";
  }));
}

TEST(TokensTest, SayHowLongATokenLastsThatEndsSoon) {
  TokenRecord token{.name = "ci", .secret = Digest{Sha256Bytes{}}};
  constexpr UnixSeconds kNow = 1'794'960'000;
  const auto text = [&token] {
    return ReadHtml(RenderTokens(OwnFrame(), {.tokens = {token}, .now = kNow})).text;
  };
  EXPECT_FALSE(text().contains("left")) << "it does not end";
  token.expires_at = kNow + 12 * 86'400;
  EXPECT_TRUE(text().contains("12 days left"));
  token.expires_at = kNow + 30 * 86'400;
  EXPECT_FALSE(text().contains("left")) << "there is time";
  token.expires_at = kNow;
  EXPECT_FALSE(text().contains("left")) << "it has ended";
}

TEST(PasswordPageTest, BringsNoPasswordBack) {
  PasswordPage page{.password_min = 12};
  page.errors.Add("old_password", "old_password_wrong");
  const HtmlPage read = ReadHtml(RenderPassword(OwnFrame(), page));
  for (std::string_view name : {"old_password", "password", "password_again"}) {
    EXPECT_EQ(OwnInput(read, name).Value("type"), "password");
    EXPECT_EQ(OwnInput(read, name).Value("value"), "");
  }
}

TEST(SettingsPageTest, OffersToEndWhatIsNotThisSession) {
  SettingsPage page{.method = "password", .this_session = "a"};
  SessionRecord session{.id = "a", .secret = Digest{Sha256Bytes{}}};
  page.sessions = {session};
  auto ends = [&] {
    std::vector<std::string> values;
    for (const HtmlElement& button : ReadHtml(RenderSettings(OwnFrame(), page)).All("button")) {
      if (button.Value("name") == "end") values.push_back(button.Value("value"));
    }
    return values;
  };
  EXPECT_TRUE(ends().empty()) << "there is this one alone";
  session.id = "b";
  page.sessions.push_back(session);
  EXPECT_EQ(ends(), (std::vector<std::string>{"b", "others"}));
}

}  // namespace
}  // namespace koya::web
