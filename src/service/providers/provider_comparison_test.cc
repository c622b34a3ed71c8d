#include "service/providers/provider_comparison.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "archive/archive_builder_fake.h"
#include "base/manual_clock_fake.h"
#include "base/offload.h"
#include "base/run_task.h"
#include "base/text_source_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/provider_catalog.h"
#include "inspect/changes.h"
#include "service/common/change_feed.h"
#include "service/common/reading.h"
#include "service/providers/provider_docs.h"
#include "service/providers/publish_provider.h"
#include "service/providers/release_semver_check.h"
#include "service/providers/signing_keys.h"
#include "service/search/index_queue.h"
#include "signing/sealer.h"

namespace koya::service {
namespace {

std::string SchemaWith(std::string_view attributes, std::string_view functions = "{}") {
  return fmt::format(
      R"({{"format_version":"1.0","provider_schemas":{{"registry.example.com/acme/demo":{{)"
      R"("provider":{{"version":0,"block":{{}}}},)"
      R"("resource_schemas":{{"demo_thing":{{"version":1,"block":{{"attributes":{}}}}}}},)"
      R"("functions":{}}}}}}})",
      attributes, functions);
}

constexpr std::string_view kOneAttribute = R"({"name":{"type":"string","optional":true}})";
constexpr std::string_view kOneFunction =
    R"({"upper":{"return_type":"string","parameters":[{"name":"in","type":"string"}]}})";

class ProviderComparisonTest : public ::testing::Test {
 protected:
  using Files = std::map<std::string, std::string>;  // by what follows the version in their names

  ProviderComparisonTest() {
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    keys_ = std::make_unique<SigningKeys>(catalog_, sealer_, workers_, clock_);
    docs_ = std::make_unique<ProviderDocs>(catalog_, blobs_);
    comparison_ = std::make_unique<ProviderComparison>(catalog_, *docs_, workers_);
    JudgeBy(SemverRule::kWarn, *comparison_);
  }

  void JudgeBy(SemverRule rule, ProviderComparison& comparison) {
    publisher_.reset();
    judge_ = std::make_unique<ReleaseSemverCheck>(catalog_, comparison, rule);
    publisher_ =
        std::make_unique<ProviderPublisher>(catalog_, blobs_, *keys_, workers_, *changes_, *judge_,
                                            index_, clock_, ProviderPublishOptions{});
  }

  void Publish(std::string_view version, const Files& files, std::vector<std::string> protocols) {
    auto outcome = Commit(version, files, {.sign = true, .protocols = std::move(protocols)});
    ASSERT_TRUE(outcome) << outcome.error().message;
    ASSERT_TRUE(outcome->created);
  }
  Result<CommitOutcome> Commit(std::string_view version, const Files& files,
                               ProviderPublisher::Commit commit) {
    ProviderPublisher::Request request{
        .publisher = {.name = "ci", .scope = Scope::kAdmin, .namespaces = {}},
        .address = provider_,
        .version = *Version::Parse(version)};
    auto draft = RunTask(publisher_->OpenDraft(request));
    if (!draft) return Failure(draft.error());
    for (const auto& [ending, content] : files) {
      TextSource source(content);
      std::string name = fmt::format("terraform-provider-demo_{}_{}", version, ending);
      RETURN_IF_ERROR(RunTask(publisher_->Upload(request, draft->id, name, source)));
    }
    return RunTask(publisher_->CommitDraft(request, draft->id, std::move(commit)));
  }
  static std::string Package() {
    return Zip({{.name = "terraform-provider-demo_v1.0.0", .content = "program"}});
  }
  static std::string Docs(std::string_view page) {
    return Zip({{.name = "docs/index.md", .content = "# Demo\n"},
                {.name = fmt::format("docs/resources/{}.md", page), .content = "# Page\n"}});
  }

  Result<SharedComparison> Compare(std::string_view from, std::string_view to,
                                   ComparisonLimits bounds = {}) {
    ProviderComparison comparison(catalog_, *docs_, workers_, bounds);
    return RunTask(comparison.Compare(provider_, *Version::Parse(from), *Version::Parse(to),
                                      Reading(workers_)));
  }

