// Rebuilding of the index over a catalog, with contents that the test provides.
#include "service/search/reindex.h"

#include <gtest/gtest.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <map>
#include <string>
#include <vector>

#include "base/offload.h"
#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/search_index.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "inspect/contents.h"
#include "service/search/index_queue.h"
#include "service/search/search.h"
#include "service/search/search_entries.h"
#include "wire/foreign/foreign_docs.h"

namespace koya::service {
namespace {

class SaidContents final : public ContentsSource {
 public:
  Task<SharedContents> Read(ModuleVersionRecord record) override {
    ++reads;
    if (away) co_return FailUnavailable("the store is away");
    if (damaged.contains(record.version.ToString())) {
      co_return FailRefused("it is no archive");
    }
    inspect::ModuleContents contents;
    contents.root.inputs = {{.name = "of_" + std::to_string(record.version.major())}};
    co_return std::make_shared<const inspect::ModuleContents>(std::move(contents));
  }
  Task<SharedContents> ReadMirrored(UpstreamModuleVersion version) override {
    ++reads;
    inspect::ModuleContents contents;
    contents.root.inputs = {{.name = "from_" + version.module.address.name()}};
    co_return std::make_shared<const inspect::ModuleContents>(std::move(contents));
  }
  Task<std::vector<SearchablePage>> ReadPages(ProviderAddress, Version) override {
    co_return std::vector<SearchablePage>();
  }

  int reads = 0;
  bool away = false;
  std::set<std::string> damaged;
};

class ReindexTest : public ::testing::Test {
 protected:
  ReindexTest() { reindexing_ = std::make_unique<Reindexing>(catalog_, contents_, workers_); }

  void Publish(std::string_view address, std::string_view version) {
    EXPECT_TRUE(RunTask(catalog_.modules().AddVersion(Tester(), Record(address, version))));
  }
  void PublishRelease(std::string_view address, std::string_view version) {
    const ProviderRelease release = SampleRelease(address, version, std::string(version));
    EXPECT_TRUE(RunTask(catalog_.keys().AddKey(Tester(), SampleKey(release.address.ns()))));
    EXPECT_TRUE(RunTask(catalog_.providers().AddRelease(Tester(), release, std::nullopt)));
  }
  // From this place to the end.
  Result<ReindexStep> Run(std::string after = "") {
    ReindexStep all;
    for (int steps = 0; steps < 1000; ++steps) {
      ASSIGN_OR_RETURN(ReindexStep step, RunTask(reindexing_->Step(after)));
      all.indexed += step.indexed;
      all.removed += step.removed;
      for (IndexProblem& each : step.problems) all.problems.push_back(std::move(each));
      if (step.next.empty()) return all;
      after = step.next;
      places_.push_back(after);
    }
    return FailInternal("it does not end");
  }
  std::vector<std::string> Found(std::string text) {
    IndexQueue published;
    Search search(catalog_, catalog_, published);
    auto answer = RunTask(search.FindHits({}, std::move(text), {.offset = 0, .limit = 100}));
    std::vector<std::string> found;
    if (!answer) return {answer.error().message};
    for (const SearchHit& hit : answer->page.items) {
      found.push_back(hit.address + " " + hit.version + " " + hit.name);
    }
    return found;
  }

