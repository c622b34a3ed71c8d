// The gate over a real catalog, with an upstream that does what the test says.
#include "service/mirror/gate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/clock.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/policy_catalog.h"
#include "catalog/upstream_catalog.h"
#include "catalog/usage_catalog.h"
#include "domain/audit_record.h"
#include "domain/policy_record.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "policy/policy_file.h"
#include "service/common/change_feed.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/mirror.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/mirror_upkeep.h"
#include "service/mirror/upstream_fake.h"
#include "wire/providers.h"

namespace koya::service {
namespace {

using GateTexts = std::vector<std::string>;

constexpr UnixSeconds kGateDay = 86'400;

constexpr std::string_view kCoolDown = R"(version = 1
believe_times_of = ["registry.example.org"]
[[rule]]
name = "cool-down"
match = ["*/*/*", "*/*/*/*"]
minimum_age = "7d"
)";

constexpr std::string_view kNoPrereleases = R"(version = 1
[[rule]]
name = "stable"
match = ["*/*/*", "*/*/*/*"]
prereleases = "refuse"
)";

class GateTest : public ::testing::Test {
 protected:
  GateTest() { Make(); }

  void Make(const GateTexts& allow = {}, const GateTexts& deny = {}) {
    mirror_ = std::make_unique<Mirror>(
        MirrorDependencies{catalog_, blobs_, *changes_, clock_, uses_, log_, upstream_, modules_},
        MirrorSetup{.policy = PullPolicy::Make(allow, deny, {Demo().host}).value(),
                    .module_fetch = {.scratch_folder = folder_.path()}});
  }
  static UpstreamProvider Demo() {
    return {*HostName::Parse("registry.example.org"), *ProviderAddress::Parse("acme/demo")};
  }
  static UpstreamModule Vpc() {
    return {*HostName::Parse("registry.example.org"), *ModuleAddress::Parse("acme/vpc/aws")};
  }
  static Version V(std::string_view text) { return *Version::Parse(text); }
  std::string Ago(UnixSeconds seconds) const { return FormatRfc3339(clock_.now - seconds); }

  void Set(std::string_view toml, bool strict = false) {
    ASSERT_TRUE(RunTask(catalog_.policy().SetPolicy(
        {}, {.text = std::string(toml), .reason = "r", .admits_pinned = !strict})));
  }
  Result<MirroredVersions> List() { return RunTask(mirror_->providers.ListVersions(Demo())); }
  GateTexts Listed() {
    GateTexts versions;
    auto list = List();
    EXPECT_TRUE(list) << list.error().message;
    if (!list) return versions;
    for (const auto& each : list->document->versions) versions.push_back(each.version);
    return versions;
  }
  Result<UpstreamRelease> Find(std::string_view version) {
    return RunTask(mirror_->providers.FindRelease(Demo(), V(version), std::nullopt));
  }
  Status Signed(std::string_view version) {
    auto found =
        RunTask(mirror_->providers.FindSigned(Demo(), V(version), *Platform::Parse("linux_amd64")));
    if (!found) return Failure(std::move(found).error());
    return {};
  }
  Status Open(std::string_view version) {
    auto file = RunTask(mirror_->providers.OpenFile(
        Demo(), V(version), fmt::format("terraform-provider-demo_{}_linux_amd64.zip", version)));
    if (!file) return Failure(std::move(file).error());
    return {};
  }
  std::set<std::string> Admitted() {
    return RunTask(catalog_.policy().ListAdmitted(Demo().Key())).value();
  }
  template <class T>
  static std::string Refusal(const Result<T>& result) {
    EXPECT_FALSE(result);
    if (result) return {};
    EXPECT_EQ(result.error().kind, ErrorKind::kForbidden) << result.error().message;
    return result.error().message;
  }

  TempFolder folder_;
  ManualClock clock_;
  LineWriter lines_{{.descriptor = -1}};
  Logger log_{lines_, LogLevel::kInfo};
  MemoryBlobStore blobs_;
  FakeUpstream upstream_;
  FakeModules modules_;
  TestCatalog catalog_;
  std::unique_ptr<ChangeFeed> changes_ = std::make_unique<ChangeFeed>(catalog_);
  LastUsedTracker uses_{catalog_, log_};
  std::unique_ptr<Mirror> mirror_;
};

