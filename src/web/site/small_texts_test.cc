// What programs ask for besides pages: feeds, badges, addresses of pages.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "web/common/page_paths.h"
#include "web/site/small_texts.h"

namespace koya::web {
namespace {

TEST(FeedTest, IsAtom) {
  Feed feed{.site_url = "https://kumo.example",
            .site_host = "kumo.example",
            .title = "platform · Kumo & Co",
            .path = "/-/feeds/platform.atom",
            .page_path = "/namespaces/platform",
            .entries = {}};
  EXPECT_TRUE(AtomText(feed).contains("<updated>1970-01-01T00:00:00Z</updated>"));
  feed.entries = {{.name = "a/b/c 1.0.0",
                   .path = "/modules/a/b/c/1.0.0",
                   .summary = "<b>&\x01 \xE2\x80\xAE",
                   .author = "ci",
                   .published_at = 1794960000},
                  {.name = "a/b/c 0.9.0",
                   .path = "/modules/a/b/c/0.9.0",
                   .summary = "",
                   .author = "",
                   .published_at = 1794873600}};
  const std::string text = AtomText(feed);
  EXPECT_TRUE(text.contains("<title>platform · Kumo &amp; Co</title>"));
  EXPECT_TRUE(text.contains("<id>tag:kumo.example,2026:/modules/a/b/c/1.0.0</id>"));
  EXPECT_TRUE(text.contains("href=\"https://kumo.example/modules/a/b/c/1.0.0\""));
  EXPECT_TRUE(text.contains("<summary>&lt;b&gt;&amp;\uFFFD </summary>")) << text;
  EXPECT_TRUE(text.contains("<author><name>ci</name></author>"));
  EXPECT_TRUE(text.contains("<author><name>kumo.example</name></author>")) << "each has one";
  EXPECT_TRUE(text.contains("<updated>2026-11-18T00:00:00Z</updated>"));
  EXPECT_TRUE(IsUtf8(text));
}

TEST(BadgeTest, IsAPictureWithWords) {
  const std::string badge = BadgeText("koya", "4.2.0");
  EXPECT_TRUE(badge.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"87\""));
  EXPECT_TRUE(badge.contains("aria-label=\"koya: 4.2.0\""));
  const std::string hostile = BadgeText("<script>", "\"><svg onload=alert(1)>");
  EXPECT_FALSE(hostile.contains("<script>"));
  EXPECT_FALSE(hostile.contains("<svg onload"));
  EXPECT_LT(BadgeText("a", std::string(5000, 'b')).size(), 1500U);
}

TEST(InstallScriptTest, NamesItsServerAndEachDigest) {
  const std::string amd64 = InstallScript("0.9.0", "https://kumo.example",
                                          {{"amd64", "/-/cli/a", std::string(64, 'a'), 1}});
  EXPECT_TRUE(amd64.starts_with("#!/bin/sh\n"));
  EXPECT_TRUE(amd64.contains("server='https://kumo.example' version='0.9.0' "));
  EXPECT_TRUE(
      amd64.contains("    Linux-x86_64) arch=amd64 digest=" + std::string(64, 'a') + " ;;\n"));
  EXPECT_FALSE(amd64.contains("aarch64"));
  EXPECT_FALSE(
      amd64.contains("@"
                     "URL"))
      << "no mark is left";
  EXPECT_FALSE(amd64.contains("@PLATFORMS"));
  const std::string both = InstallScript(
      "0.9.0", "https://kumo.example",
      {{"amd64", "", std::string(64, 'a'), 1}, {"arm64", "", std::string(64, 'b'), 1}});
  EXPECT_TRUE(both.contains("Linux-aarch64 | Linux-arm64) arch=arm64 digest=bbb"));
  EXPECT_LE(std::ranges::count(both, '\n'), 60);
  EXPECT_TRUE(both.ends_with("\nmain\n")) << "nothing runs before all of it was read";
}

TEST(PackagePathTest, EncodeWhatAddressesHold) {
  EXPECT_EQ(ModulePath("acme/vpc/aws"), "/modules/acme/vpc/aws");
  EXPECT_EQ(ModulePath("acme/vpc/aws", "1.0.0+a", "inputs"),
            "/modules/acme/vpc/aws/1.0.0%2Ba/inputs");
  EXPECT_EQ(ProviderPath("acme/雲", "1.0.0", "docs/resources/a b"),
            "/providers/acme/%E9%9B%B2/1.0.0/docs/resources/a%20b");
  EXPECT_EQ(NamespacePath("acme"), "/namespaces/acme");
  EXPECT_EQ(FeedPath("acme"), "/-/feeds/acme.atom");
  EXPECT_EQ(ModuleFeedPath("acme/vpc/aws"), "/-/feeds/modules/acme/vpc/aws.atom");
  EXPECT_EQ(ProviderFeedPath("acme/demo"), "/-/feeds/providers/acme/demo.atom");
}

TEST(PackagePathTest, LeadToWhatWasFound) {
  SearchHit hit;
  hit.address = "acme/vpc/aws";
  hit.version = "1.2.0";
  struct Row {
    SearchKind kind;
    std::string_view name;
    std::string_view path;
  };
  for (const Row& row : {
           Row{SearchKind::kModule, "vpc", "/modules/acme/vpc/aws"},
           Row{SearchKind::kSubmodule, "a/b", "/modules/acme/vpc/aws/1.2.0/submodules/a/b"},
           Row{SearchKind::kExample, "full", "/modules/acme/vpc/aws/1.2.0/examples/full"},
           Row{SearchKind::kResource, "aws_vpc.a", "/modules/acme/vpc/aws/1.2.0/resources"},
           Row{SearchKind::kInput, "cidr", "/modules/acme/vpc/aws/1.2.0/inputs#in-cidr"},
           Row{SearchKind::kInput, "net/cidr",
               "/modules/acme/vpc/aws/1.2.0/submodules/net#in-cidr"},
           Row{SearchKind::kOutput, "id", "/modules/acme/vpc/aws/1.2.0/outputs#out-id"},
       }) {
    hit.kind = row.kind;
    hit.name = row.name;
    EXPECT_EQ(PathOfHit(hit), row.path);
  }
  hit.newest = false;
  EXPECT_EQ(PackagePath(hit), "/modules/acme/vpc/aws/1.2.0");
  hit = {};
  hit.subject_kind = SearchKind::kProvider;
  hit.address = "acme/demo";
  hit.version = "2.0.0";
  hit.kind = SearchKind::kDoc;
  hit.name = "resources/server";
  EXPECT_EQ(PathOfHit(hit), "/providers/acme/demo/2.0.0/docs/resources/server");
}

TEST(PackagePathTest, LeadToWhatIsKeptOfOtherRegistries) {
  SearchHit hit;
  hit.subject_kind = SearchKind::kProvider;
  hit.address = "registry.example.org:8443/acme/demo";
  hit.host = "registry.example.org:8443";
  hit.version = "2.0.0+a";
  hit.kind = SearchKind::kProvider;
  EXPECT_EQ(PathOfHit(hit), "/-/mirror/providers/registry.example.org%3A8443/acme/demo");
  hit.newest = false;
  EXPECT_EQ(PackagePath(hit),
            "/-/mirror/providers/registry.example.org%3A8443/acme/demo/2.0.0%2Ba");
  hit.kind = SearchKind::kDoc;
  hit.name = "resources/server";
  EXPECT_EQ(PathOfHit(hit),
            "/-/mirror/providers/registry.example.org%3A8443/acme/demo/2.0.0%2Ba/docs/resources/"
            "server");
  hit.subject_kind = SearchKind::kModule;
  hit.address = "registry.example.org/acme/vpc/aws";
  hit.host = "registry.example.org";
  for (SearchKind kind : {SearchKind::kModule, SearchKind::kInput, SearchKind::kExample}) {
    hit.kind = kind;
    EXPECT_EQ(PathOfHit(hit), "/-/mirror/packages?q=registry.example.org%2Facme%2Fvpc%2Faws");
  }
}

TEST(SiteFilesTest, SayWhereTheyAre) {
  EXPECT_TRUE(OpenSearchText("雲", "https://kumo.example")
                  .contains("template=\"https://kumo.example/search?q={searchTerms}\""));
  EXPECT_TRUE(OpenSearchText("a name that is longer than it may be", "https://k.example")
                  .contains("<ShortName>a name that is l</ShortName>"));
  EXPECT_TRUE(LlmsText("Kumo", "https://k.example", "k.example").starts_with("# Kumo\n"));
  EXPECT_EQ(ClosedRobotsText(), "User-agent: *\nDisallow: /\n");
}

}  // namespace
}  // namespace koya::web
