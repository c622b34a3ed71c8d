#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "auth/token.h"
#include "base/encoding.h"
#include "domain/access.h"
#include "domain/account_record.h"

namespace koya::auth {
namespace {

TEST(RandomIdTest, CanBeTypedAfterACommand) {
  for (int i = 0; i < 2000; ++i) {  // one in 64 texts would begin with it
    const std::string id = RandomId();
    ASSERT_EQ(id.size(), 22U);
    ASSERT_FALSE(id.starts_with('-')) << id;
  }
}

TEST(RandomTextTest, IsAnotherEachTimeAndOfItsForm) {
  const std::string secret = RandomSecret();
  EXPECT_EQ(secret.size(), 43U);
  EXPECT_NE(secret, RandomSecret());
  EXPECT_TRUE(LooksLikeASecret(secret));
  for (std::string_view bad : {"", "short", "koya_"}) EXPECT_FALSE(LooksLikeASecret(bad)) << bad;
  EXPECT_FALSE(LooksLikeASecret(secret + "A"));
  EXPECT_FALSE(LooksLikeASecret(secret.substr(1)));
  EXPECT_FALSE(LooksLikeASecret(secret.substr(1) + "="));
  EXPECT_FALSE(LooksLikeASecret(secret.substr(1) + "\n"));
  const std::string end = RandomNameEnd();
  EXPECT_EQ(end.size(), 8U);
  EXPECT_NE(end, RandomNameEnd());
  EXPECT_EQ(end.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), std::string::npos);
}

TEST(TokenTest, HasTheFormThatScannersKnow) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    MintedToken token = MintToken();
    EXPECT_TRUE(std::regex_match(token.text, std::regex("koya_[0-9A-Za-z_-]{43}[0-9A-Za-z]{6}")))
        << token.text;
    EXPECT_EQ(token.secret, TokenSecret(token.text));
    EXPECT_TRUE(seen.insert(token.text).second);
  }
}

TEST(TokenTextHasherTest, SameTextsHaveSameHashesUnderOneKeyOnly) {
  const TokenTextHasher hasher;
  const TokenTextHasher other;
  std::set<TokenTextHasher::Hash> seen;
  for (const std::string& text :
       {std::string(), std::string("k"), std::string("koya_"), std::string("koya_\0", 6),
        std::string(48, 'a'), std::string(54, 'a'), MintToken().text, RandomSecret()}) {
    EXPECT_EQ(hasher.HashOf(text), hasher.HashOf(std::string(text))) << text;
    EXPECT_TRUE(seen.insert(hasher.HashOf(text)).second) << text;
    EXPECT_TRUE(seen.insert(other.HashOf(text)).second) << "each key gives other hashes";
  }
}

TEST(ParseBearerTest, TakesTheTokenInAnySpellingOfTheScheme) {
  std::string token = MintToken().text;
  for (std::string prefix : {"Bearer ", "bearer ", "BEARER  "}) {
    std::string field = prefix + token;
    auto parsed = ParseBearer(field);
    ASSERT_TRUE(parsed) << prefix;
    EXPECT_EQ(*parsed, token);
  }
}

TEST(ParseBearerTest, RefusesTheRestWithoutEchoingIt) {
  std::string token = MintToken().text;
  for (const std::string& field :
       {std::string(), std::string("Bearer"), std::string("Bearer "), "Basic " + token, token,
        "Bearer " + token.substr(0, 47), "Bearer x" + token, "Bearer " + token + " x",
        "Bearer " + token + "\xc3\xa9", "Bearer koya_" + std::string(300, 'a'),
        std::string("Bearer some-other-secret")}) {
    auto parsed = ParseBearer(field);
    ASSERT_FALSE(parsed) << field;
    EXPECT_EQ(parsed.error().kind, ErrorKind::kUnauthenticated);
    EXPECT_EQ(parsed.error().message.find("some-other-secret"), std::string::npos);
  }
}

