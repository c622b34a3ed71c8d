#include "inspect/module_json.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "inspect/module_files_fake.h"

namespace koya::inspect {
namespace {

namespace json = boost::json;

TEST(ContentsAnswerTest, TypesAreNestedArrays) {
  struct Case {
    std::string type, tree;
  };
  const Case cases[] = {
      {"", R"("any")"},
      {"any", R"("any")"},
      {"string", R"("string")"},
      {"list(string)", R"(["list","string"])"},
      {"map(set(number))", R"(["map",["set","number"]])"},
      {"tuple([string, bool])", R"(["tuple",["string","bool"]])"},
      {"object({})", R"(["object",{}])"},
      {"object({ a = string, b = optional(number, 1), c = optional(list(bool)) })",
       R"(["object",{"a":"string","b":["optional","number",1],"c":["optional",["list","bool"]]}])"},
      {"object({ a = optional(object({ b = string }), { b = \"x\" }) })",
       R"(["object",{"a":["optional",["object",{"b":"string"}],{"b":"x"}]}])"},
      {"strin g", R"("any")"},
      {"list(", R"("any")"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(json::parse(AnswerType(each.type)), json::parse(each.tree)) << each.type;
  }
}

TEST(ContentsAnswerTest, AnInputHasAllThatIsPromised) {
  ModuleContents contents = ReadTexts({{"variables.tf", R"(
variable "cidr" {
  type        = string
  description = "The range."
  default     = null
  sensitive   = true
  nullable    = false
  validation {
    condition     = length(var.cidr) > 3
    error_message = "Too short."
  }
}
variable "name" {}
)"}});
  json::value answer = json::parse(AnswerContents(contents));
  const json::array& inputs = answer.at("root").at("inputs").as_array();
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0], json::parse(R"({"name":"cidr","type":"string","type_tree":"string",
      "default":null,"required":false,"description":"The range.","sensitive":true,
      "nullable":false,"ephemeral":false,"const":false,"deprecated":"",
      "validations":[{"condition":"length(var.cidr) > 3","error_message":"Too short."}],
      "file":"variables.tf","line":2})"));
  EXPECT_EQ(inputs[1].at("type"), "any");
  EXPECT_EQ(inputs[1].at("required"), true);
  EXPECT_FALSE(inputs[1].as_object().contains("default"));
}

TEST(ContentsAnswerTest, AModuleIsToldWhole) {
  ModuleContents contents =
      ReadTexts({{"main.tf", R"(
terraform {
  required_version = ">= 1.5"
  required_providers { null = { source = "hashicorp/null", version = "~> 3.0" } }
}
resource "null_resource" "a" { count = 2 }
data "null_data_source" "b" {}
module "c" { source = "./modules/c" }
locals { d = 1 }
moved {
  from = null_resource.old
  to   = null_resource.a
}
removed {
  from = null_resource.gone
  lifecycle { destroy = false }
}
)"},
                 {"outputs.tf", "output \"e\" { value = local.d }\n"},
                 {"modules/c/main.tf", "variable \"f\" {}\n"},
                 {"examples/g/main.tf", "module \"h\" { source = \"../..\" }\n"},
                 {"LICENSE", "SPDX-License-Identifier: MIT\n"},
                 {"broken.tf", "variable \"x\" {\n"}});
  json::value answer = json::parse(AnswerContents(contents));
  EXPECT_EQ(answer.at("reader"), kReaderVersion);
  const json::value& root = answer.at("root");
  EXPECT_EQ(root.at("required_version"), ">= 1.5");
  EXPECT_EQ(root.at("required_providers").at(0).at("version"), "~> 3.0");
  EXPECT_EQ(root.at("resources").at(0).at("address"), "null_resource.a");
  EXPECT_EQ(root.at("resources").at(0).at("count"), "2");
  EXPECT_EQ(root.at("resources").at(1).at("mode"), "data");
  EXPECT_EQ(root.at("module_calls").at(0).at("kind"), "local");
  EXPECT_EQ(root.at("locals"), json::parse(R"(["d"])"));
  EXPECT_EQ(root.at("moved").at(0).at("from"), "null_resource.old");
  EXPECT_EQ(root.at("removed").at(0).at("destroy"), false);
  EXPECT_EQ(root.at("imports").as_array().size(), 0u);
  EXPECT_EQ(root.at("outputs").at(0).at("file"), "outputs.tf");
  EXPECT_EQ(answer.at("submodules").at(0).at("path"), "modules/c");
  EXPECT_EQ(answer.at("examples").at(0).at("path"), "examples/g");
  EXPECT_EQ(answer.at("licence").at("spdx"), "MIT");
  ASSERT_FALSE(answer.at("warnings").as_array().empty());
  EXPECT_EQ(answer.at("warnings").at(0).at("file"), "broken.tf");
  EXPECT_EQ(answer.at("files").as_array().size(), contents.file_count);
}

// Parts that few modules have, and that are left out when absent.
TEST(ContentsAnswerTest, TellsWhatIsRare) {
  const std::string_view main_file = R"(# Networks.

terraform {
  language    = TF2021
  experiments = [a_thing]
}
# terraform-docs-ignore
variable "a" {}
# terraform-docs-ignore
output "b" { value = 1 }
# terraform-docs-ignore
resource "x_y" "c" {}
# terraform-docs-ignore
module "d" { source = "./modules/d" }
variable "shown" {}
)";
  ModuleContents contents =
      ReadTexts({{"main.tf", std::string(main_file)}, {"CHANGES.md", "none"}});
  contents.warnings_left_out = 3;
  contents.folders_left_out = true;
  json::value answer = json::parse(AnswerContents(contents));
  const json::value& root = answer.at("root");
  EXPECT_EQ(root.at("language"), "TF2021");
  EXPECT_EQ(root.at("experiments"), json::parse(R"(["a_thing"])"));
  EXPECT_EQ(root.at("header"), "Networks.");
  for (const char* list : {"inputs", "outputs", "resources", "module_calls"}) {
    EXPECT_EQ(root.at(list).at(0).at("hidden"), true) << list;
  }
  EXPECT_FALSE(root.at("inputs").at(1).as_object().contains("hidden"));
  EXPECT_EQ(answer.at("warnings_left_out"), 3);
  EXPECT_EQ(answer.at("folders_left_out"), true);
  EXPECT_EQ(answer.at("changelog_file"), "CHANGES.md");
}

TEST(ContentsAnswerTest, LeavesOutWhatIsNotThere) {
  json::value answer = json::parse(AnswerContents(ReadTexts({{"main.tf", "variable \"a\" {}\n"}})));
  for (const char* name : {"warnings_left_out", "folders_left_out", "changelog_file"}) {
    EXPECT_FALSE(answer.as_object().contains(name)) << name;
  }
  const json::object& root = answer.at("root").as_object();
  for (const char* name : {"language", "header", "backend"}) {
    EXPECT_FALSE(root.contains(name)) << name;
  }
  EXPECT_EQ(root.at("experiments").as_array().size(), 0U);
}

TEST(ContentsAnswerTest, SaysThatTheRootHasNoConfiguration) {
  const Texts texts = {{"README.md", "x"}, {"modules/a/main.tf", ""}};
  json::value answer = json::parse(AnswerContents(ReadTexts(texts)));
  EXPECT_EQ(answer.at("root").at("empty"), true);
  EXPECT_FALSE(answer.at("submodules").at(0).as_object().contains("empty"));
}

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
