// Search in contents, and rebuilding its index, through the API.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/reply.h"
#include "archive/archive_builder_fake.h"
#include "base/run_task.h"
#include "catalog/contents_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/search_index.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/search_record.h"
#include "domain/upstream_record.h"
#include "domain/version.h"
#include "wire/error_document.h"
#include "wire/modules.h"
#include "wire/provider_publishing.h"
#include "wire/readings.h"
#include "wire/search.h"

namespace koya::api {
namespace {

std::string NetworkArchive(const std::string& more = "") {
  return PackFiles({{"main.tf", R"(
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
variable "cidr_block" {
  type        = string
  description = "Addresses of the größte network"
}
output "subnet_ids" { value = aws_subnet.private[*].id }
resource "aws_subnet" "private" { count = 2 }
)" + more},
                    {"README.md", "# Network\n\nA *place* for [machines](https://x).\n"},
                    {"modules/peering/main.tf", "variable \"peer_id\" {}\n"}});
}

class SearchApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    admin_ = api_.Token(Scope::kAdmin);
    Publish("acme/network/aws", "1.0.0", NetworkArchive());
    Publish("hidden/network/aws", "1.0.0", NetworkArchive("# hidden\n"));
    api_.token = admin_;
    Reply set = api_.Ask({.method = http::Method::kPut,
                          .path = "/api/v1/namespaces/hidden",
                          .body = R"({"visibility":"private"})"});
    ASSERT_EQ(set.status, 200U) << set.body;
    api_.token.clear();
  }

  void Publish(const std::string& address, const std::string& version, std::string archive) {
    api_.token = admin_;
    Reply reply = api_.Publish(address, version, std::move(archive));
    EXPECT_EQ(reply.status, 201U) << reply.body;
    api_.token.clear();
  }
  void PublishDemo() {
    api_.token = admin_;
    const std::string drafts = "/api/v1/providers/acme/demo/1.0.0/drafts";
    Reply opened = api_.Ask({.method = http::Method::kPost, .path = drafts});
    const std::string draft = drafts + "/" + wire::Decode<wire::Draft>(opened.body).value().id;
    api_.Ask({.method = http::Method::kPut,
              .path = draft + "/files/terraform-provider-demo_1.0.0_linux_amd64.zip",
              .body = Zip({{.name = "terraform-provider-demo_v1.0.0", .content = "x"}})});
    Reply done = api_.Ask(
        {.method = http::Method::kPost, .path = draft + "/commit", .body = R"({"sign": true})"});
    EXPECT_EQ(done.status, 201U) << done.body;
    api_.token.clear();
  }

  Reply AskAs(const std::string& token, const std::string& path, const std::string& query) {
    api_.token = token;
    Question question{.path = path, .query = query};
    Reply reply = api_.Ask(question);
    api_.token.clear();
    return reply;
  }
  wire::SearchResults Search(const std::string& query, const std::string& token = "") {
    Reply reply = AskAs(token, "/api/v1/search", query);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return wire::DecodeSearchResults(reply.body).value_or(wire::SearchResults{});
  }
  // "input acme/network/aws cidr_block", of each hit in a package.
  std::vector<std::string> Found(const std::string& query, const std::string& token = "") {
    std::vector<std::string> found;
    for (const wire::SearchHit& hit : Search(query, token).hits) {
      if (hit.url.empty()) found.push_back(hit.kind + " " + hit.address + " " + hit.name);
    }
    return found;
  }
  std::vector<std::string> Modules(const std::string& query, const std::string& token = "") {
    Reply reply = AskAs(token, "/v1/modules/search", query);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    std::vector<std::string> found;
    for (const wire::ModuleDetails& each : wire::DecodeModuleList(reply.body).value().modules) {
      found.push_back(each.ns + "/" + each.name + "/" + each.system + " " + each.version);
    }
    return found;
  }

