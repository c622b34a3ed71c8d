// The start page: recently published packages and the size of their changes, examples of searches,
// and tasks that wait for the signed-in user.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/key_catalog.h"
#include "catalog/token_catalog.h"
#include "domain/access.h"
#include "domain/account_record.h"
#include "domain/actor.h"
#include "domain/credential_record.h"
#include "domain/namespace_record.h"
#include "domain/signing_key_record.h"

namespace koya::api {
namespace {

constexpr std::string_view kHomePassword = "correct horse battery";
constexpr UnixSeconds kHomeDay = 86'400;

class HomePageTest : public ::testing::Test {
 protected:
  HomePageTest() {
    api_.AddUser("ada", std::string(kHomePassword), true);
    api_.AddUser("eve", std::string(kHomePassword));
  }

  void PublishArchive(const std::string& address, const std::string& version,
                      const std::string& archive) {
    const std::string before = api_.token;
    api_.token = api_.Token(Scope::kAdmin);
    api_.clock.now += 60;
    EXPECT_EQ(api_.Publish(address, version, archive).status, 201U) << address << version;
    api_.token = before;
  }
  void Publish(const std::string& address, const std::string& version) {
    PublishArchive(address, version, ModuleArchive(address + version));
  }
  void PublishWithType(const std::string& address, const std::string& version,
                       const std::string& type) {
    const std::string main = fmt::format("resource \"{}\" \"this\" {{}}\n", type);
    PublishArchive(address, version, PackFiles({{"main.tf", main}, {"README.md", version}}));
  }
  void Hide(std::string_view ns) {
    api_.token = api_.Token(Scope::kAdmin);
    Question hide{.method = http::Method::kPut,
                  .path = fmt::format("/api/v1/namespaces/{}", ns),
                  .body = R"({"visibility":"private"})"};
    EXPECT_EQ(api_.Ask(hide).status, 200U);
    api_.token.clear();
  }
  // `days` from now.
  void AddToken(const std::string& name, const std::string& user, int days) {
    auto account = RunTask(api_.catalog().accounts().FindAccount(AccountKind::kUser, user));
    ASSERT_TRUE(account);
    TokenRecord token{.name = name,
                      .secret = Digest::Of(name),
                      .scope = Scope::kRead,
                      .namespaces = {},
                      .account_id = account->id,
                      .created_at = 1,
                      .created_by = user,
                      .expires_at = api_.clock.Now() + days * kHomeDay,
                      .last_used_at = std::nullopt};
    ASSERT_TRUE(RunTask(api_.catalog().tokens().AddToken(Actor::Server(), token)));
  }
  void AddKey(const std::string& ns, const std::string& id, int days) {
    SigningKeyRecord key{.ns = ns,
                         .fingerprint = id,
                         .key_id = id,
                         .armor = "armor",
                         .user_ids = {},
                         .algorithm = "Ed25519",
                         .created_at = 1,
                         .expires_at = api_.clock.Now() + days * kHomeDay,
                         .added_at = 1,
                         .added_by = "test",
                         .removed_at = std::nullopt,
                         .sealed_secret = ""};
    ASSERT_TRUE(RunTask(api_.catalog().keys().AddKey(Actor::Server(), key)));
  }
  void Grant(const std::string& ns, const std::string& user, Role role) {
    GrantRecord grant{.ns = ns,
                      .kind = GranteeKind::kUser,
                      .grantee = user,
                      .role = role,
                      .granted_at = 1,
                      .granted_by = "test"};
    ASSERT_TRUE(RunTask(api_.catalog().namespaces().PutGrant(Actor::Server(), grant)));
  }

  static std::string Plain(std::string body) {
    for (std::string_view slash : {"&#x2F;", "&#47;"}) {
      for (std::size_t at = body.find(slash); at != body.npos; at = body.find(slash)) {
        body.replace(at, slash.size(), "/");
      }
    }
    return body;
  }
  std::string HomeOf(std::string_view user) {
    FakeBrowser browser(api_);
    if (!user.empty()) browser.SignIn(user, kHomePassword);
    Reply reply = browser.Open("/");
    EXPECT_EQ(reply.status, 200U);
    return Plain(reply.body);
  }
  // What stands behind `from`, up to `to`; "": it is not there.
  static std::string Between(const std::string& body, std::string_view from, std::string_view to) {
    const std::size_t begin = body.find(from);
    if (begin == body.npos) return {};
    return body.substr(begin, body.find(to, begin) - begin);
  }
  static std::string WaitingOn(const std::string& home) {
    return Between(home, "Waiting for you", "</section>");
  }
  // The addresses of the searches that are offered.
  static std::vector<std::string> ExamplesOn(const std::string& home) {
    std::vector<std::string> paths;
    std::string rest = Between(home, "<p class=\"try\">", "</p>");
    constexpr std::string_view kHref = "href=\"";
    for (std::size_t at = rest.find(kHref); at != rest.npos; at = rest.find(kHref)) {
      rest.erase(0, at + kHref.size());
      paths.push_back(rest.substr(0, rest.find('"')));
    }
    return paths;
  }