TEST(ParseBearerTest, KnowsATokenThatWasNotCopiedAsItWasGiven) {
  const std::string token = MintToken().text;
  auto is_slip = [](const std::string& text) {
    auto parsed = ParseBearer("Bearer " + text);
    return !parsed && parsed.error().message.contains("not copied");
  };
  for (std::size_t i = 5; i < token.size(); ++i) {
    std::string slip = token;
    slip[i] = slip[i] == 'x' ? 'y' : 'x';
    EXPECT_TRUE(is_slip(slip)) << i;
  }
  for (std::size_t length : {5U, 47U, 49U, 53U}) EXPECT_TRUE(is_slip(token.substr(0, length)));
  EXPECT_TRUE(is_slip(token + "0"));
  EXPECT_TRUE(is_slip(token + token));
}

TEST(ParseBearerTest, TakesTokensOfEarlierVersionsWhichHaveNoChecksum) {
  const std::string old = MintToken().text.substr(0, 48);
  EXPECT_EQ(ParseBearer("Bearer " + old).value(), old);
}

std::string BasicOf(std::string_view pair, std::string_view scheme = "Basic ") {
  return std::string(scheme) + Base64Encode(std::as_bytes(std::span(pair)));
}

TEST(BasicTest, APasswordOfATokensFormIsTheToken) {
  const std::string token = MintToken().text;
  for (const std::string& field :
       {BasicOf("user:" + token), BasicOf(":" + token), BasicOf("\xff\xfe:" + token),
        BasicOf(std::string(400, 'u') + ":" + token), BasicOf("u:" + token, "basic  "),
        BasicOf("uu:" + token, "BASIC ")}) {
    BasicBuffer buffer;
    EXPECT_TRUE(IsBasic(field));
    auto bearer = BearerOfBasic(field, buffer);
    ASSERT_TRUE(bearer) << field;
    EXPECT_EQ(ParseBearer(*bearer).value(), token) << field;
  }
}

// A slip is worth an error, as in a Bearer field.
TEST(BasicTest, ATokenThatWasNotCopiedCompletelyIsOneStill) {
  const std::string token = MintToken().text;
  for (const std::string& password :
       {std::string("koya_"), token + "0", token.substr(0, 50), std::string("koya_\xc3\xa9"),
        "koya_" + std::string(300, 'a')}) {
    BasicBuffer buffer;
    const std::string field = BasicOf("user:" + password);
    auto bearer = BearerOfBasic(field, buffer);
    ASSERT_TRUE(bearer) << password;
    EXPECT_EQ(*bearer, "Bearer " + password);
    EXPECT_FALSE(ParseBearer(*bearer));
  }
}

TEST(BasicTest, AllElseIsNoToken) {
  const std::string token = MintToken().text;
  const std::string sound = BasicOf("ab:" + token);
  for (const std::string& field :
       {std::string("Basic"), std::string("Basic "), std::string("basic !"), BasicOf(""),
        BasicOf("user"), BasicOf(token), BasicOf(token + ":"), BasicOf("user:"),
        BasicOf("user:secret"), BasicOf("user: " + token), BasicOf("user:x:" + token),
        BasicOf("user:KOYA_" + token.substr(5)), BasicOf("\xff\xff:\xff"), sound + "=",
        sound + "!!!!", sound.substr(0, sound.size() - 1), sound + " " + sound,
        BasicOf(std::string(460, 'u') + ":" + token), "Basic " + std::string(8192, 'A')}) {
    BasicBuffer buffer;
    EXPECT_TRUE(IsBasic(field)) << field;
    EXPECT_FALSE(BearerOfBasic(field, buffer)) << field;
  }
  for (const std::string& field :
       {std::string(), std::string("Bas"), BasicOf("u:" + token, "Basic"),
        BasicOf("u:" + token, "Basics "), "Bearer " + token, token}) {
    BasicBuffer buffer;
    EXPECT_FALSE(IsBasic(field)) << field;
    EXPECT_FALSE(BearerOfBasic(field, buffer)) << field;
  }
}