  Reply AskReindex(const std::string& after) {
    api_.token = admin_;
    Reply reply = api_.Ask({.method = http::Method::kPost,
                            .path = "/api/v1/reindex",
                            .body = wire::Encode(wire::StepRequest{after})});
    api_.token.clear();
    return reply;
  }
  // To its end: the sum of its steps.
  wire::ReindexReport Reindex() {
    wire::ReindexReport all;
    std::string after;
    for (int steps = 0; steps < 100; ++steps) {
      Reply reply = AskReindex(after);
      EXPECT_EQ(reply.status, 200U) << reply.body;
      auto step = wire::Decode<wire::ReindexReport>(reply.body).value_or(wire::ReindexReport{});
      all.indexed += step.indexed;
      all.removed += step.removed;
      for (auto& each : step.problems) all.problems.push_back(each);
      if (step.next.empty()) return all;
      after = step.next;
    }
    ADD_FAILURE() << "it does not end";
    return all;
  }

  ApiFixture api_;
  std::string admin_;
};

using Lines = std::vector<std::string>;

TEST_F(SearchApiTest, FindsWhatIsInside) {
  PublishDemo();
  EXPECT_EQ(Reindex().indexed, 3U);
  EXPECT_EQ(Found("q=cidr"), Lines{"input acme/network/aws cidr_block"});
  EXPECT_EQ(Found("q=aws_subnet.private+kind:resource"),
            Lines{"resource acme/network/aws aws_subnet.private"});
  EXPECT_EQ(Found("q=subnet+kind:output"), Lines{"output acme/network/aws subnet_ids"});
  EXPECT_EQ(Found("q=peering+kind:submodule"), Lines{"submodule acme/network/aws peering"});
  EXPECT_EQ(Found("q=peer_id"), Lines{"input acme/network/aws peering/peer_id"});
  EXPECT_EQ(Found("q=uses:aws_subnet+needs:hashicorp/aws+kind:module"),
            Lines{"module acme/network/aws network"});
  EXPECT_EQ(Found("q=machines"), Lines{"module acme/network/aws network"}) << "of its README";
  EXPECT_EQ(Found("q=https"), Lines()) << "and no markup";
  EXPECT_EQ(Found("q=demo"), Lines{"provider acme/demo demo"});
}

TEST_F(SearchApiTest, TellsWhereAndHowItMatched) {
  Reindex();
  wire::SearchResults found = Search("q=network+kind:input");
  ASSERT_EQ(found.hits.size(), 1U);
  const wire::SearchHit& hit = found.hits[0];
  EXPECT_EQ(hit.package, "module");
  EXPECT_EQ(hit.version, "1.0.0");
  EXPECT_EQ(hit.field, "title");
  EXPECT_EQ(hit.snippet, "Addresses of the größte network");
  EXPECT_EQ(hit.marks, (std::vector<wire::SearchMark>{{24, 31}})) << "characters, not bytes";
  EXPECT_TRUE(hit.newest);
  EXPECT_FALSE(hit.deprecated);
  EXPECT_EQ(found.total, 1U);
  EXPECT_EQ(found.counts.inputs, 1U);
  EXPECT_EQ(found.counts.modules, 1U) << "of kinds that were not asked for, too";
  EXPECT_TRUE(Search("q=netwrok").forgiven);
  EXPECT_TRUE(found.missing.empty());
  EXPECT_EQ(Search("q=network+bastion").missing, std::vector<std::string>{"bastion"});
}

TEST_F(SearchApiTest, PagesAndCounts) {
  Reindex();
  wire::SearchResults page = Search("q=ns:acme&limit=2&offset=2");
  EXPECT_EQ(page.hits.size(), 2U);
  EXPECT_EQ(page.total, 6U);
  EXPECT_EQ(page.limit, 2U);
  EXPECT_EQ(page.next_offset, 4U);
  EXPECT_EQ(page.prev_offset, 0U);
  EXPECT_EQ(page.next_url, "/api/v1/search?limit=2&offset=4&q=ns%3Aacme");
  EXPECT_FALSE(Search("q=ns:acme&limit=2&offset=4").next_offset);
}

