// Revisions of the policy on releases of other registries, baselines, and reports on verdicts.
#include "service/mirror/policies.h"

#include "catalog/policy_catalog.h"
#include "catalog/usage_catalog.h"
#include "service/mirror/explanation.h"
#include "service/mirror/gate.h"
#include "service/mirror/inventory_fake.h"
#include "service/mirror/module_mirror.h"
#include "service/mirror/provider_mirror.h"

namespace koya::service {
namespace {

constexpr const char* kWaitAWeek = R"(version = 1

[[rule]]
name = "cool-down"
match = ["*/*/*"]
minimum_age = "7d"
)";

class PoliciesTest : public InventoryTest {
 protected:
  Result<PolicyChange> Set(std::string text, std::string reason = "why",
                           std::optional<std::int64_t> expected = {}, bool admits_pinned = true) {
    return RunTask(mirror_->policies.SetPolicy(kImporter, {.text = std::move(text),
                                                           .reason = std::move(reason),
                                                           .expected = expected,
                                                           .admits_pinned = admits_pinned}));
  }
  Result<PolicyChange> Rollback(std::int64_t revision, std::string reason = "why") {
    return RunTask(mirror_->policies.Rollback(kImporter, revision, std::move(reason)));
  }
  Result<std::uint64_t> Baseline(std::string pattern, std::string reason = "day one") {
    return RunTask(mirror_->policies.Baseline(kImporter, std::move(pattern), std::move(reason)));
  }
  PolicyRevision InForce() { return RunTask(mirror_->policies.FindPolicy()).value(); }
  std::set<std::string> Admitted(const std::string& key) {
    return RunTask(catalog_.policy().ListAdmitted(key)).value();
  }
};

TEST_F(PoliciesTest, RevisionsFollowEachOther) {
  EXPECT_EQ(InForce(), PolicyRevision());
  EXPECT_EQ(Set(kWaitAWeek, "wait a week")->revision, 1);
  EXPECT_EQ(Set("version = 1\n", "stop waiting", 1)->revision, 2);
  EXPECT_EQ(InForce().text, "version = 1\n");
  EXPECT_EQ(InForce().by, kImporter.name);
  EXPECT_EQ(RunTask(mirror_->policies.FindRevision(1))->text, kWaitAWeek);
  EXPECT_EQ(RunTask(mirror_->policies.FindRevision(3)).error().kind, ErrorKind::kNotFound);
  const auto list = RunTask(mirror_->policies.ListRevisions()).value();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].reason, "stop waiting");
}

TEST_F(PoliciesTest, AProblemLeavesTheOldRevisionInForce) {
  ASSERT_TRUE(Set(kWaitAWeek));
  const auto change = Set("version = 2\n\n[[rule]]\nnam = \"x\"\n");
  ASSERT_TRUE(change) << change.error().message;
  EXPECT_EQ(change->revision, 0);
  ASSERT_GE(change->problems.size(), 3U);
  EXPECT_EQ(change->problems[0].line, 1U);
  EXPECT_EQ(change->problems.back().line, 4U);
  EXPECT_EQ(InForce().text, kWaitAWeek);
}

TEST_F(PoliciesTest, AnotherRevisionThanTheExpectedOneIsAConflict) {
  ASSERT_TRUE(Set(kWaitAWeek, "why", 0));
  EXPECT_EQ(Set("version = 1", "why", 0).error().kind, ErrorKind::kConflict);
  EXPECT_EQ(Set("version = 1", "why", 2).error().kind, ErrorKind::kConflict);
  EXPECT_EQ(InForce().revision, 1);
}

TEST_F(PoliciesTest, EachChangeNeedsAReason) {
  ASSERT_TRUE(Set(kWaitAWeek));
  for (const std::string& reason : {std::string(), std::string(1001, 'x'), std::string("a\x01"),
                                    std::string("\xff"), std::string("a\0b", 3)}) {
    EXPECT_EQ(Set(kWaitAWeek, reason).error().kind, ErrorKind::kInvalid);
    EXPECT_EQ(Rollback(1, reason).error().kind, ErrorKind::kInvalid);
    EXPECT_EQ(Baseline("*/*/*", reason).error().kind, ErrorKind::kInvalid);
  }
  EXPECT_EQ(InForce().revision, 1);
  EXPECT_TRUE(Set(kWaitAWeek, std::string(1000, 'x')));
}