TEST(PrincipalTest, ScopesIncludeTheLesserOnes) {
  Principal admin{"a", Scope::kAdmin, {}};
  Principal publisher{"p", Scope::kPublish, {}};
  Principal reader{"r", Scope::kRead, {}};
  for (Scope scope : {Scope::kRead, Scope::kPublish, Scope::kAdmin})
    EXPECT_TRUE(admin.Require(scope));
  EXPECT_TRUE(publisher.Require(Scope::kRead));
  EXPECT_TRUE(publisher.Require(Scope::kPublish));
  EXPECT_FALSE(publisher.Require(Scope::kAdmin));
  EXPECT_TRUE(reader.Require(Scope::kRead));
  auto refused = reader.Require(Scope::kPublish);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kForbidden);
  EXPECT_NE(refused.error().message.find("this needs publish"), std::string::npos);
}

TEST(PrincipalTest, NamespacePatternsBound) {
  Principal team{"t", Scope::kPublish, {"acme", "team-*"}};
  for (std::string_view ns : {"acme", "Acme", "team-", "team-a", "TEAM-b"}) {
    EXPECT_TRUE(team.RequireNamespace(ns)) << ns;
  }
  for (std::string_view ns : {"acm", "acme2", "team", "xteam-a", ""}) {
    auto refused = team.RequireNamespace(ns);
    ASSERT_FALSE(refused) << ns;
    EXPECT_EQ(refused.error().kind, ErrorKind::kForbidden);
  }
  EXPECT_TRUE((Principal{"all", Scope::kPublish, {}}).RequireNamespace("anything"));
}

TEST(PrincipalTest, WhatBelongsToNoNamespaceNeedsAllOfThem) {
  EXPECT_TRUE((Principal{"all", Scope::kAdmin, {}}).RequireAllNamespaces());
  auto refused = Principal{"team", Scope::kAdmin, {"*"}}.RequireAllNamespaces();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kForbidden);
  EXPECT_TRUE(refused.error().message.contains("an administrator without namespace patterns"));
}

struct Grant {
  Scope scope;
  std::vector<std::string> patterns;
};

TEST(PrincipalTest, RightsAreNeverWidened) {
  Principal team{"t", Scope::kPublish, {"acme", "team-*"}};
  for (const Grant& within : std::vector<Grant>{{Scope::kPublish, {"acme"}},
                                                {Scope::kRead, {"Acme"}},
                                                {Scope::kPublish, {"team-*"}},
                                                {Scope::kPublish, {"team-a", "team-b*"}},
                                                {Scope::kPublish, {"team-*-*", "acme"}}}) {
    EXPECT_TRUE(team.RequireToHold(within.scope, within.patterns)) << within.patterns.front();
  }
  for (const Grant& beyond : std::vector<Grant>{{Scope::kAdmin, {"acme"}},
                                                {Scope::kRead, {}},
                                                {Scope::kRead, {"*"}},
                                                {Scope::kRead, {"acme", "other"}},
                                                {Scope::kRead, {"acme*"}},
                                                {Scope::kRead, {"team*"}},
                                                {Scope::kRead, {"*-a"}}}) {
    auto refused = team.RequireToHold(beyond.scope, beyond.patterns);
    ASSERT_FALSE(refused) << testing::PrintToString(beyond.patterns);
    EXPECT_EQ(refused.error().kind, ErrorKind::kForbidden);
  }
  EXPECT_TRUE(Principal::Operator().RequireToHold(Scope::kAdmin, {}));
  EXPECT_TRUE(Principal::Operator().RequireToHold(Scope::kAdmin, {"*", "other"}));
  EXPECT_FALSE((Principal{"all", Scope::kPublish, {}}).RequireToHold(Scope::kAdmin, {"acme"}));
}