// The documentation is the same for all callers, and comes after packages.
TEST_F(SearchApiTest, FindsGuidesSettingsAndErrors) {
  wire::SearchResults found = Search("q=trusted+publishing");
  ASSERT_FALSE(found.hits.empty());
  EXPECT_EQ(found.hits[0].kind, "guide");
  EXPECT_EQ(found.hits[0].name, "Trusted publishing");
  EXPECT_EQ(found.hits[0].url, "/-/docs/trusted-publishing");
  EXPECT_EQ(found.hits[0].why, "name");
  EXPECT_EQ(found.hits[0].address + found.hits[0].package, "");
  EXPECT_FALSE(found.forgiven);
  EXPECT_TRUE(found.missing.empty()) << "guides have both words";
  EXPECT_EQ(Search("q=server.url").hits.at(0).kind, "setting");
  EXPECT_EQ(Search("q=not_found+kind:error").hits.at(0).url, "/-/docs/errors/not_found");
  EXPECT_EQ(Search("q=network").hits.at(0).kind, "module");

  // One list: pages of it have each hit once.
  const wire::SearchResults all = Search("q=network&limit=100");
  EXPECT_EQ(all.hits.size(), all.total);
  EXPECT_GT(all.counts.guides, 1U);
  EXPECT_EQ(all.facets.kind.at("guide"), all.counts.guides);
  Lines paged, whole;
  for (const wire::SearchHit& hit : all.hits) whole.push_back(hit.kind + hit.name + hit.url);
  for (std::uint64_t at = 0; at < all.total; at += 3) {
    const wire::SearchResults page = Search("q=network&limit=3&offset=" + std::to_string(at));
    EXPECT_EQ(page.next_offset.has_value(), at + 3 < all.total) << at;
    for (const wire::SearchHit& hit : page.hits) paged.push_back(hit.kind + hit.name + hit.url);
  }
  EXPECT_EQ(paged, whole);

  EXPECT_EQ(Search("q=network+kind:guide").total, all.counts.guides);
  for (const char* none : {"q=publishing+ns:acme", "q=network+host:here", "q=network+system:aws",
                           "q=network+deprecated:no", "q=network+kind:module"}) {
    for (const wire::SearchHit& hit : Search(none).hits) EXPECT_EQ(hit.url, "") << none;
  }
  api_.site.enabled = false;
  api_.SettleMirror();
  EXPECT_EQ(Search("q=trusted+publishing").total, 0U) << "there is no page to lead to";
}

TEST_F(SearchApiTest, NamesTheWordsThatNeitherPackagesNorDocumentationHave) {
  EXPECT_EQ(Search("q=tokens+zzyzx+yyzzx").missing, (Lines{"zzyzx", "yyzzx"}));
  EXPECT_EQ(Search("q=tokens+zzyzx+kind:module").missing, (Lines{"tokens", "zzyzx"}));
  EXPECT_EQ(Search("q=zzyzx").missing, Lines()) << "it is not one of several";
}

TEST_F(SearchApiTest, CountsWhatResultsCanBeNarrowedTo) {
  Publish("beta/network/gcp", "1.0.0", NetworkArchive());
  Reindex();
  const wire::SearchResults found = Search("q=network+deprecated:no");
  EXPECT_EQ(found.packages, 2U);
  EXPECT_EQ(found.facets.ns, (std::map<std::string, std::uint64_t>{{"acme", 2}, {"beta", 2}}));
  EXPECT_EQ(found.facets.system, (std::map<std::string, std::uint64_t>{{"aws", 2}, {"gcp", 2}}));
  EXPECT_EQ(found.facets.deprecated.at("no"), found.total);
  EXPECT_EQ(found.facets.kind, (std::map<std::string, std::uint64_t>{{"input", 2}, {"module", 2}}));
  EXPECT_FALSE(found.facets_cut);
  EXPECT_EQ(Search("q=network+system:gcp").total, 2U);
  EXPECT_EQ(Search("q=network+ns:hidden").facets.ns.size(), 0U);
  EXPECT_EQ(Found("q=hashicorp/aws+kind:module").size(), 2U) << "modules that need it";
  EXPECT_EQ(Search("q=hashicorp/aws+kind:module").hits.at(0).why, "needs");
}