  ManualClock clock_;
  WorkerPool workers_{2};
  MemoryBlobStore blobs_;
  signing::Sealer sealer_{"a secret of the tests"};
  TestCatalog catalog_;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<SigningKeys> keys_;
  std::unique_ptr<ProviderDocs> docs_;
  std::unique_ptr<ProviderComparison> comparison_;
  std::unique_ptr<ReleaseSemverCheck> judge_;
  IndexQueue index_;
  std::unique_ptr<ProviderPublisher> publisher_;
  ProviderAddress provider_ = *ProviderAddress::Parse("acme/demo");
};

std::vector<std::string> LinesOf(const wire::Comparison& comparison) {
  std::vector<std::string> lines;
  for (const wire::ComparedChange& each : comparison.changes) {
    lines.push_back(fmt::format("{} {} {} {}", each.section, each.kind, each.severity, each.what));
  }
  return lines;
}

TEST_F(ProviderComparisonTest, ComparesAllThatIsKnownInBothDirections) {
  Publish("1.0.0",
          {{"linux_amd64.zip", Package()},
           {"windows_386.zip", Package()},
           {"schema.json", SchemaWith(kOneAttribute, kOneFunction)},
           {"docs.zip", Docs("old")}},
          {"5.0"});
  Publish("1.1.0",
          {{"linux_amd64.zip", Package()},
           {"linux_arm64.zip", Package()},
           {"schema.json", SchemaWith(R"({"name":{"type":"string","required":true}})")},
           {"docs.zip", Docs("new")}},
          {"6.0"});
  auto there = Compare("1.0.0", "1.1.0");
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_EQ((*there)->verdict, "major");
  EXPECT_FALSE((*there)->agrees);
  EXPECT_EQ((*there)->wanted, "2.0.0");
  EXPECT_EQ(LinesOf(**there),
            (std::vector<std::string>{
                "platforms removed breaking platform windows_386",
                "platforms added compatible platform linux_arm64",
                "protocols removed breaking protocol 5", "protocols added compatible protocol 6",
                "schema removed breaking function \"upper\"",
                "schema changed breaking resource \"demo_thing\": name",
                "docs added safe page resources/new", "docs removed safe page resources/old"}));
  auto back = Compare("1.1.0", "1.0.0");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE((*back)->agrees) << "the number is not checked";
  EXPECT_EQ((*back)->changes.size(), 8U);
}

TEST_F(ProviderComparisonTest, WhatAVersionWasPublishedWithoutIsUnknown) {
  Publish("0.1.0", {{"linux_amd64.zip", Package()}}, {"5.0"});
  Publish("0.1.1",
          {{"linux_amd64.zip", Package()},
           {"schema.json", SchemaWith(kOneAttribute)},
           {"docs.zip", Docs("a")}},
          {"5.1"});
  auto compared = Compare("0.1.0", "0.1.1");
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_EQ((*compared)->verdict, "patch");
  EXPECT_TRUE((*compared)->agrees);
  EXPECT_EQ(LinesOf(**compared),
            (std::vector<std::string>{"protocols changed safe protocol 5",
                                      "schema changed read schema", "docs changed read docs"}));
  EXPECT_TRUE((*compared)->changes[1].text.starts_with("0.1.0 was published without it"))
      << (*compared)->changes[1].text;
}

TEST_F(ProviderComparisonTest, ASchemaThatWasNotReadWholeMakesNothingBreaking) {
  Publish(
      "1.0.0",
      {{"linux_amd64.zip", Package()}, {"schema.json", SchemaWith(kOneAttribute, kOneFunction)}},
      {"5.0"});
  Publish("1.0.1",
          {{"linux_amd64.zip", Package()},
           {"schema.json", SchemaWith(R"({"name":{"type":"string","required":true},)"
                                      R"("name":{"type":"string","optional":true}})")}},
          {"5.0"});
  auto compared = Compare("1.0.0", "1.0.1");
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_TRUE((*compared)->agrees);
  std::string lines;
  for (const wire::ComparedChange& each : (*compared)->changes) {
    EXPECT_EQ(each.severity, "read") << each.what << ": " << each.text;
    lines += each.what + ": " + each.text + "\n";
  }
  EXPECT_TRUE(lines.contains("Or it is in the part that could not be read.")) << lines;
  EXPECT_TRUE(lines.contains("1 item that only one version has")) << "the function: " << lines;
}

TEST_F(ProviderComparisonTest, NamesTheVersionThatIsNotThereAndIsBounded) {
  const Files files = {{"linux_amd64.zip", Package()}, {"schema.json", SchemaWith(kOneAttribute)}};
  Publish("1.0.0", files, {"5.0"});
  Publish("1.0.1", files, {"5.0"});
  auto same = Compare("1.0.0", "1.0.1");
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_TRUE((*same)->agrees);
  EXPECT_EQ(LinesOf(**same), std::vector<std::string>());
  auto none = Compare("1.0.0", "9.9.9");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kNotFound);
  EXPECT_TRUE(none.error().message.contains("9.9.9")) << none.error().message;
  auto busy = Compare("1.0.0", "1.0.1", {.at_once = 0});
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().kind, ErrorKind::kUnavailable);
  EXPECT_GT(busy.error().retry_after, 0U);
  auto large = Compare("1.0.0", "1.0.1", {.bytes = 10});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, ErrorKind::kUnavailable);
  EXPECT_TRUE(large.error().message.contains("1.0.0 and 1.0.1")) << large.error().message;
}

