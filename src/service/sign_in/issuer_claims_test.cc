#include "service/sign_in/issuer_claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "domain/identity_record.h"
#include "domain/name_rules.h"
#include "oidc/claims.h"

namespace koya::service {
namespace {

oidc::Claims ClaimsWith(std::string_view more, std::string_view subject = "248289761001") {
  auto claims = oidc::Claims::Parse(
      fmt::format(R"({{"iss":"https://id.example.com","sub":"{}","aud":"koya","exp":1{}{}}})",
                  subject, more.empty() ? "" : ",", more));
  EXPECT_TRUE(claims) << claims.error().message;
  return *std::move(claims);
}

TEST(ProviderIdentityTest, NamesAreOnesThatAUserCanHave) {
  struct Row {
    std::string_view claims;
    std::string_view name;
  };
  for (const Row& row : {
           Row{R"("preferred_username":"ada")", "ada"},
           Row{R"("preferred_username":"Ada.L_2@example.com")", "Ada.L_2@example.com"},
           Row{R"("preferred_username":"ada","email":"a@b.example")", "ada"},
           Row{R"("email":"ada@example.com")", "ada@example.com"},
           Row{R"("email":"ada@example.com","email_verified":true)", "ada@example.com"},
           Row{R"("email":"ada@example.com","email_verified":"true")", "ada@example.com"},
           Row{R"("email":"ada@example.com","email_verified":false)", "248289761001"},
           Row{R"("email":"ada@example.com","email_verified":"false")", "248289761001"},
           Row{R"("email":"ada@example.com","email_verified":"False")", "248289761001"},
           Row{R"("email":"ada@example.com","email_verified":"perhaps")", "248289761001"},
           Row{R"("email":"ada@example.com","email_verified":0)", "248289761001"},
           Row{R"("email":"ada@example.com","email_verified":null)", "248289761001"},
           Row{R"("preferred_username":"CORP\\ada")", "CORP-ada"},
           Row{R"("preferred_username":"Ada Lovelace")", "Ada-Lovelace"},
           Row{R"("preferred_username":"a\r\nSet-Cookie: x=1")", "a-Set-Cookie-x-1"},
           Row{R"("preferred_username":"<script>")", "-script-"},
           Row{R"("preferred_username":"../../etc")", "..-..-etc"},
           Row{R"("preferred_username":"..","email":"x@y.example")", "x@y.example"},
           Row{R"("preferred_username":"田中","email":"tanaka@example.jp")", "tanaka@example.jp"},
           Row{R"("preferred_username":"田中")", "248289761001"},
           Row{R"("preferred_username":"","email":"")", "248289761001"},
           Row{R"("preferred_username":7,"email":["x"])", "248289761001"},
           Row{"", "248289761001"},
       }) {
    const std::string name = AccountNameOf(ClaimsWith(row.claims));
    EXPECT_EQ(name, row.name) << row.claims;
    EXPECT_TRUE(CheckAccountName(AccountKind::kUser, name));
  }
  const std::string giant =
      AccountNameOf(ClaimsWith(fmt::format(R"("preferred_username":"{}")", std::string(500, 'x'))));
  EXPECT_EQ(giant, std::string(58, 'x'));
  EXPECT_EQ(AccountNameOf(ClaimsWith("", "::")), "user");
}

TEST(ProviderIdentityTest, AnAddressIsTheirsIfTheProviderSaysSo) {
  for (const char* sure : {"", R"(,"email_verified":true)", R"(,"email_verified":"True")"}) {
    for (const char* email :
         {"ada@example.com", "a@b", "a.b+c@x-y.example", "\"a@b\"@c", "田中@例.jp"}) {
      const bool quotes = std::string_view(email).contains('"');
      const std::string text = quotes ? R"(\"a@b\"@c)" : email;
      EXPECT_EQ(EmailOf(ClaimsWith(fmt::format(R"("email":"{}"{})", text, sure))), email) << sure;
    }
  }
  const std::string longest = std::string(250, 'x') + "@b.c";
  EXPECT_EQ(EmailOf(ClaimsWith(fmt::format(R"("email":"{}")", longest))), longest);
}

TEST(ProviderIdentityTest, WhatIsNoAddressIsNone) {
  const std::string too_long = fmt::format(R"("email":"{}@b.c")", std::string(251, 'x'));
  for (const std::string& claims : std::vector<std::string>{
           "", R"("email":"")", R"("email":"ada")", R"("email":"@b")", R"("email":"a@")",
           R"("email":"@")", R"("email":"a b@c")", R"("email":"a@b\r\nBcc: c@d")",
           R"("email":"a@b\t")", R"("email":"a@b\u007f")", R"("email":7)", R"("email":["a@b"])",
           R"("email":null)", R"("email":"a@b","email_verified":false)",
           R"("email":"a@b","email_verified":"false")", R"("email":"a@b","email_verified":"no")",
           R"("email":"a@b","email_verified":1)", R"("preferred_username":"a@b")", too_long}) {
    EXPECT_EQ(EmailOf(ClaimsWith(claims)), "") << claims;
  }
}

std::vector<std::string> Groups(std::string_view claims, std::vector<GroupMapping> mappings,
                                std::string claim = "groups") {
  IdentityProviderRecord provider;
  provider.groups_claim = std::move(claim);
  provider.groups = std::move(mappings);
  return GroupsOf(provider, ClaimsWith(claims));
}

TEST(ProviderIdentityTest, GroupsAreOfTheSameNameOrMapped) {
  using Names = std::vector<std::string>;
  const std::vector<GroupMapping> maps = {{"/eng", "platform"}, {"/eng", "all"}, {"ops", "ops"}};
  EXPECT_EQ(Groups(R"("groups":["b","a","b"])", {}), (Names{"a", "b"}));
  EXPECT_EQ(Groups(R"("groups":"solo")", {}), Names{"solo"});
  EXPECT_EQ(Groups(R"("groups":["/eng","a b","","..","ok"])", {}), Names{"ok"});
  EXPECT_EQ(Groups(R"("groups":["/eng","platform"])", maps), (Names{"all", "platform"}));
  EXPECT_EQ(Groups(R"("groups":["/ENG","/eng2"])", maps), Names{}) << "letter by letter";
  EXPECT_EQ(Groups(R"("groups":["platform"])", maps), Names{}) << "mapped alone";
  EXPECT_EQ(Groups(R"("groups":"ops")", maps), Names{"ops"});
  EXPECT_EQ(Groups("", {}), Names{});
  EXPECT_EQ(Groups(R"("groups":null)", {}), Names{});
  EXPECT_EQ(Groups(R"("groups":[1,2])", {}), Names{});
  EXPECT_EQ(Groups(R"("groups":{"a":1})", {}), Names{});
  EXPECT_EQ(Groups(R"("groups":["a"])", {}, ""), Names{}) << "no claim is named";
  EXPECT_EQ(Groups(R"("groups":["a"],"roles":["r"])", {}, "roles"), Names{"r"});
  std::string many;
  for (int each = 0; each < 1500; ++each)
    many += fmt::format("{}\"g{}\"", each > 0 ? "," : "", each);
  EXPECT_EQ(Groups(fmt::format(R"("groups":[{}])", many), {}).size(), kMostClaimedGroups);
}

}  // namespace
}  // namespace koya::service
