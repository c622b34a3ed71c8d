// What every catalog must do: docs and schemas of providers. See catalog_suite_base.h.
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/provider_catalog.h"
#include "catalog/provider_suite_base.h"
#include "catalog/storage_catalog.h"
#include "domain/withdrawal.h"

namespace koya {
namespace {

DocRecord SampleDoc(std::string kind, std::string name, std::string language = "") {
  return {.name = {std::move(language), std::move(kind), name},
          .title = "demo_" + name,
          .subcategory = "Größe",
          .description = "What 'demo' does: 100%\nand more 豆腐",
          .deprecated = name == "old",
          .part = {.begin = 5'000'000'000, .packed = 12, .size = 34, .deflated = name != "old"}};
}

SchemaRecord SampleSchema(std::string kind, std::string name) {
  return {.kind = std::move(kind),
          .name = name,
          .deprecated = name == "demo_old",
          .part = {.begin = 7, .packed = 6'000'000'000, .size = 5, .deflated = true}};
}

class ProviderDocsSuite : public ProviderSuiteBase {
 protected:
  using Base = ProviderSuiteBase;
  using Base::catalog;

  static ReleaseExtras Extras() {
    ReleaseExtras extras;
    extras.docs = ReleaseDocs{
        .archive = {.digest = Digest::Of("docs"), .size = 6'000'000'000, .is_signed = true},
        .pages = {SampleDoc("resources", "thing"), SampleDoc("overview", "index"),
                  SampleDoc("resources", "old"), SampleDoc("resources", "Thing"),
                  SampleDoc("resources", "thing", "python"), SampleDoc("guides", "größe", "go")}};
    extras.schema = ReleaseSchema{
        .archive = {.digest = Digest::Of("schema"), .size = 99, .is_signed = false},
        .items = {SampleSchema("resource", "demo_thing"), SampleSchema("resource", "demo_old"),
                  SampleSchema("provider", "")}};
    extras.warnings = {{.file = "docs/a\n%.md", .line = 7, .text = "odd"},
                       {.file = "", .line = 0, .text = ""}};
    return extras;
  }
  ReleaseOutcome::What AddWith(std::string_view version, ReleaseExtras extras) {
    auto outcome = RunTask(providers().AddRelease(Tester(), SampleRelease("acme/demo", version),
                                                  std::nullopt, std::move(extras)));
    EXPECT_TRUE(outcome) << outcome.error().message << outcome.error().detail;
    return outcome ? outcome->what : ReleaseOutcome::What::kWithdrawn;
  }
  Texts Names(std::string_view version) {
    Texts texts;
    auto names = RunTask(provider_docs().ListDocNames(Provider("acme/demo"), V(version)));
    EXPECT_TRUE(names) << names.error().message << names.error().detail;
    if (!names) return texts;
    for (const DocName& each : *names) {
      texts.push_back(each.language + ":" + each.kind + "/" + each.name);
    }
    return texts;
  }
};
INSTANTIATE_CATALOG_SUITE(ProviderDocsSuite);

TEST_P(ProviderDocsSuite, KeepsEveryFieldOfDocsAndSchemas) {
  const ProviderAddress address = Provider("acme/demo");
  const ReleaseExtras extras = this->Extras();
  this->AddKeyTo("acme");
  ASSERT_EQ(this->AddWith("1.0.0+b", extras), ReleaseOutcome::What::kAdded);
  auto summary = RunTask(provider_docs().FindDocs(address, V("1.0.0+b")));
  ASSERT_TRUE(summary) << summary.error().message << summary.error().detail;
  EXPECT_EQ(summary->docs, extras.docs->archive);
  EXPECT_EQ(summary->schema, extras.schema->archive);
  EXPECT_EQ(summary->warnings, extras.warnings);
  using Counts = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(summary->pages, (Counts{{"overview", 1}, {"resources", 3}}));
  EXPECT_EQ(summary->languages, (Texts{"go", "python"}));
  EXPECT_EQ(summary->items, (Counts{{"provider", 1}, {"resource", 2}}));
  auto docs = RunTask(provider_docs().ListDocs(address, V("1.0.0+b")));
  ASSERT_TRUE(docs);
  EXPECT_EQ(*docs,
            (std::vector{extras.docs->pages[1], extras.docs->pages[3], extras.docs->pages[2],
                         extras.docs->pages[0], extras.docs->pages[5], extras.docs->pages[4]}))
      << "bytewise: capitals first";
  EXPECT_EQ(this->Names("1.0.0+b"),
            (Texts{":overview/index", ":resources/Thing", ":resources/old", ":resources/thing",
                   "go:guides/größe", "python:resources/thing"}));
  auto schema = RunTask(provider_docs().ListSchema(address, V("1.0.0+b")));
  ASSERT_TRUE(schema);
  EXPECT_EQ(*schema, (std::vector{extras.schema->items[2], extras.schema->items[1],
                                  extras.schema->items[0]}));
  for (const DocRecord& page : extras.docs->pages) {
    EXPECT_EQ(*RunTask(provider_docs().FindDoc(address, V("1.0.0+b"), page.name)), page);
  }
  for (const SchemaRecord& item : extras.schema->items) {
    EXPECT_EQ(*RunTask(provider_docs().FindSchema(address, V("1.0.0+b"), item.kind, item.name)),
              item);
  }
}

TEST_P(ProviderDocsSuite, WhatIsNotThereIsNotFound) {
  const ProviderAddress address = Provider("acme/demo");
  this->AddKeyTo("acme");
  this->AddWhat("acme/demo", "1.0.0");
  ASSERT_EQ(this->AddWith("1.1.0", this->Extras()), ReleaseOutcome::What::kAdded);
  auto none = RunTask(provider_docs().FindDocs(address, V("1.0.0")));
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->docs || none->schema);
  EXPECT_TRUE(none->pages.empty() && none->items.empty() && none->warnings.empty());
  EXPECT_EQ(this->Names("1.0.0"), Texts{});
  EXPECT_TRUE(RunTask(provider_docs().ListDocs(address, V("1.0.0")))->empty());
  EXPECT_TRUE(RunTask(provider_docs().ListSchema(address, V("1.0.0")))->empty());
  constexpr ErrorKind kNotFound = ErrorKind::kNotFound;
  for (const char* version : {"1.0.1", "1.1.0+b"}) {
    const std::string words = std::string("has no version ") + version;
    this->ExpectFails(RunTask(provider_docs().FindDocs(address, V(version))), kNotFound, words);
    this->ExpectFails(RunTask(provider_docs().ListDocs(address, V(version))), kNotFound, words);
    this->ExpectFails(RunTask(provider_docs().ListDocNames(address, V(version))), kNotFound, words);
    this->ExpectFails(RunTask(provider_docs().ListSchema(address, V(version))), kNotFound, words);
  }
  for (const DocName& name : {DocName{"", "resources", "no"}, DocName{"go", "overview", "index"},
                              DocName{"", "resources", std::string("a\0b", 3)}}) {
    this->ExpectFails(RunTask(provider_docs().FindDoc(address, V("1.1.0"), name)), kNotFound,
                      "has no page " + name.kind);
  }
  this->ExpectFails(RunTask(provider_docs().FindSchema(address, V("1.1.0"), "resource", "\xff")),
                    kNotFound, "has no resource");
}

TEST_P(ProviderDocsSuite, TheirBlobsAreNeededUntilTheReleaseIsWithdrawn) {
  const std::vector<Digest> blobs = {Digest::Of("docs"), Digest::Of("schema")};
  auto unneeded = [&] {
    std::size_t unreferenced = RunTask(blob_references().FindUnreferenced(blobs))->size();
    EXPECT_EQ(RunTask(blob_references().FindUnpublished(blobs))->size(), unreferenced);
    return unreferenced;
  };
  EXPECT_EQ(unneeded(), 2U);
  this->AddKeyTo("acme");
  ASSERT_EQ(this->AddWith("1.0.0", this->Extras()), ReleaseOutcome::What::kAdded);
  EXPECT_EQ(unneeded(), 0U);
  ASSERT_TRUE(this->Withdraw("acme/demo", "1.0.0"));
  EXPECT_EQ(unneeded(), 2U);
  const ProviderAddress address = Provider("acme/demo");
  const DocName overview{"", "overview", "index"};
  constexpr ErrorKind kGone = ErrorKind::kGone;
  this->ExpectFails(RunTask(provider_docs().FindDocs(address, V("1.0.0"))), kGone, "withdrawn");
  this->ExpectFails(RunTask(provider_docs().ListDocs(address, V("1.0.0"))), kGone, "withdrawn");
  this->ExpectFails(RunTask(provider_docs().FindDoc(address, V("1.0.0"), overview)), kGone,
                    "withdrawn");
  this->ExpectFails(RunTask(provider_docs().FindSchema(address, V("1.0.0"), "provider", "")), kGone,
                    "withdrawn");
}

// They are there again with the release, and their blobs are needed.
TEST_P(ProviderDocsSuite, DocsComeBackWithTheReleaseThatIsRestored) {
  const ProviderAddress address = Provider("acme/demo");
  this->AddKeyTo("acme");
  ASSERT_EQ(this->AddWith("1.0.0", this->Extras()), ReleaseOutcome::What::kAdded);
  const auto docs = RunTask(provider_docs().ListDocs(address, V("1.0.0")));
  const Withdrawal withdrawal{.at = kSuiteNow, .by = "admin", .reason = "leaks"};
  ASSERT_TRUE(RunTask(providers().WithdrawRelease(Tester(), address, V("1.0.0"), withdrawal,
                                                  std::chrono::hours(1))));
  EXPECT_TRUE(
      RunTask(blob_references().FindUnreferenced({Digest::Of("docs"), Digest::Of("schema")}))
          ->empty());
  ASSERT_TRUE(RunTask(providers().RestoreRelease(Tester(), address, V("1.0.0"), "by mistake")));
  EXPECT_EQ(RunTask(provider_docs().ListDocs(address, V("1.0.0"))), docs);
}

TEST_P(ProviderDocsSuite, ManyPagesAreKept) {
  ReleaseExtras extras = this->Extras();
  extras.docs->pages.clear();
  extras.schema->items.clear();
  constexpr int kMany = 1203;
  for (int i = 0; i < kMany; ++i) {
    extras.docs->pages.push_back(SampleDoc("resources", "thing" + std::to_string(i)));
    extras.schema->items.push_back(SampleSchema("resource", "demo_" + std::to_string(i)));
  }
  this->AddKeyTo("acme");
  ASSERT_EQ(this->AddWith("1.0.0", extras), ReleaseOutcome::What::kAdded);
  auto summary = RunTask(provider_docs().FindDocs(Provider("acme/demo"), V("1.0.0")));
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->pages["resources"], kMany);
  EXPECT_EQ(summary->items["resource"], kMany);
}

TEST_P(ProviderDocsSuite, WhatCannotBeKeptIsRefusedAndNothingIsAdded) {
  this->AddKeyTo("acme");
  for (const std::string& bad : {std::string("a\0b", 3), std::string("\xff")}) {
    ReleaseExtras title = this->Extras();
    title.docs->pages[0].title = bad;
    ReleaseExtras name = this->Extras();
    name.schema->items[0].name = bad;
    for (const ReleaseExtras& extras : {title, name}) {
      auto refused = RunTask(providers().AddRelease(Tester(), SampleRelease("acme/demo", "1.0.0"),
                                                    std::nullopt, extras));
      this->ExpectFails(refused, ErrorKind::kInvalid, "");
    }
  }
  EXPECT_EQ(this->Versions("acme/demo"), Texts{});
  ReleaseExtras long_text = this->Extras();
  std::string& title = long_text.docs->pages[1].title;
  for (int i = 0; i < 400; ++i) title += "豆";
  ASSERT_EQ(this->AddWith("1.0.0", long_text), ReleaseOutcome::What::kAdded);
  auto page = RunTask(
      provider_docs().FindDoc(Provider("acme/demo"), V("1.0.0"), {"", "overview", "index"}));
  ASSERT_TRUE(page);
  EXPECT_LE(page->title.size(), ProviderDocsCatalog::kLongestTitle);
  EXPECT_GT(page->title.size(), 290U);
}

}  // namespace
}  // namespace koya