TEST_F(GateTest, WithoutAPolicyEverythingPassesAndNothingIsRecorded) {
  EXPECT_EQ(Listed(), (GateTexts{"1.0.0", "1.1.0"}));
  EXPECT_TRUE(Find("1.0.0"));
  EXPECT_TRUE(Admitted().empty());
}

TEST_F(GateTest, AVersionThatIsTooNewIsHiddenAndRefusedUntilItIsOldEnough) {
  Set(kCoolDown);
  upstream_.discovered = {{"1.0.0", Ago(30 * kGateDay)}, {"1.1.0", Ago(2 * kGateDay)}};
  const std::string until = FormatRfc3339(clock_.now + 5 * kGateDay);
  EXPECT_EQ(Listed(), GateTexts{"1.0.0"});
  const std::string words = "registry.example.org/acme/demo 1.1.0 is held until " + until +
                            ": releases must be 7 days old (rule cool-down)";
  EXPECT_EQ(List()->notes, GateTexts{words});
  EXPECT_EQ(List()->changes_at, clock_.now + 5 * kGateDay);
  const std::string advice = "; ask the administrators of this registry";
  EXPECT_EQ(Refusal(Find("1.1.0")), words + advice);
  EXPECT_EQ(Refusal(Signed("1.1.0")), words + advice);
  EXPECT_EQ(Refusal(Open("1.1.0")), words + advice);
  EXPECT_EQ(upstream_.asked_downloads, 0) << "refused before it is fetched";
  EXPECT_TRUE(Find("1.0.0"));
  EXPECT_TRUE(Open("1.0.0"));
  clock_.now += 5 * kGateDay - 1;
  EXPECT_EQ(Listed(), GateTexts{"1.0.0"});
  clock_.now += 1;
  EXPECT_EQ(Listed(), (GateTexts{"1.0.0", "1.1.0"}));
  EXPECT_TRUE(List()->notes.empty());
  EXPECT_TRUE(Find("1.1.0"));
  EXPECT_TRUE(Open("1.1.0"));
}

TEST_F(GateTest, AnAdmittedVersionStays) {
  Set(kNoPrereleases);
  upstream_.discovered = {{"1.0.0", Ago(kGateDay)}, {"1.1.0", Ago(kGateDay)}};
  EXPECT_TRUE(Find("1.0.0"));
  EXPECT_EQ(Admitted(), std::set<std::string>{"1.0.0"});
  Set(kCoolDown);
  EXPECT_EQ(Listed(), GateTexts{"1.0.0"});
  EXPECT_TRUE(Find("1.0.0"));
  EXPECT_TRUE(Open("1.0.0"));
  EXPECT_TRUE(Signed("1.0.0"));
  Refusal(Find("1.1.0"));
}

TEST_F(GateTest, TheFirstPolicyAdmitsWhatIsPinnedUnlessItIsStrict) {
  upstream_.discovered = {{"1.0.0", Ago(kGateDay)}, {"1.1.0", Ago(kGateDay)}};
  ASSERT_TRUE(Find("1.0.0"));
  Set(kCoolDown);
  EXPECT_EQ(Listed(), GateTexts{"1.0.0"});
  EXPECT_TRUE(Open("1.0.0"));
}

TEST_F(GateTest, AStrictFirstPolicyHoldsPinnedVersionsToo) {
  upstream_.discovered = {{"1.0.0", Ago(kGateDay)}, {"1.1.0", Ago(kGateDay)}};
  ASSERT_TRUE(Find("1.0.0"));
  ASSERT_TRUE(Open("1.0.0"));
  Set(kCoolDown, true);
  EXPECT_EQ(Listed(), GateTexts());
  Refusal(Find("1.0.0"));
  Refusal(Open("1.0.0"));
}

TEST_F(GateTest, TimesThatListsDoNotStateAreAskedForOnce) {
  Set(kCoolDown);
  upstream_.published = {{"1.0.0", Ago(30 * kGateDay)}, {"1.1.0", Ago(kGateDay)}};
  EXPECT_EQ(Listed(), GateTexts{"1.0.0"});
  EXPECT_EQ(upstream_.asked_details, 2);
  EXPECT_EQ(Listed(), GateTexts{"1.0.0"});
  EXPECT_EQ(upstream_.asked_details, 2);
}