TEST(PrincipalTest, NothingThatIsGivenOutlastsIt) {
  const Principal ends{.name = "t", .scope = Scope::kAdmin, .namespaces = {}, .expires_at = 1000};
  EXPECT_EQ(ends.ExpiryOfGiven(999), 999);
  EXPECT_EQ(ends.ExpiryOfGiven(1000), 1000);
  EXPECT_EQ(ends.ExpiryOfGiven(std::nullopt), 1000);
  auto longer = ends.ExpiryOfGiven(1001);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().kind, ErrorKind::kForbidden);
  EXPECT_EQ(Principal::Operator().ExpiryOfGiven(1001), 1001);
  EXPECT_EQ(Principal::Operator().ExpiryOfGiven(std::nullopt), std::nullopt);
}

// A user who is reader of "docs", publisher of "acme" and owner of "infra".
Principal Ada(Scope scope = Scope::kAdmin, std::vector<std::string> patterns = {}) {
  AccountRights rights{
      .account = {.id = "id", .name = "ada"},
      .roles = {{"acme", Role::kPublisher}, {"docs", Role::kReader}, {"infra", Role::kOwner}}};
  return {.name = "ada-laptop",
          .scope = scope,
          .namespaces = std::move(patterns),
          .account = std::make_shared<const AccountRights>(std::move(rights))};
}

Principal Root(std::vector<std::string> patterns = {}) {
  AccountRights rights{.account = {.id = "root", .name = "root", .admin = true}, .roles = {}};
  return {.name = "root-laptop",
          .scope = Scope::kAdmin,
          .namespaces = std::move(patterns),
          .account = std::make_shared<const AccountRights>(std::move(rights))};
}

struct RoleRow {
  std::string_view ns;
  std::optional<Role> most;  // of what may be done there; nullopt: nothing
};

void ExpectRoles(const Principal& who, const std::vector<RoleRow>& rows) {
  for (const RoleRow& row : rows) {
    for (Role needed : {Role::kReader, Role::kPublisher, Role::kOwner}) {
      Status outcome = who.RequireNamespace(row.ns, needed);
      EXPECT_EQ(outcome.has_value(), row.most && Includes(*row.most, needed))
          << row.ns << " " << RoleName(needed);
      if (!outcome) EXPECT_EQ(outcome.error().kind, ErrorKind::kForbidden);
    }
    EXPECT_EQ(who.MayRead(row.ns, Visibility::kPrivate), row.most.has_value()) << row.ns;
    EXPECT_TRUE(who.MayRead(row.ns, Visibility::kInternal)) << row.ns;
    EXPECT_TRUE(who.MayRead(row.ns, Visibility::kPublic)) << row.ns;
  }
}

TEST(PrincipalTest, AnAccountsTokenMayWhatItsRoleSaysInEachNamespace) {
  ExpectRoles(Ada(), {{"docs", Role::kReader},
                      {"Docs", Role::kReader},
                      {"acme", Role::kPublisher},
                      {"infra", Role::kOwner},
                      {"INFRA", Role::kOwner},
                      {"beta", std::nullopt},
                      {"", std::nullopt},
                      {"acme2", std::nullopt}});
  ExpectRoles(Root(), {{"docs", Role::kOwner}, {"anything", Role::kOwner}});
}

TEST(PrincipalTest, PatternsBoundAnAccountAndNeverAddToIt) {
  ExpectRoles(Ada(Scope::kAdmin, {"acme", "beta"}),
              {{"acme", Role::kPublisher}, {"infra", std::nullopt}, {"beta", std::nullopt}});
  ExpectRoles(Ada(Scope::kAdmin, {"*"}), {{"infra", Role::kOwner}, {"beta", std::nullopt}});
  ExpectRoles(Root({"team-*"}), {{"team-a", Role::kOwner}, {"acme", std::nullopt}});
}

