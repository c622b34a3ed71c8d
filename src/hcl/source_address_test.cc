#include "hcl/source_address.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace koya::hcl {
namespace {

HostName Default() { return *HostName::Parse("registry.opentofu.org"); }

TEST(ProviderSourceTest, TakesWhatConfigurationsWrite) {
  const std::vector<std::pair<std::string, std::string>> kCases = {
      {"aws", "registry.opentofu.org/hashicorp/aws"},
      {"Acme/Demo", "registry.opentofu.org/acme/demo"},
      {"My_Org/demo", "registry.opentofu.org/my_org/demo"},
      {"Example.com:8443/acme/demo", "example.com:8443/acme/demo"},
      {"localhost:1/acme/demo", "localhost:1/acme/demo"},
      {"日本.example/acme/demo", "日本.example/acme/demo"},
  };
  for (const auto& [text, full] : kCases) {
    auto source = ParseProviderSource(text, Default());
    ASSERT_TRUE(source) << source.error().message;
    ASSERT_TRUE(*source) << text;
    EXPECT_EQ((*source)->ToString(), full);
  }
  auto builtin = ParseProviderSource("terraform.io/builtin/terraform", Default());
  ASSERT_TRUE(builtin);
  EXPECT_FALSE(*builtin);
}

TEST(ProviderSourceTest, RefusesTheRest) {
  for (std::string text : {"", "/", "a/b/c/d", "a//b", "-/aws", "xn--wgv71a.example/a/b", "_a/c",
                           "a_/c", "a/b_c", "https://x.test/a/b", "/a/b", "a b/c"}) {
    EXPECT_FALSE(ParseProviderSource(text, Default())) << text;
  }
}

TEST(ModuleSourceTest, KnowsRegistriesFromOtherPlaces) {
  const std::vector<std::pair<std::string, std::string>> kCases = {
      {"acme/vpc/aws", "registry.opentofu.org/acme/vpc/aws"},
      {"Acme/vpc/aws//modules/sub", "registry.opentofu.org/Acme/vpc/aws"},
      {"example.com/acme/vpc/aws", "example.com/acme/vpc/aws"},
      {"127.0.0.1:8443/acme/vpc/aws//x", "127.0.0.1:8443/acme/vpc/aws"},
  };
  for (const auto& [text, full] : kCases) {
    auto source = ParseModuleSource(text, Default());
    ASSERT_TRUE(source) << text;
    EXPECT_EQ(source->ToString(), full);
  }
  for (std::string text :
       {"", "./vpc", "../vpc", "/vpc/x/y", "github.com/acme/vpc", "github.com/acme/vpc/aws",
        "bitbucket.org/acme/vpc/aws", "git::https://x.test/a/b/c", "https://x.test/a/b/c.zip",
        "git@github.com:acme/vpc.git", "localhost/acme/vpc/aws", "acme/vpc/AWS", "acme/vpc",
        "s3::https://x/y/z", "a/b/c/d/e", "hg::http://x.test/y"}) {
    EXPECT_FALSE(ParseModuleSource(text, Default())) << text;
  }
}

TEST(ModuleSourceTest, KnowsLocalFolders) {
  for (std::string text : {"./vpc", "../vpc", ".", "..", "./"}) EXPECT_TRUE(IsLocalModule(text));
  for (std::string text : {"", "vpc", "/vpc", ".vpc", "acme/vpc/aws"}) {
    EXPECT_FALSE(IsLocalModule(text));
  }
}

}  // namespace
}  // namespace koya::hcl
