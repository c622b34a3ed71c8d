// What every catalog must do: store the contents of modules. See catalog_suite_base.h.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/contents_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/search_suite_base.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/module_record.h"
#include "domain/page.h"
#include "domain/search_record.h"
#include "domain/upstream_record.h"

namespace koya {
namespace {

class ContentsCatalogSuite : public SearchSuiteBase {
 protected:
  static ModuleSubject Here(std::string_view address, std::string_view version) {
    return {.address = Address(address), .version = V(version)};
  }
  static ModuleSubject There(const UpstreamModuleVersion& version) {
    return {version.module.host.ascii(), version.module.address, version.version};
  }
  AddOutcome Publish(std::string_view address, std::string_view version, VersionExtras extras,
                     std::string_view content = "content") {
    Result<AddOutcome> outcome = RunTask(
        modules().AddVersion(Tester(), Record(address, version, content), std::move(extras)));
    this->ExpectDone(outcome);
    return outcome.value_or(AddOutcome{.what = AddOutcome::What::kWithdrawn});
  }
  Status Put(const ModuleSubject& subject, std::uint64_t reader, std::string body,
             std::vector<SearchEntry> entries = {}) {
    return RunTask(contents().PutContents(
        subject, {.contents = ContentsRecord{reader, std::move(body)}, .entries = entries}));
  }
  // "READER BODY", or why not.
  std::string Find(const ModuleSubject& subject) {
    Result<ContentsRecord> found = RunTask(contents().FindContents(subject));
    if (!found) {
      EXPECT_EQ(RunTask(contents().MeasureContents(subject)).error().kind, found.error().kind);
      return found.error().kind == ErrorKind::kNotFound ? "none" : found.error().message;
    }
    Result<ContentsSize> measured = RunTask(contents().MeasureContents(subject));
    this->ExpectDone(measured);
    EXPECT_EQ(measured->reader, found->reader);
    EXPECT_EQ(measured->bytes, found->body.size());
    return std::to_string(found->reader) + " " + found->body;
  }
  // All of them, so many at a time: "acme/vpc/aws 1.0.0".
  Texts Unread(std::uint64_t reader, std::uint64_t limit = 1000) {
    Texts texts;
    std::optional<UnreadModule::Place> after;
    for (;;) {
      auto page = RunTask(contents().ListUnread(reader, after, limit));
      this->ExpectDone(page);
      if (!page || page->empty()) break;
      EXPECT_LE(page->size(), limit);
      for (const UnreadModule& each : *page) {
        texts.push_back(each.subject.Key() + " " + each.subject.version.ToString());
      }
      after = page->back().place;
    }
    EXPECT_EQ(RunTask(contents().CountUnread(reader)), texts.size());
    return texts;
  }
};
INSTANTIATE_CATALOG_SUITE(ContentsCatalogSuite);

// A better reader, or `koya reindex`, comes after its users were warned.
TEST_P(ContentsCatalogSuite, WhatIsIndexedAgainIsAsDeprecatedAsBefore) {
  const VersionExtras extras{.contents = ContentsRecord{3, "{}"},
                             .entries = {{Entry(SearchKind::kModule, "vpc")}}};
  this->Publish("acme/vpc/aws", "1.0.0", extras);
  const ModuleSubject subject = this->Here("acme/vpc/aws", "1.0.0");
  auto deprecated = [&] {
    const SearchPage page = this->Page("vpc");
    return page.items.size() == 1 && page.items[0].deprecated;
  };
  EXPECT_FALSE(deprecated());
  for (const char* message : {"use 2.0.0", ""}) {
    ASSERT_TRUE(RunTask(modules().Deprecate(Tester(), subject.address, subject.version, message)));
    const bool wanted = *message != '\0';
    EXPECT_EQ(deprecated(), wanted);
    ASSERT_TRUE(this->Put(subject, 4, "{}", {Entry(SearchKind::kModule, "vpc")}));
    EXPECT_EQ(deprecated(), wanted) << "indexed again";
  }
}

TEST_P(ContentsCatalogSuite, ContentsAreKeptWithTheVersionThatIsAdded) {
  const std::string body = R"({"inputs":["größe '%' :name {{key}} 豆腐"]})";
  const VersionExtras extras{.contents = ContentsRecord{3, body},
                             .entries = {{Entry(SearchKind::kModule, "vpc")}}};
  EXPECT_EQ(this->Publish("Acme/Vpc/aws", "1.0.0", extras).what, AddOutcome::What::kAdded);
  EXPECT_EQ(this->Find(this->Here("acme/vpc/aws", "1.0.0")), "3 " + body);
  EXPECT_EQ(this->Page("vpc").items.size(), 1u);
  // Other bytes add nothing.
  const VersionExtras others{.contents = ContentsRecord{4, "others"},
                             .entries = {{Entry(SearchKind::kModule, "others")}}};
  EXPECT_EQ(this->Publish("acme/vpc/aws", "1.0.0", others, "other bytes").what,
            AddOutcome::What::kOtherBytes);
  EXPECT_EQ(this->Find(this->Here("acme/vpc/aws", "1.0.0")), "3 " + body);
  EXPECT_EQ(this->Page("others").items.size(), 0u);
  EXPECT_EQ(this->Publish("acme/vpc/aws", "1.1.0", {}).what, AddOutcome::What::kAdded);
  EXPECT_EQ(this->Find(this->Here("acme/vpc/aws", "1.1.0")), "none");
  EXPECT_EQ(this->Find(this->Here("acme/none/aws", "1.0.0")), "none");
}

TEST_P(ContentsCatalogSuite, WhatCannotBeKeptAddsNothing) {
  const std::string strange[] = {"\xff", std::string("a\0b", 3),
                                 std::string(kLongestContents + 1, 'x')};
  for (const std::string& body : strange) {
    auto outcome =
        RunTask(modules().AddVersion(Tester(), Record("acme/vpc/aws", "1.0.0"),
                                     {.contents = ContentsRecord{1, body}, .entries = {}}));
    EXPECT_EQ(CatalogErrorOf(outcome),
              body.size() > kLongestContents ? ErrorKind::kTooLarge : ErrorKind::kInvalid);
    EXPECT_FALSE(RunTask(modules().FindVersion(Address("acme/vpc/aws"), V("1.0.0"))));
  }
}

TEST_P(ContentsCatalogSuite, ABetterReadersStay) {
  this->Publish("acme/vpc/aws", "1.0.0", {.contents = ContentsRecord{2, "two"}, .entries = {}});
  const ModuleSubject subject = this->Here("acme/vpc/aws", "1.0.0");
  this->ExpectDone(this->Put(subject, 1, "one", {Entry(SearchKind::kModule, "worse")}));
  EXPECT_EQ(this->Find(subject), "2 two");
  EXPECT_EQ(this->Page("worse").items.size(), 0u) << "nor what it found for the index";
  this->News();
  this->ExpectDone(this->Put(subject, 2, "again", {Entry(SearchKind::kModule, "same")}));
  EXPECT_EQ(this->Find(subject), "2 again");
  EXPECT_EQ(this->News(), Texts{"module:acme/vpc/aws"});
  this->ExpectDone(this->Put(subject, 7, "seven", {Entry(SearchKind::kModule, "better")}));
  EXPECT_EQ(this->Find(subject), "7 seven");
  EXPECT_EQ(this->Page("same").items.size(), 0u);
  EXPECT_EQ(this->Page("better").items.size(), 1u);
}

TEST_P(ContentsCatalogSuite, WhatIsGoneIsNotBroughtBack) {
  this->Publish("acme/vpc/aws", "1.0.0", {.contents = ContentsRecord{2, "two"}, .entries = {}});
  const ModuleSubject subject = this->Here("acme/vpc/aws", "1.0.0");
  this->WithdrawModule("acme/vpc/aws", "1.0.0");
  EXPECT_EQ(this->Find(subject), "none");
  EXPECT_EQ(CatalogErrorOf(this->Put(subject, 3, "three")), ErrorKind::kNotFound);
  EXPECT_EQ(this->Find(subject), "none");
  for (const char* address : {"acme/none/aws", "registry.example.com/acme/none/aws"}) {
    EXPECT_EQ(CatalogErrorOf(this->Put(
                  this->There(SampleUpstreamModule("registry.example.com/acme/none/aws", "1.0.0")),
                  3, "three")),
              ErrorKind::kNotFound)
        << address;
  }
}

TEST_P(ContentsCatalogSuite, ModulesOfOtherRegistriesHaveContentsToo) {
  UpstreamModuleVersion version =
      SampleUpstreamModule("registry.example.com/Acme/vpc/aws", "1.0.0");
  ASSERT_TRUE(RunTask(upstream_modules().PinModule(version)));
  this->Publish("acme/vpc/aws", "1.0.0", {.contents = ContentsRecord{2, "here"}, .entries = {}});
  this->News();
  this->ExpectDone(this->Put(this->There(version), 2, "there"));
  EXPECT_EQ(this->News(), Texts{"mirror:registry.example.com/acme/vpc/aws"});
  EXPECT_EQ(this->Find(this->There(version)), "2 there");
  EXPECT_EQ(this->Find(this->Here("acme/vpc/aws", "1.0.0")), "2 here");
}

TEST_P(ContentsCatalogSuite, WhatNobodyHasReadIsListed) {
  this->Publish("acme/a/aws", "1.0.0", {.contents = ContentsRecord{2, "two"}, .entries = {}});
  this->Publish("acme/a/aws", "1.1.0", {.contents = ContentsRecord{1, "one"}, .entries = {}});
  this->Publish("acme/b/aws", "1.0.0", {});
  this->Publish("acme/b/aws", "2.0.0", {});
  this->WithdrawModule("acme/b/aws", "2.0.0");
  for (const bool held : {true, false}) {
    UpstreamModuleVersion version = SampleUpstreamModule(
        held ? "registry.example.com/acme/held/aws" : "registry.example.com/acme/told/aws",
        "1.0.0");
    version.held = held;
    ASSERT_TRUE(RunTask(upstream_modules().PinModule(version)));
  }
  const Texts never = {"acme/b/aws 1.0.0", "registry.example.com/acme/held/aws 1.0.0"};
  EXPECT_EQ(this->Unread(1), never);
  const Texts second = {"acme/a/aws 1.1.0", "acme/b/aws 1.0.0",
                        "registry.example.com/acme/held/aws 1.0.0"};
  EXPECT_EQ(this->Unread(2), second);
  EXPECT_EQ(this->Unread(2, 1), second) << "one by one";
  EXPECT_EQ(this->Unread(3).size(), 4u);
  auto unread = RunTask(contents().ListUnread(2, std::nullopt, 1));
  ASSERT_TRUE(unread);
  EXPECT_EQ(unread->front().digest, Record("acme/a/aws", "1.1.0").digest);
  EXPECT_EQ(unread->front().size, Record("acme/a/aws", "1.1.0").size);
}

}  // namespace
}  // namespace koya
