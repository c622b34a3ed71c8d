#include "inspect/extended_json.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "inspect/module_files_fake.h"

namespace koya::inspect {
namespace {

TEST(WiderAnswerTest, TellsFoldersAsEditorsReadThem) {
  const ModuleContents contents =
      ReadTexts({{"main.tf", R"(terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = "~> 5.0" }
  }
}
variable "needed" {}
variable "cidr" {
  type        = string
  default     = "10.0.0.0/16"
  description = "Addresses"
}
variable "zones" {
  type    = list(string)
  default = []
}
output "id" { value = aws_vpc.main.id }
resource "aws_vpc" "main" {}
data "aws_ami" "x" {}
module "dns" {
  source  = "acme/dns/aws"
  version = "1.0.0"
}
)"},
                 {"README.md", "# VPC\n"},
                 {"modules/sub/main.tf", "variable \"a\" {}\n"},
                 {"examples/basic/main.tf", "module \"it\" { source = \"../..\" }\n"}});
  const boost::json::value answer = boost::json::parse(WiderAnswer(contents));
  EXPECT_EQ(boost::json::serialize(answer.at("root")),
            R"j({"path":"","name":"","readme":"# VPC\n","empty":false,"inputs":[)j"
            R"j({"name":"needed","type":"any","description":"","default":"","required":true},)j"
            R"j({"name":"cidr","type":"string","description":"Addresses",)j"
            R"j("default":"\"10.0.0.0/16\"","required":false},)j"
            R"j({"name":"zones","type":"list(string)","description":"","default":"[]",)j"
            R"j("required":false}],"outputs":[{"name":"id","description":""}],)j"
            R"j("dependencies":[{"name":"dns","source":"acme/dns/aws","version":"1.0.0"}],)j"
            R"j("provider_dependencies":[{"name":"aws","namespace":"hashicorp",)j"
            R"j("source":"hashicorp/aws","version":"~> 5.0"}],)j"
            R"j("resources":[{"name":"main","type":"aws_vpc"}]})j");
  EXPECT_EQ(answer.at("submodules").at(0).at("path").as_string(), "modules/sub");
  EXPECT_EQ(answer.at("submodules").at(0).at("name").as_string(), "sub");
  EXPECT_EQ(answer.at("examples").at(0).at("path").as_string(), "examples/basic");
}

TEST(WiderAnswerTest, AnEmptyModuleIsSaidToBeEmpty) {
  const boost::json::value answer =
      boost::json::parse(WiderAnswer(ReadTexts({{"README.md", "#"}})));
  EXPECT_TRUE(answer.at("root").at("empty").as_bool());
  EXPECT_TRUE(answer.at("submodules").as_array().empty());
}

}  // namespace
}  // namespace koya::inspect
