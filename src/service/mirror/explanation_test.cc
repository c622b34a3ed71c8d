#include "service/mirror/explanation.h"

#include <gtest/gtest.h>

#include "base/run_task.h"
#include "service/mirror/inventory_fake.h"

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
    auto told = RunTask(ExplainMirror(mirror_->context, *std::move(question)));
    EXPECT_TRUE(told) << told.error().message;
    return told ? *told : MirrorExplanation{};
  }
};

TEST_F(ExplanationTest, SaysWhatTheClientIsTold) {
  MirrorExplanation told = Explain("denied/demo");
  EXPECT_EQ(told.verdict.kind, PullVerdict::Kind::kDenied);
  EXPECT_EQ(told.verdict.rule, "*/denied/*");
  auto client = RunTask(mirror_->providers.ListVersions(Demo(kPulled, "denied")));
  ASSERT_FALSE(client);
  EXPECT_EQ(told.refusal, client.error().message);
  EXPECT_EQ(Explain("denied/vpc/aws").verdict.rule, "*/denied/*/*");
  told = Explain(std::string(kOther) + "/acme/demo");
  EXPECT_FALSE(told.may_pull);
  client = RunTask(mirror_->providers.ListVersions(Demo(kOther)));
  ASSERT_FALSE(client);
  EXPECT_EQ(told.refusal, client.error().message);
}

TEST_F(ExplanationTest, TellsWhatIsKeptWithoutAsking) {
  EXPECT_EQ(Explain("acme/demo", "1.0.0").refusal, "");
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

TEST_F(ExplanationTest, WhatWasImportedIsGivenWhateverMayBePulled) {
  ASSERT_TRUE(Import(Id(), Zip()));
  MirrorExplanation told = Explain(std::string(kOther) + "/acme/demo", "1.0.0");
  EXPECT_EQ(told.refusal, "");
  EXPECT_FALSE(told.may_pull);
  EXPECT_EQ(told.held, 1U);
  EXPECT_NE(Explain(std::string(kOther) + "/acme/demo", "1.1.0").refusal, "");
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
