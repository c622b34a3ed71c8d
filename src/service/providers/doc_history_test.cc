#include "service/providers/doc_history.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/offload.h"
#include "base/run_task.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/doc_versions_catalog.h"
#include "domain/provider_address.h"
#include "domain/provider_record.h"
#include "domain/version.h"
#include "service/common/reading.h"
#include "service/common/small_blob.h"
#include "service/providers/provider_docs.h"

namespace koya::service {
namespace {

// Returns the given versions for every query.
class FakeDocVersions : public DocVersionsCatalog {
 public:
  Task<std::vector<DocVersion>> ListDocVersions(ProviderAddress /*address*/,
                                                DocQuery query) override {
    asked = std::move(query);
    co_return versions;
  }
  std::vector<DocVersion> versions;
  DocQuery asked;
};

class DocHistoryTest : public ::testing::Test {
 protected:
  DocHistoryTest() {
    docs_ = std::make_unique<ProviderDocs>(catalog_, blobs_);
    histories_ = std::make_unique<DocHistories>(listed_, *docs_);
  }

  // "-": published without docs; "": with docs, but without this page; else the page's text.
  void Add(const std::string& version, const std::string& page, const std::string& item = "-") {
    DocVersion added{.version = *Version::Parse(version),
                     .docs = {},
                     .page = {},
                     .schema = {},
                     .item = {},
                     .item_name = ""};
    if (page != "-") added.docs = Store(page);
    if (page != "-" && !page.empty()) added.page = WholeOf(page);
    if (item != "-") added.schema = Store(item);
    if (item != "-" && !item.empty()) {
      added.item = WholeOf(item);
      added.item_name = "demo_thing";
    }
    listed_.versions.push_back(std::move(added));
  }
  Digest Store(const std::string& text) { return RunTask(StoreText(blobs_, text)).value().digest; }
  static PackedPart WholeOf(const std::string& text) {
    return {.begin = 0, .packed = text.size(), .size = text.size(), .deflated = false};
  }
  void Lose(const std::string& text) {
    blobs_.SetAge(Digest::Of(text), std::chrono::hours(1));
    ASSERT_TRUE(RunTask(blobs_.RemoveIfOlder(Digest::Of(text), std::chrono::seconds(1))).value());
  }

  DocHistory Find(const std::string& version) { return FindIn(*histories_, version); }
  DocHistory FindIn(DocHistories& histories, const std::string& version) {
    auto found = RunTask(histories.FindHistory(*ProviderAddress::Parse("acme/demo"),
                                               *Version::Parse(version), {"", "resources", "thing"},
                                               Reading(workers_)));
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : DocHistory();
  }
  // "added in, changed in since"; "…" behind it: not whole.
  std::string Told(const std::string& version) { return Words(Find(version)); }
  static std::string Words(const DocHistory& history) {
    return fmt::format("{}, {} {}{}", history.added_in, history.changed_in, history.changed_since,
                       history.is_whole ? "" : "…");
  }

