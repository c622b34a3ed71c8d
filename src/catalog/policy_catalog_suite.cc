// What every catalog must do: the policy on releases of other registries. See catalog_suite_base.h.
#include <set>
#include <string>
#include <vector>

#include "catalog/audit_catalog.h"
#include "catalog/policy_catalog.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/policy_record.h"
#include "domain/upstream_record.h"

namespace koya {
namespace {

class PolicyCatalogSuite : public CatalogSuiteBase {
 protected:
  Result<std::int64_t> Set(NewPolicyRevision next) {
    return RunTask(policy().SetPolicy(Tester(), std::move(next)));
  }
  UpstreamRelease Pin(UpstreamRelease release) {
    return RunTask(upstream_releases().PinRelease(std::move(release), false)).value();
  }
  std::set<std::string> Admitted(const std::string& subject) {
    return RunTask(policy().ListAdmitted(subject)).value();
  }
  std::vector<std::string> Actions() {
    std::vector<std::string> actions;
    for (const AuditRecord& each : RunTask(audit().ListAudit({}, 10)).value()) {
      actions.push_back(each.entry.action + " " + each.entry.target + " " + each.entry.after);
    }
    return actions;
  }
};
INSTANTIATE_CATALOG_SUITE(PolicyCatalogSuite);

TEST_P(PolicyCatalogSuite, WithoutAnyRevisionThePolicyIsEmpty) {
  EXPECT_EQ(RunTask(policy().FindPolicy()).value(), PolicyRevision());
  EXPECT_TRUE(RunTask(policy().ListPolicyRevisions(10)).value().empty());
  ExpectFails(RunTask(policy().FindPolicyRevision(1)), ErrorKind::kNotFound, "no revision 1");
}

TEST_P(PolicyCatalogSuite, RevisionsAreNumberedAndStay) {
  const std::string text = "version = 1\r\n# größe ' \" %0A :x {{now}}\n";
  ASSERT_EQ(Set({.text = text, .reason = "wait a week"}).value(), 1);
  ASSERT_EQ(Set({.text = "version = 1", .reason = "second", .expected = 1}).value(), 2);
  const PolicyRevision first = RunTask(policy().FindPolicyRevision(1)).value();
  EXPECT_EQ(first.text, text);
  EXPECT_EQ(first.by, Tester().name);
  EXPECT_EQ(first.reason, "wait a week");
  EXPECT_GT(first.at, kSuiteNow);
  EXPECT_EQ(RunTask(policy().FindPolicy()).value().revision, 2);
  const auto list = RunTask(policy().ListPolicyRevisions(1)).value();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].revision, 2);
  EXPECT_EQ(list[0].text, "");
  EXPECT_EQ(TopicsSince({}), Texts({"", ""}));
}

TEST_P(PolicyCatalogSuite, AnotherRevisionThanTheExpectedOneIsAConflict) {
  ExpectFails(Set({.text = "a", .reason = "r", .expected = 1}), ErrorKind::kConflict,
              "in force is revision 0, not 1");
  ASSERT_TRUE(Set({.text = "a", .reason = "r", .expected = 0}));
  ExpectFails(Set({.text = "b", .reason = "r", .expected = 0}), ErrorKind::kConflict, "revision 1");
  EXPECT_EQ(RunTask(policy().FindPolicy()).value().text, "a");
}

TEST_P(PolicyCatalogSuite, OfTwoAtOnceOneWins) {
  std::vector<Result<std::int64_t>> results;
  Racers racers;
  for (const char* text : {"a", "b"}) {
    racers.Add(policy().SetPolicy(Tester(), {.text = text, .reason = "r", .expected = 0}),
               &results);
  }
  racers.Run();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_NE(results[0].has_value(), results[1].has_value());
  EXPECT_EQ(RunTask(policy().ListPolicyRevisions(10)).value().size(), 1U);
}

TEST_P(PolicyCatalogSuite, UnstorableTextsAreRefused) {
  ExpectFails(Set({.text = std::string("a\0b", 3), .reason = "r"}), ErrorKind::kInvalid, "policy");
  ExpectFails(Set({.text = "a", .reason = "\xff"}), ErrorKind::kInvalid, "reason");
  EXPECT_EQ(RunTask(policy().FindPolicy()).value().revision, 0);
}