TEST_F(PoliciesTest, ARollbackIsANewRevision) {
  ASSERT_TRUE(Set(kWaitAWeek, "first"));
  ASSERT_TRUE(Set("version = 1", "second"));
  EXPECT_EQ(Rollback(1, "it broke builds")->revision, 3);
  EXPECT_EQ(InForce().text, kWaitAWeek);
  EXPECT_EQ(InForce().reason, "it broke builds");
  for (const std::int64_t revision : {-1, 0, 4}) {
    EXPECT_EQ(Rollback(revision).error().kind, ErrorKind::kNotFound) << revision;
  }
}

TEST_F(PoliciesTest, TheFirstRevisionAdmitsPinnedVersionsUnlessItIsStrict) {
  ASSERT_TRUE(Import(Id(), Zip()));
  ASSERT_TRUE(Set(kWaitAWeek, "why", {}, false));
  EXPECT_TRUE(Admitted(Demo().Key()).empty());
  ASSERT_TRUE(Set(kWaitAWeek));
  EXPECT_TRUE(Admitted(Demo().Key()).empty()) << "it is not the first";
}

TEST_F(PoliciesTest, ABaselineAdmitsWhatIsPinnedOrListed) {
  ASSERT_TRUE(Import(Id(Demo(kPulled), "0.9.0"), Zip()));
  ASSERT_TRUE(RunTask(mirror_->providers.ListVersions(Demo(kPulled))));
  ASSERT_TRUE(Import(Id(Demo(kOther)), Zip()));
  EXPECT_EQ(Baseline("registry.example.org/*/*").value(), 3U);
  EXPECT_EQ(Admitted(Demo(kPulled).Key()), (std::set<std::string>{"0.9.0", "1.0.0", "1.1.0"}));
  EXPECT_TRUE(Admitted(Demo(kOther).Key()).empty());
  EXPECT_EQ(Baseline("*/ACME/demo").value(), 1U) << "three were admitted before";
  EXPECT_EQ(Baseline("*/acme/demo").value(), 0U);
  EXPECT_EQ(Changes().back(), "policy.baseline policy by user:importer");
}

TEST_F(PoliciesTest, ABaselineAdmitsWhatWasListedAndNeverFetched) {
  ASSERT_TRUE(RunTask(mirror_->providers.ListVersions(Demo(kPulled))));
  ASSERT_TRUE(RunTask(mirror_->modules.ListVersions(
      {*HostName::Parse(kPulled), *ModuleAddress::FromParts("acme", "vpc", "aws")})));
  EXPECT_EQ(Baseline("registry.example.org/acme/d*").value(), 2U);
  EXPECT_EQ(Admitted(Demo(kPulled).Key()), (std::set<std::string>{"1.0.0", "1.1.0"}));
  EXPECT_GT(Baseline("registry.example.org/acme/vpc/*").value(), 0U);
  EXPECT_EQ(Baseline("registry.example.org/acme/*/*").value(), 0U);
}

TEST_F(PoliciesTest, ABaselineOfModulesIsAnother) {
  ASSERT_TRUE(ImportModule(koya::Zip({{.name = "main.tf", .content = "# one"}})));
  EXPECT_EQ(Baseline("*/*/*").value(), 0U);
  EXPECT_EQ(Baseline("*/*/vpc/*").value(), 1U);
  EXPECT_EQ(Admitted(Vpc().module.Key()), std::set<std::string>{"1.0.0"});
}

TEST_F(PoliciesTest, PatternsThatAreRefused) {
  for (const char* pattern :
       {"", "*", "*/*", "*/*/*/*/*", "a//b", "registry.example.org", "*/*/ä*", "not a host/*/*"}) {
    EXPECT_EQ(Baseline(pattern).error().kind, ErrorKind::kInvalid) << pattern;
  }
}