TEST_F(GateTest, WithoutATimeTheFirstSightCounts) {
  Set(kCoolDown);
  EXPECT_EQ(Listed(), GateTexts());
  EXPECT_EQ(List()->notes.size(), 2U);
  clock_.now += 7 * kGateDay;
  EXPECT_EQ(Listed(), (GateTexts{"1.0.0", "1.1.0"}));
}

TEST_F(GateTest, ARegistryThatIsNotBelievedIsNotAsked) {
  Set(R"(version = 1
[[rule]]
name = "cool-down"
match = ["*/*/*"]
minimum_age = "7d"
)");
  upstream_.discovered = {{"1.0.0", Ago(30 * kGateDay)}};
  EXPECT_EQ(Listed(), GateTexts());
  EXPECT_EQ(upstream_.asked_details, 0);
}

TEST_F(GateTest, ARevisionIsInForceAtOnce) {
  upstream_.versions = {"1.0.0", "2.0.0-rc1"};
  EXPECT_EQ(Listed().size(), 2U);
  Set(kNoPrereleases);
  EXPECT_EQ(Listed(), GateTexts{"1.0.0"});
  EXPECT_EQ(Refusal(Find("2.0.0-rc1")),
            "registry.example.org/acme/demo 2.0.0-rc1 is refused: prereleases are not handed out "
            "(rule stable); ask the administrators of this registry");
  EXPECT_EQ(upstream_.asked_downloads, 0);
  Set("version = 1\n");
  EXPECT_EQ(Listed().size(), 2U);
}

TEST_F(GateTest, AnExceptionLiftsARuleUntilItEnds) {
  upstream_.versions = {"1.0.0", "2.0.0-rc1"};
  Set(std::string(kNoPrereleases) + R"(admitted = "refuse"
[[exception]]
rules = ["stable"]
match = ["*/acme/demo"]
versions = "2.0.0-rc1"
until = 2026-11-23
reason = "a trial"
)");
  EXPECT_EQ(Listed().size(), 2U);
  EXPECT_TRUE(Find("2.0.0-rc1"));
  clock_.now = *ParseTimestamp("2026-11-23T00:00:00Z");
  EXPECT_EQ(Listed(), GateTexts{"1.0.0"});
  Refusal(Open("2.0.0-rc1"));
}

TEST_F(GateTest, SettingsAreRulesWithTheirOwnNames) {
  Make({}, {"*/acme/*"});
  EXPECT_EQ(Refusal(List()),
            "registry.example.org/acme/demo is not mirrored here: the rule policy.deny "
            "\"*/acme/*\" forbids it; ask the administrators of this registry");
  Make({"*/hashicorp/*"}, {});
  EXPECT_EQ(Refusal(Open("1.0.0")),
            "registry.example.org/acme/demo is not mirrored here: no rule of policy.allow allows "
            "it; ask the administrators of this registry");
  EXPECT_TRUE(RunTask(mirror_->modules.ListVersions(Vpc()))) << "a rule about providers";
  Set(R"(version = 1
[[rule]]
name = "no-vpc"
match = ["*/*/vpc/*"]
deny = true
)");
  EXPECT_EQ(Refusal(RunTask(mirror_->modules.ListVersions(Vpc()))),
            "registry.example.org/acme/vpc/aws is not mirrored here: the rule \"no-vpc\" of the "
            "policy forbids it; ask the administrators of this registry");
}

TEST_F(GateTest, TheNewestReleasesArePinnedBeforeARuleOnProofListsThem) {
  Set(R"(version = 1
[[rule]]
name = "signed"
match = ["*/*/*"]
signature = "required"
)");
  upstream_.versions = {"1.0.0", "1.1.0", "1.2.0", "1.3.0"};
  EXPECT_EQ(Listed().size(), 4U);
  EXPECT_EQ(upstream_.asked_downloads, 3) << "of the newest";
  GateTexts pinned;
  for (const PinnedFacts& each : RunTask(catalog_.policy().ListPinnedFacts(Demo())).value()) {
    pinned.push_back(each.version.ToString());
  }
  EXPECT_EQ(pinned, (GateTexts{"1.1.0", "1.2.0", "1.3.0"})) << "the oldest first";
  EXPECT_TRUE(Admitted().empty());
}