TEST_P(PolicyCatalogSuite, TheAuditLogSaysWhatWasSet) {
  ASSERT_TRUE(Set({.text = "a", .reason = "first"}));
  ASSERT_TRUE(Set({.text = "b", .reason = "second"}));
  ASSERT_TRUE(Set({.text = "a", .reason = "back", .copy_of = 1}));
  EXPECT_EQ(Actions(), (std::vector<std::string>{
                           R"(policy.rollback policy {"revision":3,"reason":"back","copy_of":1})",
                           R"(policy.set policy {"revision":2,"reason":"second"})",
                           R"(policy.set policy {"revision":1,"reason":"first"})"}));
}

TEST_P(PolicyCatalogSuite, TheFirstRevisionAdmitsPinnedVersions) {
  const UpstreamRelease release = Pin(SampleUpstreamRelease(kRemote, "1.0.0"));
  const UpstreamModuleVersion module = SampleUpstreamModule(kRemoteModule, "1.0.0");
  ASSERT_TRUE(RunTask(upstream_modules().PinModule(module)));
  EXPECT_TRUE(Admitted(release.provider.Key()).empty());
  ASSERT_TRUE(Set({.text = "a", .reason = "r"}));
  EXPECT_EQ(Admitted(release.provider.Key()), std::set<std::string>{release.version.ToString()});
  EXPECT_EQ(Admitted(module.module.Key()), std::set<std::string>{module.version.ToString()});
  UpstreamRelease later = SampleUpstreamRelease(kRemote, "1.0.0");
  later.version = V("9.9.9");
  Pin(later);
  ASSERT_TRUE(Set({.text = "b", .reason = "r"}));
  EXPECT_EQ(Admitted(release.provider.Key()).size(), 1U) << "only the first";
}

TEST_P(PolicyCatalogSuite, AStrictFirstRevisionAdmitsNothing) {
  const UpstreamRelease release = Pin(SampleUpstreamRelease(kRemote, "1.0.0"));
  ASSERT_TRUE(Set({.text = "a", .reason = "r", .admits_pinned = false}));
  EXPECT_TRUE(Admitted(release.provider.Key()).empty());
}

