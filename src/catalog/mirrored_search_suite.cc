// What every catalog must do: modules of other registries are found while their bytes are held, by
// those who may read the mirror. See catalog_suite_base.h.
#include <string>
#include <utility>
#include <vector>

#include "catalog/contents_catalog.h"
#include "catalog/search_index.h"
#include "catalog/search_suite_base.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/contents_record.h"
#include "domain/page.h"
#include "domain/search_query.h"
#include "domain/search_record.h"
#include "domain/upstream_record.h"

namespace koya {
namespace {

class MirroredSearchSuite : public SearchSuiteBase {
 protected:
  static SearchSubject Subject(const UpstreamModuleVersion& version) {
    return SearchSubject::Mirrored(version.module.host.ascii(), version.module.address,
                                   version.version);
  }
  static ModuleSubject There(const UpstreamModuleVersion& version) {
    return {version.module.host.ascii(), version.module.address, version.version};
  }
  // Pins and holds it, and stores its contents: one input of this name.
  UpstreamModuleVersion Mirror(std::string_view key, std::string_view version, std::string input) {
    UpstreamModuleVersion pinned =
        SampleUpstreamModule(key, version, std::string(key) + std::string(version));
    this->ExpectDone(RunTask(upstream_modules().PinModule(pinned)));
    Keep(pinned, std::move(input));
    return pinned;
  }
  void Keep(const UpstreamModuleVersion& version, std::string input) {
    std::vector<SearchEntry> entries{Entry(SearchKind::kModule, version.module.address.name()),
                                     Entry(SearchKind::kInput, std::move(input))};
    this->ExpectDone(RunTask(contents().PutContents(
        There(version), {.contents = ContentsRecord{1, "read"}, .entries = std::move(entries)})));
  }
  Texts Unindexed(std::optional<SearchSubject> after = std::nullopt) {
    Texts texts;
    auto listed = RunTask(search_index().ListUnindexedMirrored(std::move(after)));
    this->ExpectDone(listed);
    for (const SearchSubject& each : listed.value_or(std::vector<SearchSubject>())) {
      texts.push_back(each.address + " " + each.version.ToString());
    }
    return texts;
  }
};
INSTANTIATE_CATALOG_SUITE(MirroredSearchSuite);

TEST_P(MirroredSearchSuite, AreFoundUnderTheirRegistrysAddress) {
  this->Mirror(kRemoteModule, "1.0.0", "cidr_old");
  this->Mirror(kRemoteModule, "1.1.0", "cidr_new");
  this->Mirror("other.example.org:8443/Acme/vpc/aws", "2.0.0", "cidr_other");
  this->PublishModule("acme/vpc/aws", "9.0.0", {Entry(SearchKind::kInput, "cidr_own")});
  const std::string first = "input registry.example.com/acme/vpc/aws cidr_new";
  const std::string other = "input other.example.org:8443/Acme/vpc/aws cidr_other";
  const std::string own = "input acme/vpc/aws cidr_own";
  EXPECT_EQ(this->Find("cidr").size(), 3u);
  EXPECT_EQ(this->Find("host:registry.example.com cidr"), Texts{first}) << "of the newest version";
  EXPECT_EQ(this->Find("host:Registry.Example.com cidr_old version:any").size(), 1u);
  EXPECT_EQ(this->Find("host:other.example.org:8443 cidr"), Texts{other});
  EXPECT_EQ(this->Find("host:other.example.org cidr"), Texts()) << "another port";
  EXPECT_EQ(this->Find("host:here cidr"), Texts{own});
  EXPECT_EQ(this->Find("ns:acme cidr").size(), 3u) << "whosever namespace it is";
  EXPECT_EQ(this->Find("registry").size(), 0u) << "a host is no word of a name";
  const SearchPage page = this->Page("cidr_new");
  ASSERT_EQ(page.items.size(), 1u);
  EXPECT_EQ(page.items[0].host, "registry.example.com");
  EXPECT_EQ(page.items[0].version, "1.1.0");
  EXPECT_TRUE(page.items[0].newest);
  EXPECT_EQ(page.items[0].published_at, kSuiteNow);
  EXPECT_EQ(this->Page("cidr_own").items[0].host, "");
  auto narrowed = SearchQuery::Parse("vpc");
  ASSERT_TRUE(narrowed);
  ASSERT_TRUE(narrowed->NarrowToModules("", ""));
  auto modules = RunTask(search_index().Search({*std::move(narrowed), {}, {0, 100}}));
  ASSERT_TRUE(modules);
  EXPECT_EQ(modules->items.size(), 0u) << "that list is of what is published here";
}

TEST_P(MirroredSearchSuite, AreForThoseAloneWhoMayReadTheMirror) {
  this->Mirror(kRemoteModule, "1.0.0", "cidr");
  ReadableNamespaces visitor = Stranger();
  ReadableNamespaces allowed = Stranger();
  allowed.mirrored = true;
  ReadableNamespaces careful = Stranger({"*", "acme"});
  careful.unrecorded = Visibility::kPrivate;
  for (const char* query :
       {"cidr", "cidr version:any", "host:registry.example.com", "ns:acme kind:input"}) {
    EXPECT_EQ(this->Counts(this->Page(query, visitor)), "") << query;
    EXPECT_EQ(this->Counts(this->Page(query, careful)), "") << query;
    EXPECT_EQ(this->Counts(this->Page(query, Insider({"*"}))), "") << query;
    EXPECT_NE(this->Counts(this->Page(query, allowed)), "") << query;
    EXPECT_NE(this->Counts(this->Page(query, {})), "") << query;
  }
  // A namespace of the same name here changes nothing.
  this->AddNamespace("acme", Visibility::kPublic);
  EXPECT_EQ(this->Find("cidr", visitor), Texts());
  this->AddNamespace("closed", Visibility::kPrivate);
  this->PublishModule("closed/vpc/aws", "1.0.0", {Entry(SearchKind::kInput, "cidr")});
  EXPECT_EQ(this->Find("cidr kind:input", allowed),
            Texts{"input registry.example.com/acme/vpc/aws cidr"});
}

TEST_P(MirroredSearchSuite, GoWithTheBytesAndComeBackWithThem) {
  const UpstreamModuleVersion first = this->Mirror(kRemoteModule, "1.0.0", "first");
  const UpstreamModuleVersion second = this->Mirror(kRemoteModule, "1.1.0", "second");
  EXPECT_EQ(this->Find("kind:input").size(), 1u);
  this->ExpectDone(
      RunTask(upstream_holdings().ReleaseModule(Tester(), second.module, second.version)));
  EXPECT_EQ(this->Find("kind:input"), Texts{"input registry.example.com/acme/vpc/aws first"})
      << "the newest that is held";
  this->ExpectDone(RunTask(upstream_holdings().ReleaseHeld(Tester(), first.digest, "damaged")));
  EXPECT_EQ(this->Find("kind:input version:any"), Texts());
  EXPECT_EQ(this->Subjects(), Texts());
  // Contents analyzed while their bytes are gone are stored, and not found.
  this->Keep(first, "late");
  EXPECT_EQ(this->Find("late version:any"), Texts());
  auto put = RunTask(
      search_index().PutSearchEntries(this->Subject(first), {Entry(SearchKind::kInput, "late")}));
  EXPECT_EQ(CatalogErrorOf(put), ErrorKind::kNotFound);
  EXPECT_EQ(this->Unindexed(), Texts());
  this->ExpectDone(RunTask(upstream_modules().PinModule(first)));
  this->ExpectDone(RunTask(upstream_modules().PinModule(second)));
  EXPECT_EQ(this->Unindexed(), (Texts{"registry.example.com/acme/vpc/aws 1.0.0",
                                      "registry.example.com/acme/vpc/aws 1.1.0"}));
  EXPECT_EQ(this->Unindexed(this->Subject(first)),
            Texts{"registry.example.com/acme/vpc/aws 1.1.0"});
  this->Put(this->Subject(second), {Entry(SearchKind::kInput, "again")});
  EXPECT_EQ(this->Unindexed(), Texts{"registry.example.com/acme/vpc/aws 1.0.0"});
  EXPECT_EQ(this->Find("again"), Texts{"input registry.example.com/acme/vpc/aws again"});
  EXPECT_EQ(this->Subjects(), Texts{"mirror:registry.example.com/acme/vpc/aws 1.1.0"});
  const EvictionRule all{.max_bytes = 0, .hosts = {second.module.host}};
  ASSERT_TRUE(RunTask(upstream_holdings().EvictHeld(all)));
  EXPECT_EQ(this->Subjects(), Texts());
}

TEST_P(MirroredSearchSuite, ABlobOfSeveralTakesAllOfThemAlong) {
  UpstreamModuleVersion one = SampleUpstreamModule(kRemoteModule, "1.0.0", "same");
  UpstreamModuleVersion two =
      SampleUpstreamModule("other.example.org/acme/vpc/aws", "1.0.0", "same");
  for (const UpstreamModuleVersion& each : {one, two}) {
    this->ExpectDone(RunTask(upstream_modules().PinModule(each)));
    this->Keep(each, "shared");
  }
  EXPECT_EQ(this->Find("shared").size(), 2u);
  this->ExpectDone(RunTask(upstream_holdings().ReleaseModule(Tester(), one.module, one.version)));
  EXPECT_EQ(this->Find("shared"), Texts{"input other.example.org/acme/vpc/aws shared"});
  this->ExpectDone(RunTask(upstream_holdings().ReleaseHeld(Tester(), two.digest, "damaged")));
  EXPECT_EQ(this->Find("shared"), Texts());
}

}  // namespace
}  // namespace koya
