// Docs of other registries' providers over a real catalog, with a docs API that does what the test
// says.
#include "service/mirror/docs_mirror.h"
#include "service/mirror/gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "blobs/unreachable_blob_store_fake.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/storage_catalog.h"
#include "catalog/upstream_catalog.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/common/change_feed.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/cached_index.h"
#include "service/mirror/mirror.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/upstream_fake.h"
#include "service/search/index_queue.h"

namespace koya::service {
namespace {

constexpr UnixSeconds kDay = 24 * 3600;

class DocsMirrorTest : public ::testing::Test {
 protected:
  DocsMirrorTest() {
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    uses_ = std::make_unique<LastUsedTracker>(catalog_, log_);
    Restart(&docs_);
  }

  static UpstreamProvider Demo(std::string_view host = "registry.example.org") {
    return {*HostName::Parse(host), *ProviderAddress::Parse("acme/demo")};
  }
  static PullPolicy Pulls(const std::vector<std::string>& deny,
                          const std::vector<std::string_view>& hosts) {
    std::vector<HostName> names;
    for (std::string_view host : hosts) names.push_back(*HostName::Parse(host));
    return PullPolicy::Make({}, deny, std::move(names)).value();
  }
  // A mirror that remembers nothing.
  void Restart(upstream::DocsSource* source, MirrorSetup setup = {}) {
    setup.policy = Pulls({}, {"registry.example.org", "other.example"});
    mirror_.reset();
    mirror_ = std::make_unique<Mirror>(MirrorDependencies{catalog_,
                                                          *blobs_,
                                                          *changes_,
                                                          clock_,
                                                          *uses_,
                                                          log_,
                                                          providers_,
                                                          modules_,
                                                          {},
                                                          source,
                                                          &index_},
                                       std::move(setup));
  }
  Result<MirroredDocList> List(const UpstreamProvider& provider = Demo()) {
    return RunTask(mirror_->docs.List(provider, *Version::Parse("1.0.0")));
  }
  Result<MirroredDocPage> Page(std::string kind, std::string name, std::string language = "") {
    return RunTask(mirror_->docs.Page(Demo(), *Version::Parse("1.0.0"),
                                      {std::move(language), std::move(kind), std::move(name)}));
  }
  Digest DigestOf(const std::string& place) const { return Digest::Of(docs_.texts.at(place)); }
  bool IsNeeded(const std::string& place) {
    return RunTask(catalog_.blob_references().FindUnreferenced({DigestOf(place)})).value().empty();
  }

  TempFolder folder_;
  ManualClock clock_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  std::unique_ptr<UnreachableBlobStore> blobs_ = std::make_unique<UnreachableBlobStore>();
  FakeUpstream providers_;
  FakeModules modules_;
  FakeDocs docs_;
  TestCatalog catalog_;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<LastUsedTracker> uses_;
  IndexQueue index_;
  std::unique_ptr<Mirror> mirror_;
};

const Error kDocsDown{ErrorKind::kBadUpstream, "docs.example.org answered 500", {}};

TEST_F(DocsMirrorTest, ListsPagesAndKeepsTheList) {
  auto found = List();
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->list.pages.size(), 4U);
  EXPECT_EQ(found->list.pages[0].name, (DocName{"", "overview", "index"}));
  EXPECT_EQ(found->list.pages[3].name, (DocName{"python", "resources", "thing"}));
  EXPECT_EQ(found->list.pages[2].title, "a title");
  EXPECT_FALSE(found->age.stale);
  clock_.now += kDay - 1;
  ASSERT_TRUE(List());
  EXPECT_EQ(docs_.asked_lists, 1) << "docs of a release hardly change";
  clock_.now += 1;
  docs_.unchanged = true;
  ASSERT_TRUE(List());
  EXPECT_EQ(docs_.asked_lists, 2);
  EXPECT_EQ(List()->list.pages.size(), 4U) << "confirmed by a 304";
  EXPECT_EQ(docs_.asked_lists, 2);
}

TEST_F(DocsMirrorTest, AListThatUpstreamGaveIsOnItsWayIntoSearches) {
  ASSERT_TRUE(List());
  EXPECT_EQ(index_.waiting(), 1U);
  clock_.now += 1;
  ASSERT_TRUE(List());
  EXPECT_EQ(index_.waiting(), 1U) << "what is held is in it already";
  clock_.now += kDay;
  docs_.unchanged = true;
  ASSERT_TRUE(List());
  EXPECT_EQ(index_.waiting(), 2U) << "confirmed: what was lost on the way comes into it";
  clock_.now += 10 * kDay;
  docs_.failure = kDocsDown;
  EXPECT_TRUE(List()->age.stale);
  EXPECT_FALSE(List(Demo("other.example")));
  EXPECT_EQ(index_.waiting(), 2U);
}

TEST_F(DocsMirrorTest, AnEmptyListIsSoonAskedForAgain) {
  docs_.docs.clear();
  ASSERT_TRUE(List());
  EXPECT_TRUE(List()->list.pages.empty());
  EXPECT_EQ(docs_.asked_lists, 1);
  clock_.now += 300;
  docs_.docs = FakeDocs().docs;
  EXPECT_EQ(List()->list.pages.size(), 4U);
  EXPECT_EQ(docs_.asked_lists, 2);
}

TEST_F(DocsMirrorTest, RendersAPageOnceFetched) {
  auto page = Page("resources", "thing");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->page.record.title, "demo_thing");
  EXPECT_EQ(page->page.record.subcategory, "Clouds") << "the page itself says so";
  EXPECT_FALSE(page->page.html.contains("<script")) << page->page.html;
  EXPECT_FALSE(page->page.is_signed);
  ASSERT_TRUE(Page("resources", "thing"));
  EXPECT_EQ(docs_.asked_pages, 1);
  EXPECT_EQ(mirror_->docs.counters().pages, 1U);
  EXPECT_TRUE(Page("resources", "thing", "python")->page.html.contains("In Python"));
  auto overview = Page("overview", "index");
  ASSERT_TRUE(overview);
  EXPECT_TRUE(overview->page.html.contains(
      R"(href="/-/mirror/providers/registry.example.org/acme/demo/1.0.0/docs/resources/thing")"))
      << overview->page.html;
  EXPECT_FALSE(overview->page.html.contains("other.md")) << "what is not there is text";
}