  WorkerPool workers_{1};
  SaidContents contents_;
  TestCatalog catalog_;
  std::unique_ptr<Reindexing> reindexing_;
  std::vector<std::string> places_;
};

using Lines = std::vector<std::string>;

TEST_F(ReindexTest, IndexesEveryVersionThatIsPublished) {
  Publish("acme/vpc/aws", "1.0.0");
  Publish("acme/vpc/aws", "2.0.0");
  Publish("beta/dns/gcp", "3.0.0");
  PublishRelease("acme/demo", "1.0.0");
  auto done = Run();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->indexed, 4u);
  EXPECT_EQ(Found("of_2"), Lines{"acme/vpc/aws 2.0.0 of_2"});
  EXPECT_EQ(Found("of_1"), Lines()) << "the newest versions";
  EXPECT_EQ(Found("of_1 version:any"), Lines{"acme/vpc/aws 1.0.0 of_1"});
  EXPECT_EQ(Found("of_3"), Lines{"beta/dns/gcp 3.0.0 of_3"});
  EXPECT_EQ(Found("demo"), Lines{"acme/demo 1.0.0 demo"});
}

TEST_F(ReindexTest, StrangersCannotTellByTheTimeWhatTheyMayNotRead) {
  IndexQueue published;
  Search search(catalog_, catalog_, published);
  const ReadableNamespaces some{.everything = false};
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(RunTask(search.FindHits(some, "quagga", {}))->page.items.empty());
  EXPECT_TRUE(RunTask(search.FindUncounted(some, "ns:quagga", {}))->page.items.empty());
  EXPECT_TRUE(
      RunTask(search.FindModules({.query = "quagga", .readable = some}, {}))->items.empty());
  EXPECT_GE(std::chrono::steady_clock::now() - began, 3 * Search::kNothingTakes);
}

TEST_F(ReindexTest, IndexesModulesOfOtherRegistriesThatAreHeld) {
  auto pin = [this](std::string_view key, std::string_view version, bool held) {
    UpstreamModuleVersion pinned = SampleUpstreamModule(key, version, std::string(key));
    pinned.held = held;
    EXPECT_TRUE(RunTask(catalog_.upstream_modules().PinModule(pinned)));
    return pinned;
  };
  const UpstreamModuleVersion vpc = pin(kRemoteModule, "1.0.0", true);
  pin("registry.example.com/acme/dns/aws", "1.0.0", false);
  Publish("acme/vpc/aws", "2.0.0");
  auto done = Run();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->indexed, 2u);
  EXPECT_EQ(Found("from_vpc"), Lines{"registry.example.com/acme/vpc/aws 1.0.0 from_vpc"});
  EXPECT_EQ(Found("from_dns"), Lines());
  done = Run("mirrored/registry.example.com/acme/dns/aws@1.0.0");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->indexed, 1u) << "the one behind it";
  {
    // An older program, which knows no index, evicts it.
    soci::session other(*soci::factory_sqlite3(), "db=" + catalog_.file().string());
    other << "UPDATE upstream_module_version SET held = 0";
  }
  EXPECT_EQ(Found("from_vpc").size(), 1u);
  done = Run();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->removed, 1u);
  EXPECT_EQ(Found("from_vpc"), Lines());
  EXPECT_EQ(Found("of_2").size(), 1u);
}

TEST_F(ReindexTest, IndexesProvidersOfOtherRegistriesThatAreHeldWithTheirKeptDocs) {
  auto pin = [this](std::string_view key, std::string_view version, bool held) {
    UpstreamRelease release = SampleUpstreamRelease(key, version, std::string(key));
    if (held) release.packages[1] = SampleHeldPackage("linux_amd64", std::string(key));
    EXPECT_TRUE(RunTask(catalog_.upstream_releases().PinRelease(release, false)));
    return release;
  };
  auto keep_docs = [this](const UpstreamRelease& release, std::string body) {
    EXPECT_TRUE(RunTask(catalog_.upstream_documents().PutDocument(SampleDocument(
        MirroredDocsKey(release.provider, release.version), std::move(body), kSuiteNow))));
  };
  auto page = [](std::string name, std::string language) {
    return wire::ForeignDoc{.kind = "resources",
                            .name = std::move(name),
                            .language = std::move(language),
                            .title = "demo_gadget",
                            .subcategory = {},
                            .description = "Makes whirligigs.",
                            .place = "1"};
  };
  const UpstreamRelease demo = pin(kRemote, "1.0.0", true);
  keep_docs(demo, wire::Encode<wire::ForeignDocs>(
                      {.docs = {page("gadget", ""), page("other", "python")}}));
  keep_docs(pin("other.example.org/acme/demo", "2.0.0", true), "no list of pages");
  keep_docs(pin("other.example.org/acme/gone", "1.0.0", false),
            wire::Encode<wire::ForeignDocs>({.docs = {page("gadget", "")}}));
  PublishRelease("acme/demo", "3.0.0");
  auto done = Run();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->indexed, 3u);
  EXPECT_TRUE(done->problems.empty());
  const std::string doc = "registry.example.com/acme/demo 1.0.0 resources/gadget";
  EXPECT_EQ(Found("gadget"), Lines{doc}) << "of what is held, and in no other language";
  EXPECT_EQ(Found("whirligigs kind:doc"), Lines{doc}) << "by its description";
  EXPECT_EQ(Found("demo_gadget"), Lines{doc}) << "by its title";
  EXPECT_EQ(Found("demo kind:provider").size(), 3u);
  EXPECT_EQ(Found("gone"), Lines());
  done = Run("mirrored-providers/other.example.org/acme/demo@2.0.0");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->indexed, 1u) << "the one behind it";
  {
    // An older program, which knows no providers in the index, evicts it.
    soci::session other(*soci::factory_sqlite3(), "db=" + catalog_.file().string());
    other << "UPDATE upstream_package SET held = 0";
  }
  EXPECT_EQ(Found("gadget").size(), 1u);
  done = Run();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->removed, 2u);
  EXPECT_EQ(done->indexed, 1u);
  EXPECT_EQ(Found("gadget"), Lines());
  EXPECT_EQ(Found("demo"), Lines{"acme/demo 3.0.0 demo"});
}