TEST_P(PolicyCatalogSuite, VersionsAreAdmittedOnce) {
  const std::string subject = "registry.example.com/acme/demo";
  ASSERT_TRUE(RunTask(policy().Admit({subject, "1.0.0"})));
  ASSERT_TRUE(RunTask(policy().Admit({subject, "1.0.0"})));
  EXPECT_EQ(TopicsSince({}), Texts()) << "it was let through already";
  EXPECT_EQ(RunTask(policy().AdmitAll(Tester(), {{subject, "1.0.0"}, {subject, "1.1.0"}},
                                      "*/acme/*", "day one"))
                .value(),
            1U);
  EXPECT_EQ(Admitted(subject), (std::set<std::string>{"1.0.0", "1.1.0"}));
  EXPECT_TRUE(Admitted("registry.example.com/acme/other").empty());
  EXPECT_EQ(Actions(), std::vector<std::string>{
                           R"(policy.baseline policy {"pattern":"*/acme/*","reason":"day one",)"
                           R"("admitted":1})"});
  std::vector<Admission> many(PolicyCatalog::kMostAdmissions + 1, {subject, "2.0.0"});
  ExpectFails(RunTask(policy().AdmitAll(Tester(), std::move(many), "*", "r")), ErrorKind::kTooLarge,
              "narrower");
}

TEST_P(PolicyCatalogSuite, FactsOfPinnedReleasesComeInTheOrderOfFirstSight) {
  UpstreamRelease older = SampleUpstreamRelease(kRemote, "1.0.0");
  older.version = V("2.0.0");
  older.seen_at = kSuiteNow;
  older.signer = "AA00";
  older.attachments = {SampleUpstreamAttachment("b.spdx.json"),
                       SampleUpstreamAttachment("a.sigstore.json")};
  UpstreamRelease newer = older;
  newer.version = V("1.9.0");
  newer.seen_at = kSuiteNow + 5;
  newer.signer = "";
  Pin(newer);
  Pin(older);
  const auto facts = RunTask(policy().ListPinnedFacts(older.provider)).value();
  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[0], (PinnedFacts{.version = V("2.0.0"),
                                   .seen_at = kSuiteNow,
                                   .is_signed = older.signature.has_value(),
                                   .signer = "AA00",
                                   .attachments = {"a.sigstore.json", "b.spdx.json"}}));
  EXPECT_EQ(facts[1].version, V("1.9.0"));
  EXPECT_EQ(facts[1].signer, "");
  EXPECT_EQ(RunTask(upstream_releases().FindUpstreamRelease(older.provider, older.version))
                .value()
                .signer,
            "AA00");
}

TEST_P(PolicyCatalogSuite, KeysAreKnownByAdmittedReleasesOfTheNamespace) {
  UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  release.signer = "AA00";
  Pin(release);
  const std::string host = release.provider.host.ascii();
  const std::string ns = release.provider.address.ns();
  EXPECT_TRUE(RunTask(policy().ListKnownSigners(host, ns)).value().empty()) << "not admitted";
  ASSERT_TRUE(RunTask(policy().Admit({release.provider.Key(), release.version.ToString()})));
  EXPECT_EQ(RunTask(policy().ListKnownSigners(host, ns)).value(), std::set<std::string>{"AA00"});
  EXPECT_TRUE(RunTask(policy().ListKnownSigners(host, "other")).value().empty());
}

TEST_P(PolicyCatalogSuite, TheKeysOfANamespaceHaveAHistory) {
  const auto pin = [this](std::string_view version, std::string signer, UnixSeconds seen_at) {
    UpstreamRelease release = SampleUpstreamRelease(kRemote, version);
    release.signer = std::move(signer);
    release.seen_at = seen_at;
    return Pin(release);
  };
  const UpstreamRelease first = pin("1.0.0", "AA00", kSuiteNow);
  pin("1.1.0", "BB00", kSuiteNow + 5);
  pin("1.2.0", "AA00", kSuiteNow + 9);
  pin("1.3.0", "", kSuiteNow + 1);
  ASSERT_TRUE(RunTask(policy().Admit({first.provider.Key(), "1.0.0"})));
  const std::string host = first.provider.host.ascii();
  const std::string ns = first.provider.address.ns();
  const auto history = RunTask(policy().ListSigners(host, ns, 100)).value();
  ASSERT_EQ(history.size(), 3U);
  const bool is_signed = first.signature.has_value();
  EXPECT_EQ(history[0], (NamespaceSigner{.key = "AA00",
                                         .is_signed = is_signed,
                                         .is_known = true,
                                         .releases = 2,
                                         .first_seen_at = kSuiteNow,
                                         .last_seen_at = kSuiteNow + 9,
                                         .newest = {{first.provider, V("1.2.0"), kSuiteNow + 9},
                                                    {first.provider, V("1.0.0"), kSuiteNow}}}));
  EXPECT_EQ(history[1].key, "BB00");
  EXPECT_FALSE(history[1].is_known);
  EXPECT_EQ(history[2].key, "");
  EXPECT_EQ(history[2].newest.size(), 1U);
  EXPECT_EQ(RunTask(policy().ListSigners(host, ns, 1)).value().size(), 1U);
  EXPECT_TRUE(RunTask(policy().ListSigners(host, "other", 100)).value().empty());
  EXPECT_TRUE(RunTask(policy().ListSigners("other.example.com", ns, 100)).value().empty());
}

TEST_P(PolicyCatalogSuite, AReleaseThatChangedUpstreamIsMarkedOnce) {
  const UpstreamRelease release = Pin(SampleUpstreamRelease(kRemote, "1.0.0"));
  const ChangePosition before =
      ChangePosition::Of(RunTask(changes().ChangesSince({})).value().back());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(RunTask(policy().MarkChanged(Actor::Server(), release.provider, release.version)));
  }
  EXPECT_GT(RunTask(policy().ListPinnedFacts(release.provider)).value()[0].changed_at, kSuiteNow);
  EXPECT_EQ(Actions(), std::vector<std::string>{
                           "policy.changed provider:registry.example.com/acme/demo@1.0.0 "});
  EXPECT_EQ(TopicsSince(before), Texts{"mirror:registry.example.com/acme/demo"});
  ASSERT_TRUE(RunTask(policy().MarkChanged(Actor::Server(), release.provider, V("2.0.0"))));
  EXPECT_EQ(Actions().size(), 1U) << "of a release that is not pinned";
}

TEST_P(PolicyCatalogSuite, FactsOfPinnedModules) {
  const UpstreamModuleVersion module = SampleUpstreamModule(kRemoteModule, "1.0.0");
  ASSERT_TRUE(RunTask(upstream_modules().PinModule(module)));
  const auto facts = RunTask(policy().ListPinnedFacts(module.module)).value();
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0], (PinnedFacts{.version = module.version, .seen_at = module.seen_at}));
}

}  // namespace
}  // namespace koya
