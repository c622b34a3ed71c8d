#include "hcl/config_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"

namespace koya::hcl {
namespace {

using Files = std::map<std::string, std::string>;

class ConfigFolderTest : public testing::Test {
 protected:
  Requirements Read(const Files& files, const std::string& root = "") {
    for (const auto& [name, text] : files) {
      std::filesystem::path path = std::filesystem::path(folder_.path()) / name;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << text;
    }
    auto read = ReadConfiguration(std::filesystem::path(folder_.path()) / root,
                                  *HostName::Parse("registry.opentofu.org"));
    EXPECT_TRUE(read);
    return *std::move(read);
  }

  // "registry.opentofu.org/acme/demo ~> 1.0 (main.tf:3)", one to a line.
  static std::string Show(const Requirements& needs) {
    std::string out;
    for (const ProviderNeed& each : needs.providers) {
      out += each.source.ToString() + " " + each.constraint.text() + " (" + each.place + ")\n";
    }
    for (const ModuleNeed& each : needs.modules) {
      out += "module " + each.source.ToString() + " " + each.constraint.text() + " (" + each.place +
             ")\n";
    }
    for (const std::string& each : needs.problems) out += "problem " + each + "\n";
    for (const std::string& each : needs.notes) out += "note " + each + "\n";
    return out;
  }