TEST_F(DocsMirrorTest, WhatIsHeldIsServedWhileUpstreamFails) {
  ASSERT_TRUE(Page("resources", "thing"));
  docs_.failure = kDocsDown;
  clock_.now += 10 * kDay;
  Restart(&docs_);
  auto list = List();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_TRUE(list->age.stale);
  auto page = Page("resources", "thing");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_TRUE(page->age.stale);
  for (ErrorKind kind :
       {ErrorKind::kBadUpstream, ErrorKind::kUpstreamTimeout, ErrorKind::kUnavailable}) {
    docs_.failure = Error{kind, "failing", {}};
    EXPECT_EQ(Page("overview", "index").error().kind, kind) << "nobody has asked for it yet";
  }
  EXPECT_EQ(mirror_->docs.counters().failures, 3U);
  EXPECT_GE(mirror_->docs.list_counters().stale, 5U);
}

TEST_F(DocsMirrorTest, AFailureWithNothingHeldIsTold) {
  for (ErrorKind kind : {ErrorKind::kBadUpstream, ErrorKind::kUpstreamTimeout,
                         ErrorKind::kUnavailable, ErrorKind::kNotFound}) {
    docs_.failure = Error{kind, "failing", {}};
    EXPECT_EQ(List().error().kind, kind);
    EXPECT_EQ(Page("overview", "index").error().kind, kind);
  }
}

TEST_F(DocsMirrorTest, PagesThatAreNotThereAreNotFound) {
  EXPECT_EQ(Page("resources", "nothing").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(Page("secrets", "thing").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(docs_.asked_pages, 0) << "what no list names is not asked for";
  auto gone = Page("resources", "gone");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(mirror_->docs.counters().failures, 0U) << "no failure";
}

TEST_F(DocsMirrorTest, WithoutASourceNothingIsMirrored) {
  ASSERT_TRUE(List());
  Restart(nullptr);
  auto off = List();
  ASSERT_FALSE(off);
  EXPECT_EQ(off.error().kind, ErrorKind::kNotFound);
  EXPECT_TRUE(off.error().message.contains("mirror.docs is off")) << off.error().message;
  EXPECT_EQ(docs_.asked_lists, 1);
  EXPECT_EQ(mirror_->docs.list_counters().failures, 0U);
}

TEST_F(DocsMirrorTest, ThePolicyComesFirst) {
  mirror_->policy = Pulls({"registry.example.org/acme/*"}, {"registry.example.org"});
  mirror_->gate.Invalidate("");
  EXPECT_EQ(List().error().kind, ErrorKind::kForbidden);
  EXPECT_EQ(Page("overview", "index").error().kind, ErrorKind::kForbidden);
  mirror_->policy = Pulls({}, {});
  mirror_->gate.Invalidate("");
  auto list = List();
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().kind, ErrorKind::kNotFound);
  EXPECT_TRUE(list.error().message.contains("upstream.hosts")) << list.error().message;
  EXPECT_EQ(docs_.asked_lists + docs_.asked_pages, 0);
}

TEST_F(DocsMirrorTest, ARegistryWithoutADocsApiIsNoFailure) {
  auto list = List(Demo("other.example"));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().kind, ErrorKind::kNotFound);
  EXPECT_TRUE(list.error().message.contains("no docs API that Koya knows")) << list.error().message;
}