TEST_F(GateTest, AVersionThatDoesNotExistIsNotAdmitted) {
  Set("version = 1\n");
  upstream_.failure = modules_.failure = Error{ErrorKind::kNotFound, "there is none", {}};
  EXPECT_FALSE(Open("9.9.9"));
  EXPECT_FALSE(Find("9.9.9"));
  EXPECT_FALSE(RunTask(mirror_->modules.OpenArchive(Vpc(), V("9.9.9"), ArchiveKind::kTarGz)));
  EXPECT_FALSE(RunTask(mirror_->modules.FindVersion(Vpc(), V("9.9.9"))));
  EXPECT_TRUE(Admitted().empty());
  EXPECT_TRUE(RunTask(catalog_.policy().ListAdmitted(Vpc().Key()))->empty());
  upstream_.failure = modules_.failure = std::nullopt;
  EXPECT_TRUE(Open("1.0.0"));
  EXPECT_TRUE(RunTask(mirror_->modules.OpenArchive(Vpc(), V("1.0.0"), ArchiveKind::kTarGz)));
  EXPECT_EQ(Admitted(), std::set<std::string>{"1.0.0"});
  EXPECT_EQ(RunTask(catalog_.policy().ListAdmitted(Vpc().Key())).value(),
            std::set<std::string>{"1.0.0"});
}

TEST_F(GateTest, ModulesMeetTheSameRules) {
  Set(kCoolDown);
  modules_.discovered = {{"1.0.0", Ago(30 * kGateDay)}, {"1.1.0", Ago(kGateDay)}};
  auto list = RunTask(mirror_->modules.ListVersions(Vpc()));
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->versions, GateTexts{"1.0.0"});
  EXPECT_EQ(list->changes_at, clock_.now + 6 * kGateDay);
  auto find = [&](std::string_view version) {
    return RunTask(mirror_->modules.FindVersion(Vpc(), V(version)));
  };
  auto open = [&](std::string_view version) {
    return RunTask(mirror_->modules.OpenArchive(Vpc(), V(version), ArchiveKind::kTarGz));
  };
  EXPECT_TRUE(Refusal(find("1.1.0")).contains("aws 1.1.0 is held until"));
  EXPECT_TRUE(Refusal(open("1.1.0")).contains("aws 1.1.0 is held until"));
  EXPECT_EQ(modules_.asked_packages, 0);
  EXPECT_TRUE(find("1.0.0"));
  EXPECT_TRUE(open("1.0.0"));
  EXPECT_EQ(RunTask(catalog_.policy().ListAdmitted(Vpc().Key())).value(),
            std::set<std::string>{"1.0.0"});
  clock_.now += 6 * kGateDay;
  EXPECT_TRUE(open("1.1.0"));
}

TEST_F(GateTest, AModuleThatIsNotListedIsHeldByAge) {
  Set(kCoolDown);
  EXPECT_TRUE(Refusal(RunTask(mirror_->modules.FindVersion(Vpc(), V("3.0.0"))))
                  .contains("3.0.0 is held until"));
  EXPECT_EQ(modules_.asked_packages, 0);
}

TEST_F(GateTest, APolicyOfAnotherVersionOfKoyaLetsNothingThrough) {
  Set("version = 1\n[[rule]]\nname = \"x\"\nmatch = [\"*/*/*\"]\nmagic = true\n");
  auto list = List();
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().kind, ErrorKind::kInternal);
  EXPECT_TRUE(list.error().message.contains("revision 1 of the policy cannot be read"))
      << list.error().message;
  EXPECT_FALSE(Open("1.0.0"));
}

// ---- the watch

class WatchTest : public GateTest {
 protected:
  // Clients fetched it today.
  void Use(UsageItem item) {
    UsageBatch batch{.id = std::to_string(++batches_), .rows = {}};
    batch.rows.push_back({.day = clock_.now / kSecondsOfDay,
                          .item = std::move(item),
                          .by = {},
                          .counts = {.fetches = 1}});
    ASSERT_TRUE(RunTask(catalog_.usage().AddUsage(std::move(batch))));
  }
  WatchReport Watch() {
    auto report = RunTask(mirror_->watch.Run(stop_));
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(WatchReport());
  }

  const std::atomic<bool> stop_ = false;
  int batches_ = 0;
};

