#include "inspect/configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::inspect {
namespace {

std::string Scan(std::string_view text, bool json = false) {
  DeclarationScan scan;
  scan.Add(text, json);
  EXPECT_FALSE(scan.beyond());
  return fmt::format("{}", fmt::join(scan.found(), ", "));
}

struct ScanRow {
  std::string_view text;
  std::string_view found;
};

TEST(DeclarationScanTest, FindsWhatStandsInBrokenFiles) {
  const std::vector<ScanRow> kRows = {
      {"", ""},
      {"variable \"a\" {", "variable a"},
      {"variable a {}", "variable a"},
      {"}} = variable \"a\" { ]", "variable a"},
      {"output \"o\"{", "output o"},
      {"module \"m\" {\r\n", "module.m"},
      {"resource \"aws_vpc\" \"main\" {", "aws_vpc.main, provider aws"},
      {"data aws_ami x {", "data.aws_ami.x, provider aws"},
      {"ephemeral \"a_b\" \"c\" {", "ephemeral.a_b.c, provider a"},
      {"provider \"aws\" {", "provider aws"},
      {"  provider = aws.east", "provider aws"},
      {"provider =\n", ""},
      {"moved {\n  from = x.y\n}\nremoved {", "moved, removed"},
      {"terraform {\n required_version = \">= 1\"\n required_providers {\n  aws = {\n   source = "
       "1\n  }\n"
       "  b = 3\n }\n x = 1\n}",
       "provider aws, provider b, required aws, required b, required_version"},
      {"variable \"日本\" {", "variable 日本"},
      {"variable \"a\xff\" {\nvariable \"b\" {", "variable b"},
      // A mistake hides only its own line.
      {"x = \"no end\nvariable \"a\" {", "variable a"},
      {"x = <<EOT\nvariable \"a\" {\nno end", "variable a"},
      {"x = <<\nvariable \"a\" {", "variable a"},
      {"x = \"ends with \\", ""},
      // Nothing is declared there.
      {"# variable \"a\" {", ""},
      {"// variable \"a\" {", ""},
      {"/* variable \"a\" { */ variable \"b\" {", "variable b"},
      {"/* variable \"a\" {", ""},
      {"x = \"variable \\\"a\\\" {\"", ""},
      {"x = <<EOT\nvariable \"a\" {\n  EOT\nvariable \"b\" {", "variable b"},
      {"x = <<-EOT\nvariable \"a\" {\nEOTX\nEOT\n", ""},
      {"variable \"a\"\n{", ""},
      {"variable \"a\" = {", ""},
      {"variable {", ""},
      {"resource \"aws_vpc\" {", ""},
      {"my_variable \"a\" {", ""},
  };
  for (const ScanRow& each : kRows) EXPECT_EQ(Scan(each.text), each.found) << each.text;
}

TEST(DeclarationScanTest, FindsWhatStandsInBrokenJson) {
  const std::vector<ScanRow> kRows = {
      {"", ""},
      {R"({"variable": {"a": {"type": "string", }})", "variable a"},
      {R"({"variable": [{"a": {}}, {"b": {}])", "variable a, variable b"},
      {R"({"output": {"o": {"value": "${var.a}"}}, "module": {"m": {)", "module.m, output o"},
      {R"({"resource": {"aws_vpc": {"main": [{)", "aws_vpc.main, provider aws"},
      {R"({"data": {"aws_ami": {"x": 1)", "data.aws_ami.x, provider aws"},
      {R"({"terraform": {"required_version": ">= 1", "required_providers": {"aws": {"source": 1}}})",
       "provider aws, required aws, required_version"},
      {R"({"moved": [{"from": "a.b"}])", "moved"},
      // A bracket that lacks, or is one too many.
      {R"({"variable": {"a": {"type": {}, "output": {"o": {)", "output o, variable a"},
      {R"(}}{"variable": {"a": )", "variable a"},
      {R"({"variable": "a": {)", ""},
      {R"({"x": {"a": {"b": "variable"}}})", ""},
      {R"({"variable": ["a)", ""},
  };
  for (const ScanRow& each : kRows) EXPECT_EQ(Scan(each.text, true), each.found) << each.text;
}

TEST(DeclarationScanTest, IsBoundedWhateverTheTextIs) {
  DeclarationScan many;
  std::string text;
  for (std::size_t i = 0; i <= DeclarationScan::kMost; ++i) {
    text += fmt::format("variable \"v{}\" {{}}\n", i);
  }
  many.Add(text, false);
  EXPECT_TRUE(many.beyond());
  EXPECT_EQ(many.found().size(), DeclarationScan::kMost);
  DeclarationScan long_names;
  long_names.Add("variable \"" + std::string(1 << 20, 'x') + "\" {\n", false);
  ASSERT_EQ(long_names.found().size(), 1U);
  EXPECT_LE(long_names.found().begin()->size(), DeclarationScan::kLongestName + 20);
  // None of them costs more than a walk through the text.
  for (std::string_view piece : {"{", "\"", "<<A\n", "/*", "resource ", "{\"a\":", "[{", "\\"}) {
    std::string repeated;
    while (repeated.size() < (1U << 20)) repeated += piece;
    DeclarationScan native;
    native.Add(repeated, false);
    EXPECT_EQ(native.found().size(), 0U) << piece;
    DeclarationScan json;
    json.Add(repeated, true);
    EXPECT_EQ(json.found().size(), 0U) << piece;
  }
}

}  // namespace
}  // namespace koya::inspect
