#include "service/sign_in/identity_providers.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "service/sign_in/issuer_client_fake.h"
#include "signing/sealer.h"

namespace koya::service {
namespace {

using auth::Principal;

constexpr std::string_view kOldSecret = "the server's secret, the first";
constexpr std::string_view kNewSecret = "the server's secret, the second";

class IdentityProvidersTest : public testing::Test {
 protected:
  static NewIdentityProvider Corp() {
    return {.name = "corp",
            .issuer = "https://id.example.com",
            .client_id = "koya",
            .client_secret = "s3cret",
            .groups_claim = "groups",
            .groups = {}};
  }
  Result<IdentityProviderRecord> Add(NewIdentityProvider provider,
                                     Principal by = Principal::Operator()) {
    return RunTask(providers_.Add(std::move(by), std::move(provider)));
  }
  std::vector<std::string> Findings(bool good) {
    std::vector<std::string> out;
    for (const ProviderFinding& each :
         RunTask(providers_.Test(Principal::Operator(), "corp")).value()) {
      if (each.good == good) out.push_back(each.text);
    }
    return out;
  }

  ManualClock clock_;
  FakeIssuerClient issuers_;
  FakeIdentityCatalog catalog_;
  signing::Sealer sealer_{kOldSecret};
  IdentityProviders providers_{catalog_, issuers_, sealer_, clock_};
};

TEST_F(IdentityProvidersTest, SecretsAreKeptSealed) {
  auto added = Add(Corp());
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->created_by, "koya");
  EXPECT_FALSE(added->sealed_secret.contains("s3cret"));
  EXPECT_EQ(*providers_.SecretOf(*added), "s3cret");
  IdentityProviderRecord moved = *added;
  moved.name = "other";
  EXPECT_FALSE(providers_.SecretOf(moved)) << "a secret is its provider's alone";
  NewIdentityProvider open = Corp();
  open.name = "public";
  open.client_secret.clear();
  EXPECT_EQ(*providers_.SecretOf(*Add(open)), "");
  EXPECT_TRUE(RunTask(providers_.Names())->empty()) << "they were not tested";
  for (IdentityProviderRecord& each : catalog_.providers) each.enabled = true;
  EXPECT_EQ(RunTask(providers_.Names()).value(), (std::vector<std::string>{"corp", "public"}));
  ASSERT_TRUE(RunTask(providers_.Remove(Principal::Operator(), "CORP")));
  EXPECT_EQ(RunTask(providers_.Names()).value(), std::vector<std::string>{"public"});
}

TEST_F(IdentityProvidersTest, OnlyAdministratorsHaveToDoWithThem) {
  ASSERT_TRUE(Add(Corp()));
  for (const Principal& by : {Principal{"publisher", Scope::kPublish, {}},
                              Principal{"owner", Scope::kAdmin, {"acme"}}, Principal{}}) {
    auto forbidden = [](const auto& result) {
      return !result && result.error().kind == ErrorKind::kForbidden;
    };
    NewIdentityProvider other = Corp();
    other.name = "other";
    EXPECT_TRUE(forbidden(Add(other, by)));
    EXPECT_TRUE(forbidden(RunTask(providers_.List(by))));
    EXPECT_TRUE(forbidden(RunTask(providers_.Test(by, "corp"))));
    EXPECT_TRUE(forbidden(RunTask(providers_.Remove(by, "corp"))));
    EXPECT_TRUE(forbidden(RunTask(providers_.Reseal(by))));
  }
  EXPECT_TRUE(issuers_.asked.empty());
  EXPECT_EQ(catalog_.providers.size(), 1u);
}

TEST_F(IdentityProvidersTest, WhatCannotBeAProviderIsRefused) {
  struct Row {
    std::string_view why;
    void (*spoil)(NewIdentityProvider&);
    ErrorKind kind = ErrorKind::kInvalid;
  };
  const Row rows[] = {
      {"no name", [](auto& p) { p.name.clear(); }},
      {"a path", [](auto& p) { p.name = "a/b"; }},
      {"dots", [](auto& p) { p.name = ".."; }},
      {"a mail address", [](auto& p) { p.name = "a@b"; }},
      {"a long name", [](auto& p) { p.name = std::string(65, 'x'); }},
      {"no issuer", [](auto& p) { p.issuer.clear(); }},
      {"http", [](auto& p) { p.issuer = "http://id.example.com"; }},
      {"a query", [](auto& p) { p.issuer += "?x"; }},
      {"no client", [](auto& p) { p.client_id.clear(); }},
      {"a client of two lines", [](auto& p) { p.client_id = "a\nb"; }},
      {"a giant client", [](auto& p) { p.client_id = std::string(257, 'x'); }},
      {"a secret of two lines", [](auto& p) { p.client_secret = "a\nb"; }},
      {"a giant secret", [](auto& p) { p.client_secret = std::string(4097, 'x'); }},
      {"a claim of two lines", [](auto& p) { p.groups_claim = "a\nb"; }},
      {"mappings without a claim",
       [](auto& p) {
         p.groups_claim.clear();
         p.groups = {{"a", "b"}};
       }},
      {"a mapping of nothing", [](auto& p) { p.groups = {{"", "b"}}; }},
      {"a mapping to no group's name", [](auto& p) { p.groups = {{"a", "b c"}}; }},
      {"too many mappings",
       [](auto& p) { p.groups.assign(IdentityProviders::kMostMappings + 1, {"a", "b"}); }},
      {"a group that is not there", [](auto& p) { p.groups = {{"a", "b"}}; }, ErrorKind::kNotFound},
  };
  for (const Row& row : rows) {
    NewIdentityProvider provider = Corp();
    row.spoil(provider);
    auto added = Add(provider);
    ASSERT_FALSE(added) << row.why;
    EXPECT_EQ(added.error().kind, row.kind) << row.why;
    EXPECT_FALSE(added.error().message.contains("s3cret"));
  }
  EXPECT_TRUE(catalog_.providers.empty());
  ASSERT_TRUE(Add(Corp()));
  EXPECT_EQ(Add(Corp()).error().kind, ErrorKind::kConflict);
}

TEST_F(IdentityProvidersTest, ATestSaysWhatIsRightAndWrong) {
  ASSERT_TRUE(Add(Corp()));
  EXPECT_TRUE(Findings(false).empty());
  EXPECT_EQ(Findings(true).size(), 4u);
  EXPECT_EQ(issuers_.asked.front(), "forget https://id.example.com");
  for (const auto& trust : issuers_.trusts)
    EXPECT_EQ(trust, upstream::IssuerTrust::Administrators());

  issuers_.kept_keys = R"({"keys":[]})";
  issuers_.document.token_auth_methods = {"private_key_jwt"};
  issuers_.document.code_challenge_methods = {"plain"};
  const std::vector<std::string> wrong = Findings(false);
  ASSERT_EQ(wrong.size(), 3u);
  EXPECT_TRUE(wrong[0].contains("S256")) << wrong[0];
  EXPECT_TRUE(wrong[1].contains("private_key_jwt")) << wrong[1];
  EXPECT_TRUE(wrong[2].contains("0 of its keys")) << wrong[2];

  issuers_.down = true;
  EXPECT_EQ(Findings(false), std::vector<std::string>{"https://id.example.com does not answer"});
  EXPECT_EQ(RunTask(providers_.Test(Principal::Operator(), "none")).error().kind,
            ErrorKind::kNotFound);
}

TEST_F(IdentityProvidersTest, ATestThatSucceedsEnables) {
  EXPECT_FALSE(Add(Corp())->enabled);
  issuers_.down = true;
  EXPECT_FALSE(Findings(false).empty());
  EXPECT_FALSE(catalog_.providers[0].enabled) << "the issuer is away";
  issuers_.down = false;
  EXPECT_TRUE(Findings(false).empty());
  EXPECT_TRUE(catalog_.providers[0].enabled);
  issuers_.down = true;
  EXPECT_FALSE(Findings(false).empty());
  EXPECT_TRUE(catalog_.providers[0].enabled) << "a test that fails disables nothing";
  EXPECT_FALSE(RunTask(providers_.Disable(Principal::Operator(), "CORP"))->enabled);
  EXPECT_FALSE(catalog_.providers[0].enabled);
  EXPECT_EQ(RunTask(providers_.Disable(Principal::Operator(), "none")).error().kind,
            ErrorKind::kNotFound);
  const Principal owner{"owner", Scope::kAdmin, {"acme"}};
  EXPECT_EQ(RunTask(providers_.Disable(owner, "corp")).error().kind, ErrorKind::kForbidden);
}

TEST_F(IdentityProvidersTest, SecretsAreSealedAnew) {
  ASSERT_TRUE(Add(Corp()));
  NewIdentityProvider open = Corp();
  open.name = "public";
  open.client_secret.clear();
  ASSERT_TRUE(Add(open));
  signing::Sealer both(kNewSecret, kOldSecret);
  IdentityProviders providers(catalog_, issuers_, both, clock_);
  auto first = RunTask(providers.Reseal(Principal::Operator())).value();
  EXPECT_EQ(first.renewed, 1u);
  EXPECT_EQ(first.current, 0u);
  auto second = RunTask(providers.Reseal(Principal::Operator())).value();
  EXPECT_EQ(second.renewed, 0u);
  EXPECT_EQ(second.current, 1u);
  signing::Sealer fresh(kNewSecret);
  EXPECT_EQ(*IdentityProviders(catalog_, issuers_, fresh, clock_).SecretOf(catalog_.providers[0]),
            "s3cret");
  auto lost = RunTask(providers_.Reseal(Principal::Operator())).value();
  EXPECT_EQ(lost.lost, std::vector<std::string>{"sign-in provider corp"});
}

}  // namespace
}  // namespace koya::service
