#include "hcl/references.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::hcl {
namespace {

std::string Found(const Mentions& mentions) {
  return fmt::format("{}|{}", fmt::join(mentions.references, " "),
                     fmt::join(mentions.functions, " "));
}

struct MentionCase {
  std::string_view text;
  std::string_view found;
};

TEST(ReferencesTest, FindsWhatIsMentioned) {
  const std::vector<MentionCase> kCases = {
      {"", "|"},
      {"var.a", "var.a|"},
      {"var.a.b[0].c", "var.a|"},
      {"local.x + var.y", "local.x var.y|"},
      {"module.m[\"k\"].out", "module.m|"},
      {"data.aws_ami.x.id", "data.aws_ami.x|"},
      {"data.aws_ami", "|"},
      {"ephemeral.a_b.c.d", "ephemeral.a_b.c|"},
      {"aws_vpc.main[*].id", "aws_vpc.main|"},
      {"resource.aws_vpc.main", "aws_vpc.main|"},
      {"f(var.a, g(var.b))", "var.a var.b|"},
      {"\"x${var.a}y$${var.b}\"", "var.a|"},
      {"\"%{ if var.a }${\"${var.b}\"}%{ endif }\"", "var.a var.b|"},
      {"<<-E\n  ${var.a} var.b\n  E\n", "var.a|"},
      {"[<<E\nvar.x\nE\n, var.y]", "var.y|"},
      {"[for v in var.list : v.name if v.on]", "var.list|"},
      {"{ for k, v in aws_subnet.x : k => v.id... }", "aws_subnet.x|"},
      {"each.value.x + count.index + self.id + path.module", "|"},
      {"# var.a\n// var.b\n/* var.c */ var.d", "var.d|"},
      {"f(x).var.y", "|"},
      {"1.5e3 + x1.y", "x1.y|"},
      {"provider::aws::arn_parse(var.a)", "var.a|provider::aws::arn_parse"},
      {"\"${provider::a::b(1)}\"", "|provider::a::b"},
      {"core::max(1)", "|"},
      {"\"provider::a::b\"", "|"},
      {"var.", "|"},
      {"\"${", "|"},
      {"\"\\\"${var.a}\"", "var.a|"},
      {"<<E\nno end ${var.a}", "var.a|"},
  };
  for (const MentionCase& each : kCases) {
    EXPECT_EQ(Found(FindMentions(each.text)), each.found) << each.text;
  }
}

TEST(ReferencesTest, ReadsStringsOfJson) {
  EXPECT_EQ(Found(FindTemplateMentions("var.a ${var.b} \" ${\"}\"} $${var.c}")), "var.b|");
  EXPECT_EQ(Found(FindTemplateMentions("${provider::a::b(var.x)}")), "var.x|provider::a::b");
}

TEST(ReferencesTest, EndsWithAnyText) {
  std::string brackets(100'000, '{');
  EXPECT_EQ(Found(FindMentions(brackets)), "|");
  std::string strings;
  for (int i = 0; i < 100'000; ++i) strings += "\"${";
  EXPECT_EQ(Found(FindMentions(strings)), "|");
  std::string heredocs;
  for (int i = 0; i < 10'000; ++i) heredocs += "<<E\n${";
  EXPECT_EQ(Found(FindMentions(heredocs)), "|");
}

}  // namespace
}  // namespace koya::hcl
