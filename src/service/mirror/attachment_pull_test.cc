// Attachments of other registries' releases, from their registry to a client.
#include "service/mirror/attachment_pull.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tuple>

#include "catalog/audit_catalog.h"
#include "catalog/policy_catalog.h"
#include "catalog/upstream_catalog.h"
#include "domain/actor.h"
#include "domain/audit_record.h"
#include "domain/policy_record.h"
#include "domain/topic.h"
#include "service/mirror/check.h"
#include "service/mirror/gate.h"
#include "service/mirror/provider_mirror_fixture_fake.h"

namespace koya::service {
namespace {

class MirroredAttachmentTest : public ProviderMirrorFixture {
 protected:
  static constexpr std::string_view kSbom = R"({"bomFormat":"CycloneDX"})";

  // A statement about the package of 1.0.0 for Linux.
  std::string Statement() {
    return fmt::format(R"({{"subject":[{{"digest":{{"sha256":"{}"}}}}]}})",
                       Digest::Of(Expected()).hex());
  }
  // As stored: "NAME=PLATFORM …".
  std::string Pinned(const std::string& version = "1.0.0") {
    auto release =
        RunTask(catalog_.upstream_releases().FindUpstreamRelease(Demo(), *Version::Parse(version)));
    std::string names;
    for (const UpstreamAttachment& each : release.value().attachments) {
      names += each.file.name + "=" + each.platform.ToString() + " ";
    }
    return names;
  }
  Result<std::string> OpenAttachment(std::string name) {
    auto open = RunTask(mirror_->providers.FindAttachment(Demo(), *Version::Parse("1.0.0"), name));
    if (!open) return Failure(std::move(open).error());
    return RunTask(ReadAll(open->blob)).value_or("");
  }
  std::vector<AuditRecord> Changes() {
    return RunTask(catalog_.audit().ListAudit({.action = "policy.changed"}, 10)).value();
  }
};

TEST_F(MirroredAttachmentTest, AreServedWhenUpstreamIsAway) {
  upstream_.Attach("a.cdx.json", std::string(kSbom));
  upstream_.Attach("b.intoto.jsonl", Statement());
  ASSERT_TRUE(Find());
  EXPECT_EQ(Pinned(), "a.cdx.json=linux_amd64 b.intoto.jsonl=linux_amd64 ");
  upstream_.failure = kRegistryDown;
  Settle();
  EXPECT_EQ(OpenAttachment("a.cdx.json").value(), kSbom);
  EXPECT_EQ(OpenAttachment("b.intoto.jsonl").value(), Statement());
  auto unknown = OpenAttachment("c.cdx.json");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::kNotFound);
}

TEST_F(MirroredAttachmentTest, ThoseThatCannotBeUsedAreLeftOut) {
  const std::string elsewhere =
      R"({"subject":[{"digest":{"sha256":")" + Digest::Of("another release").hex() + R"("}}]})";
  for (int i = 0; i < 7; ++i) upstream_.versions.push_back(fmt::format("2.0.{}", i));
  int tried = 0;
  for (const auto& [name, text, reason] : {
           std::tuple<std::string, std::string, std::string>{"x.cdx.json", "<html>", "JSON"},
           {"x.cdx.json", "", "JSON"},
           {"x.cdx.json", "{}", "bomFormat"},
           {"x.spdx.json", std::string(kSbom), "spdxVersion"},
           {"x.intoto.jsonl", elsewhere, "names no file of this version"},
           {"x.sigstore.json", "{}", "no Sigstore bundle"},
           {"x.cdx.json", std::string(2000, ' '), "too large"},
       }) {
    const std::string before = captured_.Text();
    const std::string version = fmt::format("2.0.{}", tried++);
    upstream_.attachments = {{"ok.cdx.json", std::string(kSbom)}, {name, text}};
    Settle({.provider_fetch = {.attachments = {.bytes = 1000, .count = 32}}});
    ASSERT_TRUE(Find(version)) << text;
    EXPECT_EQ(Pinned(version), "ok.cdx.json=linux_amd64 ") << text;
    const std::string said = captured_.Text().substr(before.size());
    EXPECT_TRUE(said.contains(reason)) << said;
  }
}

TEST_F(MirroredAttachmentTest, AreAsManyAsTheLimit) {
  for (const char* name : {"a.cdx.json", "b.cdx.json", "c.cdx.json"}) {
    upstream_.Attach(name, std::string(kSbom));
  }
  Settle({.provider_fetch = {.attachments = {.bytes = 1000, .count = 2}}});
  ASSERT_TRUE(Find());
  EXPECT_EQ(Pinned(), "a.cdx.json=linux_amd64 b.cdx.json=linux_amd64 ");
  EXPECT_TRUE(captured_.Text().contains("limits.attachments")) << captured_.Text();
}

TEST_F(MirroredAttachmentTest, ComeWithAPackageIfTheyFailedBefore) {
  upstream_.Attach("a.cdx.json", std::string(kSbom));
  upstream_.attachment_failure = kRegistryDown;
  ASSERT_TRUE(Find());
  EXPECT_EQ(Pinned(), "");
  upstream_.attachment_failure.reset();
  ASSERT_TRUE(Open(File("darwin_arm64")));
  mirror_.reset();  // waits
  EXPECT_EQ(Pinned(), "a.cdx.json=darwin_arm64 ");
  EXPECT_EQ(upstream_.asked_attachments, 2);
}

TEST_F(MirroredAttachmentTest, StayAsTheyWereFirstSeen) {
  upstream_.Attach("a.cdx.json", std::string(kSbom));
  ASSERT_TRUE(Find());
  upstream_.Attach("a.cdx.json", R"({"bomFormat":"CycloneDX","version":2})");
  upstream_.states_digests = true;
  Settle();  // nothing in memory
  ASSERT_TRUE(Open());
  Settle();  // waits
  EXPECT_EQ(OpenAttachment("a.cdx.json").value(), kSbom);
  EXPECT_EQ(upstream_.asked_attachments, 1) << "its registry states another digest";
  EXPECT_TRUE(captured_.Text().contains("it has changed upstream")) << captured_.Text();
  ASSERT_EQ(Changes().size(), 1U);
  EXPECT_TRUE(Changes()[0].entry.before.contains("a.cdx.json"));
}

TEST_F(MirroredAttachmentTest, AreComparedWithTheirRegistryBeforeAClientGetsTheRelease) {
  using Ahead = ProviderMirror::Ahead;
  auto look = [this] {
    return RunTask(mirror_->providers.LookAhead(Demo(), *Version::Parse("1.0.0"))).value();
  };
  upstream_.Attach("a.cdx.json", std::string(kSbom));
  EXPECT_EQ(look(), Ahead::kPinned);
  const std::string first = Pinned();
  EXPECT_EQ(look(), Ahead::kSame);
  EXPECT_TRUE(Changes().empty());
  upstream_.Attach("b.cdx.json", std::string(kSbom));
  EXPECT_EQ(look(), Ahead::kSame);
  EXPECT_TRUE(Pinned().contains("b.cdx.json")) << "a new one is pinned";
  upstream_.Attach("a.cdx.json", R"({"bomFormat":"CycloneDX","version":2})");
  EXPECT_EQ(look(), Ahead::kSame) << "the packages are the same";
  EXPECT_EQ(Changes().size(), 1U) << first;
}

TEST_F(MirroredAttachmentTest, AreFetchedAgainWhenTheyAreMissing) {
  upstream_.Attach("a.cdx.json", std::string(kSbom));
  ASSERT_TRUE(Find());
  const Digest digest = Digest::Of(kSbom);
  ASSERT_TRUE(RunTask(blobs_->RemoveIfOlder(digest, std::chrono::seconds(0))).value());
  EXPECT_EQ(OpenAttachment("a.cdx.json").value(), kSbom);
  EXPECT_EQ(upstream_.asked_attachments, 2);
  ASSERT_TRUE(RunTask(blobs_->RemoveIfOlder(digest, std::chrono::seconds(0))).value());
  upstream_.Attach("a.cdx.json", R"({"bomFormat":"CycloneDX","version":2})");
  auto changed = OpenAttachment("a.cdx.json");
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().kind, ErrorKind::kCorrupt);
}