TEST_F(DocsMirrorTest, WhatIsHeldStaysReadableWhenItsRegistryMayNotBeAskedAnyMore) {
  ASSERT_TRUE(Page("resources", "thing"));
  mirror_->policy = Pulls({}, {});
  mirror_->gate.Invalidate("");
  EXPECT_TRUE(List());
  EXPECT_TRUE(Page("resources", "thing"));
  auto other = Page("overview", "index");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kNotFound);
  EXPECT_TRUE(other.error().message.contains("upstream.hosts")) << other.error().message;
  EXPECT_EQ(docs_.asked_pages, 1);
}

TEST_F(DocsMirrorTest, ManyWhoAskAtOnceMakeOneRequest) {
  std::latch asked(1);
  docs_.before_page = [&asked] { asked.wait(); };
  std::atomic<int> right = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 8; ++i) {
    readers.emplace_back([&] { right += Page("resources", "thing").has_value(); });
  }
  asked.count_down();
  for (std::thread& each : readers) each.join();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(docs_.asked_lists, 1);
  EXPECT_EQ(docs_.asked_pages, 1);
}

// ---- keeping

TEST_F(DocsMirrorTest, PagesAreHeldAndGiveWayAsPackagesDo) {
  ASSERT_TRUE(Page("resources", "thing"));
  ASSERT_TRUE(Page("overview", "index"));
  EXPECT_TRUE(IsNeeded("/resources/thing"));
  EXPECT_EQ(RunTask(catalog_.upstream_holdings().HeldBytes()),
            docs_.texts.at("/resources/thing").size() + docs_.texts.at("/overview/index").size());
  const EvictionRule rule{.max_bytes = 0, .hosts = {*HostName::Parse("registry.example.org")}};
  auto evicted = RunTask(catalog_.upstream_holdings().EvictHeld(rule));
  ASSERT_TRUE(evicted);
  EXPECT_EQ(evicted->size(), 2U);
  EXPECT_FALSE(IsNeeded("/resources/thing")) << "nothing refers to it any more";
  EXPECT_TRUE(
      RunTask(blobs_->RemoveIfOlder(DigestOf("/resources/thing"), std::chrono::seconds(0))));
  ASSERT_TRUE(Page("resources", "thing"));
  EXPECT_EQ(docs_.asked_pages, 3) << "it comes back";
  EXPECT_TRUE(IsNeeded("/resources/thing"));
}

TEST_F(DocsMirrorTest, APageThatCannotBeKeptIsServed) {
  MirrorSetup setup;
  setup.docs.room = {.folder = folder_.path(), .least_percent = 50};
  setup.docs.room.look = [](const std::filesystem::path&) {
    return std::optional(DiskSpace{.blocks = 100, .free_blocks = 1, .block_size = 4096});
  };
  Restart(&docs_, std::move(setup));
  ASSERT_TRUE(Page("resources", "thing"));
  ASSERT_TRUE(Page("resources", "thing"));
  EXPECT_EQ(docs_.asked_pages, 2);
  EXPECT_EQ(RunTask(catalog_.upstream_holdings().HeldBytes()), 0U);
  EXPECT_TRUE(captured_.Text().contains("is not stored")) << captured_.Text();
}

TEST_F(DocsMirrorTest, WhileTheStoreIsAwayPagesComeFromTheirRegistry) {
  ASSERT_TRUE(Page("resources", "thing"));
  blobs_->away = true;
  ASSERT_TRUE(Page("resources", "thing"));
  ASSERT_TRUE(Page("overview", "index"));
  EXPECT_EQ(docs_.asked_pages, 3);
  docs_.failure = kDocsDown;
  EXPECT_EQ(Page("resources", "thing").error().kind, ErrorKind::kBadUpstream);
  mirror_->policy = Pulls({}, {});
  mirror_->gate.Invalidate("");
  EXPECT_EQ(Page("resources", "thing").error().kind, ErrorKind::kUnavailable) << "never a 404";
  blobs_->away = false;
  EXPECT_TRUE(Page("resources", "thing"));
}

TEST_F(DocsMirrorTest, AnEmptyPageIsAPage) {
  docs_.texts["/resources/thing"] = "";
  auto page = Page("resources", "thing");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->page.html, "");
  EXPECT_EQ(RunTask(catalog_.upstream_holdings().HeldBytes()), 0U);
}

TEST_F(DocsMirrorTest, AnotherListDropsWhatWasMadeOfTheOneBefore) {
  std::vector<std::string> topics;
  changes_->AddListener([&topics](std::string_view topic) { topics.emplace_back(topic); });
  const std::string topic = DocsMirror::Topic(Demo(), *Version::Parse("1.0.0"));
  ASSERT_TRUE(List());
  EXPECT_EQ(topics, std::vector<std::string>{topic});
  clock_.now += kDay;
  ASSERT_TRUE(List());
  EXPECT_EQ(topics.size(), 1U) << "the same again";
  clock_.now += kDay;
  docs_.docs.pop_back();
  ASSERT_TRUE(List());
  EXPECT_EQ(topics, (std::vector<std::string>{topic, topic}));
}

}  // namespace
}  // namespace koya::service
