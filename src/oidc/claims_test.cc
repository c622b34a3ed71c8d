#include "oidc/claims.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::oidc {
namespace {

constexpr std::string_view kSome =
    R"({"iss":"https://id.example.com","sub":"u-1","aud":["a","b"],"exp":1733011500,"nbf":1.5,
        "iat":1733011200,"auth_time":0,"azp":"a","nonce":"n","groups":["dev","ops"],"team":"dev",
        "email_verified":true,"run_attempt":3,"size":1.5,"repository":"acme/infra","none":null,
        "address":{"country":"JP"},"mixed":["a",1]})";

TEST(ClaimsValueTest, HasTheStandardOnes) {
  const Claims claims = Claims::Parse(kSome).value();
  EXPECT_EQ(claims.issuer(), "https://id.example.com");
  EXPECT_EQ(claims.subject(), "u-1");
  EXPECT_EQ(claims.audience(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(claims.expires_at(), 1'733'011'500);
  EXPECT_EQ(claims.not_before(), 1);
  EXPECT_EQ(claims.issued_at(), 1'733'011'200);
  EXPECT_EQ(claims.authenticated_at(), 0);
  EXPECT_EQ(claims.authorized_party(), "a");
  EXPECT_EQ(claims.nonce(), "n");
}

TEST(ClaimsValueTest, ReadsTheRestByNameAndKind) {
  const Claims claims = Claims::Parse(kSome).value();
  EXPECT_EQ(claims.Text("repository"), "acme/infra");
  EXPECT_EQ(claims.Number("run_attempt"), 3);
  EXPECT_EQ(claims.Flag("email_verified"), true);
  EXPECT_EQ(claims.Texts("groups"), (std::vector<std::string>{"dev", "ops"}));
  EXPECT_EQ(claims.Texts("team"), std::vector<std::string>{"dev"});
  EXPECT_TRUE(claims.Has("address"));
  EXPECT_EQ(claims.all().size(), 18u);
}

TEST(ClaimsValueTest, GivesNothingOfAnotherKind) {
  const Claims claims = Claims::Parse(kSome).value();
  for (std::string_view name : {"absent", "Repository", "none", "address", "mixed", "groups",
                                "run_attempt", "email_verified", ""}) {
    EXPECT_FALSE(claims.Text(name)) << name;
  }
  for (std::string_view name : {"absent", "size", "team", "email_verified", "address"}) {
    EXPECT_FALSE(claims.Number(name)) << name;
  }
  for (std::string_view name : {"absent", "team", "run_attempt", "none"}) {
    EXPECT_FALSE(claims.Flag(name)) << name;
  }
  for (std::string_view name : {"absent", "mixed", "run_attempt", "none", "address"}) {
    EXPECT_FALSE(claims.Texts(name)) << name;
  }
  EXPECT_FALSE(claims.Has("absent"));
}

TEST(ClaimsValueTest, NeedsThoseThatEveryTokenHas) {
  for (std::string_view bad :
       {"", "{}", R"({"sub":"u","aud":"a","exp":1})", R"({"iss":"i","aud":"a","exp":1})",
        R"({"iss":"i","sub":"u","exp":1})", R"({"iss":"i","sub":"u","aud":"a"})"}) {
    const auto claims = Claims::Parse(bad);
    ASSERT_FALSE(claims) << bad;
    EXPECT_EQ(claims.error().kind, ErrorKind::kInvalid) << bad;
  }
}

}  // namespace
}  // namespace koya::oidc