TEST_F(MirroredAttachmentTest, AVersionWithoutThemIsHeldAfterOneThatHadThem) {
  ASSERT_TRUE(RunTask(catalog_.policy().SetPolicy(
      Actor(), {.text = "version = 1\n[[rule]]\nname = \"proofs\"\nmatch = [\"*/*/*\"]\n"
                        "proof = \"no-downgrade\"\n",
                .reason = "r"})));
  mirror_->gate.Invalidate(kEverything);
  upstream_.Attach("a.cdx.json", std::string(kSbom));
  upstream_.Attach("b.spdx.json", "unsound");
  ASSERT_TRUE(Find("1.0.0"));
  upstream_.attachments = {{"b.spdx.json", R"({"spdxVersion":"SPDX-2.3"})"}};
  const auto held = Find("1.1.0");
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().kind, ErrorKind::kForbidden);
  EXPECT_TRUE(held.error().message.contains("no attachment .cdx.json")) << held.error().message;
  EXPECT_FALSE(held.error().message.contains("spdx")) << "an unsound one proves nothing";
}

TEST_F(MirroredAttachmentTest, AreFoundMissingByACheckAndRepaired) {
  upstream_.Attach("a.cdx.json", std::string(kSbom));
  ASSERT_TRUE(Find());
  auto check = [this](bool repair) {
    return RunTask(mirror_->check.Documents(Demo(), *Version::Parse("1.0.0"), {.repair = repair}))
        .value();
  };
  EXPECT_EQ(check(false).state, CheckReport::State::kOk);
  ASSERT_TRUE(RunTask(blobs_->RemoveIfOlder(Digest::Of(kSbom), std::chrono::seconds(0))).value());
  EXPECT_EQ(check(false).state, CheckReport::State::kMissing);
  const CheckReport report = check(true);
  EXPECT_TRUE(report.repaired) << report.problem;
  EXPECT_EQ(check(false).state, CheckReport::State::kOk);
}

}  // namespace
}  // namespace koya::service