TEST_F(SearchApiTest, TellsInTheOrderThatIsAskedFor) {
  Publish("acme/alone/gcp", "1.0.0", NetworkArchive());
  Publish("beta/network/gcp", "1.0.0", NetworkArchive());
  Reindex();
  const Lines by_name{"module acme/alone/gcp alone", "module acme/network/aws network",
                      "module beta/network/gcp network"};
  EXPECT_EQ(Found("q=network+kind:module&sort=name"), by_name);
  EXPECT_EQ(Found("q=network+kind:module").back(), "module acme/alone/gcp alone")
      << "whose name is not the word";
  EXPECT_EQ(Found("q=network+kind:module&sort=best"), Found("q=network+kind:module"));
  EXPECT_EQ(Search("q=network+kind:module&sort=newest").hits.size(), 3U);
  EXPECT_EQ(Search("q=network+kind:module&sort=name&limit=1").next_url,
            "/api/v1/search?limit=1&offset=1&q=network%20kind%3Amodule&sort=name");
}

TEST_F(SearchApiTest, TellsHowLongItTookBesideTheDocument) {
  const std::string& reader = admin_;
  const Reply first = AskAs(reader, "/api/v1/search", "q=network");
  const std::string timing = first.Get("Server-Timing");
  ASSERT_TRUE(timing.starts_with("search;dur=")) << timing;
  const std::string number = timing.substr(std::string_view("search;dur=").size());
  EXPECT_GT(number.size(), 2U);
  EXPECT_EQ(number.find_first_not_of("0123456789."), number.npos) << timing;
  const Reply second = AskAs(reader, "/api/v1/search", "q=network");
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(second.etag, first.etag) << "the same answer, however long it took";
  EXPECT_EQ(AskAs(reader, "/api/v1/search", "q=").Get("Server-Timing"), "")
      << "nothing was searched";
  EXPECT_EQ(AskAs(reader, "/v1/modules", "").Get("Server-Timing"), "");
}

TEST_F(SearchApiTest, StrangersAreNotToldHowLongItTook) {
  EXPECT_EQ(AskAs("", "/api/v1/search", "q=network").Get("Server-Timing"), "");
}

TEST(ServerTimingTest, SaysMilliseconds) {
  using std::chrono::nanoseconds;
  EXPECT_EQ(ServerTimingText("search", nanoseconds(0)), "search;dur=0.0");
  EXPECT_EQ(ServerTimingText("search", nanoseconds(1'249'000)), "search;dur=1.2");
  EXPECT_EQ(ServerTimingText("search", std::chrono::seconds(5)), "search;dur=5000.0");
}

TEST_F(SearchApiTest, RefusesWhatIsNoSearch) {
  for (const char* query :
       {"", "q=", "q=kind:thing", "q=deprecated:perhaps", "q=version:one", "q=author:me",
        "q=%22open", "q=%25", "q=system:a/b", "q=system:a+system:b", "q=a&limit=many", "q=%00",
        "q=a&sort=worst", "q=a&sort="}) {
    Reply reply = AskAs("", "/api/v1/search", query);
    EXPECT_EQ(reply.status, 400U) << query << reply.body;
    EXPECT_EQ(wire::DecodeErrors(reply.body).size(), 1U) << reply.body;
  }
}

TEST_F(SearchApiTest, PrivateThingsAreNeitherFoundNorCounted) {
  Reindex();
  EXPECT_EQ(Search("q=network").counts.modules, 1U);
  EXPECT_EQ(Search("q=ns:hidden").total, 0U);
  EXPECT_EQ(Search("q=network", admin_).counts.modules, 2U);
  EXPECT_EQ(Search("q=ns:hidden", admin_).total, 6U);
  EXPECT_EQ(Modules("q=network"), Lines{"acme/network/aws 1.0.0"});
  EXPECT_EQ(Modules("q=network", admin_).size(), 2U);
  EXPECT_TRUE(
      AskAs(admin_, "/api/v1/search", "q=network").Get("Cache-Control").starts_with("private"));
}

TEST_F(SearchApiTest, WithdrawnVersionsAreGone) {
  Publish("acme/network/aws", "1.1.0", NetworkArchive("variable \"extra\" {}\n"));
  Reindex();
  EXPECT_EQ(Found("q=extra"), Lines{"input acme/network/aws extra"});
  api_.token = admin_;
  ASSERT_EQ(api_.Withdraw("acme/network/aws", "1.1.0", "wrong").status, 204U);
  api_.token.clear();
  EXPECT_EQ(Found("q=extra"), Lines());
  EXPECT_EQ(Search("q=cidr").hits.at(0).version, "1.0.0");
  EXPECT_EQ(Reindex().removed, 0U);
}

