#include "wire/foreign/foreign_listings.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace koya::wire {
namespace {

using DecodePage = std::function<Result<ListedPage>(std::string_view)>;

Result<ListedPage> DecodeGitlab(std::string_view body) { return DecodeGitlabListing(body, "kumo"); }

struct Listing {
  std::string name;
  DecodePage decode;
  std::string body;
  ListedPage page;
};

ListedPackage Package(bool is_module, std::string address,
                      std::vector<ListedVersion> versions = {}) {
  return {is_module, std::move(address), std::move(versions)};
}

std::vector<Listing> Listings() {
  return {
      {"registry",
       DecodeModuleListing,
       R"({"meta":{"limit":2,"next_offset":2},"modules":[
           {"namespace":"acme","name":"vpc","provider":"aws","version":"1.0.0"},
           {"namespace":"acme","name":"vpc"}, 7]})",
       {.packages = {Package(true, "acme/vpc/aws")}, .entries = 3, .next = "2", .skipped = 2}},
      {"registry's providers",
       DecodeProviderListing,
       R"({"meta":{},"providers":[{"namespace":"acme","name":"demo"}]})",
       {.packages = {Package(false, "acme/demo")}, .entries = 1}},
      {"gitlab",
       DecodeGitlab,
       R"([{"name":"vpc/aws","version":"1.0.0","package_type":"terraform_module",
            "status":"default","created_at":"2026-01-31T12:00:00.123Z"},
           {"name":"vpc/aws","version":"1.1.0","status":"deprecated"},
           {"name":"vpc/aws","version":"1.2.0","status":"hidden"},
           {"name":"vpc","version":"1.2.0"}])",
       {.packages = {Package(true, "kumo/vpc/aws",
                             {{.version = "1.0.0", .published_at = "2026-01-31T12:00:00.123Z"},
                              {.version = "1.1.0", .deprecation = "this version is deprecated"}})},
        .entries = 4,
        .skipped = 1}},
      {"hcp modules",
       DecodeHcpModules,
       R"({"data":[{"attributes":{"namespace":"acme","name":"vpc","provider":"aws",
             "registry-name":"private","version-statuses":[{"version":"1.0.0","status":"ok"},
             {"version":"0.9.0","status":"revoked","deprecation":{"reason":"use 1.0.0"}},
             {"version":"0.1.0","status":"reg_ingress_failed"}]}},
             {"attributes":{"namespace":"x","name":"y","provider":"z","registry-name":"public"}}],
           "meta":{"pagination":{"current-page":1,"next-page":2}}})",
       {.packages = {Package(
            true, "acme/vpc/aws",
            {{.version = "1.0.0"}, {.version = "0.9.0", .deprecation = "use 1.0.0"}})},
        .entries = 2,
        .next = "2"}},
      {"hcp providers",
       DecodeHcpProviders,
       R"({"data":[{"attributes":{"namespace":"acme","name":"demo","registry-name":"private"}}],
           "meta":{"pagination":{"next-page":null}}})",
       {.packages = {Package(false, "acme/demo")}, .entries = 1}},
      {"artifactory modules",
       DecodeArtifactoryModules,
       R"({"files":[{"uri":"/acme/vpc/aws/1.0.0.zip","size":12,"sha2":"ab",
             "lastModified":"2026-01-31T12:00:00.000Z"},{"uri":"/.index/x.json"},{"uri":"/a.zip"}]})",
       {.packages = {Package(true, "acme/vpc/aws",
                             {{.version = "1.0.0",
                               .published_at = "2026-01-31T12:00:00.000Z",
                               .digest = "sha256:ab",
                               .size = 12}})},
        .entries = 3,
        .skipped = 1}},
      {"artifactory providers",
       DecodeArtifactoryProviders,
       R"({"files":[{"uri":"/acme/demo/1.0.0/terraform-provider-demo_1.0.0_linux_amd64.zip",
             "size":12},{"uri":"/acme/demo/1.0.0/terraform-provider-demo_1.0.0_darwin_arm64.zip",
             "size":30},{"uri":"/acme/demo/1.0.0/terraform-provider-demo_1.0.0_SHA256SUMS"}]})",
       {.packages = {Package(false, "acme/demo", {{.version = "1.0.0", .size = 42}})},
        .entries = 3}},
      {"nexus",
       DecodeNexusListing,
       R"({"items":[{"format":"terraform","group":"acme/vpc","name":"aws","version":"1.0.0",
             "assets":[{"path":"v1/modules/acme/vpc/aws/1.0.0.zip","fileSize":9,
                        "checksum":{"sha256":"cd"},"lastModified":"2026-01-31T12:00:00.000+00:00"}]},
            {"group":"/acme","name":"demo","version":"2.0.0","assets":[
              {"path":"v1/providers/acme/demo/2.0.0/x.zip","fileSize":5,"checksum":{}}]},
            {"name":"stray"}],"continuationToken":"88491cd1"})",
       {.packages = {Package(true, "acme/vpc/aws",
                             {{.version = "1.0.0",
                               .published_at = "2026-01-31T12:00:00.000+00:00",
                               .digest = "sha256:cd",
                               .size = 9}}),
                     Package(false, "acme/demo", {{.version = "2.0.0", .size = 5}})},
        .entries = 3,
        .next = "88491cd1",
        .skipped = 1}},
      {"terralist",
       DecodeTerralistListing,
       R"([{"full_name":"acme/vpc/aws","type":"module","versions":["1.0.0","1.1.0"]},
           {"full_name":"acme/demo","type":"provider","versions":["2.0.0"]},
           {"full_name":"acme/demo","type":"module"}])",
       {.packages = {Package(true, "acme/vpc/aws", {{.version = "1.0.0"}, {.version = "1.1.0"}}),
                     Package(false, "acme/demo", {{.version = "2.0.0"}})},
        .entries = 3,
        .skipped = 1}},
  };
}

TEST(ForeignListings, AreReadByProduct) {
  for (const Listing& each : Listings()) {
    SCOPED_TRACE(each.name);
    Result<ListedPage> page = each.decode(each.body);
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_EQ(page->packages, each.page.packages);
    EXPECT_EQ(page->entries, each.page.entries);
    EXPECT_EQ(page->next, each.page.next);
    EXPECT_EQ(page->skipped, each.page.skipped);
  }
}

TEST(ForeignListings, OtherDocumentsAreRejected) {
  const std::vector<std::string> bodies{
      "",
      "<!doctype html><title>Sign in</title>",
      "null",
      "7",
      R"({"errors":["no"]})",
      R"({"modules":{},"providers":{},"data":{},"files":{},"items":{}})",
      R"([{"name":"vpc/aws")"};
  for (const Listing& each : Listings()) {
    for (const std::string& body : bodies) {
      SCOPED_TRACE(each.name + ": " + body);
      Result<ListedPage> page = each.decode(body);
      ASSERT_FALSE(page);
      EXPECT_EQ(page.error().kind, ErrorKind::kInvalid);
    }
  }
}

}  // namespace
}  // namespace koya::wire
