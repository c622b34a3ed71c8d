// Revisions of the policy on releases of other registries, and baselines.
#include "service/mirror/policies.h"

#include "catalog/policy_catalog.h"
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
  EXPECT_EQ(Set("version = 1\n", "wait no more", 1)->revision, 2);
  EXPECT_EQ(InForce().text, "version = 1\n");
  EXPECT_EQ(InForce().by, kImporter.name);
  EXPECT_EQ(RunTask(mirror_->policies.FindRevision(1))->text, kWaitAWeek);
  EXPECT_EQ(RunTask(mirror_->policies.FindRevision(3)).error().kind, ErrorKind::kNotFound);
  const auto list = RunTask(mirror_->policies.ListRevisions()).value();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].reason, "wait no more");
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

}  // namespace
}  // namespace koya::service
