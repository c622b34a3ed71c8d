// What every catalog must do: modules and providers of other registries are found while bytes of
// theirs are held, by those who may read the mirror. See catalog_suite_base.h.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/contents_catalog.h"
#include "catalog/search_index.h"
#include "catalog/search_suite_base.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/mirrored_subject.h"
#include "domain/module_record.h"
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

class MirroredProviderSearchSuite : public SearchSuiteBase {
 protected:
  static SearchSubject Subject(const UpstreamRelease& release) {
    return MirroredSubject(release.provider, release.version);
  }
  // Pins it, with these packages held.
  UpstreamRelease Pin(std::string_view key, std::string_view version,
                      const std::vector<std::string>& held, const std::string& content) {
    UpstreamRelease release = SampleUpstreamRelease(key, version, content);
    for (UpstreamPackage& each : release.packages) {
      if (std::ranges::find(held, each.platform.ToString()) == held.end()) continue;
      each = SampleHeldPackage(each.platform.ToString(), content);
    }
    this->ExpectDone(RunTask(upstream_releases().PinRelease(release, false)));
    return release;
  }
  // And puts it into the index, with one page of docs of this name.
  UpstreamRelease Mirror(std::string_view key, std::string_view version, const std::string& page,
                         const std::vector<std::string>& held = {"linux_amd64"}) {
    UpstreamRelease release = Pin(key, version, held, std::string(key) + std::string(version));
    this->Put(Subject(release), EntriesWith(page));
    return release;
  }
  static std::vector<SearchEntry> EntriesWith(const std::string& page) {
    return {Entry(SearchKind::kProvider, "demo"),
            Entry(SearchKind::kDoc, "resources/" + page, "", "Makes a gadget.")};
  }
  void LetGo(const UpstreamRelease& release, std::string_view platform) {
    this->ExpectDone(RunTask(upstream_holdings().ReleasePackage(Tester(), release.provider,
                                                                release.version, On(platform))));
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
INSTANTIATE_CATALOG_SUITE(MirroredProviderSearchSuite);

TEST_P(MirroredProviderSearchSuite, AreFoundUnderTheirWholeAddress) {
  this->Mirror(kRemote, "1.0.0", "thing_old");
  this->Mirror(kRemote, "1.1.0", "thing_new");
  this->Mirror("other.example.org:8443/acme/demo", "2.0.0", "thing_other");
  this->PublishRelease("acme/demo", "9.0.0", {Entry(SearchKind::kProvider, "demo")});
  const std::string first = "provider registry.example.com/acme/demo demo";
  const std::string other = "provider other.example.org:8443/acme/demo demo";
  const std::string own = "provider acme/demo demo";
  EXPECT_EQ(this->Find("demo kind:provider").size(), 3u) << "each registry's is one of its own";
  EXPECT_EQ(this->Find("host:registry.example.com kind:provider"), Texts{first});
  EXPECT_EQ(this->Find("host:other.example.org:8443 kind:provider"), Texts{other});
  EXPECT_EQ(this->Find("host:other.example.org"), Texts()) << "another port";
  EXPECT_EQ(this->Find("host:here demo"), Texts{own});
  EXPECT_EQ(this->Find("ns:acme kind:provider").size(), 3u);
  EXPECT_EQ(this->Find("registry kind:provider"), Texts()) << "a host is no word of a name";
  EXPECT_EQ(this->Find("thing_new"),
            Texts{"doc registry.example.com/acme/demo resources/thing_new"});
  EXPECT_EQ(this->Find("thing_old"), Texts()) << "of the newest version that is held";
  EXPECT_EQ(this->Find("thing_old version:any").size(), 1u);
  EXPECT_EQ(this->Find("gadget").size(), 2u);
  const SearchPage page = this->Page("host:registry.example.com kind:provider");
  ASSERT_EQ(page.items.size(), 1u);
  EXPECT_EQ(page.items[0].subject_kind, SearchKind::kProvider);
  EXPECT_EQ(page.items[0].host, "registry.example.com");
  EXPECT_EQ(page.items[0].version, "1.1.0");
  EXPECT_TRUE(page.items[0].newest);
  EXPECT_EQ(page.items[0].published_at, kSuiteNow) << "when it was seen first";
  EXPECT_EQ(this->Subjects(), (Texts{"mirrored-provider:other.example.org:8443/acme/demo 2.0.0",
                                     "mirrored-provider:registry.example.com/acme/demo 1.0.0",
                                     "mirrored-provider:registry.example.com/acme/demo 1.1.0",
                                     "provider:acme/demo 9.0.0"}));
}

TEST_P(MirroredProviderSearchSuite, AreForThoseAloneWhoMayReadTheMirror) {
  this->Mirror(kRemote, "1.0.0", "thing");
  ReadableNamespaces allowed = Stranger();
  allowed.mirrored = true;
  ReadableNamespaces careful = Stranger({"*", "acme"});
  careful.unrecorded = Visibility::kPrivate;
  for (const char* query : {"demo", "thing", "gadget version:any", "host:registry.example.com",
                            "ns:acme kind:provider", "thnig"}) {
    for (const ReadableNamespaces& reader : {Stranger(), careful, Insider({"*"})}) {
      const SearchPage page = this->Page(query, reader);
      EXPECT_EQ(this->Counts(page), "") << query;
      EXPECT_FALSE(page.forgiven) << query;
    }
    EXPECT_NE(this->Counts(this->Page(query, allowed)), "") << query;
    EXPECT_NE(this->Counts(this->Page(query, {})), "") << query;
  }
  // A namespace of the same name here changes nothing, neither way.
  this->AddNamespace("acme", Visibility::kPublic);
  EXPECT_EQ(this->Find("demo", Stranger()), Texts());
  EXPECT_EQ(this->Find("demo kind:provider", allowed).size(), 1u);
}

TEST_P(MirroredProviderSearchSuite, LeaveWithTheirLastPackageAndComeBackWithIt) {
  const UpstreamRelease first = this->Mirror(kRemote, "1.0.0", "first");
  const UpstreamRelease second =
      this->Mirror(kRemote, "1.1.0", "second", {"linux_amd64", "darwin_arm64"});
  this->LetGo(second, "linux_amd64");
  EXPECT_EQ(this->Find("kind:doc"), Texts{"doc registry.example.com/acme/demo resources/second"})
      << "one package is still held";
  this->LetGo(second, "darwin_arm64");
  EXPECT_EQ(this->Find("kind:doc"), Texts{"doc registry.example.com/acme/demo resources/first"})
      << "the newest of which something is held";
  EXPECT_EQ(this->Counts(this->Page("kind:provider version:any")), "provider 1, doc 1");
  auto put = RunTask(search_index().PutSearchEntries(this->Subject(second), {}));
  EXPECT_EQ(CatalogErrorOf(put), ErrorKind::kNotFound);
  EXPECT_EQ(this->Unindexed(), Texts());
  const UpstreamPackage back =
      SampleHeldPackage("linux_amd64", std::string(kRemote) + std::string("1.1.0"));
  this->ExpectDone(RunTask(upstream_releases().HoldPackage(second.provider, second.version, back)));
  EXPECT_EQ(this->Unindexed(), Texts{"registry.example.com/acme/demo 1.1.0"});
  this->Put(this->Subject(second), this->EntriesWith("again"));
  EXPECT_EQ(this->Unindexed(), Texts());
  EXPECT_EQ(this->Find("again").size(), 1u);
  this->ExpectDone(RunTask(upstream_holdings().ReleaseHeld(Tester(), back.digest, "damaged")));
  EXPECT_EQ(this->Find("again version:any"), Texts());
  const EvictionRule all{.max_bytes = 0, .hosts = {first.provider.host}};
  ASSERT_TRUE(RunTask(upstream_holdings().EvictHeld(all)));
  EXPECT_EQ(this->Subjects(), Texts());
  EXPECT_EQ(this->Counts(this->Page("version:any")), "");
}

TEST_P(MirroredProviderSearchSuite, WhatIsPinnedAloneIsNotFound) {
  const UpstreamRelease pinned = this->Pin(kRemote, "1.0.0", {}, "pinned");
  auto put = RunTask(search_index().PutSearchEntries(this->Subject(pinned), {}));
  EXPECT_EQ(CatalogErrorOf(put), ErrorKind::kNotFound);
  const SearchSubject unknown =
      MirroredSubject(Remote("registry.example.com/acme/other"), V("1.0.0"));
  EXPECT_EQ(CatalogErrorOf(RunTask(search_index().PutSearchEntries(unknown, {}))),
            ErrorKind::kNotFound);
  EXPECT_EQ(this->Unindexed(), Texts());
  EXPECT_EQ(this->Subjects(), Texts());
}

TEST_P(MirroredProviderSearchSuite, BytesOfSeveralTakeAllOfThemAlong) {
  constexpr std::string_view kOther = "other.example.org/acme/demo";
  const UpstreamRelease one = this->Pin(kRemote, "1.0.0", {"linux_amd64"}, "same");
  const UpstreamRelease two = this->Pin(kOther, "1.0.0", {"linux_amd64"}, "same");
  const UpstreamRelease three = this->Pin(kOther, "2.0.0", {"linux_amd64", "darwin_arm64"}, "same");
  for (const UpstreamRelease& each : {one, two, three}) {
    this->Put(this->Subject(each), this->EntriesWith("thing"));
  }
  this->LetGo(one, "linux_amd64");
  EXPECT_EQ(this->Find("kind:provider version:any"),
            (Texts{"provider other.example.org/acme/demo demo",
                   "provider other.example.org/acme/demo demo"}));
  const Digest shared = SampleUpstreamPackage("linux_amd64", "same").digest;
  this->ExpectDone(RunTask(upstream_holdings().ReleaseHeld(Tester(), shared, "damaged")));
  EXPECT_EQ(this->Subjects(), Texts{"mirrored-provider:other.example.org/acme/demo 2.0.0"})
      << "of which another package is held";
}

TEST_P(MirroredProviderSearchSuite, WhatIsNotIndexedIsListedModulesFirst) {
  const UpstreamModuleVersion module = SampleUpstreamModule(kRemoteModule, "3.0.0");
  this->ExpectDone(RunTask(upstream_modules().PinModule(module)));
  const ModuleSubject there{module.module.host.ascii(), module.module.address, module.version};
  this->ExpectDone(RunTask(contents().PutContents(
      there, {.contents = ContentsRecord{1, "read"}, .entries = std::nullopt})));
  const UpstreamRelease first = this->Pin(kRemote, "1.0.0", {"linux_amd64"}, "first");
  this->Pin(kRemote, "2.0.0", {"linux_amd64"}, "second");
  this->Pin("a.example.org/acme/demo", "1.0.0", {"linux_amd64"}, "third");
  EXPECT_EQ(this->Unindexed(), Texts{"registry.example.com/acme/vpc/aws 3.0.0"});
  const SearchSubject listed =
      SearchSubject::Mirrored(there.host, module.module.address, module.version);
  EXPECT_EQ(this->Unindexed(listed),
            (Texts{"a.example.org/acme/demo 1.0.0", "registry.example.com/acme/demo 1.0.0",
                   "registry.example.com/acme/demo 2.0.0"}));
  EXPECT_EQ(this->Unindexed(this->Subject(first)), Texts{"registry.example.com/acme/demo 2.0.0"});
}

// A search examines a limited number of entries: those that it leaves out are not examined.
TEST_P(MirroredProviderSearchSuite, ManyOfThemHideNothingFromASearchForWhatIsHere) {
  this->PublishModule("acme/vpc/aws", "1.0.0", {Entry(SearchKind::kInput, "flood")});
  const UpstreamRelease large = this->Pin(kRemote, "1.0.0", {"linux_amd64"}, "large");
  const std::vector<SearchEntry> pages(SearchIndex::kMostFound + 1,
                                       Entry(SearchKind::kDoc, "flood"));
  this->Put(this->Subject(large), pages);
  EXPECT_TRUE(this->Page("flood").cut);
  EXPECT_EQ(this->Find("flood host:here"), Texts{"input acme/vpc/aws flood"});
  EXPECT_EQ(this->Find("flo host:here"), Texts{"input acme/vpc/aws flood"});
  EXPECT_EQ(this->Counts(this->Page("flood host:here kind:doc")), "input 1");
  EXPECT_FALSE(this->Page("flood host:here").cut);
}

TEST_P(MirroredProviderSearchSuite, WhoeverLetsGoAtOnceLeavesNothing) {
  const std::vector<std::string> both{"darwin_arm64", "linux_amd64"};
  std::vector<UpstreamRelease> releases;
  for (int i = 0; i < 6; ++i) {
    releases.push_back(this->Mirror(kRemote, "1." + std::to_string(i) + ".0", "thing", both));
  }
  Racers racers;
  std::vector<Result<bool>> gone;
  std::vector<Status> put;
  for (const UpstreamRelease& each : releases) {
    for (const std::string& platform : both) {
      racers.Add(
          upstream_holdings().ReleasePackage(Tester(), each.provider, each.version, On(platform)),
          &gone);
    }
    racers.Add(search_index().PutSearchEntries(this->Subject(each), this->EntriesWith("late")),
               &put);
  }
  racers.Run();
  for (const auto& each : gone) EXPECT_TRUE(each) << each.error().message << each.error().detail;
  for (const Status& each : put) {
    EXPECT_TRUE(each || each.error().kind == ErrorKind::kNotFound) << each.error().message;
  }
  EXPECT_EQ(this->Subjects(), Texts());
  EXPECT_EQ(this->Counts(this->Page("version:any")), "");
}

}  // namespace

}  // namespace koya