  TempFolder folder_;
};

TEST_F(ConfigFolderTest, ReadsRequiredProviders) {
  Requirements needs = Read({{"versions.tf", R"(terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
      configuration_aliases = [aws.east, aws.west]
    }
    demo   = { source = "example.com/acme/demo" }
    random = "3.6.0"
    tf     = { source = "terraform.io/builtin/terraform" }
  }
}
)"}});
  EXPECT_EQ(Show(needs),
            "registry.opentofu.org/hashicorp/aws ~> 5.0 (versions.tf:4)\n"
            "example.com/acme/demo  (versions.tf:9)\n"
            "registry.opentofu.org/hashicorp/random 3.6.0 (versions.tf:10)\n");
}

TEST_F(ConfigFolderTest, ProvidersFollowFromResources) {
  Requirements needs = Read({{"main.tf", R"(terraform {
  required_providers {
    mine = { source = "acme/mine" }
  }
}
resource "mine_thing" "a" {}
resource "null_resource" "a" {
  for_each = { for k, v in var.x : k => v }
}
data "http" "a" {
  url = "https://${var.host}/x"
}
resource "google_thing" "b" {
  provider = google-beta.east
}
resource "terraform_data" "c" {}
ephemeral "random_password" "d" {}
check "up" {
  data "tls_certificate" "e" {}
}
provider "aws" {
  version = ">= 4.0"
  default_tags {
    tags = { a = "b" }
  }
}
)"}});
  EXPECT_EQ(Show(needs),
            "registry.opentofu.org/hashicorp/aws >= 4.0 (main.tf:21)\n"
            "registry.opentofu.org/hashicorp/google-beta  (main.tf:13)\n"
            "registry.opentofu.org/hashicorp/http  (main.tf:10)\n"
            "registry.opentofu.org/acme/mine  (main.tf:3)\n"
            "registry.opentofu.org/hashicorp/null  (main.tf:7)\n"
            "registry.opentofu.org/hashicorp/random  (main.tf:17)\n"
            "registry.opentofu.org/hashicorp/tls  (main.tf:19)\n");
}

TEST_F(ConfigFolderTest, FollowsLocalModules) {
  constexpr std::string_view kProviders =
      "terraform {\n  required_providers {\n    aws = { source = \"hashicorp/aws\", version = "
      "\"";
  auto aws = [&](std::string_view version) {
    return std::string(kProviders) + std::string(version) + "\" }\n  }\n}\n";
  };
  Requirements needs =
      Read({{"root/main.tf", aws(">= 5.0") + "module \"a\" {\n  source = \"./a\"\n}\n"
                                             "module \"b\" {\n  source = \"../shared/b//\"\n}\n"
                                             "module \"c\" {\n  source  = \"acme/vpc/aws//sub\"\n"
                                             "  version = \"~> 1\"\n}\n"},
            // Another local name for the same provider, and a way back that must not go in
            // circles.
            {"root/a/main.tf", aws("< 6.0") + "module \"back\" {\n  source = \"../\"\n}\n"
                                              "module \"c\" {\n  source  = \"acme/vpc/aws\"\n"
                                              "  version = \"~> 1\"\n}\n"},
            {"shared/b/main.tf",
             "module \"d\" {\n  source = \"example.com/acme/d/x\"\n}\n"
             "module \"g\" {\n  source = \"git::https://x.test/y\"\n}\n"}},
           "root");
  EXPECT_EQ(Show(needs),
            "registry.opentofu.org/hashicorp/aws >= 5.0, < 6.0 (main.tf:3)\n"
            "module registry.opentofu.org/acme/vpc/aws ~> 1 (main.tf:12)\n"
            "module example.com/acme/d/x  (../shared/b/main.tf:1)\n"
            "note ../shared/b/main.tf:4: the module \"git::https://x.test/y\" is in no registry: "
            "clients fetch it from where it is\n");
}

TEST_F(ConfigFolderTest, TellsWhatItCannotRead) {
  Requirements needs = Read({
      {"a.tf", "resource \"null_resource\" {\n"},
      {"b.tf.json", "{}"},
      {"c_override.tf", ""},
      {"d.tf",
       "module \"x\" {\n  source = local.where\n}\nmodule \"y\" {\n}\n"
       "module \"z\" {\n  source  = \"acme/vpc/aws\"\n  version = var.v\n}\n"
       "module \"w\" {\n  source  = \"acme/vpc/aws\"\n  version = \"=> 1\"\n}\n"
       "module \"v\" {\n  source = \"./none\"\n}\n"},
      {"e.tf",
       "terraform {\n  required_providers {\n    a = local.a\n    b = { source = var.b }\n"
       "    c = { source = \"a/b/c/d\" }\n    d = { version = \"latest\" }\n"
       "    aws = {}\n    aws = {}\n  }\n}\n"},
      {"f.tf", "provider \"http\" {\n  version = var.v\n}\n"},
  });
  const std::vector<std::string_view> kProblems = {
      "a.tf: line 1: the block \"resource\"",  "b.tf.json: configurations in JSON",
      "c_override.tf: override files",         "d.tf:1: the module's source is not written out",
      "d.tf:4: the module's source",           "d.tf:6: the module's version",
      "d.tf:10: version constraint \"=> 1\"",  "e.tf:3: the required provider \"a\"",
      "e.tf:4: the required provider \"b\"",   "e.tf:8: the provider \"aws\" is required at e.tf:7",
      "f.tf:1: the provider's version",        "e.tf:5: \"a/b/c/d\" is not the address",
      "e.tf:6: version constraint \"latest\"", "d.tf:14: there is no folder",
  };
  ASSERT_EQ(needs.problems.size(), kProblems.size()) << Show(needs);
  for (std::size_t i = 0; i < kProblems.size(); ++i) {
    EXPECT_TRUE(needs.problems[i].starts_with(kProblems[i])) << needs.problems[i];
  }
  // The rest is read all the same.
  EXPECT_EQ(needs.providers.size(), 2U) << Show(needs);
}

TEST_F(ConfigFolderTest, TakesTheFilesThatClientsTake) {
  Requirements needs = Read({
      {"main.tf", "resource \"a_x\" \"y\" {}\n"},
      {"main.tofu", "resource \"b_x\" \"y\" {}\n"},
      {".hidden.tf", "resource \"c_x\" \"y\" {}\n"},
      {"main.tf~", "resource \"d_x\" \"y\" {}\n"},
      {"#main.tf#", "resource \"f_x\" \"y\" {}\n"},
      {"#more.tf", "resource \"g_x\" \"y\" {}\n"},
      {"sub/main.tf", "resource \"e_x\" \"y\" {}\n"},
      {"notes.txt", "resource"},
  });
  EXPECT_EQ(Show(needs),
            "registry.opentofu.org/hashicorp/b  (main.tofu:1)\n"
            "registry.opentofu.org/hashicorp/g  (#more.tf:1)\n");
}

TEST_F(ConfigFolderTest, WantsAFolder) {
  auto host = HostName::Parse("registry.opentofu.org");
  EXPECT_FALSE(ReadConfiguration(std::filesystem::path(folder_.path()) / "none", *host));
  EXPECT_FALSE(ReadTextFile(folder_.path()));
  EXPECT_FALSE(ReadTextFile(std::filesystem::path(folder_.path()) / "none"));
  std::ofstream(std::filesystem::path(folder_.path()) / "long") << std::string(kMaxText + 1, ' ');
  EXPECT_FALSE(ReadTextFile(std::filesystem::path(folder_.path()) / "long"));
}

}  // namespace
}  // namespace koya::hcl
