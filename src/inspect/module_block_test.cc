#include "inspect/module_block.h"

#include <gtest/gtest.h>

#include "hcl/hcl.h"
#include "inspect/module_files_fake.h"

namespace koya::inspect {
namespace {

Input Wanted(std::string name, std::string type) {
  Input input;
  input.name = std::move(name);
  input.type = std::move(type);
  return input;
}

// What `tofu fmt` (1.8) leaves as it is.
TEST(ModuleBlockTest, IsWhatTheFormatterWrites) {
  ModulePart part;
  part.inputs = {Wanted("name", "string"),
                 Wanted("cidr_block", "string"),
                 Wanted("zones", "list(string)"),
                 Wanted("nat",
                        "object({ mode = string, count = optional(number, 1), tags = "
                        "object({ a = bool }), size = number })"),
                 Wanted("size", "number"),
                 Wanted("labels", "map(string)"),
                 Wanted("whatever", ""),
                 Wanted("optional", "string")};
  part.inputs.back().required = false;
  ModuleBlock block{.name = "network",
                    .source = "registry.kumo.example/platform/network/aws",
                    .version = "~> 4.2",
                    .settings = RequiredSettings(part)};
  const std::string text = WriteModuleBlock(block);
  EXPECT_EQ(text, R"(module "network" {
  source  = "registry.kumo.example/platform/network/aws"
  version = "~> 4.2"

  name       = "" # string
  cidr_block = "" # string
  zones      = [] # list(string)
  nat = {
    mode = ""
    tags = {
      a = false
    }
    size = 0
  }
  size     = 0    # number
  labels   = {}   # map(string)
  whatever = null # any
}
)");
  EXPECT_TRUE(hcl::Parse(text));
}

TEST(ModuleBlockTest, AsksVariablesForWhatIsSecret) {
  Input input = Wanted("password", "string");
  input.sensitive = true;
  ModuleBlock block{.name = "db", .source = "h/a/db/aws", .version = "", .settings = {}};
  block.settings.push_back(Placeholder(input));
  EXPECT_EQ(WriteModuleBlock(block), R"(module "db" {
  source = "h/a/db/aws"

  password = var.password # string, sensitive
}
)");
}

TEST(ModuleBlockTest, WithoutSettingsHasNoEmptyLine) {
  ModuleBlock block{.name = "x", .source = "h/a/x/aws", .version = "1.0.0", .settings = {}};
  EXPECT_EQ(WriteModuleBlock(block),
            "module \"x\" {\n  source  = \"h/a/x/aws\"\n  version = \"1.0.0\"\n}\n");
}

TEST(ModuleBlockTest, TakesHostileTypesAndNames) {
  Input deep = Wanted("deep", "");
  for (int i = 0; i < 100; ++i) deep.type += "object({ a = ";
  deep.type += "string";
  for (int i = 0; i < 100; ++i) deep.type += " })";
  Setting setting = Placeholder(deep);
  ModuleBlock block{
      .name = ModuleBlockName("3tier"), .source = "a\"${b}", .version = "", .settings = {setting}};
  const std::string text = WriteModuleBlock(block);
  EXPECT_TRUE(text.starts_with("module \"m_3tier\" {\n  source = \"a\\\"$${b}\"\n"));
  EXPECT_TRUE(hcl::Parse(text)) << text;
  EXPECT_EQ(Placeholder(Wanted("x", "no type (")).value, "null");
}

TEST(ModuleBlockTest, IsHclWhateverNamesAndDefaultsAre) {
  ModuleBlock block{.name = "x", .source = "h/a/x/aws", .version = "", .settings = {}};
  block.settings = {Placeholder(Wanted("a b", "string")), Placeholder(Wanted("", "string")),
                    Placeholder(Wanted("lines", "object({a=optional(any, [\n])})")),
                    Placeholder(Wanted("keys", "object({ \"x y\" = string })"))};
  const std::string text = WriteModuleBlock(block);
  EXPECT_TRUE(hcl::Parse(text)) << text;
  EXPECT_TRUE(text.contains("lines = {} # object\n")) << text;
  EXPECT_TRUE(text.contains("    \"x y\" = \"\"\n")) << text;
  EXPECT_FALSE(text.contains("a b")) << text;
}

TEST(ModuleBlockTest, SuggestsAConstraint) {
  auto suggested = [](std::string_view version, bool newest) {
    return SuggestedConstraint(*Version::Parse(version), newest);
  };
  EXPECT_EQ(suggested("4.2.7", true), "~> 4.2");
  EXPECT_EQ(suggested("0.3.1", true), "~> 0.3.1");
  EXPECT_EQ(suggested("4.1.2", false), "4.1.2");
  EXPECT_EQ(suggested("5.0.0-rc.1", true), "5.0.0-rc.1");
  EXPECT_EQ(suggested("1.0.0+b", true), "1.0.0+b");
}

TEST(ModuleBlockTest, AModuleWithoutConfigurationAtItsRootIsUsedByItsSubmodules) {
  using Folders = std::vector<std::string>;
  const std::vector<std::pair<Texts, Folders>> kRows = {
      {{{"README.md", "x"}, {"modules/b/main.tf", ""}, {"modules/a/x.tofu", ""}},
       {"modules/a", "modules/b"}},
      {{{"modules/a/b/main.tf.json", "{}"}, {"examples/x/main.tf", ""}}, {"modules/a/b"}},
      {{{".main.tf", ""}, {"modules/a/main.tf", ""}}, {"modules/a"}},
      {{{"main.tf", ""}, {"modules/a/main.tf", ""}}, {}},
      {{{"main.tf", "variable {{{"}, {"modules/a/main.tf", ""}}, {}},
      {{{"main.tf", std::string(5 << 20, ' ')}, {"modules/a/main.tf", ""}}, {}},
      {{{"README.md", "x"}, {"examples/x/main.tf", ""}}, {}},
      {{{"main.tf", ""}}, {}},
      {{}, {}},
  };
  for (const auto& [texts, folders] : kRows) {
    EXPECT_EQ(FoldersToUse(ReadTexts(texts)), folders);
  }
}

}  // namespace
}  // namespace koya::inspect
