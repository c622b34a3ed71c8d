// What every catalog must do: list data of other registries, for people. See catalog_suite_base.h.
#include <optional>
#include <string>
#include <utility>

#include "catalog/upstream_catalog.h"
#include "catalog/upstream_suite_base.h"
#include "domain/page.h"

namespace koya {
namespace {

class UpstreamSummarySuite : public UpstreamSuiteBase {
 protected:
  // "HOST/ADDRESS" of a page.
  Texts Providers(UpstreamFilter filter, PageRequest page = {.offset = 0, .limit = 50}) {
    return Told(RunTask(upstream_listings().ListMirroredProviders(std::move(filter), page)));
  }
  Texts Modules(UpstreamFilter filter, PageRequest page = {.offset = 0, .limit = 50}) {
    return Told(RunTask(upstream_listings().ListMirroredModules(std::move(filter), page)));
  }
  void PutList(std::string key, UnixSeconds checked_at) {
    ASSERT_TRUE(RunTask(
        upstream_documents().PutDocument(SampleDocument(std::move(key), "{}", checked_at))));
  }

 private:
  static Texts Told(const Result<Page<UpstreamSummary>>& page) {
    Texts texts;
    EXPECT_TRUE(page) << page.error().message << page.error().detail;
    if (!page) return texts;
    for (const UpstreamSummary& each : page->items) {
      texts.push_back(each.host.ascii() + "/" + each.address);
    }
    if (page->more) texts.emplace_back("…");
    return texts;
  }
};
INSTANTIATE_CATALOG_SUITE(UpstreamSummarySuite);

TEST_P(UpstreamSummarySuite, AddsTheVersionsOfAProviderUp) {
  UpstreamRelease first = SampleUpstreamRelease(kRemote, "2.0.0", "first");
  first.packages = {SampleHeldPackage("linux_amd64", "first"),
                    SampleHeldPackage("darwin_arm64", "first"),
                    SampleUpstreamPackage("windows_amd64", "first")};
  this->Pin(first);
  UpstreamRelease second = SampleUpstreamRelease(kRemote, "1.9.0", "second");
  second.seen_at = kSuiteNow + 60;
  this->Pin(second);
  this->PutList("provider-versions:" + std::string(kRemote), kSuiteNow + 5);
  auto page = RunTask(upstream_listings().ListMirroredProviders({}, {}));
  ASSERT_TRUE(page) << page.error().message << page.error().detail;
  ASSERT_EQ(page->items.size(), 1U);
  EXPECT_EQ(page->items[0], (UpstreamSummary{.host = Host("registry.example.com"),
                                             .address = "acme/demo",
                                             .versions = 2,
                                             .held = 2,
                                             .held_bytes = 2468,
                                             .last_version = "1.9.0",
                                             .last_seen_at = kSuiteNow + 60,
                                             .checked_at = kSuiteNow + 5}));
}

TEST_P(UpstreamSummarySuite, AddsTheVersionsOfAModuleUp) {
  this->PinModule(SampleUpstreamModule("registry.example.com/Acme/vpc/aws", "1.0.0", "a"));
  UpstreamModuleVersion released = SampleUpstreamModule(kRemoteModule, "1.1.0", "b");
  released.held = false;
  released.seen_at = kSuiteNow - 60;
  this->PinModule(released);
  auto page = RunTask(upstream_listings().ListMirroredModules({}, {}));
  ASSERT_TRUE(page) << page.error().message << page.error().detail;
  ASSERT_EQ(page->items.size(), 1U);
  EXPECT_EQ(page->items[0], (UpstreamSummary{.host = Host("registry.example.com"),
                                             .address = "Acme/vpc/aws",
                                             .versions = 2,
                                             .held = 1,
                                             .held_bytes = 4321,
                                             .last_version = "1.0.0",
                                             .last_seen_at = kSuiteNow,
                                             .checked_at = 0}))
      << "nobody has asked for its list";
}

TEST_P(UpstreamSummarySuite, PagesAreInTheOrderOfAddresses) {
  for (const char* key : {"b.example/acme/demo", "a.example/zeta/demo", "a.example/acme/demo"}) {
    this->Pin(SampleUpstreamRelease(key, "1.0.0", key));
  }
  EXPECT_EQ(this->Providers({}),
            (Texts{"a.example/acme/demo", "a.example/zeta/demo", "b.example/acme/demo"}));
  EXPECT_EQ(this->Providers({}, {.offset = 0, .limit = 2}),
            (Texts{"a.example/acme/demo", "a.example/zeta/demo", "…"}));
  EXPECT_EQ(this->Providers({}, {.offset = 2, .limit = 2}), Texts{"b.example/acme/demo"});
  EXPECT_EQ(this->Providers({}, {.offset = 3, .limit = 2}), Texts{});
  EXPECT_EQ(this->Providers({}, {.offset = ~std::uint64_t{0}, .limit = 2}), Texts{});
  EXPECT_EQ(this->Modules({}), Texts{});
}

TEST_P(UpstreamSummarySuite, EveryWordMustOccurInTheAddress) {
  this->Pin(SampleUpstreamRelease("a.example/hashicorp/aws", "1.0.0", "a"));
  this->Pin(SampleUpstreamRelease("a.example/hashicorp/awscc", "1.0.0", "b"));
  this->Pin(SampleUpstreamRelease("b.example/acme/a-b", "1.0.0", "c"));
  this->PinModule(SampleUpstreamModule("a.example/Acme/vpc/aws", "1.0.0"));
  EXPECT_EQ(this->Providers({.query = "hashicorp/aws"}),
            (Texts{"a.example/hashicorp/aws", "a.example/hashicorp/awscc"}));
  EXPECT_EQ(this->Providers({.query = "AWSCC a.example"}), Texts{"a.example/hashicorp/awscc"});
  EXPECT_EQ(this->Modules({.query = "acme VPC"}), Texts{"a.example/Acme/vpc/aws"});
  for (const char* nothing : {"hashicorp/azurerm", "a_b", "%", "\\", "' OR 1=1", "a\tzz", "\xFF"}) {
    EXPECT_EQ(this->Providers({.query = nothing}), Texts{}) << nothing;
  }
}

TEST_P(UpstreamSummarySuite, TellsFreshListsFromOthers) {
  for (const char* key : {"a.example/acme/fresh", "a.example/acme/old", "a.example/acme/never"}) {
    this->Pin(SampleUpstreamRelease(key, "1.0.0", key));
  }
  this->PutList("provider-versions:a.example/acme/fresh", kSuiteNow);
  this->PutList("provider-versions:a.example/acme/old", kSuiteNow - 1);
  EXPECT_EQ(this->Providers({.checked_since = kSuiteNow}), Texts{"a.example/acme/fresh"});
  EXPECT_EQ(this->Providers({.checked_before = kSuiteNow}),
            (Texts{"a.example/acme/never", "a.example/acme/old"}));
  EXPECT_EQ(this->Providers({.query = "old", .checked_since = kSuiteNow}), Texts{});
}

TEST_P(UpstreamSummarySuite, CountsBothSorts) {
  EXPECT_EQ(*RunTask(upstream_listings().CountMirrored()), UpstreamCounts{});
  this->Pin(SampleUpstreamRelease(kRemote, "1.0.0"));
  this->Pin(SampleUpstreamRelease(kRemote, "1.1.0", "other"));
  this->PinModule(SampleUpstreamModule(kRemoteModule, "1.0.0"));
  EXPECT_EQ(*RunTask(upstream_listings().CountMirrored()),
            (UpstreamCounts{.providers = 1, .modules = 1}));
}

}  // namespace
}  // namespace koya
