#include "service/mirror/explanation.h"

#include <gtest/gtest.h>

#include <array>

#include "base/run_task.h"
#include "service/mirror/inventory_fake.h"
#include "service/mirror/module_mirror.h"
#include "service/mirror/package_words.h"
#include "service/mirror/provider_mirror.h"

namespace koya::service {
namespace {

HostName Usual() { return *HostName::Parse("registry.opentofu.org"); }

TEST(MirrorQuestionTest, ReadsAddressesOfBothSorts) {
  struct Row {
    std::string_view text;
    std::string_view key;
    bool is_module;
  };
  for (const Row& row : {
           Row{"hashicorp/aws", "registry.opentofu.org/hashicorp/aws", false},
           Row{"HashiCorp/AWS", "registry.opentofu.org/hashicorp/aws", false},
           Row{"registry.example.com/acme/demo", "registry.example.com/acme/demo", false},
           Row{"localhost:8443/acme/demo", "localhost:8443/acme/demo", false},
           Row{"xn--wgv71a.example/acme/demo", "xn--wgv71a.example/acme/demo", false},
           Row{"acme/vpc/aws", "registry.opentofu.org/acme/vpc/aws", true},
           Row{"registry.example.com/acme/vpc/aws", "registry.example.com/acme/vpc/aws", true},
       }) {
    auto question = ParseMirrorQuestion(row.text, "v1.2.3", Usual());
    ASSERT_TRUE(question) << row.text << ": " << question.error().message;
    EXPECT_EQ(question->Key(), row.key);
    EXPECT_EQ(question->is_module(), row.is_module) << row.text;
    EXPECT_EQ(question->version->ToString(), "1.2.3");
  }
}

TEST(MirrorQuestionTest, RefusesWhatIsNoAddress) {
  for (std::string_view text :
       {"", "/", "aws", "hashicorp/", "/aws", "a/b/c/d/e", "a//b", "a b/c", "bad host/a/b/c",
        "http://registry.example.com/a/b", "hashicorp/../aws", "<script>/x", "\xFF/x"}) {
    auto question = ParseMirrorQuestion(text, "", Usual());
    ASSERT_FALSE(question) << text;
    EXPECT_EQ(question.error().kind, ErrorKind::kInvalid) << text;
  }
  EXPECT_FALSE(ParseMirrorQuestion("a/b", "latest", Usual()));
  EXPECT_FALSE(ParseMirrorQuestion(std::string(1 << 20, '/'), "", Usual()));
}

class ExplanationTest : public InventoryTest {
 protected:
  MirrorExplanation Explain(std::string_view address, std::string_view version = "") {
    auto question = ParseMirrorQuestion(address, version, *HostName::Parse(kPulled));
    EXPECT_TRUE(question) << question.error().message;
    auto told = RunTask(
        ExplainMirror({mirror_->context, mirror_->states, mirror_->providers, mirror_->modules},
                      *std::move(question)));
    EXPECT_TRUE(told) << told.error().message;
    return told ? *told : MirrorExplanation{};
  }
  // "origin blocked, mirror available".
  static std::string StatesOf(const MirrorExplanation& explanation) {
    constexpr std::array kStates{"available", "allowed", "blocked"};
    std::string text;
    for (const ExplainedWay& way : explanation.ways) {
      text += text.empty() ? "" : ", ";
      text += way.way == ExplainedWay::Way::kMirror ? "mirror " : "origin ";
      text += kStates[static_cast<std::size_t>(way.state)];
    }
    return text;
  }
};

TEST_F(ExplanationTest, SaysWhatTheClientIsTold) {
  MirrorExplanation told = Explain("denied/demo");
  EXPECT_EQ(told.verdict.kind, PullVerdict::Kind::kDenied);
  EXPECT_EQ(told.verdict.rule, "*/denied/*");
  auto client = RunTask(mirror_->providers.ListVersions(Demo(kPulled, "denied")));
  ASSERT_FALSE(client);
  EXPECT_EQ(told.Refusal(), client.error().message);
  EXPECT_EQ(Explain("denied/vpc/aws").verdict.rule, "*/denied/*/*");
  told = Explain(std::string(kOther) + "/acme/demo");
  EXPECT_FALSE(told.may_pull);
  client = RunTask(mirror_->providers.ListVersions(Demo(kOther)));
  ASSERT_FALSE(client);
  EXPECT_EQ(told.Refusal(), client.error().message);
}

TEST_F(ExplanationTest, TellsWhatIsKeptWithoutAsking) {
  EXPECT_EQ(Explain("acme/demo", "1.0.0").Refusal(), "");
  EXPECT_FALSE(Explain("acme/demo", "1.0.0").pinned);
  ASSERT_TRUE(RunTask(mirror_->providers.FindRelease(Demo(kPulled), *Version::Parse("1.0.0"), {})));
  const int asked = upstream_.asked_versions + upstream_.asked_downloads;
  MirrorExplanation told = Explain("acme/demo", "1.0.0");
  EXPECT_TRUE(told.pinned);
  EXPECT_EQ(told.held, 0U) << "its zips were not asked for";
  EXPECT_EQ(told.versions, 1U);
  EXPECT_EQ(told.seen_at, clock_.now);
  EXPECT_FALSE(Explain("acme/demo", "9.9.9").pinned);
  EXPECT_EQ(upstream_.asked_versions + upstream_.asked_downloads, asked);
}

TEST_F(ExplanationTest, WhatWasImportedWithoutASignatureIsThereByTheMirrorOnly) {
  ASSERT_TRUE(Import(Id(), Zip()));
  const std::string address = std::string(kOther) + "/acme/demo";
  for (const char* version : {"1.0.0", ""}) {
    MirrorExplanation explained = Explain(address, version);
    EXPECT_FALSE(explained.may_pull);
    EXPECT_EQ(StatesOf(explained), "origin blocked, mirror available") << version;
    EXPECT_EQ(explained.Refusal(), "");
    EXPECT_EQ(explained.ways[0].refusal, CheckFitForOrigin(Find()).error().message);
    EXPECT_EQ(explained.ways[0].text, explained.ways[0].refusal);
  }
  EXPECT_EQ(Explain(address, "1.0.0").held, 1U);
  EXPECT_EQ(StatesOf(Explain(address, "1.1.0")), "origin blocked, mirror blocked");
  EXPECT_NE(Explain(address, "1.1.0").Refusal(), "");
}

// Its registry may have the signature, and does not answer.
TEST_F(ExplanationTest, ASignatureMayComeWhileItsRegistryAnswers) {
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  MirrorExplanation explained = Explain("acme/demo", "1.0.0");
  EXPECT_EQ(StatesOf(explained), "origin blocked, mirror available");
  EXPECT_TRUE(explained.ways[0].text.contains(
      "only /mirror/ can serve it, until registry.example.org provides"))
      << explained.ways[0].text;
  ASSERT_TRUE(RunTask(mirror_->providers.ListVersions(Demo(kPulled))));
  explained = Explain("acme/demo", "1.0.0");
  EXPECT_EQ(StatesOf(explained), "origin allowed, mirror available");
  ASSERT_TRUE(RunTask(mirror_->providers.FindSigned(Demo(kPulled), *Version::Parse("1.0.0"),
                                                    *Platform::Parse("linux_amd64"))));
  EXPECT_EQ(StatesOf(Explain("acme/demo", "1.0.0")), "origin available, mirror available");
}

TEST_F(ExplanationTest, WhatWasNeverSeenIsNeverSaidToBeGiven) {
  for (const char* version : {"99.0.0", ""}) {
    MirrorExplanation explained = Explain("nobody/nothing", version);
    EXPECT_FALSE(explained.is_available());
    EXPECT_EQ(StatesOf(explained), "origin allowed, mirror allowed") << version;
    EXPECT_EQ(explained.Refusal(), "");
    EXPECT_TRUE(explained.ways[0].text.contains("has sent no request to registry.example.org"))
        << explained.ways[0].text;
  }
  EXPECT_EQ(StatesOf(Explain("acme/vpc/aws", "1.0.0")), "origin allowed");
  EXPECT_EQ(StatesOf(Explain("denied/demo")), "origin blocked, mirror blocked");
  EXPECT_EQ(StatesOf(Explain("denied/vpc/aws")), "origin blocked");
}

TEST_F(ExplanationTest, SaysWhatItsRegistryAnsweredLast) {
  ASSERT_TRUE(RunTask(mirror_->providers.ListVersions(Demo(kPulled))));
  const UnixSeconds answered = clock_.now;
  MirrorExplanation explained = Explain("acme/demo", "9.9.9");
  EXPECT_EQ(explained.unlisted_at, answered);
  EXPECT_TRUE(explained.ways[0].text.contains("the last response of registry.example.org was at " +
                                              FormatRfc3339(answered)))
      << explained.ways[0].text;
  EXPECT_TRUE(explained.ways[0].text.ends_with("has no 9.9.9")) << explained.ways[0].text;
  EXPECT_EQ(Explain("acme/demo", "1.0.0").unlisted_at, 0);
  clock_.now += 3600;
  upstream_.failure = Error{ErrorKind::kBadUpstream, "connection refused", {}};
  ASSERT_TRUE(RunTask(mirror_->providers.ListVersions(Demo(kPulled))));
  explained = Explain("acme/demo", "1.0.0");
  EXPECT_EQ(StatesOf(explained), "origin allowed, mirror allowed");
  EXPECT_TRUE(explained.ways[1].text.ends_with("registry.example.org has not responded since " +
                                               FormatRfc3339(clock_.now) + ": connection refused"))
      << explained.ways[1].text;
}

TEST_F(ExplanationTest, WhatIsStoredIsThereOfflineAndNamesItsPlatforms) {
  const Version version = *Version::Parse("1.0.0");
  auto release = RunTask(mirror_->providers.FindRelease(Demo(kPulled), version, {}));
  ASSERT_TRUE(release);
  EXPECT_EQ(StatesOf(Explain("acme/demo", "1.0.0")), "origin allowed, mirror allowed");
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  for (const char* asked : {"1.0.0", ""}) {
    MirrorExplanation explained = Explain("acme/demo", asked);
    EXPECT_EQ(StatesOf(explained), "origin available, mirror available");
    for (const ExplainedWay& way : explained.ways) {
      EXPECT_EQ(way.platforms, std::vector{*Platform::Parse("linux_amd64")});
      EXPECT_TRUE(way.others_come);
      EXPECT_TRUE(way.text.contains("stored here for linux_amd64: clients get it even while"))
          << way.text;
      EXPECT_EQ(way.version.has_value(), std::string_view(asked).empty());
    }
  }
}

TEST_F(ExplanationTest, AModuleThatIsStoredIsThereAtItsOriginAlone) {
  ASSERT_TRUE(ImportModule(koya::Zip({{.name = "main.tf", .content = "# a module"}})));
  const std::string address = std::string(kOther) + "/acme/vpc/aws";
  EXPECT_EQ(StatesOf(Explain(address, "1.0.0")), "origin available");
  EXPECT_EQ(StatesOf(Explain(address)), "origin available");
  EXPECT_EQ(StatesOf(Explain(address, "2.0.0")), "origin blocked");
}

TEST_F(ExplanationTest, KnowsOfSettingsThatCloseAWay) {
  ModuleMirror no_modules(mirror_->context, modules_, mirror_->module_fetch, {.enabled = false});
  ProviderMirror unsigned_ones(mirror_->context, upstream_, mirror_->provider_fetch,
                               {.from_network_mirror = true});
  const ExplainedMirror mirror{mirror_->context, mirror_->states, unsigned_ones, no_modules};
  const HostName pulled = *HostName::Parse(kPulled);
  auto explained = RunTask(ExplainMirror(mirror, *ParseMirrorQuestion("acme/vpc/aws", "", pulled)));
  ASSERT_TRUE(explained);
  EXPECT_EQ(StatesOf(*explained), "origin blocked");
  EXPECT_EQ(explained->Refusal(), no_modules.CheckEnabled().error().message);
  explained = RunTask(ExplainMirror(mirror, *ParseMirrorQuestion("acme/demo", "1.0.0", pulled)));
  ASSERT_TRUE(explained);
  EXPECT_EQ(StatesOf(*explained), "origin blocked, mirror allowed");
  EXPECT_TRUE(explained->ways[0].text.ends_with("only /mirror/ can serve it"))
      << explained->ways[0].text;
}

TEST_F(ExplanationTest, ListsWhatIsKnownWithoutAsking) {
  EXPECT_EQ(RunTask(mirror_->providers.ListKept(Demo(kPulled))).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(upstream_.asked_versions, 0);
  ASSERT_TRUE(RunTask(mirror_->providers.ListVersions(Demo(kPulled))));
  const UnixSeconds then = clock_.now;
  clock_.now += 86'400;
  auto kept = RunTask(mirror_->providers.ListKept(Demo(kPulled)));
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->document->versions.size(), 2U);
  EXPECT_EQ(kept->checked_at, then);
  EXPECT_EQ(upstream_.asked_versions, 1);
  ASSERT_TRUE(Import(Id(), Zip()));
  kept = RunTask(mirror_->providers.ListKept(Demo(kOther)));
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->document->versions.size(), 1U);
  EXPECT_EQ(kept->checked_at, 0) << "its registry was never asked";
}

}  // namespace
}  // namespace koya::service
