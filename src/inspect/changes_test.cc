#include "inspect/changes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "inspect/contents.h"
#include "inspect/module_files_fake.h"
#include "inspect/reader.h"

namespace koya::inspect {
namespace {

struct Row {
  std::string from;
  std::string to;
  std::string_view lines;
};

void ExpectRows(const std::vector<Row>& rows) {
  for (const Row& each : rows) {
    std::vector<Change> changes = ChangesBetween(each.from, each.to);
    EXPECT_EQ(Lines(changes), each.lines) << each.from << "\n=>\n" << each.to;
    for (const Change& change : changes) {
      EXPECT_FALSE(change.sentence.empty()) << change.what;
      EXPECT_TRUE(change.sentence.ends_with('.') || change.sentence.find(": ") != std::string::npos)
          << change.sentence;
      EXPECT_EQ(change.place.file, "main.tf") << change.what;
      EXPECT_GT(change.place.line, 0U) << change.what;
    }
  }
}

TEST(ChangesTest, KnowsEveryChangeOfInputs) {
  ExpectRows({
      {"", "", ""},
      {"variable \"a\" {}", "variable \"a\" {}", ""},
      {"variable \"a\" {}", "", "inputs removed breaking input \"a\"\n"},
      {"", "variable \"a\" {}", "inputs added breaking input \"a\"\n"},
      {"", "variable \"a\" {\n  default = 1\n}", "inputs added compatible input \"a\"\n"},
      {"variable \"a\" {\n  default = 1\n}", "variable \"a\" {}",
       "inputs changed breaking input \"a\"\n"},
      {"variable \"a\" {}", "variable \"a\" {\n  default = 1\n}",
       "inputs changed compatible input \"a\"\n"},
      {"variable \"a\" {\n  default = 1\n}", "variable \"a\" {\n  default = 2\n}",
       "inputs changed read input \"a\"\n"},
      {"variable \"a\" {\n  default = [1,2]\n}", "variable \"a\" {\n  default = [ 1, 2 ]\n}", ""},
      {"variable \"a\" {\n  default = f(1)\n}", "variable \"a\" {\n  default = f(2)\n}",
       "inputs changed read input \"a\"\n"},
      {"variable \"a\" {}", "variable \"a\" {\n  nullable = false\n}",
       "inputs changed breaking input \"a\"\n"},
      {"variable \"a\" {\n  default = 1\n}",
       "variable \"a\" {\n  default = 1\n  nullable = false\n}",
       "inputs changed read input \"a\"\n"},
      {"variable \"a\" {\n  nullable = false\n}", "variable \"a\" {}",
       "inputs changed compatible input \"a\"\n"},
      {"variable \"a\" {}", "variable \"a\" {\n  ephemeral = true\n}",
       "inputs changed breaking input \"a\"\n"},
      {"variable \"a\" {\n  ephemeral = true\n}", "variable \"a\" {}",
       "inputs changed compatible input \"a\"\n"},
      {"variable \"a\" {}", "variable \"a\" {\n  const = true\n}",
       "inputs changed breaking input \"a\"\n"},
      {"variable \"a\" {}", "variable \"a\" {\n  sensitive = true\n}",
       "inputs changed read input \"a\"\n"},
      {"variable \"a\" {}", "variable \"a\" {\n  validation {\n    condition = true\n  }\n}",
       "inputs changed read input \"a\"\n"},
      {"variable \"a\" {\n  validation {\n    condition = true\n  }\n}", "variable \"a\" {}",
       "inputs changed compatible input \"a\"\n"},
      {"variable \"a\" {}", "variable \"a\" {\n  deprecated = \"use b\"\n}",
       "inputs changed compatible input \"a\"\n"},
      {"variable \"a\" {\n  deprecated = \"x\"\n}", "variable \"a\" {\n  deprecated = \"y\"\n}",
       "inputs changed safe input \"a\"\n"},
      {"variable \"a\" {}", "variable \"a\" {\n  description = \"x\"\n}",
       "inputs changed safe input \"a\"\n"},
  });
}

// What a type's change does to the default is said by the type.
TEST(ChangesTest, ADefaultThatOnlyTheTypeConvertsIsNoOther) {
  ExpectRows({
      {"variable \"a\" {\n  type = string\n  default = \"1\"\n}",
       "variable \"a\" {\n  type = number\n  default = 1\n}", "inputs changed read input \"a\"\n"},
      {"variable \"a\" {\n  type = object({ x = optional(number, 1) })\n  default = {}\n}",
       "variable \"a\" {\n  type = object({ x = optional(number, 2) })\n  default = { x = 1 }\n}",
       "inputs changed read input \"a\"\n"},
  });
}

TEST(ChangesTest, ConditionsAreComparedByTheirWords) {
  struct ConditionRow {
    std::string_view from;
    std::string_view to;
    bool same;
  };
  const std::vector<ConditionRow> kRows = {
      {"var.a>0&&var.a<10", "var.a > 0 && var.a < 10", true},
      {"var.a > 0", "(var.a > 0)", true},
      {"var.a > 0", "\"${var.a > 0}\"", true},
      {"(\n    var.a > 0 ||\n    var.a < -5\n  )", "var.a>0||var.a<-5", true},
      {"contains([1, 2], var.a)", "contains([\n    1,\n    2, # two\n  ], var.a)", true},
      {"f({ a = 1, b = 2 })", "f({\n    a = 1\n    b = 2\n  })", true},
      {"f({ for k in x : k => 1 })", "f({\n    for k in x :\n    k => 1\n  })", true},
      {"can(regex(\"^a ${ var.a }\", var.a))", "can(regex(\"^a ${var.a}\", var.a))", true},
      {"can(regex(\"^a b\", var.a))", "can(regex(\"^a  b\", var.a))", false},
      {"can(regex(\"a${var.a} \", var.a))", "can(regex(\"a ${var.a}\", var.a))", false},
      {"var.a > 0", "var.a >= 0", false},
      {"(var.a) > (0)", "(var.a) > (1)", false},
      {"f(1, -2)", "f(1 - 2)", false},
      {"var.a == \"1\"", "var.a == 1", false},
  };
  for (const ConditionRow& each : kRows) {
    auto text = [](std::string_view condition) {
      return fmt::format("output \"a\" {{\n  precondition {{\n  condition = {}\n  }}\n}}\n",
                         condition);
    };
    EXPECT_EQ(Lines(ChangesBetween(text(each.from), text(each.to))),
              each.same ? "" : "outputs changed read output \"a\"\n")
        << each.from << " => " << each.to;
  }
}

TEST(ChangesTest, KnowsEveryChangeOfOutputs) {
  ExpectRows({
      {"output \"a\" {}", "", "outputs removed breaking output \"a\"\n"},
      {"", "output \"a\" {}", "outputs added compatible output \"a\"\n"},
      {"output \"a\" {}", "output \"a\" {\n  sensitive = true\n}",
       "outputs changed read output \"a\"\n"},
      {"output \"a\" {}", "output \"a\" {\n  ephemeral = true\n}",
       "outputs changed breaking output \"a\"\n"},
      {"output \"a\" {\n  ephemeral = true\n}", "output \"a\" {}",
       "outputs changed compatible output \"a\"\n"},
      {"output \"a\" {}", "output \"a\" {\n  deprecated = \"x\"\n}",
       "outputs changed compatible output \"a\"\n"},
      {"output \"a\" {}", "output \"a\" {\n  description = \"x\"\n}",
       "outputs changed safe output \"a\"\n"},
      {"output \"a\" {}", "output \"a\" {\n  precondition {\n    condition = true\n  }\n}",
       "outputs changed read output \"a\"\n"},
      {"output \"a\" {\n  type = object({ a = string, b = bool })\n}",
       "output \"a\" {\n  type = object({\n    b = bool\n    a = string\n  })\n}", ""},
      {"output \"a\" {\n  type = string\n}", "output \"a\" {\n  type = number\n}",
       "outputs changed breaking output \"a\"\n"},
      {"output \"a\" {\n  type = number\n}", "output \"a\" {\n  type = string\n}",
       "outputs changed breaking output \"a\"\n"},
      {"output \"a\" {}", "output \"a\" {\n  type = string\n}",
       "outputs changed read output \"a\"\n"},
      {"output \"a\" {\n  type = string\n}", "output \"a\" {}",
       "outputs changed read output \"a\"\n"},
      {"output \"a\" {\n  type = strng\n}", "output \"a\" {\n  type = string\n}",
       "outputs changed read output \"a\"\n"},
      {"output \"a\" {\n  value = 1\n}", "output \"a\" {\n  value = 2\n}", ""},
  });
}

TEST(ChangesTest, KnowsEveryChangeOfResources) {
  constexpr std::string_view kNeeds =
      "terraform {\n  required_providers {\n    aws = {}\n    gcp = {}\n  }\n}\n";
  const std::vector<Row> kRows = {
      {"resource \"aws_x\" \"a\" {}", "", "resources removed read aws_x.a\n"},
      {"data \"aws_x\" \"a\" {}", "", "resources removed safe data.aws_x.a\n"},
      {"", "data \"aws_x\" \"a\" {}", "resources added safe data.aws_x.a\n"},
      {"data \"aws_x\" \"a\" {}", "data \"aws_y\" \"a\" {}",
       "resources removed safe data.aws_x.a\nresources added safe data.aws_y.a\n"},
      {"data \"aws_x\" \"a\" {\n  count = 1\n}", "data \"aws_x\" \"a\" {\n  for_each = {}\n}",
       "resources changed safe data.aws_x.a\n"},
      {"ephemeral \"aws_x\" \"a\" {}", "", "resources removed safe ephemeral.aws_x.a\n"},
      {"", "resource \"aws_x\" \"a\" {}", "resources added compatible aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {}", "resource \"aws_y\" \"a\" {}",
       "resources changed read aws_y.a\n"},
      {"resource \"aws_x\" \"this\" {}\nresource \"aws_z\" \"this\" {}",
       "resource \"aws_v\" \"this\" {}\nresource \"aws_y\" \"this\" {}\n"
       "data \"aws_x\" \"this\" {}",
       "resources changed read aws_v.this\nresources changed read aws_y.this\n"
       "resources added safe data.aws_x.this\n"},
      {"resource \"aws_x\" \"this\" {}\nresource \"aws_z\" \"this\" {}",
       "resource \"aws_y\" \"this\" {}\nmoved {\n  from = aws_x.this\n  to = aws_y.this\n}",
       "resources removed read aws_z.this\nresources moved safe aws_x.this\n"},
      {"resource \"aws_x\" \"a\" {}", "data \"aws_x\" \"a\" {}",
       "resources removed read aws_x.a\nresources added safe data.aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {}",
       "resource \"aws_x\" \"b\" {}\nmoved {\n  from = aws_x.a\n  to = aws_x.b\n}",
       "resources moved safe aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {}",
       "resource \"aws_x\" \"b\" {}\nmoved {\n  from = aws_x.a[0]\n  to = aws_x.b[\"k\"]\n}",
       "resources moved safe aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {}", "removed {\n  from = aws_x.a\n}",
       "resources removed safe aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {\n  count = 1\n}",
       "resource \"aws_x\" \"a\" {\n  for_each = {}\n}", "resources changed read aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {\n  for_each = {}\n}",
       "resource \"aws_x\" \"a\" {\n  count = 1\n}", "resources changed read aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {}", "resource \"aws_x\" \"a\" {\n  for_each = {}\n}",
       "resources changed read aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {}", "resource \"aws_x\" \"a\" {\n  count = 1\n}",
       "resources changed safe aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {}",
       "resource \"aws_x\" \"a\" {\n  for_each = {}\n}\nmoved {\n  from = aws_x.a\n  to = "
       "aws_x.a[\"k\"]\n}",
       ""},
      {"module \"m\" {\n  source = \"a/b/c\"\n}", "", "resources removed read module.m\n"},
      {"", "module \"m\" {\n  source = \"a/b/c\"\n}", "resources added compatible module.m\n"},
      {"module \"m\" {\n  source = \"a/b/c\"\n}", "module \"m\" {\n  source = \"a/b/d\"\n}",
       "resources changed read module.m\n"},
      {"module \"m\" {\n  source = \"a/b/c\"\n}",
       "module \"m\" {\n  source = \"a/b/c\"\n  version = \"2.0\"\n}",
       "resources changed read module.m\n"},
      {"module \"m\" {\n  source = \"a/b/c\"\n  version = \"~> 6.0\"\n}",
       "module \"m\" {\n  source = \"a/b/c\"\n  version = \"~> 7.0\"\n}",
       "resources changed read module.m\n"},
      {"module \"m\" {\n  source = \"a/b/c\"\n  version = \"6.1.0\"\n}",
       "module \"m\" {\n  source = \"a/b/c\"\n  version = \"6.2.0\"\n}",
       "resources changed safe module.m\n"},
      {"module \"m\" {\n  source = \"a/b/c\"\n  version = \"~> 2.0\"\n}",
       "module \"m\" {\n  source = \"a/b/c\"\n  version = \">=2.0.0, <3\"\n}",
       "resources changed safe module.m\n"},
      {"module \"m\" {\n  source = \"a/b/c\"\n  version = \"~> 2\"\n}",
       "module \"m\" {\n  source = \"a/b/c\"\n  version = \">= 2.0, < 3.0\"\n}",
       "resources changed safe module.m\n"},
      {"module \"m\" {\n  source = \"a/b/c\"\n}",
       "module \"m\" {\n  source = \"registry.example.org/a/b/c\"\n}", ""},
      {"module \"m\" {\n  source = \"a/b/c//x\"\n}", "module \"m\" {\n  source = \"a/b/c//y\"\n}",
       "resources changed read module.m\n"},
      {"module \"m\" {\n  source = \"./x\"\n}", "module \"m\" {\n  source = \"./y/../x/\"\n}", ""},
      {"module \"m\" {\n  source = \"../x\"\n}", "module \"m\" {\n  source = \"../y\"\n}",
       "resources changed read module.m\n"},
      {"module \"m\" {\n  source = \"a/b/c\"\n}",
       "module \"n\" {\n  source = \"a/b/c\"\n}\nmoved {\n  from = module.m\n  to = module.n\n}",
       "resources moved safe module.m\n"},
      // Along the moved blocks of versions before.
      {"resource \"aws_x\" \"a\" {}",
       "resource \"aws_x\" \"c\" {}\nmoved {\n  from = aws_x.a\n  to = aws_x.b\n}\n"
       "moved {\n  from = aws_x.b\n  to = aws_x.c\n}",
       "resources moved safe aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {}",
       "moved {\n  from = aws_x.a\n  to = aws_x.b\n}\nremoved {\n  from = aws_x.b\n}",
       "resources removed safe aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {}", "moved {\n  from = aws_x.a\n  to = aws_x.b\n}",
       "resources removed read aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {}",
       "moved {\n  from = aws_x.a\n  to = aws_x.b\n}\nmoved {\n  from = aws_x.b\n  to = aws_x.a\n}",
       "resources removed read aws_x.a\n"},
      {"resource \"aws_x\" \"a\" {\n  count = 1\n}",
       "resource \"aws_x\" \"b\" {\n  for_each = {}\n}\nmoved {\n  from = aws_x.a\n  to = "
       "aws_x.b\n}",
       "resources changed read aws_x.b\nresources moved safe aws_x.a\n"},
  };
  for (const Row& each : kRows) {
    EXPECT_EQ(Lines(ChangesBetween(std::string(kNeeds) + each.from, std::string(kNeeds) + each.to)),
              each.lines)
        << each.from << "\n=>\n"
        << each.to;
  }
}

std::string Needs(std::string_view provider) {
  return fmt::format("terraform {{\n  required_providers {{\n    aws = {}\n  }}\n}}\n", provider);
}

TEST(ChangesTest, KnowsEveryChangeOfNeeds) {
  struct NeedRow {
    std::string_view from;
    std::string_view to;
    std::string_view kind;
  };
  const std::vector<NeedRow> kRows = {
      {"{ version = \">= 4.0\" }", "{ version = \">= 5.0\" }", "breaking"},
      {"{ version = \"~> 4.0\" }", "{ version = \"~> 5.0\" }", "breaking"},
      {"{}", "{ version = \">= 1.0\" }", "breaking"},
      {"{ version = \">= 4.0\" }", "{ version = \">= 4.1\" }", "read"},
      {"{ version = \">= 4.0\" }", "{ version = \">= 4.0, < 6.0\" }", "read"},
      {"{ version = \"~> 4.0\" }", "{ version = \"~> 4.0.1\" }", "read"},
      {"{ version = \">= 4.1\" }", "{ version = \">= 4.0\" }", "compatible"},
      {"{ version = \"~> 4.0\" }", "{ version = \">= 4.0\" }", "compatible"},
      {"{ version = \">= 4.0\" }", "{}", "compatible"},
      {"{ version = \"~> 4.0\" }", "{ version = \">= 4.0.0, < 5.0.0\" }", "safe"},
      {"{ version = \"~> 4.0\" }", "{ version = \"~> 4.0\" }", ""},
      {"{ version = \"4.*\" }", "{ version = \"~> 4.0\" }", "read"},
      {"{ version = \"~> 4\" }", "{ version = \"~> 4.0\" }", "safe"},
      {"{ version = \">= 4.0\" }", "{ version = \">= 4.0, != 4.5.0\" }", "read"},
      {"{ version = \">= 4.0, != 4.5.0\" }", "{ version = \">= 4.0\" }", "compatible"},
      {"{ version = \">= 4.0, != 3.5\" }", "{ version = \">=4\" }", "safe"},
      {"{ version = \"4.0.0-rc1\" }", "{ version = \"4.0.0-rc2\" }", "read"},
      {"{ version = \"4.0.0-rc1\" }", "{ version = \"= 4.0.0-rc1\" }", "safe"},
      {"{}", "{ configuration_aliases = [aws.a] }", "breaking"},
      {"{ configuration_aliases = [aws.a] }", "{}", "breaking"},
      {"{ source = \"a/aws\" }", "{ source = \"b/aws\" }", "breaking"},
  };
  for (const NeedRow& each : kRows) {
    std::string expected =
        each.kind.empty() ? "" : fmt::format("resources changed {} provider aws\n", each.kind);
    EXPECT_EQ(Lines(ChangesBetween(Needs(each.from), Needs(each.to))), expected)
        << each.from << " => " << each.to;
  }
  auto client = [](std::string_view text) {
    return fmt::format("terraform {{\n  required_version = \"{}\"\n}}\n", text);
  };
  auto opentofu = [](std::string_view text) {
    return fmt::format("language {{\n  compatible_with {{\n    opentofu = \"{}\"\n  }}\n}}\n",
                       text);
  };
  ExpectRows({
      {opentofu(">= 1.10"), opentofu(">= 1.12"), "resources changed read required_opentofu\n"},
      {"", opentofu(">= 1.12"), "resources changed read required_opentofu\n"},
      {opentofu(">= 1.12"), opentofu(">= 1.10"),
       "resources changed compatible required_opentofu\n"},
      {opentofu(">= 1.12"), opentofu(">= 1.12.0"), "resources changed safe required_opentofu\n"},
      {opentofu(">= 1.12"), "", "resources removed compatible required_opentofu\n"},
      // A provider that was only used is now declared: a requirement is added.
      {"resource \"aws_x\" \"a\" {}",
       "resource \"aws_x\" \"a\" {}\n" + Needs("{ version = \">= 5.0\" }"),
       "resources added compatible provider aws\n"},
      {"resource \"aws_x\" \"a\" {}", "resource \"aws_x\" \"a\" {}\n" + Needs("{}"),
       "resources changed safe provider aws\n"},
      {"resource \"aws_x\" \"a\" {}",
       "resource \"aws_x\" \"a\" {}\n" + Needs("{ source = \"hashicorp/aws\" }"),
       "resources changed safe provider aws\n"},
      {"resource \"aws_x\" \"a\" {}",
       "resource \"aws_x\" \"a\" {}\n" + Needs("{ source = \"acme/aws\" }"),
       "resources changed breaking provider aws\n"},
      {"resource \"aws_x\" \"a\" {}\n" + Needs("{}"), "resource \"aws_x\" \"a\" {}", ""},
      {"", Needs("{}"), "resources added compatible provider aws\n"},
      {Needs("{}"), "", "resources removed compatible provider aws\n"},
      {client(">= 1.3"), client(">= 1.5"), "resources changed read required_version\n"},
      {client(">= 1.3"), client(">= 1.3.2"), "resources changed read required_version\n"},
      {client("< 2.0"), client(">= 1.3, < 2.0"), "resources changed read required_version\n"},
      {client(">= 0.12.26"), client(">= 0.12.31"), "resources changed read required_version\n"},
      {client(">= 0.12"), client(">= 0.13"), "resources changed breaking required_version\n"},
      {client(">= 0.13"), client(">= 1.0"), "resources changed breaking required_version\n"},
      {client(">= 1.3"), client(">= 2.0"), "resources changed breaking required_version\n"},
      {"", client("~> 0.12.6"), "resources changed breaking required_version\n"},
      {"", client(">= 2.0"), "resources changed breaking required_version\n"},
      {"", client(">= 1.5"), "resources changed read required_version\n"},
      {client(">= 1.5"), client(">= 1.3"), "resources changed compatible required_version\n"},
      {client(">= 1.5"), "", "resources removed compatible required_version\n"},
      {client(">= 1.5"), client(">= 1.5, < 2.0"), "resources changed read required_version\n"},
      // As clients read it: "~> 1" has no upper end, and a "v" may stand before the number.
      {client(">= 1.0"), client("~> 1"), "resources changed safe required_version\n"},
      {client("~> 1"), client("~> 1.0"), "resources changed read required_version\n"},
      {client(">= 1.3.0"), client(">= v1.3.0"), "resources changed safe required_version\n"},
  });
}

TEST(ChangesTest, SayWhichClientsAreRefused) {
  auto client = [](std::string_view text) {
    return fmt::format("terraform {{\n  required_version = \"{}\"\n}}\n", text);
  };
  const std::tuple<std::string, std::string, std::string_view> kRows[] = {
      {client(">= 1.3"), client(">= 1.5"), "Older clients are rejected: "},
      {client(">= 1.3, < 2.0"), client(">= 1.5, < 2.0"), "Older clients are rejected: "},
      {client(">= 1.3"), client(">= 1.3, < 2.0"), "Newer clients are rejected: "},
      {client(">= 1.3, < 2.0"), client(">= 1.3, < 1.9"), "Newer clients are rejected: "},
      {client(">= 1.3"), client("~> 1.5.0"), "Older and newer clients are rejected: "},
      {"", client("~> 1.0"), "Newer clients are rejected: "},
      {"", client("< 2.0"), "Newer clients are rejected: "},
      {"", client(">= 1.0"), "Older clients are rejected: "},
      {"", client("~> 1.5"), "Older and newer clients are rejected: "}};
  for (const auto& [from, to, words] : kRows) {
    const std::vector<Change> changes = ChangesBetween(from, to);
    ASSERT_EQ(changes.size(), 1U) << to;
    EXPECT_TRUE(changes[0].sentence.starts_with(words)) << to << changes[0].sentence;
  }
}

TEST(ChangesTest, LooksIntoSubmodulesAndFiles) {
  Texts from = {{"main.tf", ""},
                {"modules/a/main.tf", "variable \"x\" {}"},
                {"modules/b/main.tf", ""},
                {"examples/e/main.tf", ""},
                {"README.md", "one"},
                {"LICENSE", "SPDX-License-Identifier: MIT"},
                {"modules/a/README.md", ""},
                {"modules/b/README.md", ""}};
  Texts to = {{"main.tf", ""},
              {"modules/a/main.tf", ""},
              {"modules/c/main.tf", ""},
              {"examples/f/main.tf", ""},
              {"README.md", "two"},
              {"LICENSE", "SPDX-License-Identifier: Apache-2.0"},
              {"modules/a/README.md", ""},
              {"modules/c/README.md", ""}};
  const std::vector<Change> changes = FindChanges(ReadTexts(from), ReadTexts(to));
  for (const Change& each : changes) {
    if (each.section != ChangeSection::kSubmodules) continue;
    EXPECT_EQ(each.place.ToString(), each.what + "/main.tf:1");
  }
  EXPECT_EQ(Lines(changes),
            "inputs removed breaking modules/a: input \"x\"\n"
            "submodules removed breaking modules/b\n"
            "submodules added compatible modules/c\n"
            "submodules removed safe examples/e\n"
            "submodules added safe examples/f\n"
            "files removed safe 3 files\n"
            "files added safe 3 files\n"
            "files changed safe README\n"
            "files changed safe licence\n");
}

// A submodule without a README is the module's own affair, unless the module has nothing else.
TEST(ChangesTest, InternalSubmodulesNeedNoOtherNumber) {
  const Texts bare = {
      {"main.tf", ""}, {"modules/a/main.tf", "variable \"x\" {}"}, {"modules/b/main.tf", ""}};
  const Texts bare_after = {{"main.tf", ""}, {"modules/a/main.tf", ""}, {"modules/c/main.tf", ""}};
  auto between = [](const Texts& from, const Texts& to) {
    std::vector<Change> changes = FindChanges(ReadTexts(from), ReadTexts(to));
    std::erase_if(changes,
                  [](const Change& each) { return each.section == ChangeSection::kFiles; });
    return Lines(changes);
  };
  EXPECT_EQ(between(bare, bare_after),
            "internal removed safe modules/a: input \"x\"\n"
            "internal removed safe modules/b\n"
            "internal added safe modules/c\n");
  // What callers were offered stays theirs when the README goes.
  Texts offered = bare;
  offered["modules/a/README.md"] = "";
  EXPECT_EQ(between(offered, bare_after),
            "inputs removed breaking modules/a: input \"x\"\n"
            "internal removed safe modules/b\n"
            "internal added safe modules/c\n");
  Texts documented = bare_after;
  documented["modules/a/README.md"] = "";
  EXPECT_EQ(between(bare, documented),
            "internal removed safe modules/a: input \"x\"\n"
            "internal removed safe modules/b\n"
            "internal added safe modules/c\n");
  Texts rootless = bare;
  Texts rootless_after = bare_after;
  rootless.erase("main.tf");
  rootless_after.erase("main.tf");
  EXPECT_EQ(between(rootless, rootless_after),
            "inputs removed breaking modules/a: input \"x\"\n"
            "submodules removed breaking modules/b\n"
            "submodules added compatible modules/c\n");
}

TEST(ChangesTest, NeverShowsTwoEqualSides) {
  const std::string kLong(200, 'x');
  auto expect_apart = [](std::string_view from, std::string_view to) {
    for (const Change& each : ChangesBetween(from, to)) {
      for (std::string_view between : {" to ", " instead of "}) {
        const std::size_t at = each.sentence.rfind(between);
        if (at == std::string::npos) continue;
        const std::string after = each.sentence.substr(at + between.size());
        const std::string side = after.substr(0, after.find_first_of(":."));
        EXPECT_FALSE(each.sentence.substr(0, at).ends_with(side)) << each.sentence;
      }
    }
  };
  auto module = [&](std::string_view end) {
    return fmt::format("module \"m\" {{\n  source = \"./{}{}\"\n}}\n", kLong, end);
  };
  expect_apart(module("a"), module("b"));
  auto typed = [&](std::string_view end) {
    return fmt::format("output \"o\" {{\n  type = object({{ {} = {} }})\n}}\n", kLong, end);
  };
  expect_apart(typed("string"), typed("number"));
  auto provider = [&](std::string_view end) {
    return Needs(fmt::format("{{ source = \"a{}/{}\" }}", kLong, end));
  };
  expect_apart(provider("b"), provider("c"));
}

struct UnreadRow {
  std::string from;
  std::string to;
  std::string_view lines;
  std::string_view where = "b.tf:1";
};

// Each declaration with a mistake in it.
constexpr std::string_view kBrokenAll =
    "variable \"a\" {\n  default = \n}\noutput \"o\" {\n  value = \n}\n"
    "resource \"aws_x\" \"y\" {\n  a = \n}\ndata \"aws_x\" \"z\" {\n  a = \n}\n"
    "module \"m\" {\n  source = \n}\nterraform {\n  required_version = \n"
    "  required_providers {\n    aws = {\n    }\n  }\n}\n";
constexpr std::string_view kWholeNeeds =
    "terraform {\n  required_version = \">= 1.5\"\n  required_providers {\n    aws = {\n"
    "      source = \"acme/aws\"\n      version = \">= 5.0\"\n    }\n  }\n}\n";
constexpr std::string_view kWholeAll =
    "variable \"a\" {}\noutput \"o\" {}\nresource \"aws_x\" \"y\" {}\ndata \"aws_x\" \"z\" {}\n"
    "module \"m\" {\n  source = \"a/b/c\"\n}\n";

TEST(ChangesTest, WhatAnUnreadableFileMayDeclareIsUnknown) {
  const std::string kBad = "variable \"bad\" {\n  default = \n}\n";
  const std::string kNeeds(kWholeNeeds);
  const std::string kAll = std::string(kWholeAll) + kNeeds;
  const std::string kBroken(kBrokenAll);
  const std::string kUsed = "resource \"aws_x\" \"y\" {}\n";
  const std::string kBadNeeds =
      "terraform {\n  required_version = \n  required_providers {\n    aws = {\n    }\n  }\n}\n";
  const std::vector<UnreadRow> kRows = {
      {kAll, kBroken, "files changed read b.tf\n", "b.tf:2"},
      {kBroken, kAll, "files changed read b.tf\n", "b.tf:2"},
      {kBroken, kBroken, "files changed read b.tf\n", "b.tf:2"},
      {kAll, kAll + kBad, "files changed read b.tf\n", "b.tf:18"},
      // A provider that is used but not declared may be declared there.
      {kUsed + kNeeds, kUsed + kBadNeeds, "files changed read b.tf\n", "b.tf:3"},
      {kUsed + kBadNeeds, kUsed + kNeeds, "files changed read b.tf\n", "b.tf:3"},
      // What both have is compared all the same.
      {"variable \"a\" {}\n", "variable \"a\" {\n  nullable = false\n}\n" + kBad,
       "inputs changed breaking input \"a\"\nfiles changed read b.tf\n", "b.tf:5"},
      {"variable \"a\" {}\n", "variable \"a\" {}\nvariable \"new\" {}\n" + kBad,
       "inputs added breaking input \"new\"\nfiles changed read b.tf\n", "b.tf:4"},
      // What does not stand in the file at all is gone, or new.
      {"variable \"a\" {}\n", kBad,
       "inputs removed breaking input \"a\"\nfiles changed read b.tf\n", "b.tf:2"},
      {"variable \"a\" {}\n", "# variable \"a\" {}\n" + kBad,
       "inputs removed breaking input \"a\"\nfiles changed read b.tf\n", "b.tf:3"},
      {kBad, "variable \"a\" {}\n", "inputs added breaking input \"a\"\nfiles changed read b.tf\n",
       "b.tf:2"},
      // A moved block says where it is, and a broken one may.
      {kUsed,
       "moved {\n  from = aws_x.y\n  to = aws_x.z\n}\nresource \"aws_x\" \"z\" {\n  a = \n}\n",
       "resources moved safe aws_x.y\nfiles changed read b.tf\n", "b.tf:6"},
      {kUsed, "moved {\n  from = aws_x.y\n  to = aws_x.z\n}\n" + kBad,
       "resources removed read aws_x.y\nresources removed compatible provider aws\n"
       "files changed read b.tf\n",
       "b.tf:6"},
      {kUsed, "moved {\n  from = \n}\n",
       "resources removed compatible provider aws\nfiles changed read b.tf\n", "b.tf:2"},
      {kUsed, kBad,
       "resources removed read aws_x.y\nresources removed compatible provider aws\n"
       "files changed read b.tf\n",
       "b.tf:2"},
  };
  for (const std::string folder : {"", "modules/sub/"}) {
    for (const UnreadRow& each : kRows) {
      auto read = [&folder](const std::string& text) {
        return ReadTexts({{"main.tf", ""}, {folder + "README.md", ""}, {folder + "b.tf", text}});
      };
      std::vector<Change> changes = FindChanges(read(each.from), read(each.to));
      std::string expected(each.lines);
      if (!folder.empty()) {
        for (std::string_view word : {"input ", "aws_x.y\n", "provider aws", "b.tf"}) {
          std::size_t at = expected.find(word);
          if (at == std::string::npos) continue;
          expected.insert(at, word == "b.tf" ? folder : "modules/sub: ");
        }
      }
      EXPECT_EQ(Lines(changes), expected) << each.from << "\n=>\n" << each.to;
      EXPECT_EQ(changes.back().place.ToString(), folder + std::string(each.where)) << each.to;
      EXPECT_TRUE(changes.back().unknown);
    }
  }
}

TEST(ChangesTest, AllThatDoesNotStandInAnUnreadableFileCounts) {
  const std::string kBad = "variable \"bad\" {\n  default = \n}\n";
  const std::string kAll = std::string(kWholeAll) + std::string(kWholeNeeds);
  auto lines = [](const std::string& from, const std::string& to) {
    return Lines(FindChanges(ReadTexts({{"b.tf", from}}), ReadTexts({{"b.tf", to}})));
  };
  EXPECT_EQ(lines(kAll, kBad),
            "inputs removed breaking input \"a\"\noutputs removed breaking output \"o\"\n"
            "resources removed read aws_x.y\nresources removed read module.m\n"
            "resources removed compatible provider aws\n"
            "resources removed compatible required_version\nresources removed safe data.aws_x.z\n"
            "files changed read b.tf\n");
  EXPECT_EQ(lines(kBad, kAll),
            "inputs added breaking input \"a\"\noutputs added compatible output \"o\"\n"
            "resources changed read required_version\nresources added compatible aws_x.y\n"
            "resources added compatible module.m\nresources added compatible provider aws\n"
            "resources added safe data.aws_x.z\nfiles changed read b.tf\n");
}

// Of one that is too large to be read, all that is kept of it is looked through.
TEST(ChangesTest, AFileThatIsTooLongHidesWhatStandsInIt) {
  const ModuleContents before = ReadTexts({{"main.tf", "variable \"a\" {}\nvariable \"b\" {}\n"}});
  const std::string text =
      "# " + std::string(hcl::kMaxText, 'x') + "\n# variable \"a\" {}\nvariable \"b\" {}\n";
  const ModuleContents long_one = ReadTexts({{"main.tf", text}});
  EXPECT_EQ(Lines(FindChanges(before, long_one)),
            "inputs removed breaking input \"a\"\nfiles changed read main.tf\n");
  FileSet files;
  files["main.tf"] = {.size = 90'000'000, .text = "variable \"a\" {"};
  EXPECT_EQ(Lines(FindChanges(before, ReadModule(files, TestOptions()))),
            "inputs removed breaking input \"b\"\nfiles changed read main.tf\n");
}

// Contents of a reader that did not scan such files for declarations.
TEST(ChangesTest, AnOlderReaderLeavesAllUnknown) {
  ModuleContents old = ReadTexts({{"main.tf", "variable \"b\" {\n  default = \n}\n"}});
  old.reader_version = 1;
  old.root.undecided.clear();
  auto kept = DecodeContents(EncodeContents(old));
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(Lines(FindChanges(*kept, ReadTexts({{"main.tf", "variable \"a\" {}\n"}}))),
            "files changed read main.tf\n");
}

TEST(ChangesTest, FoldersThatWereLeftOutAreUnknown) {
  ModuleContents all = ReadTexts({{"modules/a/main.tf", ""}, {"examples/a/main.tf", ""}});
  ModuleContents less = all;
  less.submodules.clear();
  less.examples.clear();
  less.folders_left_out = true;
  EXPECT_EQ(Lines(FindChanges(all, less)), "");
  EXPECT_EQ(Lines(FindChanges(less, all)), "");
}

// What cannot be read never decides about a number.
TEST(ChangesTest, WhatIsUnknownNeedsNoOtherNumber) {
  Change unknown{.kind = ChangeKind::kReadThis, .unknown = true};
  Verdict verdict = Judge({unknown}, *Version::Parse("1.2.3"), *Version::Parse("1.2.4"));
  EXPECT_EQ(verdict.agreement, Agreement::kAgrees);
  EXPECT_EQ(verdict.needed, Step::kPatch);
  EXPECT_NE(verdict.sentence.find("Unreadable parts are left out"), std::string::npos)
      << verdict.sentence;
}

TEST(ChangesTest, TellsTheStepBetweenTheNumbers) {
  struct StepRow {
    std::string_view from;
    std::string_view to;
    std::string_view given;
  };
  const std::vector<StepRow> kRows = {
      {"1.2.3", "1.2.4", "patch"},     {"1.2.3", "1.3.0", "minor"},
      {"1.2.3", "2.0.0", "major"},     {"0.2.3", "0.2.4", "patch"},
      {"0.2.3", "0.3.0", "minor"},     {"0.2.3", "1.0.0", "major"},
      {"2.0.0-rc1", "2.0.0", "major"}, {"1.3.0-rc1", "1.3.0-rc2", "minor"},
      {"1.3.1-rc1", "1.3.1", "patch"}, {"2.0.0", "1.2.3", "major"},
      {"1.3.0", "1.3.0", "patch"},
  };
  for (const StepRow& each : kRows) {
    Verdict verdict = Judge({}, *Version::Parse(each.from), *Version::Parse(each.to));
    EXPECT_EQ(Name(verdict.given), each.given) << each.from << " " << each.to;
  }
}

Change ChangeOf(ChangeKind kind) { return {.kind = kind}; }

TEST(ChangesTest, JudgesTheNumber) {
  constexpr ChangeKind kSafe = ChangeKind::kSafe;
  constexpr ChangeKind kMore = ChangeKind::kCompatible;
  constexpr ChangeKind kRead = ChangeKind::kReadThis;
  constexpr ChangeKind kBreaks = ChangeKind::kBreaking;
  struct NumberRow {
    std::vector<ChangeKind> kinds;
    std::string_view from;
    std::string_view to;
    std::string_view agreement;
    std::string_view wanted;
  };
  const std::vector<NumberRow> kRows = {
      {{}, "1.2.3", "1.2.4", "agrees", ""},
      {{kSafe}, "1.2.3", "1.2.4", "agrees", ""},
      {{kMore}, "1.2.3", "1.2.4", "should-be-minor", "1.3.0"},
      {{kRead}, "1.2.3", "1.2.4", "should-be-minor", "1.3.0"},
      {{kMore, kRead}, "1.2.3", "1.3.0", "agrees", ""},
      {{kBreaks}, "1.2.3", "1.2.4", "should-be-major", "2.0.0"},
      {{kSafe, kBreaks, kMore}, "1.2.3", "1.3.0", "should-be-major", "2.0.0"},
      {{kBreaks}, "1.2.3", "2.0.0", "agrees", ""},
      {{kSafe}, "1.2.3", "2.0.0", "agrees", ""},
      // 0.x: minor counts as major, patch as minor.
      {{kMore}, "0.2.3", "0.2.4", "agrees", ""},
      {{kBreaks}, "0.2.3", "0.2.4", "should-be-major", "0.3.0"},
      {{kBreaks}, "0.2.3", "0.3.0", "agrees", ""},
      {{kBreaks}, "0.2.3", "1.0.0", "agrees", ""},
      // Prereleases: anything may change up to the release.
      {{kBreaks}, "2.0.0-rc1", "2.0.0", "agrees", ""},
      {{kBreaks}, "2.0.0-rc1", "2.0.0-rc2", "agrees", ""},
      {{kBreaks}, "1.9.0", "2.0.0-rc1", "agrees", ""},
      {{kBreaks}, "1.9.0", "1.10.0-rc1", "should-be-major", "2.0.0"},
      {{kBreaks}, "1.2.3", "1.2.3", "not-judged", ""},
      {{kBreaks}, "2.0.0", "1.2.3", "not-judged", ""},
  };
  for (const NumberRow& each : kRows) {
    std::vector<Change> changes;
    for (ChangeKind kind : each.kinds) changes.push_back(ChangeOf(kind));
    Verdict verdict = Judge(changes, *Version::Parse(each.from), *Version::Parse(each.to));
    EXPECT_EQ(Name(verdict.agreement), each.agreement) << each.from << " " << each.to;
    EXPECT_EQ(verdict.wanted, each.wanted) << each.from << " " << each.to;
    EXPECT_FALSE(verdict.sentence.empty());
  }
}

// A root without configuration reads as an empty one, of which nothing is missed.
TEST(ChangesTest, TellsThatTheRootsConfigurationIsGone) {
  const Texts with = {{"main.tf", "locals {}\n"}, {"modules/a/main.tf", ""}};
  const Texts without = {{"README.md", "x"}, {"modules/a/main.tf", ""}};
  const auto about_root = [](const Texts& from, const Texts& to) {
    std::vector<Change> changes = FindChanges(ReadTexts(from), ReadTexts(to));
    std::erase_if(changes,
                  [](const Change& each) { return each.section == ChangeSection::kFiles; });
    return Lines(changes);
  };
  EXPECT_EQ(about_root(with, without), "submodules removed breaking root\n");
  EXPECT_EQ(about_root(without, with), "submodules added compatible root\n");
  EXPECT_EQ(about_root(without, without), "");
  EXPECT_EQ(about_root(with, with), "");
  // What could not be read is there nevertheless.
  const Texts broken = {{"main.tf", "variable {{{"}, {"modules/a/main.tf", ""}};
  EXPECT_EQ(about_root(broken, with), "");
  EXPECT_EQ(about_root(with, broken), "");
}

}  // namespace
}  // namespace koya::inspect
