#include "inspect/answered_part.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "inspect/contents_answer.h"
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

TEST(AnsweredPartTest, RefusesOtherDocuments) {
  for (std::string_view text : {"", "x", "[]", "{}", R"({"root":1})", R"({"root":{"inputs":1}})",
                                R"({"root":{"inputs":[1]}})", R"({"root":{"outputs":{}}})"}) {
    auto read = ReadAnsweredPart(text, "");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::kInvalid) << text;
  }
}

}  // namespace
}  // namespace koya::inspect