TEST_F(ProviderComparisonTest, ACommitTellsWhatChangedSinceTheReleaseBefore) {
  const Files old_files = {{"linux_amd64.zip", Package()},
                           {"schema.json", SchemaWith(kOneAttribute, kOneFunction)},
                           {"docs.zip", Docs("old")}};
  const Files new_files = {
      {"linux_amd64.zip", Package()},
      {"schema.json", SchemaWith(R"({"name":{"type":"string","required":true}})")},
      {"docs.zip", Docs("new")}};
  Publish("1.0.0", old_files, {"5.0"});
  Publish("1.1.0-beta.1", new_files, {"5.0"});
  auto outcome = Commit("1.1.0", new_files, {.sign = true, .protocols = {"5.0"}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(outcome->created) << "no number refuses a release";
  ASSERT_TRUE(outcome->judgement);
  EXPECT_EQ(outcome->judgement->rule, SemverRule::kWarn);
  EXPECT_EQ(outcome->judgement->refusal, "");
  const wire::Comparison& told = outcome->judgement->comparison;
  EXPECT_EQ(told.from, "1.0.0") << "of a release the release before";
  EXPECT_FALSE(told.agrees);
  EXPECT_EQ(told.wanted, "2.0.0");
  EXPECT_EQ(told, **Compare("1.0.0", "1.1.0")) << "what the diff says afterwards";

  auto again = Commit("1.1.0", new_files, {.sign = true, .protocols = {"5.0"}});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->created);
  EXPECT_FALSE(again->judgement);
  auto candidate = Commit("1.2.0-rc.1", new_files, {.sign = true, .protocols = {"5.0"}});
  ASSERT_TRUE(candidate) << candidate.error().message;
  ASSERT_TRUE(candidate->judgement);
  EXPECT_EQ(candidate->judgement->comparison.from, "1.1.0");
}

TEST_F(ProviderComparisonTest, ADryRunTellsTheSameAndKeepsNothing) {
  const Files files = {{"linux_amd64.zip", Package()}, {"schema.json", SchemaWith(kOneAttribute)}};
  const Files changed = {{"linux_amd64.zip", Package()},
                         {"schema.json", SchemaWith(kOneAttribute, kOneFunction)}};
  const ProviderPublisher::Commit dry{.sign = true, .protocols = {}, .dry_run = true};
  auto first = Commit("1.0.0", files, dry);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_FALSE(first->created);
  EXPECT_FALSE(first->judgement) << "there is nothing before";
  ASSERT_TRUE(first->release);
  EXPECT_EQ(first->release->key_fingerprint, "") << "it would be made";
  EXPECT_EQ(RunTask(keys_->List("acme"))->size(), 0U);
  EXPECT_EQ(
      RunTask(catalog_.providers().FindRelease(provider_, *Version::Parse("1.0.0"))).error().kind,
      ErrorKind::kNotFound);

  Publish("1.0.0", files, {});
  auto dry_run = Commit("1.0.1", changed, dry);
  ASSERT_TRUE(dry_run) << dry_run.error().message;
  ASSERT_TRUE(dry_run->judgement);
  EXPECT_EQ(dry_run->judgement->comparison.wanted, "1.1.0");
  EXPECT_EQ(RunTask(catalog_.providers().ListReleases(provider_))->size(), 1U);
  auto published = Commit("1.0.1", changed, {.sign = true, .protocols = {}});
  ASSERT_TRUE(published) << published.error().message;
  ASSERT_TRUE(published->judgement);
  EXPECT_EQ(published->judgement->comparison, dry_run->judgement->comparison);
  EXPECT_EQ(published->release->sums, dry_run->release->sums);
  EXPECT_EQ(published->release->key_fingerprint, dry_run->release->key_fingerprint);

  auto same = Commit("1.0.1", changed, dry);
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_TRUE(same->release);
  auto other = Commit("1.0.1", files, dry);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kConflict);
  auto broken = Commit("1.0.2", {{"linux_amd64.zip", "no zip"}}, dry);
  ASSERT_TRUE(broken) << broken.error().message;
  EXPECT_FALSE(broken->problems.empty());
}

