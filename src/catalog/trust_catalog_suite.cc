// What every catalog must do: trust in CI identities, and what they have published. See
// catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <vector>

#include "catalog/catalog_samples_fake.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sign_in_suite_base.h"
#include "catalog/token_catalog.h"

namespace koya {
namespace {

class TrustCatalogSuite : public SignInSuiteBase {
 protected:
  Status Trust(TrustRecord trust) {
    return RunTask(this->trust().AddTrust(Tester(), std::move(trust)));
  }
  Texts TrustedIn(const std::string& ns) {
    Texts ids;
    auto list = RunTask(trust().ListTrust(ns));
    this->ExpectDone(list);
    for (const TrustRecord& each : list.value_or(std::vector<TrustRecord>())) {
      ids.push_back(each.id);
    }
    return ids;
  }
};
INSTANTIATE_CATALOG_SUITE(TrustCatalogSuite);

TEST_P(TrustCatalogSuite, TrustComesBackAsItWas) {
  for (const char* ns : {"Acme", "beta"}) this->AddNamespace(ns);
  this->News();
  TrustRecord full = SampleTrust("1", "Acme");
  full.rules = {"z=größe, 'quotes' 豆腐", "a=100%\n", "", std::string(5000, 'x')};
  TrustRecord plain = SampleTrust("2", "aCME");
  plain.rules = {};
  plain.created_at = full.created_at - 1;
  EXPECT_TRUE(this->Trust(full));
  EXPECT_TRUE(this->Trust(plain));
  EXPECT_TRUE(this->Trust(SampleTrust("3", "beta")));
  EXPECT_EQ(this->News(), (Texts{"access", "access", "access"}));
  plain.ns = "Acme";
  for (const char* ns : {"Acme", "acme", "ACME"}) {
    EXPECT_EQ(RunTask(trust().ListTrust(ns)), (std::vector<TrustRecord>{plain, full}));
  }
  for (const std::string& ns : Texts{"nobody", "", "%", "acm_", "\xff"}) {
    EXPECT_EQ(this->TrustedIn(ns), Texts{}) << ns;
  }
}

TEST_P(TrustCatalogSuite, TheSameIsTrustedOnce) {
  for (const char* ns : {"acme", "beta"}) this->AddNamespace(ns);
  EXPECT_TRUE(this->Trust(SampleTrust("1", "acme")));
  this->News();
  TrustRecord same = SampleTrust("2", "ACME");
  this->ExpectFails(this->Trust(same), ErrorKind::kConflict, "trusts the same rules");
  same.rules = {"ref=refs/tags/*", "repository=acme/modules"};
  this->ExpectFails(this->Trust(same), ErrorKind::kConflict, "trusts the same rules");
  for (const std::string& ns : Texts{"nobody", "", "%", "\xff"}) {
    this->ExpectFails(this->Trust(SampleTrust("3", ns)), ErrorKind::kNotFound, "namespace");
  }
  for (const std::string& text : kUnstorable) {
    for (std::string TrustRecord::* field :
         {&TrustRecord::id, &TrustRecord::issuer, &TrustRecord::created_by}) {
      TrustRecord strange = SampleTrust("3", "beta");
      strange.*field = text;
      this->ExpectFails(this->Trust(strange), ErrorKind::kInvalid, "must be UTF-8");
    }
  }
  EXPECT_EQ(this->News(), Texts{});
  TrustRecord others[] = {SampleTrust("4", "acme"), SampleTrust("5", "acme"),
                          SampleTrust("6", "acme"), SampleTrust("7", "beta")};
  others[0].issuer = "https://other.example.com";
  others[1].rules.pop_back();
  others[2].rules.emplace_back("environment=production");
  for (const TrustRecord& other : others) EXPECT_TRUE(this->Trust(other));
  EXPECT_EQ(this->TrustedIn("acme"), (Texts{"1", "4", "5", "6"}));
}

TEST_P(TrustCatalogSuite, TrustIsTakenBack) {
  for (const char* ns : {"acme", "beta"}) this->AddNamespace(ns);
  EXPECT_TRUE(this->Trust(SampleTrust("1", "acme")));
  EXPECT_TRUE(this->Trust(SampleTrust("2", "beta")));
  this->News();
  struct Case {
    std::string ns;
    std::string id;
  };
  const Case kRefused[] = {{"acme", "2"}, {"beta", "1"}, {"nobody", "1"}, {"acme", ""},
                           {"acme", "%"}, {"\xff", "1"}, {"acme", "\xff"}};
  for (const Case& c : kRefused) {
    this->ExpectFails(RunTask(trust().RemoveTrust(Tester(), c.ns, c.id)), ErrorKind::kNotFound,
                      "has no trust with the ID");
  }
  EXPECT_EQ(this->News(), Texts{});
  EXPECT_TRUE(RunTask(trust().RemoveTrust(Tester(), "ACME", "1")));
  EXPECT_EQ(this->News(), Texts{"access"});
  EXPECT_EQ(this->TrustedIn("acme"), Texts{});
  EXPECT_EQ(this->TrustedIn("beta"), Texts{"2"});
  EXPECT_TRUE(this->Trust(SampleTrust("3", "acme"))) << "again";
}

TEST_P(TrustCatalogSuite, AJobsTokenIsTakenOnceAndItsOwnGoesWithTheTrust) {
  for (const char* ns : {"acme", "beta"}) this->AddNamespace(ns);
  this->ExpectDone(this->Trust(SampleTrust("1", "acme")));
  this->ExpectDone(this->Trust(SampleTrust("2", "beta")));
  auto job = [](const std::string& name, std::string trust_id) {
    TokenRecord token = SampleToken(name);
    token.trust_id = std::move(trust_id);
    return token;
  };
  auto add = [&](TokenRecord token, std::string_view proof) {
    return RunTask(tokens().AddJobToken(
        Tester(), std::move(token), {.digest = Digest::Of(proof), .expires_at = kSuiteNow + 10}));
  };
  const TokenRecord first = job("ci-1", "1");
  this->ExpectDone(add(first, "a"));
  EXPECT_EQ(RunTask(tokens().FindToken(first.secret))->trust_id, "1");
  this->ExpectFails(add(job("ci-2", "1"), "a"), ErrorKind::kTokenUsed, "valid once");
  this->ExpectFails(add(job("ci-2", "3"), "b"), ErrorKind::kNotFound, "the trust for the job");
  this->ExpectFails(add(first, "b"), ErrorKind::kConflict, "already");
  this->ExpectDone(add(job("ci-2", "1"), "b"));  // what failed used nothing up
  this->ExpectDone(add(job("ci-3", "2"), "a"));
  auto listed = [&](std::string ns) { return RunTask(tokens().ListJobTokens(ns))->size(); };
  EXPECT_EQ(listed("ACME"), 2u);
  EXPECT_EQ(listed("beta"), 1u);
  for (const std::string& ns : Texts{"nothing", "", "%", "\xff"}) EXPECT_EQ(listed(ns), 0u) << ns;
  this->ExpectDone(RunTask(trust().RemoveTrust(Tester(), "acme", "1")));
  EXPECT_EQ(RunTask(tokens().FindToken(first.secret)).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(listed("acme"), 0u);
  EXPECT_EQ(listed("beta"), 1u);
  EXPECT_EQ(RunTask(sessions().RemoveExpiredSignIns(kSuiteNow + 9)), 0u);
  EXPECT_EQ(RunTask(sessions().RemoveExpiredSignIns(kSuiteNow + 10)), 3u);
}

TEST_P(TrustCatalogSuite, OfOneJobsTokenThatIsShownManyTimesAtOnceOneIsTaken) {
  this->AddNamespace("acme");
  this->ExpectDone(this->Trust(SampleTrust("1", "acme")));
  for (int round = 0; round < 5; ++round) {
    Racers racers;
    std::vector<Result<void>> added;
    for (int i = 0; i < 6; ++i) {
      TokenRecord token = SampleToken("ci-" + std::to_string(round * 10 + i));
      token.trust_id = "1";
      const JobProof proof{.digest = Digest::Of("job" + std::to_string(round)),
                           .expires_at = kSuiteNow};
      racers.Add(tokens().AddJobToken(Tester(), token, proof), &added);
    }
    racers.Run();
    EXPECT_EQ(std::ranges::count_if(added, [](const Status& each) { return each.has_value(); }), 1);
    for (const Status& each : added) {
      if (!each) EXPECT_EQ(each.error().kind, ErrorKind::kTokenUsed) << each.error().detail;
    }
  }
  EXPECT_EQ(RunTask(tokens().ListJobTokens("acme"))->size(), 5u);
}

// A name that a JSON document may hold.
const Texts kProvenances{"", R"({"repository":"acme/größe","ref":"refs/tags/v1 '%'"})"};

TEST_P(TrustCatalogSuite, ProvenanceIsKeptWithATokenAndWhatItPublished) {
  ASSERT_TRUE(RunTask(keys().AddKey(Tester(), SampleKey("acme"))));
  int number = 0;
  for (const std::string& provenance : kProvenances) {
    const std::string version = "1.0." + std::to_string(++number);
    TokenRecord token = SampleToken("ci" + version);
    token.provenance = provenance;
    this->AddToken(token);
    EXPECT_EQ(RunTask(tokens().FindToken(token.secret))->provenance, provenance);
    TokenRecord next = token;
    next.secret = Digest::Of("next" + version);
    next.provenance = provenance + " ";
    this->ExpectDone(RunTask(tokens().ReplaceToken(Tester(), next, token.secret)));
    EXPECT_EQ(RunTask(tokens().FindToken(next.secret))->provenance, provenance + " ");

    ModuleVersionRecord module = Record("acme/vpc/aws", version);
    module.provenance = provenance;
    this->ExpectDone(RunTask(modules().AddVersion(Tester(), module)));
    EXPECT_EQ(RunTask(modules().FindVersion(module.address, module.version))->provenance,
              provenance);
    EXPECT_EQ(RunTask(modules().ListVersions(module.address))->front().provenance, provenance);
    ProviderRelease release = SampleRelease("acme/demo", version);
    release.provenance = provenance;
    this->ExpectDone(RunTask(providers().AddRelease(Tester(), release, std::nullopt)));
    EXPECT_EQ(RunTask(providers().FindRelease(release.address, release.version)), release);
  }
}

TEST_P(TrustCatalogSuite, TheSourceIsKeptWithWhatWasPublished) {
  ASSERT_TRUE(RunTask(keys().AddKey(Tester(), SampleKey("acme"))));
  ModuleVersionRecord module = Record("acme/vpc/aws", "1.0.0");
  module.source = *SourceRepository::Parse("https://github.com/acme/network//modules/vpc");
  this->ExpectDone(RunTask(modules().AddVersion(Tester(), module)));
  EXPECT_EQ(RunTask(modules().FindVersion(module.address, module.version))->source, module.source);
  ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
  release.source = *SourceRepository::Parse("https://github.com/acme/demo");
  this->ExpectDone(RunTask(providers().AddRelease(Tester(), release, std::nullopt)));
  EXPECT_EQ(RunTask(providers().FindRelease(release.address, release.version)), release);
  EXPECT_EQ(RunTask(providers().ListReleases(release.address))->front().source, release.source);
}

TEST_P(TrustCatalogSuite, ProvenanceThatNoDatabaseKeepsIsRefused) {
  ASSERT_TRUE(RunTask(keys().AddKey(Tester(), SampleKey("acme"))));
  for (const std::string& text : kUnstorable) {
    TokenRecord token = SampleToken("ci");
    token.provenance = text;
    this->ExpectFails(RunTask(tokens().AddToken(Tester(), token)), ErrorKind::kInvalid,
                      "must be UTF-8");
    ModuleVersionRecord module = Record("acme/vpc/aws", "1.0.0");
    module.provenance = text;
    this->ExpectFails(RunTask(modules().AddVersion(Tester(), module)), ErrorKind::kInvalid,
                      "must be UTF-8");
    ProviderRelease release = SampleRelease("acme/demo", "1.0.0");
    release.provenance = text;
    this->ExpectFails(RunTask(providers().AddRelease(Tester(), release, std::nullopt)),
                      ErrorKind::kInvalid, "must be UTF-8");
  }
}

}  // namespace
}  // namespace koya
