#include "inspect/contents.h"

#include <gtest/gtest.h>

#include <string>

#include "inspect/module_files_fake.h"

namespace koya::inspect {
namespace {

// Every member of every struct is something else than nothing.
const Texts& FullModule() {
  static const Texts kTexts = {
      {"main.tf", R"(/* Header "with" quotes. */

terraform {
  required_version = ">= 1.5"
  language         = TF2021
  experiments      = [x]
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = "~> 5.0"
      configuration_aliases = [aws.a]
    }
  }
  cloud {}
}
variable "v" {
  description = "D ☃ \u0001"
  type        = map(object({ a = optional(list(string), ["x"]), t = tuple([bool, any]) }))
  default     = { k = null }
  sensitive   = true
  nullable    = false
  ephemeral   = true
  const       = true
  deprecated  = "d"
  validation {
    condition     = var.v != null
    error_message = "m"
  }
}
output "o" {
  value       = var.v
  description = "O"
  sensitive   = true
  ephemeral   = true
  deprecated  = "d"
  precondition {
    condition     = true
    error_message = "m"
  }
}
# terraform-docs-ignore
resource "aws_x" "y" {
  count    = 1
  provider = aws.a
  lifecycle {
    prevent_destroy       = true
    create_before_destroy = true
    enabled               = true
  }
}
module "m" {
  source    = "acme/vpc/aws//sub"
  version   = "1.0.0"
  for_each  = {}
  providers = { aws = aws.a }
}
provider "aws" {
  alias    = "a"
  for_each = {}
}
removed {
  from = a.b
  lifecycle {
    destroy = false
  }
}
import {
  to = a.b
  id = "i"
}
check "c" {
  assert {
    condition     = true
    error_message = "m"
  }
}
locals {
  l = provider::a::b()
}
)"},
      {"modules/m/main.tf", "bad {"},
      {"examples/e/main.tf", ""},
      {"a.tftest.hcl", "mock_provider \"aws\" {}\nrun \"r\" {}\n"},
      {".terraform.lock.hcl",
       "provider \"registry.example.org/hashicorp/aws\" {\n"
       "  version = \"5.0.0\"\n}\n"},
      {"README.md", "# R <!-- BEGIN_TF_DOCS -->"},
      {"CHANGELOG.md", "## 1.0.0\nText\n"},
      {"LICENSE", "SPDX-License-Identifier: MIT"},
  };
  return kTexts;
}

TEST(ContentsJsonTest, GoesThereAndBack) {
  ModuleContents contents = ReadTexts(FullModule(), "1.0.0");
  EXPECT_EQ(contents.root.requirements.at(0).locked, "5.0.0");
  EXPECT_EQ(contents.changelog.section, "Text");
  EXPECT_FALSE(contents.warnings.empty());
  std::string text = EncodeContents(contents);
  auto read = DecodeContents(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, contents);
  EXPECT_EQ(EncodeContents(*read), text);
}

TEST(ContentsJsonTest, EmptyContentsGoThereAndBack) {
  ModuleContents contents = ReadTexts({});
  auto read = DecodeContents(EncodeContents(contents));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, contents);
}

TEST(ContentsJsonTest, DeepTypesGoThereAndBack) {
  for (std::string_view open : {"list(", "tuple([", "object({ a = "}) {
    std::string_view close = open == "list(" ? ")" : open == "tuple([" ? "])" : " })";
    std::string type;
    for (int i = 0; i < 60; ++i) type += open;
    type += "string";
    for (int i = 0; i < 60; ++i) type += close;
    ModuleContents contents =
        ReadTexts({{"modules/m/main.tf", "variable \"v\" {\n  type = " + type + "\n}\n"}});
    ASSERT_TRUE(contents.warnings.empty()) << contents.warnings.front().ToString();
    auto read = DecodeContents(EncodeContents(contents));
    ASSERT_TRUE(read) << open << read.error().message;
    EXPECT_EQ(*read, contents);
  }
}

TEST(ContentsJsonTest, RefusesWhatIsNotContents) {
  for (std::string_view text :
       {"", "[]", "{", "{\"root\": 1}", "{\"root\": {\"inputs\": [1]}}",
        "{\"root\": {\"inputs\": [{}]}}", "{\"files\": [{\"path\": \"x\", \"bytes\": \"y\"}]}"}) {
    auto read = DecodeContents(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::kInvalid);
  }
}

}  // namespace
}  // namespace koya::inspect
