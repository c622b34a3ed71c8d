#include "inspect/module_json.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "inspect/module_block.h"
#include "inspect/module_files_fake.h"

namespace koya::inspect {
namespace {

const Texts& AnsweredModule() {
  static const Texts kTexts = {{"main.tf", R"(variable "cidr" {
  type        = string
  description = "The range."
  default     = "10.0.0.0/16"
  sensitive   = true
}
variable "zones" {
  type = list(string)
}
output "id" {
  value     = aws_vpc.main[0].id
  sensitive = true
}
resource "aws_vpc" "main" {
  count = 1
}
data "aws_ami" "x" {}
)"},
                               {"modules/sub/main.tf", "variable \"inner\" {}\n"},
                               {"examples/one/main.tf", "output \"shown\" {\n  value = 1\n}\n"}};
  return kTexts;
}

TEST(AnsweredPartTest, GivesBackWhatWasAnswered) {
  const ModuleContents contents = ReadTexts(AnsweredModule());
  const std::string answer = AnswerContents(contents);
  auto read = ReadAnsweredPart(answer, "");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->part.inputs.size(), 2U);
  const Input& input = read->part.inputs.front();
  EXPECT_EQ(input.name, "cidr");
  EXPECT_EQ(input.type, "string");
  EXPECT_EQ(input.default_text, R"("10.0.0.0/16")");
  EXPECT_FALSE(input.required);
  EXPECT_TRUE(input.sensitive);
  EXPECT_EQ(input.place, contents.root.inputs.front().place);
  EXPECT_TRUE(read->part.inputs.back().required);
  EXPECT_EQ(read->part.outputs.front().value, "aws_vpc.main[0].id");
  EXPECT_EQ(read->part.resources.front().Address(), "aws_vpc.main");
  EXPECT_EQ(read->part.resources.front().repetition.Kind(), "count");
  EXPECT_EQ(read->part.resources.back().Address(), "data.aws_ami.x");
  for (const std::string* text : {&read->inputs, &read->outputs, &read->resources}) {
    EXPECT_NE(answer.find(*text), std::string::npos) << *text;
  }
}

TEST(AnsweredPartTest, FindsFolders) {
  const std::string answer = AnswerContents(ReadTexts(AnsweredModule()));
  auto sub = ReadAnsweredPart(answer, "modules/sub");
  ASSERT_TRUE(sub) << sub.error().message;
  EXPECT_EQ(sub->part.inputs.front().name, "inner");
  EXPECT_EQ(sub->outputs, "[]");
  EXPECT_TRUE(ReadAnsweredPart(answer, "examples/one"));
  auto none = ReadAnsweredPart(answer, "modules/none");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kNotFound);
  EXPECT_NE(none.error().message.find("modules/sub"), std::string::npos) << none.error().message;
  EXPECT_FALSE(ReadAnsweredPart(AnswerContents(ReadTexts({})), "modules/none"));
}

TEST(AnsweredPartTest, ReadsDeepTypes) {
  std::string type;
  for (int i = 0; i < 60; ++i) type += "list(";
  type += "string" + std::string(60, ')');
  const std::string answer =
      AnswerContents(ReadTexts({{"main.tf", "variable \"v\" {\n  type = " + type + "\n}\n"}}));
  auto read = ReadAnsweredPart(answer, "");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->part.inputs.front().type, type);
}

TEST(AnsweredModuleTest, GivesBackWhatThereIs) {
  ModuleContents contents = ReadTexts({{"main.tf", R"(# Networks.

terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}
module "dns" {
  source  = "acme/dns/aws"
  version = "~> 2.0"
}
variable "cidr" {}
)"},
                                       {"broken.tf", "variable \"x\" {\n"},
                                       {"modules/sub/main.tf", "variable \"inner\" {}\n"},
                                       {"examples/one/main.tf", "output \"o\" {\n value = 1\n}\n"},
                                       {"README.md", "# VPC\n"},
                                       {"CHANGELOG.md", "## 1.2.0\n\nNew: zones.\n"},
                                       {"LICENSE", "SPDX-License-Identifier: MIT\n"}},
                                      "1.2.0");
  contents.warnings_left_out = 2;
  auto read = ReadAnsweredModule(AnswerContents(contents));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->reader_version, contents.reader_version);
  EXPECT_EQ(read->root.required_version, ">= 1.5");
  EXPECT_EQ(read->root.header, "Networks.");
  EXPECT_EQ(read->root.readme.file, "README.md");
  EXPECT_EQ(read->root.requirements, contents.root.requirements);
  EXPECT_EQ(read->root.calls, contents.root.calls);
  EXPECT_EQ(read->root.inputs.size(), contents.root.inputs.size());
  ASSERT_EQ(read->submodules.size(), 1U);
  EXPECT_EQ(read->submodules.front().path, "modules/sub");
  ASSERT_EQ(read->examples.size(), 1U);
  EXPECT_EQ(read->examples.front().path, "examples/one");
  EXPECT_EQ(read->licence, contents.licence);
  EXPECT_EQ(read->changelog, contents.changelog);
  EXPECT_FALSE(read->warnings.empty());
  EXPECT_EQ(read->warnings, contents.warnings);
  EXPECT_EQ(read->warnings_left_out, 2U);
  EXPECT_EQ(read->file_count, 7U);
  EXPECT_EQ(read->bytes, contents.bytes);
}

// As an older server, or one of another kind, may answer.
TEST(AnsweredModuleTest, MissesNothingThatIsNotThere) {
  auto read = ReadAnsweredModule(R"({"root":{},"licence":1,"warnings":[{}],"bytes":-1})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->bytes, 0U);
  EXPECT_EQ(read->warnings.size(), 1U);
  EXPECT_EQ(read->licence, Licence());
}

TEST(AnsweredModuleTest, RefusesOtherDocuments) {
  for (std::string_view text :
       {"", "[]", "{}", R"({"root":[]})", R"({"root":{"module_calls":{}}})",
        R"({"root":{"required_providers":[1]}})", R"({"root":{},"warnings":"x"})",
        R"({"root":{},"submodules":[1]})", R"({"root":{},"examples":{}})"}) {
    auto read = ReadAnsweredModule(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::kInvalid) << text;
  }
}

TEST(AnsweredPartTest, RefusesOtherDocuments) {
  for (std::string_view text : {"", "x", "[]", "{}", R"({"root":1})", R"({"root":{"inputs":1}})",
                                R"({"root":{"inputs":[1]}})", R"({"root":{"outputs":{}}})"}) {
    auto read = ReadAnsweredPart(text, "");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::kInvalid) << text;
  }
}

TEST(AnsweredPartTest, KnowsWhetherTheRootHasConfiguration) {
  const auto folders = [](const Texts& texts) {
    return FoldersToUse(*ReadAnsweredModule(AnswerContents(ReadTexts(texts))));
  };
  EXPECT_EQ(folders({{"README.md", "x"}, {"modules/a/main.tf", ""}}).size(), 1U);
  EXPECT_EQ(folders({{"main.tf", ""}, {"modules/a/main.tf", ""}}).size(), 0U);
}

}  // namespace
}  // namespace koya::inspect