  ApiFixture api_;
};

// ---- how far the newest versions came

// What a network mirror without "include" and "direct" would do to the registry's own providers.
TEST_F(HomePageTest, TheFileForClientsIsTheOneOfTheSetUpPage) {
  Publish("acme/vpc/aws", "1.0.0");
  constexpr std::string_view kBegin = "<pre id=\"client-mirror\"";
  const std::string file = Between(HomeOf(""), kBegin, "</pre>");
  EXPECT_TRUE(file.contains("/origin/registry.example.org/v1/providers/")) << file;
  EXPECT_TRUE(file.contains("/origin/registry.example.org/v1/modules/")) << file;
  EXPECT_FALSE(file.contains("network_mirror")) << file;
  const std::string setup =
      Plain(FakeBrowser(api_).Open("/-/setup?purpose=all&hosts=registry.example.org").body);
  const std::string block = Between(file, "host", "</code>");
  EXPECT_FALSE(block.empty());
  EXPECT_TRUE(setup.contains(block.substr(0, block.find_last_not_of('\n') + 1))) << setup;
  api_.access.mirror = Visibility::kInternal;
  api_.SettleMirror();
  api_.clock.now += 60;  // pages are kept for a moment
  EXPECT_FALSE(HomeOf("").contains(kBegin)) << "strangers get nothing through here";
}

TEST_F(HomePageTest, SaysHowFarEachVersionIsFromTheOneBefore) {
  const std::map<std::string, std::vector<std::string>> kVersions = {
      {"first", {"0.1.0"}},
      {"major", {"1.2.3", "2.0.0-rc.1", "2.0.0"}},
      {"minor", {"1.9.0", "1.10.0"}},
      {"patch", {"1.0.0", "1.0.1"}},
      {"pre-release", {"1.0.0-rc.1"}}};
  for (const auto& [name, versions] : kVersions) {
    for (const std::string& version : versions) Publish("acme/" + name + "/aws", version);
  }
  const std::string home = HomeOf("");
  for (const auto& [name, versions] : kVersions) {
    const std::string row = Between(home, "/modules/acme/" + name + "/aws", "</li>");
    EXPECT_TRUE(row.contains(versions.back())) << home;
    const std::string word = name == "first" ? "first release" : name;
    EXPECT_TRUE(row.contains(">" + word + "</span>")) << row;
  }
}

TEST_F(HomePageTest, AVersionThatWasWithdrawnIsNoneBefore) {
  Publish("acme/vpc/aws", "1.0.0");
  Publish("acme/vpc/aws", "2.0.0");
  Publish("acme/vpc/aws", "2.0.1");
  api_.token = api_.Token(Scope::kAdmin);
  EXPECT_LT(api_.Withdraw("acme/vpc/aws", "2.0.0", "broken").status, 300U);
  api_.token.clear();
  EXPECT_TRUE(Between(HomeOf(""), "/modules/acme/vpc/aws", "</li>").contains(">major</span>"));
}

TEST_F(HomePageTest, ListsOfSearchesSayNothingOfIt) {
  Publish("acme/vpc/aws", "1.0.0");
  FakeBrowser browser(api_);
  for (std::string_view path : {"/modules", "/search?q=vpc", "/namespaces/acme"}) {
    EXPECT_FALSE(browser.Open(path).body.contains("first release")) << path;
  }
}

// ---- what a search may be tried with

TEST_F(HomePageTest, EveryExampleOfASearchFindsSomething) {
  Publish("data/lake/google", "1.0.0");
  PublishWithType("acme/network/aws", "1.0.0", "aws_vpc");
  const std::string home = HomeOf("");
  for (std::string_view text :
       {"<bdi>network</bdi>", "<bdi>uses:aws_vpc</bdi>", "<bdi>ns:data</bdi>"}) {
    EXPECT_TRUE(home.contains(text)) << text << home;
  }
  const std::vector<std::string> examples = ExamplesOn(home);
  ASSERT_EQ(examples.size(), 3U);
  FakeBrowser browser(api_);
  for (const std::string& path : examples) {
    Reply found = browser.Open(path);
    EXPECT_EQ(found.status, 200U) << path;
    EXPECT_TRUE(found.body.contains("<ul class=\"pkgs\">")) << path << found.body;
  }
}

TEST_F(HomePageTest, AnEmptyRegistryHasNoExamples) {
  EXPECT_EQ(ExamplesOn(HomeOf("")), std::vector<std::string>());
  EXPECT_FALSE(HomeOf("ada").contains("class=\"try\""));
}

TEST_F(HomePageTest, NoExampleTellsOfWhatIsHidden) {
  Publish("acme/network/aws", "1.0.0");
  PublishWithType("veiled/secretive/aws", "1.0.0", "aws_secret");
  Hide("veiled");
  for (std::string_view user : {"", "eve"}) {
    const std::string home = HomeOf(user);
    EXPECT_EQ(ExamplesOn(home).size(), 2U) << home;
    for (std::string_view text : {"veiled", "secretive", "aws_secret"}) {
      EXPECT_FALSE(home.contains(text)) << user << text;
    }
  }
  EXPECT_TRUE(HomeOf("ada").contains("<bdi>uses:aws_secret</bdi>"));
}

TEST_F(HomePageTest, ATypeThatIsGoneIsNoExampleAnyMore) {
  PublishWithType("acme/network/aws", "1.0.0", "aws_vpc");
  Publish("acme/other/aws", "1.0.0");
  EXPECT_TRUE(HomeOf("ada").contains("uses:aws_vpc"));
  api_.token = api_.Token(Scope::kAdmin);
  EXPECT_LT(api_.Withdraw("acme/network/aws", "1.0.0", "broken").status, 300U);
  api_.token.clear();
  EXPECT_FALSE(HomeOf("ada").contains("uses:aws_vpc"));
}

// ---- tasks that wait for a user

TEST_F(HomePageTest, NothingWaitsForNobody) {
  Publish("acme/vpc/aws", "1.0.0");
  AddToken("ada's", "ada", 1);
  AddKey("acme", "89ABCDEF01234567", 1);
  for (std::string_view user : {"", "eve"}) EXPECT_EQ(WaitingOn(HomeOf(user)), "") << user;
}

TEST_F(HomePageTest, OwnTokensAndKeysThatEndWait) {
  Publish("acme/vpc/aws", "1.0.0");
  Grant("acme", "eve", Role::kOwner);
  AddToken("laptop", "eve", 6);
  AddToken("ended", "eve", -1);
  AddToken("lasting", "eve", 60);
  AddToken("root", "ada", 1);
  AddKey("acme", "89ABCDEF01234567", 20);
  AddKey("other", "0000000000000000", 20);
  const std::string waiting = WaitingOn(HomeOf("eve"));
  for (std::string_view text :
       {">laptop<", ">expired<", ">89ABCDEF01234567<", "6 days</bdi> left", "20 days</bdi> left",
        "href=\"/-/settings/tokens\"", "href=\"/namespaces/acme/keys\""}) {
    EXPECT_TRUE(waiting.contains(text)) << text << waiting;
  }
  for (std::string_view text : {"lasting", "root", "other", "All your tokens", "More keys"}) {
    EXPECT_FALSE(waiting.contains(text)) << text << waiting;
  }
  FakeBrowser browser(api_);
  browser.SignIn("eve", kHomePassword);
  EXPECT_EQ(browser.Open("/namespaces/acme/keys").status, 200U);
}

TEST_F(HomePageTest, APublisherIsNotToldOfKeys) {
  Publish("acme/vpc/aws", "1.0.0");
  Grant("acme", "eve", Role::kPublisher);
  AddKey("acme", "89ABCDEF01234567", 20);
  EXPECT_EQ(WaitingOn(HomeOf("eve")), "");
  EXPECT_TRUE(WaitingOn(HomeOf("ada")).contains("89ABCDEF01234567"));
}

TEST_F(HomePageTest, OfManyThatEndTheFirstAreShown) {
  Publish("acme/vpc/aws", "1.0.0");
  for (int i = 1; i <= 6; ++i) {
    AddToken(fmt::format("token-{}", i), "ada", i);
    AddKey("acme", fmt::format("KEY-{}", i), i);
  }
  const std::string waiting = WaitingOn(HomeOf("ada"));
  for (std::string_view text : {"token-5", "KEY-5", "All your tokens", "More keys expire soon"}) {
    EXPECT_TRUE(waiting.contains(text)) << text << waiting;
  }
  EXPECT_FALSE(waiting.contains("token-6"));
  EXPECT_FALSE(waiting.contains("KEY-6"));
}

}  // namespace
}  // namespace koya::api
