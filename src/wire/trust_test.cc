// Documents of trusted publishing and of sign-in providers.
#include "wire/identity.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "wire/modules.h"

namespace koya::wire {
namespace {

constexpr const char* kTrustTime = "2026-11-21T16:41:10Z";

TEST(TrustDocumentsTest, ReadWhatTheyWrite) {
  const TrustRequest request{.issuer = "https://ci.example.com", .claims = {"a=b", "c=*"}};
  EXPECT_EQ(Decode<TrustRequest>(Encode(request)), request);
  const TrustRequest preset{.github = "acme/infra", .ref = "main", .environment = "prod"};
  EXPECT_EQ(Decode<TrustRequest>(Encode(preset)), preset);
  const Trust trust{"id", "acme", "https://ci.example.com", {"a=b"}, kTrustTime, "root", true};
  EXPECT_EQ(Decode<Trust>(Encode(trust)), trust);
  EXPECT_EQ(Decode<TrustList>(Encode(TrustList{{trust}})), (TrustList{{trust}}));
  const TokenExchange exchange{"a.b.c", "acme"};
  EXPECT_EQ(Decode<TokenExchange>(Encode(exchange)), exchange);
  const ExchangedToken token{"koya_x", kTrustTime, "acme"};
  EXPECT_EQ(Decode<ExchangedToken>(Encode(token)), token);
  const Provenance provenance{{"iss", "https://ci.example.com"}, {"ref", "a \"b\"\n"}};
  EXPECT_EQ(DecodeProvenance(EncodeProvenance(provenance)), provenance);
  EXPECT_EQ(DecodeProvenance(""), Provenance());
}

TEST(TrustDocumentsTest, ReleasesShowWhereTheyComeFrom) {
  ModuleDetails details;
  details.ns = "acme";
  details.name = "vpc";
  details.system = "aws";
  details.version = "1.0.0";
  EXPECT_FALSE(EncodeModuleDetails(details).contains("provenance"));
  details.provenance = {{"sha", "1234"}};
  EXPECT_TRUE(EncodeModuleDetails(details).contains(R"("provenance":{"sha":"1234"})"));
  EXPECT_EQ(Decode<ModuleDetails>(EncodeModuleDetails(details)), details);
}

TEST(TrustDocumentsTest, ProvidersReadWhatTheyWrite) {
  const IdentityProvider wanted{.name = "corp",
                                .issuer = "https://id.example.com",
                                .client_id = "koya",
                                .client_secret = "s",
                                .groups_claim = "groups",
                                .groups = {{"/eng", "platform"}}};
  EXPECT_EQ(Decode<IdentityProvider>(Encode(wanted)), wanted);
  IdentityProvider shown = wanted;
  shown.client_secret.clear();
  shown.callback = "https://koya.example.com/-/oidc/corp/callback";
  shown.created = kTrustTime;
  shown.created_by = "root";
  EXPECT_FALSE(Encode(shown).contains("secret"));
  EXPECT_EQ(Decode<IdentityProviderList>(Encode(IdentityProviderList{{shown}})),
            (IdentityProviderList{{shown}}));
  const IdentityProviderReport report{"corp", false, {{true, "a"}, {false, "b"}}};
  EXPECT_EQ(Decode<IdentityProviderReport>(Encode(report)), report);
}

TEST(TrustDocumentsTest, WhatIsNoneIsRefused) {
  for (std::string_view body :
       {"", "[]", "{}", R"({"token":"a"})", R"({"namespace":"acme"})",
        R"({"token":"","namespace":"acme"})", R"({"token":1,"namespace":"acme"})",
        R"({"token":"a","namespace":["acme"]})", R"({"token":"a","namespace":"acme"}})"}) {
    EXPECT_FALSE(Decode<TokenExchange>(body)) << body;
  }
  for (std::string_view body : {"", "[]", R"({"claims":"a=b"})", R"({"claims":[1]})",
                                R"({"github":["acme/infra"]})", R"({"issuer":7})"}) {
    EXPECT_FALSE(Decode<TrustRequest>(body)) << body;
  }
  for (std::string_view body :
       {"", "{}", R"({"name":"a"})", R"({"name":"a","issuer":"b"})",
        R"({"name":"a","issuer":"b","client_id":"c","groups":[{"theirs":"x"}]})",
        R"({"name":"a","issuer":"b","client_id":"c","groups":["x=y"]})",
        R"({"name":"a","issuer":"b","client_id":"c","client_secret":{}})"}) {
    EXPECT_FALSE(Decode<IdentityProvider>(body)) << body;
  }
  EXPECT_FALSE(DecodeProvenance("{"));
  EXPECT_FALSE(DecodeProvenance("[]"));
  EXPECT_EQ(DecodeProvenance(R"({"a":"b","c":1,"d":{"e":"f"}})"), (Provenance{{"a", "b"}}));
}

TEST(Provenance, AnOriginIsNoClaimOfAJob) {
  for (const char* text :
       {"", R"({"imported_from":"old.test/a/b/c","imported_digest":"sha256:0"})"}) {
    EXPECT_FALSE(HasClaims(text)) << text;
  }
  for (const char* text : {R"({"repository":"acme/vpc"})",
                           R"({"iss":"https://ci.test","imported_from":"old.test/a/b/c"})"}) {
    EXPECT_TRUE(HasClaims(text)) << text;
  }
}

}  // namespace
}  // namespace koya::wire