TEST_F(SearchApiTest, OldSearchAnswersFromTheIndex) {
  EXPECT_EQ(Modules("q=network"), Lines{"acme/network/aws 1.0.0"});
  Publish("acme/other/aws", "1.0.0", NetworkArchive());
  Publish("acme/other/gcp", "2.0.0", NetworkArchive());
  Publish("Beta/other/aws", "1.0.0", NetworkArchive());
  Reindex();
  EXPECT_EQ(Modules("q=machines").size(), 4U) << "by a README";
  EXPECT_EQ(Modules("q=machines&provider=gcp"), Lines{"acme/other/gcp 2.0.0"});
  EXPECT_EQ(Modules("q=machines&namespace=BETA"), Lines{"Beta/other/aws 1.0.0"});
  EXPECT_EQ(Modules("q=machines+ns:acme&namespace=beta"), Lines());
  EXPECT_EQ(Modules("q=machines&verified=true"), Lines());
  EXPECT_EQ(Modules("q=other&limit=1&offset=1").size(), 1U);
  EXPECT_EQ(Modules("q=network").at(0), "acme/network/aws 1.0.0") << "what matches best";
  EXPECT_EQ(Modules("q=etwor"), Lines{"acme/network/aws 1.0.0"}) << "as ever, in addresses";
  EXPECT_EQ(Modules("q=kind:input+cidr"), Lines()) << "modules alone";
  EXPECT_EQ(AskAs("", "/v1/modules/search", "q=").status, 400U);
}

TEST_F(SearchApiTest, ReindexingMakesTheIndexWhatTheCatalogSays) {
  EXPECT_EQ(Found("q=cidr"), Lines{"input acme/network/aws cidr_block"}) << "by its publish";
  const SearchSubject subject =
      SearchSubject::Of(*ModuleAddress::Parse("acme/network/aws"), *Version::Parse("1.0.0"));
  ASSERT_TRUE(RunTask(api_.catalog().search_index().RemoveSearchEntries(subject)));
  EXPECT_EQ(Found("q=cidr"), Lines());
  wire::ReindexReport first = Reindex();
  EXPECT_EQ(first.indexed, 2U);
  EXPECT_EQ(first.removed, 0U);
  EXPECT_TRUE(first.problems.empty());
  EXPECT_EQ(Reindex(), first) << "as often as one likes";
  Reply go_on = AskReindex("modules/acme/network/aws");
  EXPECT_EQ(wire::Decode<wire::ReindexReport>(go_on.body).value().indexed, 1U) << go_on.body;
  for (const char* place : {"things/a", "modules", "modules/a@one"}) {
    EXPECT_EQ(AskReindex(place).status, 400U) << place;
  }
}

TEST_F(SearchApiTest, WhatWasReadOnceNeedsNoArchive) {
  auto record = RunTask(api_.catalog().modules().FindVersion(
      *ModuleAddress::Parse("acme/network/aws"), *Version::Parse("1.0.0")));
  ASSERT_TRUE(record);
  ASSERT_TRUE(RunTask(api_.blobs().RemoveIfOlder(record->digest, std::chrono::seconds(0))));
  wire::ReindexReport report = Reindex();
  EXPECT_EQ(report.indexed, 2U);
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(Found("q=cidr"), Lines{"input acme/network/aws cidr_block"});
}