TEST_F(ReindexTest, TakesOutWhatIsNotPublished) {
  Publish("acme/vpc/aws", "1.0.0");
  Publish("acme/vpc/aws", "2.0.0");
  ASSERT_TRUE(Run());
  ASSERT_TRUE(RunTask(catalog_.search_index().PutSearchEntries(
      SearchSubject::Of(Address("acme/vpc/aws"), V("1.0.0")),
      {{.kind = SearchKind::kInput, .name = "stale", .title = {}, .text = {}}})));
  {
    // A program of before withdraws it, which knows no index.
    soci::session other(*soci::factory_sqlite3(), "db=" + catalog_.file().string());
    other << "UPDATE module_version SET withdrawn_at = 1 WHERE version = '1.0.0'";
  }
  EXPECT_EQ(Found("stale version:any").size(), 1u);
  auto again = Run();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->removed, 1u);
  EXPECT_EQ(again->indexed, 1u);
  EXPECT_EQ(Found("stale version:any"), Lines());
}

TEST_F(ReindexTest, GoesOnWhereItStopped) {
  for (int i = 1; i <= 5; ++i) Publish("acme/vpc/aws", std::to_string(i) + ".0.0");
  Publish("beta/vpc/aws", "1.0.0");
  auto done = Run("modules/acme/vpc/aws@3.0.0");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->indexed, 3u) << "2.0.0, 1.0.0, and all of beta";
  done = Run("modules/acme/vpc/aws");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->indexed, 1u);
  done = Run("providers/zzz/zzz");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->indexed, 0u);
  done = Run("index/module:acme/vpc/aws@3.0.0");
  ASSERT_TRUE(done) << done.error().message;
}

TEST_F(ReindexTest, StepsAreShort) {
  const auto many = static_cast<int>(Reindexing::kMostOfStep) + 50;
  for (int i = 1; i <= many; ++i) Publish("acme/vpc/aws", std::to_string(i) + ".0.0");
  auto step = RunTask(reindexing_->Step(""));
  ASSERT_TRUE(step);
  EXPECT_LE(step->indexed, Reindexing::kMostOfStep);
  EXPECT_TRUE(step->next.starts_with("modules/acme/vpc/aws@")) << step->next;
  auto rest = Run(step->next);
  ASSERT_TRUE(rest);
  EXPECT_EQ(step->indexed + rest->indexed, static_cast<std::uint64_t>(many));
  EXPECT_EQ(contents_.reads, many) << "each once";
}

TEST_F(ReindexTest, WhatCannotBeReadIsToldAndFoundByItsName) {
  Publish("acme/vpc/aws", "1.0.0");
  contents_.damaged = {"1.0.0"};
  auto done = Run();
  ASSERT_TRUE(done);
  ASSERT_EQ(done->problems.size(), 1u);
  EXPECT_EQ(done->problems[0].address + " " + done->problems[0].version, "acme/vpc/aws 1.0.0");
  EXPECT_EQ(done->problems[0].problem, "it is no archive");
  EXPECT_EQ(Found("vpc"), Lines{"acme/vpc/aws 1.0.0 vpc"});
}

TEST_F(ReindexTest, AStoreThatIsAwayIsAFailure) {
  Publish("acme/vpc/aws", "1.0.0");
  ASSERT_TRUE(Run());
  contents_.away = true;
  auto failed = Run();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(Found("of_1").size(), 1u) << "what was known stays";
}

TEST_F(ReindexTest, RefusesPlacesThatNoStepEndsWith) {
  for (const char* place :
       {"x", "modules", "things/a", "modules/a/b/c@one", "/", "mirrored-providers/demo@1.0.0",
        "mirrored-providers/a.example.org/demo@1.0.0"}) {
    auto step = RunTask(reindexing_->Step(place));
    ASSERT_FALSE(step) << place;
    EXPECT_EQ(step.error().kind, ErrorKind::kInvalid) << place;
  }
}

}  // namespace
}  // namespace koya::service