TEST_F(WatchTest, PinsHeldReleasesBeforeAnyClientAsks) {
  upstream_.discovered = {{"1.0.0", Ago(30 * kGateDay)}, {"1.1.0", Ago(2 * kGateDay)}};
  ASSERT_TRUE(List());
  Use(UsageItem::Of(Demo(), V("1.0.0")));
  EXPECT_EQ(Watch().lists, 0U) << "without a policy";
  Set(kCoolDown);
  WatchReport report = Watch();
  EXPECT_EQ(report.lists, 1U);
  EXPECT_EQ(report.pinned, 1U);
  auto pinned = RunTask(catalog_.policy().ListPinnedFacts(Demo())).value();
  ASSERT_EQ(pinned.size(), 1U);
  EXPECT_EQ(pinned[0].version, V("1.1.0"));
  EXPECT_EQ(upstream_.asked_archives, 0) << "documents only";
  EXPECT_TRUE(Admitted().empty());
  Refusal(Find("1.1.0"));
  EXPECT_EQ(Watch().pinned, 0U);
}

TEST_F(WatchTest, AReleaseThatChangesWhileItIsHeldIsRefusedForGood) {
  upstream_.discovered = {{"1.0.0", Ago(30 * kGateDay)}, {"1.1.0", Ago(2 * kGateDay)}};
  ASSERT_TRUE(List());
  Use(UsageItem::Of(Demo(), V("1.0.0")));
  Set(kCoolDown);
  EXPECT_EQ(Watch().pinned, 1U);
  clock_.now += kGateDay;
  EXPECT_EQ(Watch().changed, 0U);
  upstream_.salt = "a re-release";
  EXPECT_EQ(Watch().changed, 0U) << "once a day";
  clock_.now += kGateDay;
  EXPECT_EQ(Watch().changed, 1U);
  EXPECT_EQ(mirror_->watch.changed(), 1U);
  EXPECT_EQ(Watch().changed, 0U);
  clock_.now += 30 * kGateDay;
  EXPECT_EQ(Listed(), GateTexts{"1.0.0"});
  EXPECT_TRUE(Refusal(Find("1.1.0"))
                  .contains("1.1.0 is refused: its registry now offers other bytes than those "
                            "seen first"));
}

TEST_F(WatchTest, ListsOfModulesGiveVersionsTheirFirstSight) {
  ASSERT_TRUE(RunTask(mirror_->modules.ListVersions(Vpc())));
  Use(UsageItem::Of(Vpc(), V("1.0.0")));
  Set(kCoolDown);
  clock_.now += 30 * kGateDay;
  modules_.versions = {"1.1.0", "1.0.0", "2.0.0"};
  EXPECT_EQ(Watch().lists, 1U);
  EXPECT_EQ(modules_.asked_packages, 0);
  clock_.now += 7 * kGateDay;
  EXPECT_EQ(RunTask(mirror_->modules.ListVersions(Vpc()))->versions.size(), 3U);
}

TEST_F(WatchTest, ThingsThatNoClientUsesAreLeftAlone) {
  ASSERT_TRUE(List());
  Set(kCoolDown);
  EXPECT_EQ(Watch().lists, 0U);
  Use(UsageItem::Of(Demo(), V("1.0.0")));
  clock_.now += 31 * kGateDay;
  EXPECT_EQ(Watch().lists, 0U);
}

TEST_F(WatchTest, ARegistryThatFailsIsCounted) {
  ASSERT_TRUE(List());
  Use(UsageItem::Of(Demo(), V("1.0.0")));
  Set(kCoolDown);
  upstream_.failure = Error{ErrorKind::kBadUpstream, "down", {}};
  const WatchReport report = Watch();
  EXPECT_EQ(report.lists, 1U) << "the stored one";
  EXPECT_EQ(report.failed, 2U) << "no release could be pinned";
}

// ---- proof

class ProofTest : public ::testing::Test {
 protected:
  explicit ProofTest(std::string_view condition = R"(proof = "no-downgrade")")
      : policy_(std::make_shared<const PolicyInForce>(
            1, policy::ParsePolicy(fmt::format("version = 1\n[[rule]]\nname = \"proofs\"\n"
                                               "match = [\"*/*/*\"]\n{}\n",
                                               condition))
                   .value())) {}