// ---- reports

constexpr UnixSeconds kPolicyDay = 86'400;

constexpr const char* kBelieved = R"(version = 1
believe_times_of = ["registry.example.org"]

[[rule]]
name = "cool-down"
match = ["*/*/*", "*/*/*/*"]
minimum_age = "7d"
)";

constexpr const char* kNoDemo = R"(version = 1

[[rule]]
name = "no-demo"
match = ["*/*/demo"]
versions = ">= 1.1"
deny = true
)";

class PolicyReportTest : public PoliciesTest {
 protected:
  std::string Ago(UnixSeconds seconds) const { return FormatRfc3339(clock_.now - seconds); }
  // 1.0.0 is old, 1.1.0 of two days ago; one of them may be fetched.
  void List(const std::string& fetched = "") {
    upstream_.discovered = {{"1.0.0", Ago(30 * kPolicyDay)}, {"1.1.0", Ago(2 * kPolicyDay)}};
    ASSERT_TRUE(RunTask(mirror_->providers.ListVersions(Demo(kPulled))));
    if (fetched.empty()) return;
    ASSERT_TRUE(RunTask(
        mirror_->providers.FindRelease(Demo(kPulled), *Version::Parse(fetched), std::nullopt)));
  }
  Result<PolicyExplanation> Explain(std::string_view version = "", std::string_view address = "",
                                    std::optional<UnixSeconds> at = {}) {
    auto question = ParseMirrorQuestion(address.empty() ? "acme/demo" : address, version,
                                        *HostName::Parse(kPulled));
    EXPECT_TRUE(question) << question.error().message;
    return RunTask(mirror_->policies.Explain(*std::move(question), at));
  }
  HeldVersions Held() { return RunTask(mirror_->policies.ListHeld()).value(); }
  PolicyTrial Try(std::string text, UsageDay since = 0) {
    return RunTask(mirror_->policies.TryPolicy(std::move(text), since)).value();
  }
  void Count(const Version& version, std::uint64_t fetches, UsageDay day) {
    const UsageRow row{.day = day,
                       .item = UsageItem::Of(Demo(kPulled), version),
                       .by = {.principal = "service:" + std::to_string(fetches)},
                       .counts = {.fetches = fetches}};
    ASSERT_TRUE(RunTask(catalog_.usage().AddUsage({std::to_string(++batches_), {row}})).value());
  }
  // "1.0.0 7" for each.
  static std::vector<std::string> TextsOf(const std::vector<PolicyTrial::Item>& items) {
    std::vector<std::string> texts;
    for (const auto& each : items) {
      EXPECT_EQ(each.address, Demo(kPulled).Key());
      texts.push_back(fmt::format("{} {}", each.version, each.requests));
    }
    return texts;
  }

  int batches_ = 0;
};

using ReportTexts = std::vector<std::string>;

TEST_F(PolicyReportTest, AHoldIsExplainedWithItsClockItsEndAndTheWayOut) {
  List();
  ASSERT_TRUE(Set(kBelieved));
  const auto found = Explain().value();
  EXPECT_EQ(found.version, "1.1.0") << "the newest";
  EXPECT_EQ(found.verdict, policy::Verdict::kHold);
  EXPECT_EQ(found.until, clock_.now + 5 * kPolicyDay);
  EXPECT_EQ(found.clock_registry, true);
  EXPECT_EQ(found.seen_at, clock_.now);
  EXPECT_EQ(found.pinned_at, std::nullopt);
  EXPECT_EQ(found.revision, 1);
  EXPECT_EQ(found.by, kImporter.name);
  EXPECT_EQ(found.instead, "1.0.0");
  ASSERT_EQ(found.reasons.size(), 1U);
  EXPECT_EQ(found.reasons[0].rule, "cool-down");
  EXPECT_EQ(found.reasons[0].until, found.until);
  EXPECT_EQ(found.reasons[0].text,
            "releases must be 7 days old; released " + Ago(2 * kPolicyDay) +
                ", as its registry states; an exception lifts it: rules = [\"cool-down\"], match = "
                "[\"registry.example.org/acme/demo\"], versions = [\"1.1.0\"], until = 2026-11-27");
  EXPECT_EQ(upstream_.asked_versions, 1) << "it asks no other registry";
  EXPECT_EQ(upstream_.asked_downloads, 0);
}