TEST_F(ProviderComparisonTest, WhatCannotBeComparedIsToldAndPublishes) {
  const Files files = {{"linux_amd64.zip", Package()}, {"schema.json", SchemaWith(kOneAttribute)}};
  Publish("1.0.0", files, {"5.0"});
  ProviderComparison narrow(catalog_, *docs_, workers_, {.bytes = 10});
  JudgeBy(SemverRule::kRefuse, narrow);
  auto large = Commit("1.0.1", files, {.sign = true, .protocols = {}});
  ASSERT_TRUE(large) << large.error().message;
  EXPECT_TRUE(large->created);
  EXPECT_FALSE(large->judgement);
  ASSERT_EQ(large->warnings.size(), 1U);
  EXPECT_TRUE(large->warnings[0].text.contains("not compared")) << large->warnings[0].text;
  EXPECT_TRUE(large->warnings[0].text.contains("1.0.0 and 1.0.1")) << large->warnings[0].text;

  ProviderComparison impatient(catalog_, *docs_, workers_, {.patience = {}});
  JudgeBy(SemverRule::kWarn, impatient);
  auto late = Commit("1.0.2", files, {.sign = true, .protocols = {}});
  ASSERT_TRUE(late) << late.error().message;
  EXPECT_TRUE(late->created);
  ASSERT_EQ(late->warnings.size(), 1U);
  EXPECT_TRUE(late->warnings[0].text.contains("takes longer than 0 s")) << late->warnings[0].text;

  JudgeBy(SemverRule::kOff, *comparison_);
  auto off = Commit("1.0.3", files, {.sign = true, .protocols = {}});
  ASSERT_TRUE(off) << off.error().message;
  EXPECT_FALSE(off->judgement);
  EXPECT_EQ(off->warnings, std::vector<ReadWarning>());
  JudgeBy(SemverRule::kRefuse, *comparison_);
  auto breaking =
      Commit("1.0.4", {{"linux_arm64.zip", Package()}}, {.sign = true, .protocols = {}});
  ASSERT_TRUE(breaking) << breaking.error().message;
  EXPECT_TRUE(breaking->created) << "providers are never refused";
  ASSERT_TRUE(breaking->judgement);
  EXPECT_FALSE(breaking->judgement->comparison.agrees);
}

}  // namespace
}  // namespace koya::service