  WorkerPool workers_{1};
  MemoryBlobStore blobs_;
  TestCatalog catalog_;
  std::unique_ptr<ProviderDocs> docs_;
  FakeDocVersions listed_;
  std::unique_ptr<DocHistories> histories_;
};

TEST_F(DocHistoryTest, TellsWhenAPageCameAndWhenItChangedLast) {
  Add("1.3.0", "second!");
  Add("1.0.0", "");
  Add("1.1.0", "a first");
  Add("1.4.0", "second!");
  Add("1.2.0", "a first");
  EXPECT_EQ(Told("1.4.0"), "1.1.0, 1.3.0 1.2.0") << "texts of the same length are read";
  EXPECT_EQ(Told("1.3.0"), "1.1.0, 1.3.0 1.2.0");
  EXPECT_EQ(Told("1.2.0"), "1.1.0,  ");
  EXPECT_EQ(Told("1.1.0"), "1.1.0,  ");
  EXPECT_EQ(Told("1.0.0"), ",  ") << "it has no such page";
  EXPECT_EQ(Told("9.9.9"), ",  ");
  EXPECT_EQ(listed_.asked.item_kind, "resource");
  EXPECT_EQ(listed_.asked.item, "demo_thing");
  EXPECT_EQ(listed_.asked.item_instead, "thing");
}

TEST_F(DocHistoryTest, WhatWasThereBeforeAllIsNotToldToHaveCome) {
  Add("1.0.0", "text");
  Add("1.1.0", "another text");
  EXPECT_EQ(Told("1.0.0"), ",  ");
  EXPECT_EQ(Told("1.1.0"), ", 1.1.0 1.0.0");
}

TEST_F(DocHistoryTest, TheSchemaCountsLikeTheText) {
  Add("1.0.0", "", "");
  Add("1.1.0", "", "{size}");
  Add("1.2.0", "", "{name}");
  Add("1.3.0", "text", "{name}");
  Add("1.4.0", "text", "{name}");
  EXPECT_EQ(Told("1.4.0"), "1.1.0, 1.3.0 1.2.0") << "somebody wrote a page of it";
  EXPECT_EQ(Told("1.2.0"), "1.1.0, 1.2.0 1.1.0");
  EXPECT_EQ(Find("1.2.0").item, "demo_thing");
}

TEST_F(DocHistoryTest, VersionsThatDoNotTellAreSteppedOver) {
  Add("1.0.0", "first text", "-");
  Add("1.1.0", "-", "{name}");
  Add("1.2.0", "other text", "-");
  Add("1.3.0", "other text", "{name}");
  EXPECT_EQ(Told("1.3.0"), ", 1.2.0 1.0.0");
  Add("1.4.0", "-", "");
  Add("1.5.0", "third text", "-");
  EXPECT_EQ(Told("1.5.0"), ", 1.5.0 1.3.0") << "a schema need not know of every page";
  Add("1.6.0", "third text", "{name}");
  EXPECT_EQ(Told("1.6.0"), "1.5.0,  ") << "it knew, and had no such thing";
}

TEST_F(DocHistoryTest, OfAReleasePrereleasesDoNotCount) {
  Add("1.0.0", "one");
  Add("1.1.0-rc.1", "three");
  Add("1.1.0", "three");
  EXPECT_EQ(Told("1.1.0"), ", 1.1.0 1.0.0");
  EXPECT_EQ(Told("1.1.0-rc.1"), ", 1.1.0-rc.1 1.0.0");
}

TEST_F(DocHistoryTest, LooksAtSoManyVersionsAndNoMore) {
  Add("0.1.0", "");
  Add("0.2.0", "a text");
  for (std::size_t i = 0; i < DocHistories::kMostBefore; ++i) {
    Add(fmt::format("1.{}.0", i), "b text");
  }
  EXPECT_EQ(Told("1.19.0"), ", 1.0.0 0.2.0");
  EXPECT_EQ(Told("1.18.0"), "0.2.0, 1.0.0 0.2.0");
  Add("1.20.0", "b text");
  EXPECT_EQ(Told("1.20.0"), ",  ") << "what was before these nobody knows";
}

TEST_F(DocHistoryTest, LargeTextsOfOneSizeAreNotCompared) {
  const std::string large(DocHistories::kMostCompared + 1, 'a');
  const std::string other(DocHistories::kMostCompared + 1, 'b');
  Add("1.0.0", "");
  Add("1.1.0", large);
  Add("1.2.0", other);
  Add("1.3.0", other + "b");
  EXPECT_EQ(Told("1.2.0"), "1.1.0,  ");
  EXPECT_EQ(Told("1.3.0"), "1.1.0, 1.3.0 1.2.0") << "another size needs no reading";
}

TEST_F(DocHistoryTest, WhatWasFoundIsKeptUntilTheVersionsHaveOtherDocs) {
  Add("1.0.0", "");
  Add("1.1.0", "one");
  Add("1.2.0", "two");
  EXPECT_EQ(Told("1.2.0"), "1.1.0, 1.2.0 1.1.0");
  Lose("one");
  EXPECT_EQ(Told("1.2.0"), "1.1.0, 1.2.0 1.1.0") << "nothing is read again";
  DocHistories others(listed_, *docs_);
  EXPECT_EQ(Words(FindIn(others, "1.2.0")), "1.1.0,  …") << "what needs no reading is told";
  Store("one");
  EXPECT_EQ(Words(FindIn(others, "1.2.0")), "1.1.0, 1.2.0 1.1.0") << "that was not kept";
  listed_.versions.erase(listed_.versions.begin() + 1);
  EXPECT_EQ(Told("1.2.0"), "1.2.0,  ") << "1.1.0 was withdrawn";
}

TEST_F(DocHistoryTest, WhoComesWhenManyReadIsToldWhatNeedsNone) {
  Add("1.0.0", "");
  Add("1.1.0", "longer");
  Add("1.2.0", "two");
  Add("1.3.0", "one");
  DocHistories busy(listed_, *docs_, {.readings = 0});
  EXPECT_EQ(Words(FindIn(busy, "1.3.0")), "1.1.0,  …");
  EXPECT_EQ(Words(FindIn(busy, "1.2.0")), "1.1.0, 1.2.0 1.1.0");
  DocHistories hasty(listed_, *docs_, {.patience = std::chrono::milliseconds(0)});
  EXPECT_EQ(Words(FindIn(hasty, "1.3.0")), "1.1.0,  …");
}

}  // namespace
}  // namespace koya::service