TEST(PrincipalTest, WhatOwnersDoNeedsTheirPublishScopeOrTheAdminScopeForTheNamespace) {
  Principal root_publishes = Root();
  root_publishes.scope = Scope::kPublish;
  struct Row {
    std::string_view what;
    Principal who;
    std::string_view ns;
    bool may;
  };
  const std::vector<Row> kRows = {
      {"an owner who signed in", Ada(Scope::kPublish), "infra", true},
      {"in any letter case", Ada(Scope::kPublish), "INFRA", true},
      {"with the admin scope", Ada(), "infra", true},
      {"to read only", Ada(Scope::kRead), "infra", false},
      {"for another namespace", Ada(Scope::kPublish, {"acme"}), "infra", false},
      {"a publisher", Ada(Scope::kPublish), "acme", false},
      {"a publisher with the admin scope", Ada(), "acme", false},
      {"no role", Ada(Scope::kPublish), "beta", false},
      {"an administrator", Root(), "infra", true},
      {"an administrator who publishes", root_publishes, "infra", false},
      {"a token of its own", {"all", Scope::kAdmin, {}}, "infra", true},
      {"one for the namespace", {"t", Scope::kAdmin, {"infra"}}, "infra", true},
      {"one that publishes", {"ci", Scope::kPublish, {"infra"}}, "infra", false},
      {"a stranger", {}, "infra", false},
  };
  for (const Row& row : kRows) {
    const Status outcome = row.who.RequireOwnership(row.ns);
    EXPECT_EQ(outcome.has_value(), row.may) << row.what;
    if (!outcome) EXPECT_EQ(outcome.error().kind, ErrorKind::kForbidden) << row.what;
  }
}

TEST(PrincipalTest, OnlyAnAdministratorWithoutPatternsMayWhatBelongsToNoNamespace) {
  EXPECT_TRUE(Root().RequireAllNamespaces());
  for (const Principal& who : {Ada(), Ada(Scope::kAdmin, {"*"}), Root({"*"})}) {
    Status refused = who.RequireAllNamespaces();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kForbidden);
  }
}

TEST(PrincipalTest, AListingShowsWhatMayBeRead) {
  using Names = std::vector<std::string>;
  struct Row {
    std::string_view name;
    Principal who;
    bool everything;
    bool internal;
    Names named;
  };
  const std::vector<Row> kRows = {
      {"a stranger", {}, false, false, {}},
      {"an account", Ada(), false, true, {"acme", "docs", "infra"}},
      {"an account's token that reads", Ada(Scope::kRead), false, true, {"acme", "docs", "infra"}},
      {"a bounded token", Ada(Scope::kAdmin, {"a*", "beta"}), false, true, {"acme"}},
      {"an administrator", Root(), true, true, {}},
      {"a bounded administrator", Root({"Team-*"}), false, true, {"team-*"}},
      {"a reading token of its own", {"r", Scope::kRead, {}}, false, true, {}},
      {"a publishing one", {"p", Scope::kPublish, {}}, true, true, {}},
      {"a bounded one", {"b", Scope::kRead, {"Acme"}}, false, true, {"acme"}},
  };
  for (const Row& row : kRows) {
    ReadableNamespaces readable = row.who.Readable(Visibility::kInternal);
    EXPECT_EQ(readable.everything, row.everything) << row.name;
    EXPECT_EQ(readable.internal, row.internal) << row.name;
    EXPECT_EQ(readable.named, row.named) << row.name;
    EXPECT_EQ(readable.unrecorded, Visibility::kInternal) << row.name;
  }
}

TEST(CheckTest, NamesAndPatternsAreBounded) {
  for (std::string_view good : {"ci", "ci.main_2-x"}) EXPECT_TRUE(CheckTokenName(good)) << good;
  for (std::string bad : {std::string(), std::string("a b"), std::string("a/b"), std::string("é"),
                          std::string(65, 'a'), std::string("a\n")}) {
    EXPECT_FALSE(CheckTokenName(bad)) << bad;
  }
  for (std::string_view good : {"acme", "*", "team-*", "日本-*"})
    EXPECT_TRUE(CheckNamespacePattern(good));
  for (std::string bad : {std::string(), std::string("a.b"), std::string("a/*"),
                          std::string(257, '*'), std::string("\xff")}) {
    EXPECT_FALSE(CheckNamespacePattern(bad)) << bad;
  }
}

}  // namespace
}  // namespace koya::auth