  // One version after another; "": not signed.
  struct Pin {
    std::string_view version;
    std::string_view signer;
    std::string_view attachment = {};
  };
  // Those that pass.
  GateTexts Passing(const std::vector<Pin>& pins, std::set<std::string> admitted = {},
                    std::set<std::string> signers = {}) const {
    SubjectGate gate(policy_, "registry.example.org/acme/demo", 1000, policy::Way::kPull);
    gate.facts.admitted = std::move(admitted);
    gate.facts.signers = std::move(signers);
    std::vector<PinnedFacts> facts;
    for (const Pin& each : pins) {
      facts.push_back({.version = *Version::Parse(each.version),
                       .seen_at = 1,
                       .is_signed = !each.signer.empty(),
                       .signer = std::string(each.signer == "?" ? "" : each.signer),
                       .attachments = {}});
      if (!each.attachment.empty()) facts.back().attachments = {std::string(each.attachment)};
    }
    gate.facts.AddPinned(facts);
    GateTexts passing;
    for (const Pin& each : pins) {
      if (gate.Check(*Version::Parse(each.version))) passing.emplace_back(each.version);
    }
    return passing;
  }

  std::shared_ptr<const PolicyInForce> policy_;
};

TEST_F(ProofTest, AVersionWithLessProofThanTheOneBeforeIsHeld) {
  EXPECT_EQ(Passing({{"1.0.0", "A"}, {"1.1.0", "A"}}), (GateTexts{"1.0.0", "1.1.0"}));
  EXPECT_EQ(Passing({{"1.0.0", "A"}, {"1.1.0", "B"}}), GateTexts{"1.0.0"}) << "another key";
  EXPECT_EQ(Passing({{"1.0.0", "A"}, {"1.1.0", ""}}), GateTexts{"1.0.0"})
      << "no signature any more";
  EXPECT_EQ(Passing({{"1.0.0", ""}, {"1.1.0", "B"}}), (GateTexts{"1.0.0", "1.1.0"})) << "more";
  EXPECT_EQ(Passing({{"1.0.0", "A", "x.sigstore.json"}, {"1.1.0", "A"}}), GateTexts{"1.0.0"});
  EXPECT_EQ(Passing({{"1.0.0", "A", "x.sigstore.json"}, {"1.1.0", "A", "y.sigstore.json"}}),
            (GateTexts{"1.0.0", "1.1.0"}))
      << "of the same kind";
  EXPECT_EQ(Passing({{"1.0.0", "A", "x.sigstore.json"}, {"1.1.0", "A", "x.spdx.json"}}),
            GateTexts{"1.0.0"});
}

TEST_F(ProofTest, OneThatIsHeldIsNoExampleForTheNext) {
  EXPECT_EQ(Passing({{"1.0.0", "A"}, {"1.1.0", "B"}, {"1.2.0", "B"}, {"1.3.0", "A"}}),
            (GateTexts{"1.0.0", "1.3.0"}));
  EXPECT_EQ(Passing({{"1.0.0", "A"}, {"1.1.0", "B"}, {"1.2.0", "B"}}, {"1.1.0"}),
            (GateTexts{"1.0.0", "1.1.0", "1.2.0"}))
      << "an admitted one is";
}

TEST_F(ProofTest, ASignatureWhoseKeyWasNotRecordedIsNoReason) {
  EXPECT_EQ(Passing({{"1.0.0", "?"}, {"1.1.0", "B"}}), (GateTexts{"1.0.0", "1.1.0"}));
  EXPECT_EQ(Passing({{"1.0.0", "A"}, {"1.1.0", "?"}}), (GateTexts{"1.0.0", "1.1.0"}));
}

class SignatureTest : public ProofTest {
 protected:
  SignatureTest() : ProofTest(R"(signature = "required")") {}
};

TEST_F(SignatureTest, AReleaseThatItsAuthorDidNotSignIsHeld) {
  EXPECT_EQ(Passing({{"1.0.0", "A"}, {"1.1.0", ""}, {"1.2.0", "B"}}),
            (GateTexts{"1.0.0", "1.2.0"}));
}

class PinnedKeyTest : public ProofTest {
 protected:
  PinnedKeyTest() : ProofTest(R"(signature = "pinned")") {}
};

TEST_F(PinnedKeyTest, AKeyIsKnownByAdmittedReleases) {
  const std::vector<Pin> pins = {{"1.0.0", "A"}, {"1.1.0", "B"}, {"1.2.0", ""}};
  EXPECT_EQ(Passing(pins, {}, {"A"}), GateTexts{"1.0.0"});
  EXPECT_EQ(Passing(pins, {}, {"A", "B"}), (GateTexts{"1.0.0", "1.1.0"}));
  EXPECT_EQ(Passing(pins), (GateTexts{"1.0.0", "1.1.0"})) << "the namespace's first key";
}

}  // namespace
}  // namespace koya::service
