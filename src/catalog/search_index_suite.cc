// What every catalog must do: the search index, and that it says what the catalog says. See
// catalog_suite_base.h.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catalog/search_index.h"
#include "catalog/search_suite_base.h"
#include "domain/page.h"
#include "domain/search_query.h"
#include "domain/search_record.h"

namespace koya {
namespace {

// The most entries that are neither module nor provider nor part of one, for a search without
// kinds.
constexpr std::uint64_t kMostOfAll = SearchIndex::kMostFound - SearchIndex::kMostModules;

class SearchIndexSuite : public SearchSuiteBase {
 protected:
  void PublishNetwork() {
    SearchEntry resource = Entry(SearchKind::kResource, "aws_subnet.private");
    resource.uses = {"aws_subnet"};
    SearchEntry module = Entry(SearchKind::kModule, "network", "VPC, private subnets and NAT",
                               "It makes 日本語 things for the Größe of loadBalancer pools.");
    module.uses = {"aws_vpc", "aws_subnet"};
    module.needs = {"hashicorp/aws", "registry.example.com/acme/dns"};
    module.calls = {std::string(kUnknownCall), "registry.example.com/acme/zones/aws"};
    this->PublishModule(
        "platform/network/aws", "1.0.0",
        {module, resource, Entry(SearchKind::kInput, "cidr_block", "Addresses of the network"),
         Entry(SearchKind::kOutput, "subnet_ids", "All subnets")});
  }
};
INSTANTIATE_CATALOG_SUITE(SearchIndexSuite);

TEST_P(SearchIndexSuite, WordsFindEntries) {
  this->PublishNetwork();
  const std::string module = "module platform/network/aws network";
  const std::string input = "input platform/network/aws cidr_block";
  const std::string output = "output platform/network/aws subnet_ids";
  const std::string resource = "resource platform/network/aws aws_subnet.private";
  const std::pair<std::string_view, Texts> kCases[] = {
      {"network", {module, input}},
      {"NETWORK", {module, input}},
      {"netw", {module, input}},
      {"platform", {module}},
      {"platform/network/aws", {module}},
      {"cidr_block", {input}},
      {"cidr-block", {input}},
      {"cidrBlock", {input}},
      {"block", {input}},
      {"subnet", {output, resource, module}},
      {"aws_subnet", {resource}},
      {"aws_subnet.private", {resource}},
      {"loadbalancer", {module}},
      {"load_balancer", {module}},
      {"größe", {module}},
      {"GRÖSSE", {}},
      {"日", {module}},
      {"本", {module}},
      {"語", {module}},
      {"本語", {module}},
      {"日本語", {module}},
      {"\"日本語\"", {module}},
      {"\"private subnets\"", {module}},
      {"\"nat\" network", {module}},
      {"kind:input", {input}},
      {"kind:input,output network", {input}},
      {"uses:aws_vpc", {module}},
      {"uses:AWS_subnet", {module, resource}},
      {"uses:aws_vpc uses:aws_subnet", {module}},
      {"needs:hashicorp/aws", {module}},
      {"needs:aws", {module}},
      {"needs:registry.example.com/acme/dns", {module}},
      {"needs:acme/dns", {module}},
      {"calls:registry.example.com/acme/zones/aws", {module}},
      {"calls:Acme/zones/aws", {module}},
      {"calls:Unknown", {module}},
      {"ns:platform kind:output", {output}},
      {"ns:PLATFORM block", {input}},
      {"deprecated:no block", {input}},
      {"version:1.0.0 block", {input}},
      {"version:any block", {input}}};
  for (const auto& [query, wanted] : kCases) EXPECT_EQ(this->Find(query), wanted) << query;
}

TEST_P(SearchIndexSuite, WhatDoesNotMatchIsNotFound) {
  this->PublishNetwork();
  for (std::string_view query : {"nothing",
                                 "etwork",
                                 "n",
                                 "\"netw\"",
                                 "cidr_network",
                                 "block_cidr",
                                 "\"subnets private\"",
                                 "\"private and\"",
                                 "\"NAT Addresses\"",
                                 "日語",
                                 "語日",
                                 "本日",
                                 "英",
                                 "uses:aws",
                                 "uses:aws_vp",
                                 "uses:aws_vpc uses:aws_nat",
                                 "uses:%",
                                 "uses:*",
                                 "needs:hashicorp",
                                 "calls:zones/aws",
                                 "calls:other.example.com/acme/zones/aws",
                                 "needs:hashicorp/awscc",
                                 "needs:example.com/acme/dns",
                                 "ns:plat",
                                 "ns:platform2 network",
                                 "kind:doc",
                                 "kind:doc network",
                                 "deprecated:yes",
                                 "deprecated:yes network",
                                 "version:1.0.1 network",
                                 "version:1.0.0-rc.1 network",
                                 "network%",
                                 "_etwork",
                                 "%",
                                 "net*"}) {
    const Result<SearchQuery> parsed = SearchQuery::Parse(query);
    if (!parsed) continue;  // "%" has nothing to look for
    const SearchPage page = this->Page(query);
    if (query == "network%" || query == "net*" || query == "_etwork") {
      EXPECT_EQ(page.items.empty(), query == "_etwork" && !page.forgiven) << query;
      continue;
    }
    EXPECT_EQ(this->Written(page), query == "etwork" ? this->Find("network") : Texts()) << query;
    EXPECT_EQ(page.forgiven, query == "etwork") << query;
  }
}

TEST_P(SearchIndexSuite, SqlInWordsIsWords) {
  this->PublishModule(
      "acme/vpc/aws", "1.0.0",
      {Entry(SearchKind::kModule, "vpc", "it's \"quoted\" \\ 'n' & | ! <-> :*",
             "'; DROP TABLE search_entry; -- \\' NEAR(a b) ^ + {x}: (y) %s {{key}}"),
       Entry(SearchKind::kInput, std::string(5000, '\'') + "a'b"),
       Entry(SearchKind::kInput, "", "", "")});
  for (std::string_view query : {"quoted", "\"DROP TABLE\"", "drop", "near", "key", "it's"}) {
    EXPECT_EQ(this->Find(query), Texts{"module acme/vpc/aws vpc"}) << query;
  }
  for (std::string_view query : {"'; DROP", "a\\", "AND_OR_NOT", "ns:acme' OR 1=1"}) {
    const Result<SearchQuery> parsed = SearchQuery::Parse(query);
    if (parsed) EXPECT_TRUE(RunTask(search_index().Search({*parsed, {}, {}}))) << query;
  }
  EXPECT_EQ(this->Page("ns:acme").counts.at(SearchKind::kInput), 2u);
}

TEST_P(SearchIndexSuite, BetterMatchesComeFirst) {
  auto one = [this](std::string_view address, std::string name, std::string title, std::string text,
                    UnixSeconds at) {
    this->PublishModule(
        address, "1.0.0",
        {Entry(SearchKind::kDoc, std::move(name), std::move(title), std::move(text))}, at);
  };
  one("a/a/aws", "x", "y", "has subnet in its text", kSuiteNow + 900);
  one("a/b/aws", "x", "the subnet title", "", kSuiteNow + 800);
  one("a/c/aws", "my_subnet", "", "", kSuiteNow + 700);
  one("a/d/aws", "subnets", "", "", kSuiteNow + 600);
  one("a/e/aws", "subnet", "", "", kSuiteNow + 500);
  one("a/f/aws", "Subnet", "", "", kSuiteNow + 501);
  one("a/g/aws", "subnet", "", "", kSuiteNow + 501);
  EXPECT_EQ(
      this->Find("subnet"),
      (Texts{"doc a/f/aws Subnet", "doc a/g/aws subnet", "doc a/e/aws subnet",
             "doc a/d/aws subnets", "doc a/c/aws my_subnet", "doc a/b/aws x", "doc a/a/aws x"}));
  EXPECT_EQ(this->Find("sub\"net\""), Texts());
  EXPECT_EQ(this->Page("sub \"net\"").missing, Texts{"\"net\""});
}

TEST_P(SearchIndexSuite, InputsOutputsAndDataComeBehindThings) {
  const UnixSeconds later = kSuiteNow + 500;
  this->PublishModule("a/vpc/aws", "1.0.0",
                      {Entry(SearchKind::kModule, "vpc", "Networks"),
                       Entry(SearchKind::kSubmodule, "flow-log", "", "Flow logs of a VPC"),
                       Entry(SearchKind::kResource, "aws_bucket.r2"),
                       Entry(SearchKind::kExample, "password", "A random password")});
  this->PublishModule("b/cluster/aws", "1.0.0",
                      {Entry(SearchKind::kInput, "enable", "Whether VPC flow logs are on"),
                       Entry(SearchKind::kOutput, "log", "The VPC flow logs"),
                       Entry(SearchKind::kResource, "data.aws_bucket.r2"),
                       Entry(SearchKind::kResource, "sub/data.aws_bucket.r2"),
                       Entry(SearchKind::kInput, "password", "A random password"),
                       Entry(SearchKind::kInput, "flow_logs_of_a_vpc")},
                      later);
  this->PublishModule("c/docs/aws", "1.0.0",
                      {Entry(SearchKind::kDoc, "data-sources/dashboard"),
                       Entry(SearchKind::kDoc, "resources/dashboard")});
  const std::pair<std::string_view, Texts> kCases[] = {
      // A title never before a thing of that name.
      {"vpc flow logs",
       {"submodule a/vpc/aws flow-log", "input b/cluster/aws flow_logs_of_a_vpc",
        "input b/cluster/aws enable", "output b/cluster/aws log"}},
      {"bucket r2",
       {"resource a/vpc/aws aws_bucket.r2", "resource b/cluster/aws data.aws_bucket.r2",
        "resource b/cluster/aws sub/data.aws_bucket.r2"}},
      {"password", {"example a/vpc/aws password", "input b/cluster/aws password"}},
      {"random password", {"example a/vpc/aws password", "input b/cluster/aws password"}},
      {"dashboard",
       {"doc c/docs/aws resources/dashboard", "doc c/docs/aws data-sources/dashboard"}},
      {"kind:input password", {"input b/cluster/aws password"}},
  };
  for (const auto& [query, wanted] : kCases) EXPECT_EQ(this->Find(query), wanted) << query;
}

TEST_P(SearchIndexSuite, WhatIsCalledByWordsOfTheSearchComesFirst) {
  this->PublishModule(
      "a/kube-cloud/aws", "1.0.0",
      {Entry(SearchKind::kModule, "kube-cloud", "", "A private cluster for jobs"),
       Entry(SearchKind::kInput, "cloud_region"), Entry(SearchKind::kInput, "cloud"),
       Entry(SearchKind::kSubmodule, "private-cluster", "", "Cloud jobs"),
       Entry(SearchKind::kExample, "jobs", "", "A private cluster in the cloud"),
       Entry(SearchKind::kSubmodule, "beta-private-cluster", "Private cluster, cloud jobs"),
       Entry(SearchKind::kInput, "job", "Cloud jobs of the private cluster"),
       Entry(SearchKind::kResource, "private.cloud_cluster_jobs")});
  this->PublishRelease("a/random", "1.0.0",
                       {Entry(SearchKind::kProvider, "random"),
                        Entry(SearchKind::kDoc, "data-sources/passwords", "random passwords"),
                        Entry(SearchKind::kDoc, "ephemeral-resources/password", "random_password"),
                        Entry(SearchKind::kDoc, "resources/password", "random_password"),
                        Entry(SearchKind::kDoc, "resources/random_password_length"),
                        Entry(SearchKind::kDoc, "resources/pet", "not a random_password")});
  const std::string docs = "doc a/random ";
  const std::pair<std::string_view, Texts> kCases[] = {
      // Of the most words first, then names with all words among others, then titles.
      {"private cloud cluster jobs",
       {"submodule a/kube-cloud/aws private-cluster", "example a/kube-cloud/aws jobs",
        "resource a/kube-cloud/aws private.cloud_cluster_jobs",
        "submodule a/kube-cloud/aws beta-private-cluster", "module a/kube-cloud/aws kube-cloud",
        "input a/kube-cloud/aws job"}},
      {"random password",
       {docs + "resources/password", docs + "data-sources/passwords",
        docs + "ephemeral-resources/password", docs + "resources/random_password_length",
        docs + "resources/pet"}},
      // One name, and one word: as a whole, or how it begins; a module that has it comes with that.
      {"random_password",
       {docs + "resources/random_password_length", docs + "resources/password",
        docs + "resources/pet", docs + "data-sources/passwords",
        docs + "ephemeral-resources/password"}},
      {"cloud",
       {"input a/kube-cloud/aws cloud", "module a/kube-cloud/aws kube-cloud",
        "input a/kube-cloud/aws cloud_region",
        "resource a/kube-cloud/aws private.cloud_cluster_jobs",
        "submodule a/kube-cloud/aws beta-private-cluster",
        "submodule a/kube-cloud/aws private-cluster", "example a/kube-cloud/aws jobs",
        "input a/kube-cloud/aws job"}},
      // Likewise for the rest of the search.
      {"private cluster nowhere",
       {"submodule a/kube-cloud/aws private-cluster",
        "submodule a/kube-cloud/aws beta-private-cluster",
        "resource a/kube-cloud/aws private.cloud_cluster_jobs",
        "module a/kube-cloud/aws kube-cloud", "example a/kube-cloud/aws jobs",
        "input a/kube-cloud/aws job"}},
  };
  for (const auto& [query, wanted] : kCases) EXPECT_EQ(this->Find(query), wanted) << query;
}

TEST_P(SearchIndexSuite, HitsSayWhatMatchedWhere) {
  this->PublishNetwork();
  const SearchPage page = this->Page("subnet");
  ASSERT_EQ(page.items.size(), 3u);
  EXPECT_EQ(Marked(page.items[0]), "[subnet]_ids");
  EXPECT_EQ(page.items[0].field, SearchField::kName);
  EXPECT_EQ(Marked(page.items[2]), "VPC, private [subnets] and NAT");
  EXPECT_EQ(page.items[2].field, SearchField::kTitle);
  EXPECT_EQ(page.items[2].subject_kind, SearchKind::kModule);
  EXPECT_EQ(page.items[2].version, "1.0.0");
  EXPECT_EQ(page.items[2].published_at, kSuiteNow);
  EXPECT_TRUE(page.items[2].newest);
  EXPECT_FALSE(page.items[2].deprecated);
  const SearchPage text = this->Page("本語");
  ASSERT_EQ(text.items.size(), 1u);
  EXPECT_EQ(text.items[0].field, SearchField::kText);
  EXPECT_NE(Marked(text.items[0]).find("日[本語] things"), std::string::npos);
  EXPECT_EQ(this->Counts(page), "module 1, resource 1, output 1");
  EXPECT_EQ(this->Counts(this->Page("subnet kind:output")), "module 1, resource 1, output 1");
  EXPECT_EQ(this->Counts(this->Page("nothing")), "");
}

TEST_P(SearchIndexSuite, TheRarestWordIsLeftOutWhenNothingHasAll) {
  this->PublishNetwork();
  struct MissingRow {
    std::string_view query;
    std::string_view same_as;
    Texts missing;
  };
  const std::vector<MissingRow> kRows = {
      {"network nothing", "network", {"nothing"}},
      {"Nothing network", "network", {"nothing"}},
      {"\"no such\" private", "private", {"\"no such\""}},
      {"network nat bastion", "network nat", {"bastion"}},
      {"network nothing kind:input", "network kind:input", {"nothing"}},
      {"network subnet no_such bastion", "network subnet", {"bastion", "no_such"}},
      // "cidr" is in one thing, "subnet" in three.
      {"cidr subnet", "subnet", {"cidr"}},
      {"nothing bastion", "nothing", {"bastion", "nothing"}},
      {"network nothing bastion", "nothing", {"bastion", "nothing"}},
      {"ns:other network nothing", "nothing", {"network", "nothing"}},
      {"a1 a2 a3 a4 a5 a6 network", "nothing", {}},
  };
  for (const MissingRow& each : kRows) {
    SearchPage page = this->Page(each.query);
    std::ranges::sort(page.missing);
    EXPECT_EQ(this->Written(page), this->Find(each.same_as)) << each.query;
    EXPECT_EQ(page.missing, each.missing) << each.query;
    EXPECT_FALSE(page.forgiven) << each.query;
  }
  EXPECT_TRUE(this->Page("network nat").missing.empty());
}

// Entries that only others may read weigh nothing: the word that is left out would reveal them.
TEST_P(SearchIndexSuite, WordsAreWeighedByWhatMayBeRead) {
  this->PublishNetwork();
  for (std::string_view name : {"one", "two", "three", "four", "five"}) {
    this->PublishModule("hidden/" + std::string(name) + "/aws", "1.0.0",
                        {Entry(SearchKind::kModule, std::string(name), "cidr of something")});
  }
  EXPECT_EQ(this->Page("cidr nat").missing, Texts{"nat"});
  const ReadableNamespaces platform{
      .everything = false, .named = {"platform"}, .unrecorded = Visibility::kPrivate};
  EXPECT_EQ(this->Page("nat something private", platform).missing, Texts{"something"});
  EXPECT_EQ(this->Page("nat something private").missing, Texts());
}

TEST_P(SearchIndexSuite, OneWrongLetterIsForgiven) {
  this->PublishNetwork();
  for (std::string_view query : {"netwrok", "netwerk", "networkk", "ntwork", "addreses block"}) {
    const SearchPage page = this->Page(query);
    EXPECT_TRUE(page.forgiven) << query;
    EXPECT_FALSE(page.items.empty()) << query;
  }
  EXPECT_EQ(Marked(this->Page("netwrok", {}, {0, 1}).items.at(0)), "[network]");
  for (std::string_view query : {"netwrk2x", "natt", "\"netwrok\"", "ciddr-bluck", "xx-netwrok",
                                 "netwrok nothing", "ns:platfrom network"}) {
    const SearchPage page = this->Page(query);
    EXPECT_FALSE(page.forgiven) << query;
    EXPECT_TRUE(page.items.empty()) << query;
  }
  const SearchPage others = this->Page("netwrok kind:doc");
  EXPECT_TRUE(others.items.empty());
  EXPECT_EQ(this->Counts(others), "module 1, input 1");
  this->ExpectDone(RunTask(search_index().ForgetSpellings()));
  EXPECT_EQ(this->Find("netwrok"), Texts());
}

TEST_P(SearchIndexSuite, PagesAreCutAndCounted) {
  std::vector<SearchEntry> entries;
  for (int i = 0; i < 250; ++i)
    entries.push_back(Entry(SearchKind::kInput, "in" + std::to_string(i)));
  this->PublishModule("acme/vpc/aws", "1.0.0", entries);
  const SearchPage first = this->Page("kind:input", {}, {0, 10});
  EXPECT_EQ(first.items.size(), 10u);
  EXPECT_TRUE(first.more);
  EXPECT_FALSE(first.cut);
  EXPECT_EQ(this->Counts(first), "input 250");
  Texts all;
  for (std::uint64_t offset = 0; offset < 250; offset += 100) {
    for (const std::string& each : this->Find("kind:input", {}, {offset, 100})) {
      if (each != "…") all.push_back(each);
    }
  }
  EXPECT_EQ(all.size(), 250u);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  EXPECT_EQ(this->Find("kind:input", {}, {249, 10}).size(), 1u);
  EXPECT_EQ(this->Find("kind:input", {}, {250, 10}), Texts());
  EXPECT_EQ(this->Find("kind:input", {}, {~std::uint64_t{0}, ~std::uint64_t{0}}), Texts());
  EXPECT_EQ(this->Page("kind:input", {}, {0, 1'000'000}).items.size(),
            SearchIndex::kLongestSearchPage);
  const SearchPage none = this->Page("kind:input", {}, {0, 0});
  EXPECT_TRUE(none.items.empty());
  EXPECT_TRUE(none.more);
}

TEST_P(SearchIndexSuite, MuchIsCutAndSaysSo) {
  std::vector<SearchEntry> entries;
  for (std::uint64_t i = 0; i <= SearchIndex::kMostFound; ++i) {
    entries.push_back(Entry(SearchKind::kDoc, "page " + std::to_string(i)));
  }
  this->PublishModule("acme/vpc/aws", "1.0.0", entries);
  const SearchPage page = this->Page("page", {}, {0, 5});
  EXPECT_TRUE(page.cut);
  EXPECT_EQ(page.cut_kinds.size(), kSearchKinds.size()) << "who knows of which there is more";
  EXPECT_EQ(this->Counts(page), "doc " + std::to_string(kMostOfAll));
  EXPECT_EQ(page.items.size(), 5u);
  EXPECT_FALSE(this->Page("page 400").cut);
  EXPECT_TRUE(this->Page("page 400").cut_kinds.empty());
}

// What there is most of does not hide them, though they were added first.
TEST_P(SearchIndexSuite, ModulesAreFoundAmongAllTheDocs) {
  this->PublishModule(
      "acme/vm/aws", "1.0.0",
      {Entry(SearchKind::kModule, "instance"), Entry(SearchKind::kInput, "instance"),
       Entry(SearchKind::kSubmodule, "vm", "for one instance"),
       Entry(SearchKind::kExample, "instances")});
  std::vector<SearchEntry> entries;
  for (std::uint64_t i = 0; i <= SearchIndex::kMostFound; ++i) {
    entries.push_back(Entry(SearchKind::kDoc, "resources/aws_instance_" + std::to_string(i)));
  }
  this->PublishModule("acme/many/aws", "1.0.0", entries);
  const std::string few = "module 1, submodule 1, example 1";
  SearchPage page = this->Page("instance", {}, {0, 1});
  ASSERT_EQ(page.items.size(), 1u);
  EXPECT_EQ(page.items[0].kind, SearchKind::kModule);
  EXPECT_EQ(this->Counts(page), few + ", doc " + std::to_string(kMostOfAll));
  EXPECT_TRUE(page.cut);
  EXPECT_TRUE(page.cut_kinds.contains(SearchKind::kInput)) << "there are some";
  page = this->Page("instance kind:module,submodule,example");
  EXPECT_EQ(page.items.size(), 3u);
  EXPECT_EQ(this->Counts(page), few + ", doc " + std::to_string(SearchIndex::kMostFound));
  EXPECT_FALSE(page.cut) << "all that is asked for is there";
  EXPECT_TRUE(page.cut_kinds.contains(SearchKind::kDoc));
  EXPECT_FALSE(page.cut_kinds.contains(SearchKind::kModule));
  page = this->Page("instance kind:input");
  EXPECT_EQ(this->Counts(page), "input 1, doc " + std::to_string(SearchIndex::kMostFound));
  page = this->Page("instance kind:doc");
  EXPECT_EQ(this->Counts(page), "doc " + std::to_string(SearchIndex::kMostFound));
  EXPECT_TRUE(page.cut);
}

// At most their share of the modules is examined first, and the rest with all other entries.
TEST_P(SearchIndexSuite, ManyModulesLeaveRoomForAllElse) {
  std::vector<SearchEntry> entries{Entry(SearchKind::kOutput, "instance")};
  for (std::uint64_t i = 0; i <= SearchIndex::kMostFound; ++i) {
    entries.push_back(Entry(SearchKind::kExample, "instance " + std::to_string(i), "of a thing"));
  }
  entries.push_back(Entry(SearchKind::kInput, "instance"));
  this->PublishModule("acme/vm/aws", "1.0.0", entries);
  const std::string examples = "example " + std::to_string(SearchIndex::kMostFound - 1);
  EXPECT_EQ(this->Counts(this->Page("instance")), examples + ", input 1");
  EXPECT_EQ(this->Counts(this->Page("instance kind:output")), "example 499, input 1, output 1");
}

TEST_P(SearchIndexSuite, NamesThatAreJoinedAreFoundThoughMuchHasTheirWords) {
  std::vector<SearchEntry> entries{Entry(SearchKind::kInput, "cidr_block_size"),
                                   Entry(SearchKind::kInput, "cidr-block")};
  for (std::uint64_t i = 0; i <= SearchIndex::kMostFound; ++i) {
    entries.push_back(Entry(SearchKind::kDoc, std::to_string(i), "block of a cidr"));
  }
  this->PublishModule("acme/vpc/aws", "1.0.0", entries);
  SearchPage page = this->Page("cidr_block", {}, {0, 5});
  EXPECT_TRUE(page.cut);
  EXPECT_EQ(this->Counts(page), "input 2");
  ASSERT_EQ(page.items.size(), 2u);
  EXPECT_EQ(page.items[0].name, "cidr_block_size");
  page = this->Page("cidr_block kind:doc");
  EXPECT_EQ(this->Counts(page), "input 2");
  EXPECT_TRUE(page.items.empty());
  EXPECT_EQ(this->Counts(this->Page("cidr_block version:any")), "input 1")
      << "the other is older than all that is looked at";
}

TEST_P(SearchIndexSuite, NamesAreFoundThoughMuchHasTheirWordsInItsTexts) {
  std::vector<SearchEntry> entries{Entry(SearchKind::kOutput, "the_network_id"),
                                   Entry(SearchKind::kInput, "id", "of a network")};
  for (std::uint64_t i = 0; i <= SearchIndex::kMostFound; ++i) {
    entries.push_back(Entry(SearchKind::kDoc, std::to_string(i), "", "a network with an id"));
  }
  this->PublishModule("acme/vpc/aws", "1.0.0", entries);
  const std::string docs = "doc " + std::to_string(kMostOfAll - 1);
  for (std::string_view query : {"network", "network id", "netwo"}) {
    const SearchPage page = this->Page(query, {}, {0, 5});
    EXPECT_TRUE(page.cut) << query;
    EXPECT_EQ(this->Counts(page), "output 1, " + docs) << query;
    ASSERT_FALSE(page.items.empty());
    EXPECT_EQ(page.items[0].name, "the_network_id") << query;
  }
  EXPECT_EQ(this->Find("network kind:output"), Texts{"output acme/vpc/aws the_network_id"});
  EXPECT_EQ(this->Find("network kind:input"), Texts{"input acme/vpc/aws id"});
}

TEST_P(SearchIndexSuite, NotAllTextsAreReadAndItSaysSo) {
  this->PublishModule("acme/few/aws", "1.0.0",
                      {Entry(SearchKind::kDoc, "old", "", "a private subnet"),
                       Entry(SearchKind::kInput, "id", "of a private subnet")});
  const std::string_view search = "\"private subnet\"";
  EXPECT_EQ(this->Counts(this->Page(search)), "input 1, doc 1");
  EXPECT_FALSE(this->Page(search).cut);
  std::vector<SearchEntry> entries;
  for (std::uint64_t i = 0; i < SearchIndex::kMostReadWhole; ++i) {
    entries.push_back(Entry(SearchKind::kDoc, std::to_string(i), "", "subnet, not private"));
  }
  this->PublishModule("acme/many/aws", "1.0.0", entries);
  const SearchPage page = this->Page(search);
  EXPECT_EQ(this->Counts(page), "input 1") << "a title needs not be read in a text";
  EXPECT_TRUE(page.cut);
}

TEST_P(SearchIndexSuite, OfOlderVersionsNotAllIsLookedAtAndItSaysSo) {
  std::vector<SearchEntry> entries;
  for (std::uint64_t i = 1; i < SearchIndex::kMostReadWhole; ++i) {
    entries.push_back(Entry(SearchKind::kDoc, std::to_string(i), "network"));
  }
  this->PublishModule("acme/vpc/aws", "1.0.0", entries);
  this->PublishModule("acme/vpc/aws", "2.0.0", {Entry(SearchKind::kInput, "network")});
  const std::string few = "doc " + std::to_string(SearchIndex::kMostReadWhole - 1);
  EXPECT_EQ(this->Counts(this->Page("network version:1.0.0")), few);
  EXPECT_FALSE(this->Page("network version:1.0.0").cut);
  EXPECT_FALSE(this->Page("network version:any").cut);
  this->PublishModule("acme/many/aws", "1.0.0", entries);
  this->PublishModule("acme/many/aws", "2.0.0", {Entry(SearchKind::kInput, "network")});
  for (std::string_view query :
       {"network version:1.0.0", "network version:any", "network version:any kind:doc"}) {
    EXPECT_TRUE(this->Page(query).cut) << query;
  }
  EXPECT_FALSE(this->Page("network").cut);
}

TEST_P(SearchIndexSuite, WordsAsTheyAreComeBeforeWordsThatBeginSo) {
  std::vector<SearchEntry> entries{Entry(SearchKind::kInput, "networking")};
  this->PublishModule("acme/few/aws", "1.0.0", entries);
  EXPECT_EQ(this->Counts(this->Page("network")), "input 1");
  entries.clear();
  for (std::uint64_t i = 0; i < SearchIndex::kMostFound; ++i) {
    entries.push_back(Entry(SearchKind::kDoc, std::to_string(i), "network"));
  }
  this->PublishModule("acme/many/aws", "1.0.0", entries);
  const std::string docs = "doc " + std::to_string(kMostOfAll - 1);
  EXPECT_EQ(this->Counts(this->Page("network")), "input 1, " + docs) << "of names both do";
  EXPECT_TRUE(this->Page("network").cut);
  EXPECT_EQ(this->Find("network kind:input"), Texts{"input acme/few/aws networking"});
  EXPECT_EQ(this->Find("networ ns:acme kind:input"), Texts{"input acme/few/aws networking"});
}

TEST_P(SearchIndexSuite, LongBeginningsFindAllThatBeginsSo) {
  std::vector<SearchEntry> entries{
      Entry(SearchKind::kInput, "networking"),
      Entry(SearchKind::kInput, "network_acl"),
      Entry(SearchKind::kInput, "my-networks.2"),
      Entry(SearchKind::kInput, "a", "Networked things"),
      Entry(SearchKind::kInput, "b", "", "of networkProxy, and networks/other"),
      Entry(SearchKind::kInput, "c", "netwörks, networ, etwork"),
      Entry(SearchKind::kInput, "networker日本"),
      Entry(SearchKind::kOutput, "日本語データベース")};
  this->PublishModule("acme/vpc/aws", "1.0.0", entries);
  EXPECT_EQ(this->Counts(this->Page("network")), "input 6");
  EXPECT_EQ(this->Counts(this->Page("networ")), "input 7");
  EXPECT_EQ(this->Counts(this->Page("networke")), "input 2");
  EXPECT_EQ(this->Counts(this->Page("networks")), "input 2");
  EXPECT_EQ(this->Counts(this->Page("networkproxy")), "input 1");
  EXPECT_EQ(this->Counts(this->Page("network_ac")), "input 1");
  EXPECT_EQ(this->Counts(this->Page("networking")), "input 1");
  EXPECT_EQ(this->Counts(this->Page("networkings")), "input 1");  // forgiven
  EXPECT_EQ(this->Counts(this->Page("networkingsx")), "");
  EXPECT_EQ(this->Counts(this->Page("日本語データベー")), "output 1");
  this->PublishModule("acme/vpc/aws", "2.0.0", {Entry(SearchKind::kInput, "networked")});
  EXPECT_EQ(this->Counts(this->Page("network")), "input 1");
  EXPECT_EQ(this->Counts(this->Page("network version:any")), "input 7");
  EXPECT_EQ(this->Counts(this->Page("network version:1.0.0")), "input 6");
}

TEST_P(SearchIndexSuite, LongBeginningsOfManyWordsFindAllOfThem) {
  std::vector<SearchEntry> entries;
  for (int i = 0; i < 100; ++i) {
    entries.push_back(Entry(SearchKind::kInput, "gateway" + std::to_string(i)));
    entries.push_back(Entry(SearchKind::kOutput, "bucket_" + std::to_string(i)));
    entries.push_back(Entry(SearchKind::kDoc, "bucket." + std::to_string(i)));
  }
  this->PublishModule("acme/vpc/aws", "1.0.0", entries);
  EXPECT_EQ(this->Counts(this->Page("gateway")), "input 100");
  EXPECT_EQ(this->Counts(this->Page("gateway1")), "input 11");
  EXPECT_EQ(this->Counts(this->Page("bucket")), "output 100, doc 100");
  const SearchPage both = this->Page("gateway bucket");
  EXPECT_EQ(both.missing, Texts{"gateway"});
  EXPECT_EQ(this->Counts(both), "output 100, doc 100");
}

}  // namespace
}  // namespace koya