TEST_F(PolicyReportTest, AVersionIsJudgedAsOfAnotherTime) {
  List();
  ASSERT_TRUE(Set(kBelieved));
  EXPECT_EQ(Explain("1.1.0", "", clock_.now + 5 * kPolicyDay)->verdict, policy::Verdict::kAllow);
  EXPECT_EQ(Explain("1.1.0", "", clock_.now + 5 * kPolicyDay)->instead, "1.1.0");
  EXPECT_EQ(Explain("1.1.0", "", clock_.now + 5 * kPolicyDay - 1)->verdict, policy::Verdict::kHold);
  EXPECT_EQ(Explain("1.0.0", "", clock_.now - 24 * kPolicyDay)->verdict, policy::Verdict::kHold);
  EXPECT_EQ(Explain("1.0.0", "", 0)->instead, "");
}

TEST_F(PolicyReportTest, AVersionThatWasNeverSeenCountsFromNow) {
  ASSERT_TRUE(Set(kWaitAWeek));
  EXPECT_EQ(Explain().error().kind, ErrorKind::kNotFound);
  const auto found = Explain("9.0.0").value();
  EXPECT_EQ(found.verdict, policy::Verdict::kHold);
  EXPECT_EQ(found.until, clock_.now + 7 * kPolicyDay);
  EXPECT_EQ(found.clock_registry, false);
  EXPECT_EQ(found.seen_at, std::nullopt);
  EXPECT_EQ(found.instead, "");
  EXPECT_EQ(Explain("9.0.0", "", clock_.now + 7 * kPolicyDay)->verdict, policy::Verdict::kAllow);
  EXPECT_EQ(Explain("1.0.0", "acme/vpc/aws")->verdict, policy::Verdict::kAllow);
}

TEST_F(PolicyReportTest, AnAdmittedVersionSaysWhyItStays) {
  List("1.1.0");
  ASSERT_TRUE(Set(kBelieved));
  const auto found = Explain("1.1.0").value();
  EXPECT_EQ(found.verdict, policy::Verdict::kAllow);
  EXPECT_EQ(found.pinned_at, clock_.now);
  EXPECT_EQ(found.instead, "1.1.0");
  EXPECT_TRUE(found.reasons[0].text.ends_with("; but the version is admitted"))
      << found.reasons[0].text;
}

