// What every catalog must do: the search index agrees with the catalog, for every caller with
// access. See catalog_suite_base.h.
#include <string>
#include <utility>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/search_index.h"
#include "catalog/search_suite_base.h"

namespace koya {
namespace {

class SearchTruthSuite : public SearchSuiteBase {};
INSTANTIATE_CATALOG_SUITE(SearchTruthSuite);

TEST_P(SearchTruthSuite, PrivateThingsAreNeitherFoundNorCounted) {
  for (const char* ns : {"Open", "within", "closed", "older", "team-a", "team-b"}) {
    this->PublishModule(std::string(ns) + "/vpc/aws", "1.0.0",
                        {Entry(SearchKind::kModule, "vpc"), Entry(SearchKind::kInput, "vpcid")});
  }
  this->AddNamespace("open", Visibility::kPublic);
  this->AddNamespace("Within", Visibility::kInternal);
  for (const char* ns : {"closed", "team-a", "team-b"}) {
    this->AddNamespace(ns, Visibility::kPrivate);
  }
  ReadableNamespaces careful = Stranger({"TEAM-A"});
  careful.unrecorded = Visibility::kPrivate;
  ReadableNamespaces patterned = Stranger({"ol*", "team-*"});
  patterned.unrecorded = Visibility::kPrivate;
  const std::pair<ReadableNamespaces, Texts> kCases[] = {
      {{}, {"closed", "older", "Open", "team-a", "team-b", "within"}},
      {Stranger(), {"older", "Open"}},
      {Insider(), {"older", "Open", "within"}},
      {Stranger({"closed"}), {"closed", "older", "Open"}},
      {Stranger({"team-*"}), {"older", "Open", "team-a", "team-b"}},
      {Stranger({"*"}), {"closed", "older", "Open", "team-a", "team-b", "within"}},
      {Stranger({"nobody", "%", "clos"}), {"older", "Open"}},
      {careful, {"Open", "team-a"}},
      {patterned, {"older", "Open", "team-a", "team-b"}}};
  for (const auto& [readable, wanted] : kCases) {
    for (const char* query :
         {"vpc", "vpc version:any", "vpc version:1.0.0", "vpc kind:module,input",
          "kind:module,input", "vqcid", "deprecated:no"}) {
      const SearchPage page = this->Page(query, readable);
      Texts modules;
      for (const SearchHit& hit : page.items) {
        if (hit.kind == SearchKind::kInput)
          modules.push_back(hit.address.substr(0, hit.address.find('/')));
      }
      EXPECT_EQ(modules, wanted) << query << testing::PrintToString(readable.named);
      EXPECT_EQ(page.counts.at(SearchKind::kInput), wanted.size()) << query;
    }
  }
  EXPECT_EQ(this->Find("ns:closed vpc", Stranger()), Texts());
  EXPECT_EQ(this->Counts(this->Page("ns:closed vpc", Stranger())), "");
  this->ExpectDone(RunTask(namespaces().SetVisibility(Tester(), "closed", Visibility::kPublic)));
  EXPECT_EQ(this->Find("ns:closed vpc", Stranger()).size(), 2u);
  this->ExpectDone(RunTask(namespaces().SetVisibility(Tester(), "open", Visibility::kPrivate)));
  EXPECT_EQ(this->Find("ns:open vpc", Stranger()), Texts());
}

TEST_P(SearchTruthSuite, TheNewestVersionIsFoundAndOthersByTheirNumber) {
  this->PublishModule("acme/vpc/aws", "1.0.0", {Entry(SearchKind::kInput, "oldest")});
  this->PublishModule("acme/vpc/aws", "2.0.0-rc.1", {Entry(SearchKind::kInput, "preview")});
  this->PublishModule("acme/vpc/aws", "1.10.0", {Entry(SearchKind::kInput, "newest")});
  this->PublishModule("acme/vpc/aws", "1.9.0", {Entry(SearchKind::kInput, "backport")});
  EXPECT_EQ(this->Find("ns:acme"), Texts{"input acme/vpc/aws newest"});
  EXPECT_TRUE(this->Page("ns:acme").items[0].newest);
  for (std::string_view word : {"oldest", "preview", "backport"}) {
    EXPECT_EQ(this->Find(word), Texts()) << word;
    EXPECT_EQ(this->Find(std::string(word) + " version:any").size(), 1u) << word;
  }
  EXPECT_EQ(this->Find("version:v1.9.0"), Texts{"input acme/vpc/aws backport"});
  EXPECT_FALSE(this->Page("version:1.9.0").items[0].newest);
  EXPECT_EQ(this->Find("version:2.0.0-rc.1"), Texts{"input acme/vpc/aws preview"});
  EXPECT_EQ(this->Find("version:2.0.0"), Texts());
  EXPECT_EQ(this->Counts(this->Page("version:any ns:acme")), "input 4");
  this->WithdrawModule("acme/vpc/aws", "1.10.0");
  EXPECT_EQ(this->Find("ns:acme"), Texts{"input acme/vpc/aws backport"});
  EXPECT_EQ(this->Find("newest version:any"), Texts());
  this->WithdrawModule("acme/vpc/aws", "1.9.0");
  this->WithdrawModule("acme/vpc/aws", "1.0.0");
  EXPECT_EQ(this->Find("ns:acme"), Texts{"input acme/vpc/aws preview"});
  this->WithdrawModule("acme/vpc/aws", "2.0.0-rc.1");
  EXPECT_EQ(this->Find("version:any ns:acme"), Texts());
  EXPECT_EQ(this->Subjects(), Texts());
}

TEST_P(SearchTruthSuite, EntriesOfAVersionAreReplacedAsOne) {
  this->PublishModule("acme/vpc/aws", "1.0.0",
                      {Entry(SearchKind::kInput, "first"), Entry(SearchKind::kInput, "second")});
  this->Put(this->Module("acme/vpc/aws", "1.0.0"), {Entry(SearchKind::kInput, "third")});
  EXPECT_EQ(this->Find("ns:acme"), Texts{"input acme/vpc/aws third"});
  EXPECT_EQ(this->Find("first version:any"), Texts());
  this->Put(this->Module("ACME/VPC/aws", "1.0.0"), {Entry(SearchKind::kInput, "fourth")});
  EXPECT_EQ(this->Find("ns:acme"), Texts{"input ACME/VPC/aws fourth"});
  const Result<void> refused = RunTask(search_index().PutSearchEntries(
      this->Module("acme/vpc/aws", "1.0.0"),
      {Entry(SearchKind::kInput, "fifth"), Entry(SearchKind::kInput, "\xff")}));
  EXPECT_EQ(CatalogErrorOf(refused), ErrorKind::kInvalid);
  EXPECT_EQ(this->Find("ns:acme"), Texts{"input ACME/VPC/aws fourth"}) << "all or nothing";
  this->Put(this->Module("acme/vpc/aws", "1.0.0"), {});
  EXPECT_EQ(this->Find("ns:acme"), Texts());
  EXPECT_EQ(this->Subjects(), Texts{"module:acme/vpc/aws 1.0.0"});
}

TEST_P(SearchTruthSuite, WhatIsNotPublishedIsNotIndexed) {
  auto put = [this](SearchSubject subject) {
    return RunTask(search_index().PutSearchEntries(std::move(subject),
                                                   {Entry(SearchKind::kInput, "something")}));
  };
  EXPECT_EQ(CatalogErrorOf(put(this->Module("acme/vpc/aws", "1.0.0"))), ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(put(this->ProviderOf("acme/demo", "1.0.0"))), ErrorKind::kNotFound);
  this->PublishModule("acme/vpc/aws", "1.0.0", {Entry(SearchKind::kInput, "something")});
  EXPECT_EQ(CatalogErrorOf(put(this->Module("acme/vpc/aws", "1.0.1"))), ErrorKind::kNotFound);
  EXPECT_EQ(CatalogErrorOf(put(this->Module("acme/vpc/aws", "1.0.0+b"))), ErrorKind::kNotFound);
  this->WithdrawModule("acme/vpc/aws", "1.0.0");
  EXPECT_EQ(CatalogErrorOf(put(this->Module("acme/vpc/aws", "1.0.0"))), ErrorKind::kNotFound);
  EXPECT_EQ(this->Find("something version:any"), Texts());
  for (const std::string& text : kUnstorable) {
    this->PublishModule("acme/other/aws", "1.0." + std::to_string(text.size()), {});
    for (SearchEntry entry : {Entry(SearchKind::kInput, text), Entry(SearchKind::kInput, "a", text),
                              Entry(SearchKind::kInput, "a", "", text)}) {
      EXPECT_EQ(
          CatalogErrorOf(RunTask(search_index().PutSearchEntries(
              this->Module("acme/other/aws", "1.0." + std::to_string(text.size())), {entry}))),
          ErrorKind::kInvalid);
      entry = Entry(SearchKind::kInput, "a");
      entry.uses = {text};
      EXPECT_EQ(
          CatalogErrorOf(RunTask(search_index().PutSearchEntries(
              this->Module("acme/other/aws", "1.0." + std::to_string(text.size())), {entry}))),
          ErrorKind::kInvalid);
    }
  }
}

TEST_P(SearchTruthSuite, DeprecatedReleasesComeLastAndSaySo) {
  this->PublishRelease("acme/demo", "1.0.0", {Entry(SearchKind::kProvider, "demo")});
  this->PublishRelease(
      "beta/demo", "1.0.0",
      {Entry(SearchKind::kProvider, "demonstration"), Entry(SearchKind::kDoc, "page", "demo")});
  const std::string acme = "provider acme/demo demo";
  const std::string beta = "provider beta/demo demonstration";
  const std::string page = "doc beta/demo page";
  EXPECT_EQ(this->Find("demo"), (Texts{acme, beta, page}));
  auto deprecate = [this](std::string message) {
    this->ExpectDone(RunTask(providers().DeprecateRelease(Tester(), Provider("acme/demo"),
                                                          V("1.0.0"), std::move(message))));
  };
  deprecate("use beta/demo");
  EXPECT_EQ(this->Find("demo"), (Texts{beta, page, acme}));
  EXPECT_TRUE(this->Page("demo").items[2].deprecated);
  EXPECT_EQ(this->Find("deprecated:yes"), Texts{acme});
  EXPECT_EQ(this->Find("demo deprecated:no"), (Texts{beta, page}));
  this->Put(this->ProviderOf("acme/demo", "1.0.0"), {Entry(SearchKind::kProvider, "demo")});
  EXPECT_EQ(this->Find("deprecated:yes"), Texts{acme}) << "as the catalog says";
  deprecate("");
  EXPECT_EQ(this->Find("demo"), (Texts{acme, beta, page}));
  EXPECT_EQ(this->Find("deprecated:yes"), Texts());
  this->ExpectDone(RunTask(providers().WithdrawRelease(Tester(), Provider("acme/demo"), V("1.0.0"),
                                                       {.at = 5, .by = "ann", .reason = "bad"})));
  EXPECT_EQ(this->Find("demo version:any"), (Texts{beta, page}));
}

TEST_P(SearchTruthSuite, SubjectsAreListedAndRemoved) {
  this->PublishModule("acme/vpc/aws", "1.0.0", {Entry(SearchKind::kInput, "one")});
  this->PublishModule("acme/vpc/aws", "1.1.0", {Entry(SearchKind::kInput, "two")});
  this->PublishRelease("acme/demo", "1.0.0", {Entry(SearchKind::kProvider, "demo")});
  EXPECT_EQ(this->Subjects(), (Texts{"module:acme/vpc/aws 1.0.0", "module:acme/vpc/aws 1.1.0",
                                     "provider:acme/demo 1.0.0"}));
  auto after = RunTask(search_index().ListSearchSubjects(this->Module("acme/vpc/aws", "1.0.0")));
  ASSERT_TRUE(after);
  ASSERT_EQ(after->size(), 2u);
  EXPECT_EQ((*after)[1].address, "acme/demo");
  for (const char* version : {"1.1.0", "1.1.0", "9.9.9"}) {
    this->ExpectDone(
        RunTask(search_index().RemoveSearchEntries(this->Module("acme/vpc/aws", version))));
  }
  EXPECT_EQ(this->Find("kind:input"), Texts{"input acme/vpc/aws one"});
}

TEST_P(SearchTruthSuite, WhatIsNotIndexedIsListed) {
  auto missing = [this](SearchKind kind, std::optional<SearchSubject> after = std::nullopt) {
    Texts texts;
    auto subjects = RunTask(search_index().ListUnindexed(kind, std::move(after)));
    EXPECT_TRUE(subjects);
    for (const SearchSubject& each : subjects.value_or(std::vector<SearchSubject>{})) {
      texts.push_back(each.key + " " + each.version.ToString());
    }
    return texts;
  };
  EXPECT_EQ(missing(SearchKind::kModule), Texts());
  for (const char* version : {"1.0.0", "1.1.0+b.2", "1.2.0", "1.3.0"}) {
    this->ExpectDone(
        RunTask(modules().AddVersion(Tester(), Record("Acme/vpc/aws", version, version))));
  }
  this->ExpectDone(
      RunTask(modules().AddVersion(Tester(), Record("beta/vpc/aws", "1.0.0", "beta"))));
  this->PublishRelease("acme/demo", "1.0.0", {Entry(SearchKind::kProvider, "demo")});
  this->PublishRelease("acme/demo", "1.1.0", {Entry(SearchKind::kProvider, "demo")});
  this->Put(this->Module("acme/vpc/aws", "1.0.0"), {Entry(SearchKind::kModule, "vpc")});
  this->ExpectDone(RunTask(modules().Withdraw(Tester(), Address("acme/vpc/aws"), V("1.2.0"),
                                              {.at = 5, .by = "ann", .reason = "bad"})));
  EXPECT_EQ(missing(SearchKind::kModule),
            (Texts{"module:acme/vpc/aws 1.1.0+b.2", "module:acme/vpc/aws 1.3.0",
                   "module:beta/vpc/aws 1.0.0"}));
  EXPECT_EQ(missing(SearchKind::kModule, this->Module("acme/vpc/aws", "1.1.0+b.2")),
            (Texts{"module:acme/vpc/aws 1.3.0", "module:beta/vpc/aws 1.0.0"}));
  EXPECT_EQ(missing(SearchKind::kModule, this->Module("acme/vpc/aws", "1.3.0")),
            Texts{"module:beta/vpc/aws 1.0.0"});
  EXPECT_EQ(missing(SearchKind::kProvider), Texts());
  this->ExpectDone(
      RunTask(search_index().RemoveSearchEntries(this->ProviderOf("acme/demo", "1.0.0"))));
  EXPECT_EQ(missing(SearchKind::kProvider), Texts{"provider:acme/demo 1.0.0"});
  EXPECT_EQ(missing(SearchKind::kProvider, this->ProviderOf("acme/demo", "1.0.0")), Texts());
}

TEST_P(SearchTruthSuite, ASearchForModulesAloneIsNarrowed) {
  for (const char* address : {"acme/vpc/aws", "acme/vpc/gcp", "beta/vpc/aws"}) {
    this->PublishModule(address, "1.0.0",
                        {Entry(SearchKind::kModule, "vpc"), Entry(SearchKind::kInput, "vpcid")});
  }
  auto found = [this](const char* text, const char* ns, const char* system) {
    Result<SearchQuery> query = SearchQuery::Parse(text);
    Texts texts;
    if (!query || !query->NarrowToModules(ns, system)) return Texts{"nothing can match"};
    SearchRequest request{*std::move(query), {}, {.offset = 0, .limit = 10}};
    auto page = RunTask(search_index().Search(std::move(request)));
    EXPECT_TRUE(page);
    for (const SearchHit& hit : page.value_or(SearchPage{}).items) texts.push_back(hit.address);
    return texts;
  };
  EXPECT_EQ(found("vpc kind:input", "", ""),
            (Texts{"acme/vpc/aws", "acme/vpc/gcp", "beta/vpc/aws"}));
  EXPECT_EQ(found("vpc", "", "AWS"), (Texts{"acme/vpc/aws", "beta/vpc/aws"}));
  EXPECT_EQ(found("vpc", "Acme", "aws"), Texts{"acme/vpc/aws"});
  EXPECT_EQ(found("vpc ns:acme", "acme", ""), (Texts{"acme/vpc/aws", "acme/vpc/gcp"}));
  EXPECT_EQ(found("vpc ns:acme", "beta", ""), Texts{"nothing can match"});
  EXPECT_EQ(found("vpc", "", "aw"), Texts());
  EXPECT_EQ(found("vpc system:gcp", "", ""), Texts{"acme/vpc/gcp"});
  EXPECT_EQ(found("vpc system:gcp", "", "aws"), Texts{"nothing can match"});
}

// Each facet's number is the total of the search with that filter.
TEST_P(SearchTruthSuite, FacetsAreTheTotalsOfTheSearchesWithTheirFilters) {
  auto needing = [](SearchEntry entry) {
    entry.needs = {"registry.opentofu.org/hashicorp/aws"};
    return entry;
  };
  int number = 0;
  for (const char* address : {"Acme/vpc/aws", "acme/vpc/gcp", "beta/vpc/aws", "beta/zone/azurerm",
                              "closed/vpc/aws", "hashicorp/consul/aws"}) {
    const std::string input = "network_" + std::to_string(number % 3);
    for (const char* version : {"1.0.0", "1.1.0"}) {
      this->PublishModule(
          address, version,
          {needing(Entry(SearchKind::kModule, "vpc", number % 2 == 0 ? "a network" : "")),
           Entry(SearchKind::kInput, input, "private subnet"),
           Entry(SearchKind::kOutput, "subnet_ids", "", number % 3 == 0 ? "network subnet" : "")});
    }
    ++number;
  }
  this->PublishRelease("hashicorp/aws", "1.0.0",
                       {Entry(SearchKind::kProvider, "aws"), Entry(SearchKind::kDoc, "network")});
  this->ExpectDone(
      RunTask(modules().Deprecate(Tester(), Address("beta/vpc/aws"), V("1.1.0"), "no")));
  this->AddNamespace("closed", Visibility::kPrivate);
  auto ask = [this](const std::string& text, const ReadableNamespaces& readable) {
    auto page = RunTask(search_index().Search(
        {SearchQuery::Parse(text).value(), readable, {0, 2}, SearchOrder::kBest, true, true}));
    EXPECT_TRUE(page) << text << ": " << page.error().message << page.error().detail;
    return page.value_or(SearchPage());
  };
  for (const char* text :
       {"network", "network kind:input", "vpc", "network_1", "netw", "networc", "hashicorp/aws",
        "kind:module", "kind:module,provider deprecated:no", "needs:hashicorp/aws",
        "subnet version:any", "vpc version:1.0.0", "\"private subnet\"", "ns:acme", "system:aws",
        "network private zzz", "nothing"}) {
    for (const ReadableNamespaces& readable : {ReadableNamespaces(), Stranger()}) {
      const SearchFacets facets = ask(text, readable).facets;
      if (facets.cut) continue;
      const std::pair<const char*, SearchFacets::Values> kEach[] = {
          {"ns:", facets.ns}, {"system:", facets.system}, {"deprecated:", facets.deprecated}};
      for (const auto& [filter, values] : kEach) {
        if (std::string_view(text).contains(filter)) continue;
        for (const auto& [value, total] : values) {
          const std::string narrowed = text + std::string(" ") + filter + value;
          std::uint64_t found = 0;
          for (const auto& [kind, count] : ask(narrowed, readable).facets.kind) found += count;
          EXPECT_EQ(found, total) << narrowed;
        }
      }
      if (std::string_view(text).contains("kind:")) continue;
      for (const auto& [kind, total] : facets.kind) {
        EXPECT_EQ(ask(text + std::string(" kind:") + kind, readable).facets.kind,
                  (SearchFacets::Values{{kind, total}}))
            << text << kind;
      }
    }
  }
  const SearchPage found = ask("network", Stranger());
  EXPECT_FALSE(found.facets.cut);
  EXPECT_FALSE(found.facets.ns.contains("closed"));
  EXPECT_EQ(found.facets.deprecated.at("yes"), 2u);
  EXPECT_EQ(found.packages, found.facets.ns.size() + 3) << "each has two";
  EXPECT_TRUE(ask("network private zzz", Stranger()).facets.cut) << "another word may be left out";
}

TEST_P(SearchTruthSuite, FacetsAreCutAtTheirBound) {
  for (std::size_t i = 0; i <= SearchIndex::kMostFacetValues; ++i) {
    this->PublishModule(
        "team" + std::to_string(i) + "/vpc/aws", "1.0.0",
        i == 7 ? Entries{Entry(SearchKind::kModule, "vpc")}
               : Entries{Entry(SearchKind::kModule, "vpc"), Entry(SearchKind::kInput, "vpc")});
  }
  auto page = RunTask(search_index().Search(
      {SearchQuery::Parse("vpc").value(), {}, {0, 2}, SearchOrder::kBest, true, true}));
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->facets.cut);
  EXPECT_EQ(page->facets.ns.size(), SearchIndex::kMostFacetValues);
  EXPECT_FALSE(page->facets.ns.contains("team7")) << "those with the most results stay";
  EXPECT_EQ(page->facets.system, (SearchFacets::Values{{"aws", 41}}));
  EXPECT_EQ(page->packages, 21u);
}

TEST_P(SearchTruthSuite, AnAddressOfAProviderFindsItAndWhatNeedsIt) {
  SearchEntry vpc = Entry(SearchKind::kModule, "vpc");
  vpc.needs = {"registry.opentofu.org/hashicorp/aws"};
  this->PublishModule("acme/vpc/aws", "1.0.0", {vpc, Entry(SearchKind::kInput, "cidr")});
  this->PublishModule("acme/dns/gcp", "1.0.0", {Entry(SearchKind::kModule, "dns")});
  this->PublishRelease("hashicorp/aws", "1.0.0", {Entry(SearchKind::kProvider, "aws")});
  this->PublishRelease("acme/aws", "1.0.0", {Entry(SearchKind::kProvider, "aws")});
  const Texts both{"provider hashicorp/aws aws", "module acme/vpc/aws vpc"};
  EXPECT_EQ(this->Find("hashicorp/aws"), both);
  EXPECT_EQ(this->Find("registry.opentofu.org/hashicorp/aws"), both);
  EXPECT_EQ(this->Page("hashicorp/aws").items.at(0).why, "address");
  EXPECT_EQ(this->Page("hashicorp/aws").items.at(1).why, "needs");
  EXPECT_EQ(this->Find("hashicorp/aws vpc"), Texts{"module acme/vpc/aws vpc"});
  EXPECT_EQ(this->Find("hashicorp/aws kind:module"), Texts{"module acme/vpc/aws vpc"});
  EXPECT_EQ(this->Find("hashicorp/gcp"), Texts());
  EXPECT_EQ(this->Find("\"hashicorp/aws\""), Texts{"provider hashicorp/aws aws"}) << "words";
}

TEST_P(SearchTruthSuite, WordsThatNothingHasAreNamed) {
  this->PublishModule("acme/vpc/aws", "1.0.0", {Entry(SearchKind::kModule, "vpc")});
  this->PublishModule("closed/vpc/aws", "1.0.0", {Entry(SearchKind::kModule, "secretive")});
  this->AddNamespace("closed", Visibility::kPrivate);
  EXPECT_EQ(this->Page("vpc zzz").missing, Texts{"zzz"});
  EXPECT_EQ(this->Page("vpc zzz", Stranger()).items.size(), 1u);
  EXPECT_EQ(this->Page("vpc zzz yyy", Stranger()).missing, (Texts{"zzz", "yyy"}));
  EXPECT_TRUE(this->Page("vpc zzz yyy", Stranger()).items.empty());
  EXPECT_EQ(this->Page("vpc secretive", Stranger()).missing, Texts{"secretive"});
  EXPECT_EQ(this->Page("zzz").missing, Texts()) << "one word is not one of several";
}

TEST_P(SearchTruthSuite, OfVersionsThatAreIndexedAtOnceOneIsTheNewest) {
  Racers racers;
  std::vector<Status> done;
  for (int i = 0; i < 10; ++i) {
    const std::string version = "1." + std::to_string(i) + ".0";
    this->ExpectDone(
        RunTask(modules().AddVersion(Tester(), Record("acme/vpc/aws", version, version))));
  }
  for (int i = 0; i < 10; ++i) {
    racers.Add(search_index().PutSearchEntries(
                   this->Module("acme/vpc/aws", "1." + std::to_string(i) + ".0"),
                   {Entry(SearchKind::kInput, "input" + std::to_string(i), "sharedword another")}),
               &done);
  }
  racers.Run();
  for (const Status& each : done) EXPECT_TRUE(each) << each.error().message << each.error().detail;
  EXPECT_EQ(this->Find("ns:acme"), Texts{"input acme/vpc/aws input9"});
  EXPECT_EQ(this->Find("ns:acme version:any").size(), 10u);
}

// More than a search examines, and the first in the order were added first, as after a rebuild in
// the order of addresses.
TEST_P(SearchTruthSuite, AListOfPackagesBeginsWithWhatComesFirst) {
  this->PublishModule("acme/new/aws", "1.0.0", {Entry(SearchKind::kModule, "new")}, kSuiteNow + 5);
  this->PublishModule("acme/old/aws", "1.0.0", {Entry(SearchKind::kModule, "old")}, kSuiteNow + 7);
  this->ExpectDone(
      RunTask(modules().Deprecate(Tester(), Address("acme/old/aws"), V("1.0.0"), "use new")));
  this->PublishModule("hidden/new/aws", "1.0.0", {Entry(SearchKind::kModule, "new")},
                      kSuiteNow + 9);
  this->AddNamespace("hidden", Visibility::kPrivate);
  this->PublishRelease("acme/dns", "1.0.0", {Entry(SearchKind::kProvider, "dns")});
  this->PublishModule("many/zoo/aws", "1.0.0", {Entry(SearchKind::kModule, "zoo")}, kSuiteNow + 3);
  this->PublishModule("many/zoo/aws", "0.9.0", {Entry(SearchKind::kModule, "zoo")}, kSuiteNow + 4);
  for (std::uint64_t i = 0; i <= SearchIndex::kMostFound; ++i) {
    const std::string address = "many/m" + std::to_string(i) + "/aws";
    this->PublishModule(address, "1.0.0", {Entry(SearchKind::kModule, "m")}, kSuiteNow - 100);
    this->PublishModule(address, "0.9.0", {Entry(SearchKind::kModule, "m")}, kSuiteNow - 200);
  }
  struct Case {
    std::string_view query;
    SearchOrder order;
    Texts first;
  };
  const std::string fresh = "module acme/new/aws new", aged = "module acme/old/aws old";
  const std::string release = "provider acme/dns dns", m0 = "module many/m0/aws m";
  const std::string zoo = "module many/zoo/aws zoo";
  const std::string m1 = "module many/m1/aws m", m10 = "module many/m10/aws m";
  const Case kCases[] = {
      {"kind:module", SearchOrder::kNewest, {aged, fresh, zoo}},
      {"kind:module,provider host:here", SearchOrder::kNewest, {aged, fresh, zoo}},
      {"kind:module", SearchOrder::kBest, {fresh, zoo, m0}},
      {"kind:module deprecated:yes", SearchOrder::kNewest, {aged}},
      {"kind:module deprecated:no", SearchOrder::kNewest, {fresh, zoo, m0}},
      {"kind:module", SearchOrder::kAddress, {fresh, aged, m0}},
      {"kind:provider", SearchOrder::kAddress, {release}},
      {"kind:module,provider host:here ns:many", SearchOrder::kNewest, {zoo, m0, m1}},
      {"kind:module host:here ns:many", SearchOrder::kBest, {zoo, m0, m1}},
      {"kind:module host:here ns:many", SearchOrder::kAddress, {m0, m1, m10}},
      {"kind:module host:here ns:hidden", SearchOrder::kNewest, {}},
      {"kind:module,provider host:here version:any", SearchOrder::kNewest, {aged, fresh, zoo}},
      {"kind:module host:here version:any ns:many", SearchOrder::kNewest, {zoo, zoo, m0}}};
  for (const Case& c : kCases) {
    for (const bool counts : {true, false}) {
      auto found = RunTask(search_index().Search({.query = *SearchQuery::Parse(c.query),
                                                  .readable = Stranger(),
                                                  .page = {0, 3},
                                                  .order = c.order,
                                                  .counted = counts}));
      ASSERT_TRUE(found) << c.query << found.error().message << found.error().detail;
      found->more = false;
      EXPECT_EQ(this->Written(*found), c.first) << c.query << counts;
    }
  }
}

}  // namespace
}  // namespace koya