TEST_F(SearchApiTest, ModulesOfOtherRegistriesAreForWhomTheMirrorIs) {
  const UpstreamModuleVersion version = SampleUpstreamModule(kRemoteModule, "2.0.0");
  ASSERT_TRUE(RunTask(api_.catalog().upstream_modules().PinModule(version)));
  const ModuleSubject subject{version.module.host.ascii(), version.module.address, version.version};
  const SearchEntry module{.kind = SearchKind::kModule, .name = "vpc", .title = {}, .text = {}};
  ASSERT_TRUE(RunTask(api_.catalog().contents().PutContents(
      subject, {.contents = ContentsRecord{1, "read"}, .entries = std::vector{module}})));
  const Lines found{"module registry.example.com/acme/vpc/aws vpc"};
  EXPECT_EQ(Found("q=vpc"), found);
  EXPECT_EQ(Search("q=vpc").hits.at(0).hostname, "registry.example.com");
  EXPECT_EQ(Found("q=vpc+host:here"), Lines());
  EXPECT_EQ(Found("q=host:registry.example.com"), found);
  EXPECT_EQ(Modules("q=vpc"), Lines()) << "the old search knows what is published here";
  EXPECT_EQ(Modules("q=vpc+host:registry.example.com"), Lines());
  EXPECT_EQ(AskAs("", "/api/v1/search", "q=host:a/b").status, 400U);

  api_.access.mirror = Visibility::kInternal;
  api_.SettleMirror();
  EXPECT_EQ(Found("q=vpc"), Lines());
  EXPECT_EQ(Found("q=vpc", api_.Token(Scope::kRead)), found);
  EXPECT_EQ(Found("q=vpc", admin_), found);
}

TEST_F(SearchApiTest, ProvidersOfOtherRegistriesAreForWhomTheMirrorIs) {
  UpstreamRelease release = SampleUpstreamRelease("registry.example.org/acme/random", "2.0.0");
  release.packages[1] = SampleHeldPackage("linux_amd64", "content");
  ASSERT_TRUE(RunTask(api_.catalog().upstream_releases().PinRelease(release, false)));
  EXPECT_EQ(Found("q=random"), Lines());
  EXPECT_EQ(Reindex().indexed, 3U);
  const Lines found{"provider registry.example.org/acme/random random"};
  EXPECT_EQ(Found("q=random"), found);
  const wire::SearchHit hit = Search("q=random").hits.at(0);
  EXPECT_EQ(hit.package, "provider");
  EXPECT_EQ(hit.hostname, "registry.example.org");
  EXPECT_EQ(hit.version, "2.0.0");
  EXPECT_EQ(Found("q=host:registry.example.org"), found);
  EXPECT_EQ(Found("q=random+host:here"), Lines());
  EXPECT_EQ(Found("q=random+host:other.example.org"), Lines());

  api_.access.mirror = Visibility::kInternal;
  api_.SettleMirror();
  EXPECT_EQ(Search("q=random").counts.providers, 0U);
  EXPECT_EQ(Search("q=host:registry.example.org").counts.providers, 0U);
  EXPECT_EQ(Found("q=random", api_.Token(Scope::kRead)), found);
  ASSERT_TRUE(RunTask(api_.catalog().upstream_holdings().ReleasePackage(
      Tester(), release.provider, release.version, On("linux_amd64"))));
  EXPECT_EQ(Found("q=random", admin_), Lines());
  EXPECT_EQ(Search("q=host:registry.example.org", admin_).total, 0U);
}

TEST_F(SearchApiTest, KeptDocsOfOtherRegistriesAreFoundAndNobodyIsAskedForThem) {
  UpstreamRelease release = SampleUpstreamRelease("registry.example.org/acme/demo", "1.0.0");
  release.packages[1] = SampleHeldPackage("linux_amd64", "content");
  ASSERT_TRUE(RunTask(api_.catalog().upstream_releases().PinRelease(release, false)));
  api_.mirror_docs = true;
  api_.SettleMirror();
  Reindex();
  EXPECT_EQ(api_.upstream_docs.asked_lists, 0) << "nobody has read them";
  EXPECT_EQ(Found("q=thing+kind:doc"), Lines());
  const std::string docs = "/api/v1/mirror/providers/registry.example.org/acme/demo/1.0.0/docs";
  ASSERT_EQ(api_.Get(docs).status, 200U);
  EXPECT_EQ(Found("q=thing+kind:doc"), Lines{"doc registry.example.org/acme/demo resources/thing"});
  EXPECT_EQ(Search("q=description+kind:doc").total, 3U) << "and none of another language";
  Reindex();
  EXPECT_EQ(Search("q=description+kind:doc").total, 3U);
  EXPECT_EQ(api_.upstream_docs.asked_lists, 1);
  EXPECT_EQ(api_.upstream_docs.asked_pages, 0);
}

}  // namespace
}  // namespace koya::api