TEST_F(PolicyReportTest, ALiftedRuleNamesItsException) {
  List();
  ASSERT_TRUE(Set(std::string(kBelieved) + R"(
[[exception]]
rules = ["cool-down"]
match = ["*/acme/*"]
versions = ["1.1.0"]
until = 2026-11-30
reason = "fixes CVE-2026-0001"
)"));
  const auto found = Explain("1.1.0").value();
  EXPECT_EQ(found.verdict, policy::Verdict::kAllow);
  EXPECT_TRUE(found.reasons[0].text.contains(
      "an exception lifts the rule until 2026-11-30T00:00:00Z: fixes CVE-2026-0001"))
      << found.reasons[0].text;
}

TEST_F(PolicyReportTest, AReleaseThatChangedIsRefusedWithoutARule) {
  List("1.1.0");
  ASSERT_TRUE(Set(kBelieved, "why", {}, false));
  ASSERT_TRUE(RunTask(mirror_->gate.MarkChanged(Demo(kPulled), *Version::Parse("1.1.0"))));
  auto found = Explain("1.1.0").value();
  EXPECT_EQ(found.verdict, policy::Verdict::kRefuse);
  ASSERT_EQ(found.reasons.size(), 2U);
  EXPECT_EQ(found.reasons[0].rule, "");
  EXPECT_EQ(found.reasons[0].text, kChangedText);
  EXPECT_EQ(found.reasons[1].verdict, policy::Verdict::kHold);
  EXPECT_EQ(Held().items.at(0).verdict, policy::Verdict::kRefuse);
  ASSERT_TRUE(Set("version = 1"));
  found = Explain("1.1.0").value();
  EXPECT_EQ(found.revision, 2);
  EXPECT_EQ(found.verdict, policy::Verdict::kAllow) << "nothing is judged without rules";
  EXPECT_EQ(found.instead, "1.1.0");
}

TEST_F(PolicyReportTest, SettingsAreNotLifted) {
  const auto found = Explain("", "denied/demo").value();
  EXPECT_EQ(found.verdict, policy::Verdict::kRefuse);
  EXPECT_EQ(found.version, "");
  EXPECT_EQ(found.revision, 0);
  ASSERT_EQ(found.reasons.size(), 1U);
  EXPECT_EQ(found.reasons[0].rule, "policy.deny");
  EXPECT_TRUE(Explain("1.0.0", "denied/demo")
                  ->reasons[0]
                  .text.ends_with("no exception lifts it: it is a setting of the server"));
}

TEST_F(PolicyReportTest, WithoutRulesEverythingIsAllowed) {
  List();
  const auto found = Explain().value();
  EXPECT_EQ(found.verdict, policy::Verdict::kAllow);
  EXPECT_TRUE(found.reasons.empty());
  EXPECT_EQ(found.clock_registry, std::nullopt);
  EXPECT_EQ(found.seen_at, clock_.now);
  EXPECT_EQ(found.instead, "1.1.0");
  EXPECT_TRUE(Held().items.empty());
}

TEST_F(PolicyReportTest, EachConditionHasItsSentence) {
  List("1.1.0");
  struct Row {
    const char* condition;
    const char* version;
    const char* text;
  };
  const Row rows[] = {
      {"minimum_age = \"1h\"", "1.0.0", "releases must be 1 hour old, and it is; first seen here"},
      {"minimum_age = \"1h\"\nage_from = \"first-seen\"", "9.0.0", "releases must be 1 hour old;"},
      {"deny = true", "1.0.0", "it is forbidden; an exception lifts it: rules = [\"r\"]"},
      {"only = true", "1.0.0", "a rule allows it"},
      {"only = true\nexcept = [\"*/acme/*\"]", "1.0.0", "no rule allows it; an exception lifts it"},
      {"prereleases = \"refuse\"", "1.0.0", "it is no prerelease"},
      {"prereleases = \"refuse\"", "2.0.0-rc1", "prereleases are not handed out; an exception"},
      {"signature = \"required\"", "1.1.0", "it is signed by the key "},
      {"signature = \"required\"", "1.0.0", "its proof is judged when its documents are here"},
      {"signature = \"pinned\"", "1.1.0", "it is signed by the key "},
      {"proof = \"no-downgrade\"", "1.1.0", "it has no less proof than the one before"},
  };
  for (const Row& row : rows) {
    ASSERT_EQ(Set(fmt::format("version = 1\n[[rule]]\nname = \"r\"\nmatch = [\"*/*/*\"]\n{}\n",
                              row.condition))
                  ->problems,
              std::vector<policy::Problem>())
        << row.condition;
    clock_.now += 2 * 3600;
    const auto found = Explain(row.version).value();
    ASSERT_EQ(found.reasons.size(), 1U) << row.condition;
    EXPECT_TRUE(found.reasons[0].text.starts_with(row.text))
        << row.condition << ": " << found.reasons[0].text;
  }
}

TEST_F(PolicyReportTest, HeldVersionsAreListedByTheirEnd) {
  List();
  ASSERT_TRUE(ImportModule(koya::Zip({{.name = "main.tf", .content = "# one"}})));
  ASSERT_TRUE(Set(std::string(kBelieved) + R"(
[[rule]]
name = "no-vpc"
match = ["*/*/vpc/*"]
deny = true
)"));
  const HeldVersions held = Held();
  EXPECT_FALSE(held.more);
  ASSERT_EQ(held.items.size(), 2U);
  EXPECT_EQ(held.items[0].address, Demo(kPulled).Key());
  EXPECT_EQ(held.items[0].version, "1.1.0");
  EXPECT_EQ(held.items[0].verdict, policy::Verdict::kHold);
  EXPECT_EQ(held.items[0].until, clock_.now + 5 * kPolicyDay);
  EXPECT_EQ(held.items[0].rules, ReportTexts{"cool-down"});
  EXPECT_EQ(held.items[1].address, Vpc().module.Key());
  EXPECT_EQ(held.items[1].verdict, policy::Verdict::kRefuse);
  EXPECT_EQ(held.items[1].until, std::nullopt);
  EXPECT_EQ(held.items[1].rules, ReportTexts{"no-vpc"}) << "it was admitted for the other";
  clock_.now += 5 * kPolicyDay;
  EXPECT_EQ(Held().items.size(), 1U);
}

TEST_F(PolicyReportTest, AtMostAThousandHeldVersionsAreListed) {
  upstream_.versions.clear();
  for (int i = 0; i < 2100; ++i) upstream_.versions.push_back(fmt::format("1.{}.0", i));
  ASSERT_TRUE(RunTask(mirror_->providers.ListVersions(Demo(kPulled))));
  ASSERT_TRUE(Import(Id(Demo(kPulled), "0.9.0"), Zip()));
  ASSERT_TRUE(Set(kWaitAWeek));
  const HeldVersions held = Held();
  EXPECT_TRUE(held.more);
  EXPECT_EQ(held.items.size(), HeldVersions::kMostListed);
}

TEST_F(PolicyReportTest, ATrialSaysWhatWouldBeStopped) {
  List("1.1.0");
  const UsageDay today = clock_.now / kSecondsOfDay;
  Count(*Version::Parse("1.1.0"), 7, today);
  Count(*Version::Parse("1.1.0"), 5, today - 100);
  EXPECT_TRUE(Try(kBelieved).held.empty()) << "the first policy admits it";
  PolicyTrial trial = Try(kNoDemo, today - 90);
  EXPECT_EQ(TextsOf(trial.refused), ReportTexts{"1.1.0 7"});
  EXPECT_TRUE(trial.held.empty() && trial.lifted.empty() && !trial.more);
  EXPECT_EQ(TextsOf(Try(kNoDemo).refused), ReportTexts{"1.1.0 12"});
  EXPECT_EQ(InForce().revision, 0) << "nothing changed";

  ASSERT_TRUE(Set("version = 1", "why", {}, false));
  EXPECT_EQ(TextsOf(Try(kBelieved).held), ReportTexts{"1.1.0 12"});
  ASSERT_TRUE(Set(kBelieved));
  EXPECT_TRUE(Try(kBelieved).held.empty());
  EXPECT_EQ(TextsOf(Try("version = 1").lifted), ReportTexts{"1.1.0 12"});
}

TEST_F(PolicyReportTest, ATrialLeavesOutWhatIsNotUsed) {
  List("1.0.0");
  ASSERT_TRUE(Set("version = 1", "why", {}, false));
  EXPECT_TRUE(Try(kBelieved).held.empty()) << "1.1.0 is listed only";
  Count(*Version::Parse("1.1.0"), 1, 5);
  EXPECT_EQ(TextsOf(Try(kBelieved, 5).held), ReportTexts{"1.1.0 1"});
  EXPECT_TRUE(Try(kBelieved, 6).held.empty());
  EXPECT_EQ(
      TextsOf(
          Try("version = 1\n[[rule]]\nname = \"x\"\nmatch = [\"*/*/*\"]\ndeny = true\n").refused),
      (ReportTexts{"1.1.0 1", "1.0.0 0"}))
      << "1.0.0 is pinned";
}

TEST_F(PolicyReportTest, ATrialSaysTheProblemsOfAText) {
  const PolicyTrial trial = Try("version = 2\n");
  ASSERT_EQ(trial.problems.size(), 1U);
  EXPECT_EQ(trial.problems[0].line, 1U);
}

}  // namespace
}  // namespace koya::service
