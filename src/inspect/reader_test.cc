#include "inspect/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "inspect/module_files_fake.h"

namespace koya::inspect {
namespace {

std::string Warnings(const ModuleContents& contents) {
  std::string out;
  for (const Warning& each : contents.warnings) out += each.ToString() + "\n";
  return out;
}

TEST(ReaderTest, ReadsInputs) {
  ModuleContents contents = ReadTexts({{"variables.tf", R"(
# From the comment,
# over lines.
variable "a" {}

variable "b" {
  description = "B"
  type        = list(string)
  default     = ["x", 1]
  sensitive   = true
  nullable    = false
  ephemeral   = true
  deprecated  = "use a"
  const       = true
  validation {
    condition     = length(var.b) > 0
    error_message = "Give one."
  }
  validation {
    condition     = alltrue([
      for x in var.b : x != ""
    ])
    error_message = "No ${var.a}."
  }
}
# terraform-docs-ignore
variable "c" {
  type    = object({ n = optional(number, 1) })
  default = { n = 2 + 3 }
}
)"}});
  EXPECT_EQ(Warnings(contents), "");
  const auto& inputs = contents.root.inputs;
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_EQ(inputs[0].description, "From the comment,\nover lines.");
  EXPECT_TRUE(inputs[0].required);
  EXPECT_TRUE(inputs[0].nullable);
  EXPECT_EQ(inputs[0].place.ToString(), "variables.tf:4");
  EXPECT_EQ(inputs[1].description, "B");
  EXPECT_EQ(inputs[1].type, "list(string)");
  EXPECT_EQ(inputs[1].default_text, R"(["x", 1])");
  EXPECT_EQ(inputs[1].default_json, R"(["x",1])");
  EXPECT_TRUE(!inputs[1].required && inputs[1].sensitive && !inputs[1].nullable &&
              inputs[1].ephemeral && inputs[1].constant);
  EXPECT_EQ(inputs[1].deprecated, "use a");
  ASSERT_EQ(inputs[1].validations.size(), 2U);
  EXPECT_EQ(inputs[1].validations[0], (Condition{"length(var.b) > 0", "Give one."}));
  EXPECT_EQ(inputs[1].validations[1].condition,
            "alltrue([\n      for x in var.b : x != \"\"\n    ])");
  EXPECT_EQ(inputs[1].validations[1].message, "\"No ${var.a}.\"");
  EXPECT_TRUE(inputs[2].hidden);
  EXPECT_EQ(inputs[2].description, "");
  EXPECT_EQ(inputs[2].default_text, "{ n = 2 + 3 }");
  EXPECT_EQ(inputs[2].default_json, "");
}

TEST(ReaderTest, ReadsOutputsAndResources) {
  ModuleContents contents = ReadTexts({{"main.tf", R"(/* The module. */

output "o" {
  value       = [for s in aws_subnet.all : s.id if var.on]
  description = "D"
  sensitive   = true
  ephemeral   = false
  deprecated  = "no"
  precondition {
    condition     = var.on
    error_message = "Off."
  }
}
resource "aws_vpc" "main" {
  count    = var.on ? 1 : 0
  provider = aws.east
  lifecycle {
    prevent_destroy       = true
    create_before_destroy = var.x
  }
}
data "aws_ami" "x" {
  for_each = toset(["a"])
}
ephemeral "random_password" "p" {
  lifecycle {
    enabled = var.on
  }
}
check "c" {
  data "http" "h" {}
  assert {
    condition     = data.http.h.status_code == 200
    error_message = "Not there."
  }
}
moved {
  from = aws_vpc.old
  to   = aws_vpc.main[0]
}
removed {
  from = aws_eip.x
  lifecycle {
    destroy = false
  }
}
import {
  to = aws_vpc.main
  id = "vpc-1"
}
locals {
  b = provider::time::rfc3339_parse("x")
  a = 1
}
)"}});
  EXPECT_EQ(Warnings(contents), "");
  const ModulePart& root = contents.root;
  EXPECT_EQ(root.header, "The module.");
  ASSERT_EQ(root.outputs.size(), 1U);
  const Output& output = root.outputs[0];
  EXPECT_EQ(output.value, "[for s in aws_subnet.all : s.id if var.on]");
  EXPECT_EQ(output.references, (std::vector<std::string>{"aws_subnet.all", "var.on"}));
  EXPECT_TRUE(output.sensitive && !output.ephemeral);
  EXPECT_EQ(output.deprecated, "no");
  EXPECT_EQ(output.preconditions, (std::vector<Condition>{{"var.on", "Off."}}));
  std::string resources;
  for (const Resource& each : root.resources) {
    resources += fmt::format("{}:{} {} {}\n", each.place.line, each.Address(), each.provider,
                             each.repetition.Kind());
  }
  EXPECT_EQ(resources,
            "14:aws_vpc.main aws.east count\n"
            "22:data.aws_ami.x aws for_each\n"
            "25:ephemeral.random_password.p random enabled\n"
            "31:data.http.h http \n");
  EXPECT_EQ(root.resources[0].prevent_destroy, "true");
  EXPECT_EQ(root.resources[0].create_before_destroy, "var.x");
  ASSERT_EQ(root.refactorings.size(), 3U);
  EXPECT_EQ(root.refactorings[0].to, "aws_vpc.main[0]");
  EXPECT_FALSE(root.refactorings[1].destroys);
  EXPECT_EQ(root.refactorings[2].id, "vpc-1");
  ASSERT_EQ(root.checks.size(), 1U);
  EXPECT_EQ(root.checks[0].assertions[0].message, "Not there.");
  EXPECT_EQ(root.locals, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(root.provider_functions, (std::vector<std::string>{"provider::time::rfc3339_parse"}));
}

TEST(ReaderTest, WarnsOnlyOfWhatClientsMind) {
  const std::pair<Texts, std::string_view> kRows[] = {
      {{{"main.tf", "module \"m\" {}\n"}}, "main.tf:1: the module \"m\" has no source\n"},
      {{{"main.tf", "module \"m\" {\n  source = \"./${var.x}\"\n}\n"}}, ""},
      {{{"main.tf", "provider \"x\" {\n  _ {}\n}\n"}}, ""},
      {{{"main.tf", "provider \"x\" {\n  _ {\n    a = 1\n  }\n}\n"}},
       "main.tf:1: the provider \"x\" is configured in a module: callers cannot use count, "
       "for_each or depends_on\n"},
      {{{"main.tf", "terraform {\n  backend \"s3\" {}\n}\n"},
        {"override.tf", "terraform {\n  state_store \"a\" \"b\" {}\n}\n"}},
       ""},
  };
  for (const auto& [files, warnings] : kRows) {
    EXPECT_EQ(Warnings(ReadTexts(files)), warnings) << files.begin()->second;
  }
}

// What Terraform 1.14 to 1.16 and the clients' own tests call valid.
constexpr const char* kNewestLanguage = R"(terraform {
  required_version = ">= 1.16"
  required_providers {
    own = { source = "registry.example.org/my_org/own" }
  }
  state_store "disk_folder" {
    provider "disk" {
      root = "/state"
    }
    path = "prod"
  }
}
variable "registry" {
  type       = string
  const      = true
  deprecated = "Use source."
}
output "id" {
  type  = object({ id = optional(string, "x") })
  value = own_thing.a
}
action "own_restart" "now" {
  count    = 2
  provider = own
  config {
    force = true
  }
}
resource "own_thing" "a" {
  lifecycle {
    destroy = false
    action_trigger {
      events     = [after_create, after_update]
      condition  = var.registry != ""
      actions    = [action.own_restart.now[0]]
      on_failure = continue
    }
  }
}
import {
  to       = own_thing.a
  identity = { id = "a" }
}
module "net" {
  source                     = "${var.registry}/acme/net/aws"
  version                    = local.version
  ignore_nested_deprecations = true
}
module "any" {
  source = var.source
}
module "vpc" {
  source  = "acme/vpc/aws"
  version = var.version
}
)";
constexpr const char* kNewestLanguageJson = R"json({
  "terraform": {
    "required_providers": {"own": {"source": "registry.example.org/my_org/own"}},
    "state_store": {"disk_folder": {"provider": {"disk": {"root": "/state"}}, "path": "prod"}}
  },
  "variable": {"registry": {"type": "string", "const": true}},
  "output": {"id": {"type": "object({ id = optional(string, \"x\") })", "value": "${own_thing.a}"}},
  "action": {"own_restart": {"now": {"count": 2, "config": {"force": true}}}},
  "resource": {"own_thing": {"a": {"lifecycle": {"action_trigger": {
    "events": ["after_create"], "actions": ["action.own_restart.now[0]"]}}}}},
  "module": {
    "net": {"source": "${var.registry}/acme/net/aws", "version": "${local.version}"},
    "any": {"source": "${var.source}"},
    "vpc": {"source": "acme/vpc/aws", "version": "${var.version}"}
  }
}
)json";

// Files of queries, components, stacks and migrations are files of the module, and not read.
TEST(ReaderTest, TakesTheLanguageOfTheNewestClientsWithoutAWarning) {
  struct Form {
    const char* name;
    const char* text;
    const char* calls;
  };
  const Form kForms[] = {{"main.tf", kNewestLanguage,
                          "net unknown [\"${var.registry}/acme/net/aws\"] local.version\n"
                          "any unknown [var.source] \n"
                          "vpc registry [acme/vpc/aws] var.version\n"},
                         {"main.tf.json", kNewestLanguageJson,
                          "net unknown [${var.registry}/acme/net/aws] ${local.version}\n"
                          "any unknown [${var.source}] \n"
                          "vpc registry [acme/vpc/aws] ${var.version}\n"}};
  for (const auto& [name, text, calls] : kForms) {
    Texts texts = {{name, text}};
    for (const char* file :
         {"all.tfquery.hcl", "all.tfquery.json", "app.tfcomponent.hcl", "app.tfcomponent.json",
          "app.tfstack.hcl", "prod.tfdeploy.hcl", "old.tfmigrate.hcl"}) {
      texts[file] = "list \"own_thing\" \"all\" {\n  provider = own\n}\ncomponent \"x\" {\n";
    }
    const ModuleContents contents = ReadTexts(texts);
    EXPECT_EQ(Warnings(contents), "") << name;
    EXPECT_EQ(contents.file_count, texts.size());
    EXPECT_EQ(contents.files.size(), texts.size());
    const ModulePart& root = contents.root;
    EXPECT_EQ(root.files, std::vector<std::string>{name});
    EXPECT_EQ(root.backend, "disk_folder");
    ASSERT_EQ(root.inputs.size(), 1U);
    EXPECT_TRUE(root.inputs[0].constant);
    ASSERT_EQ(root.outputs.size(), 1U);
    EXPECT_EQ(root.outputs[0].type, "object({ id = optional(string, \"x\") })");
    std::string all;
    for (const Resource& each : root.resources) all += each.Address() + "\n";
    for (const Requirement& each : root.requirements) all += each.address + "\n";
    for (const ModuleCall& each : root.calls) {
      all += fmt::format("{} {} [{}] {}\n", each.name, each.IsUnknown() ? "unknown" : each.kind,
                         each.source, each.constraint);
    }
    EXPECT_EQ(all,
              "action.own_restart.now\nown_thing.a\n"
              "registry.example.org/my_org/own\nregistry.example.org/hashicorp/disk\n" +
                  std::string(calls))
        << name;
  }
}

TEST(ReaderTest, WarnsOfWhatTheNewestClientsRefuse) {
  const std::pair<const char*, const char*> kRows[] = {
      {"list \"own_thing\" \"all\" {}\n", "blocks \"list\" are not known"},
      {"component \"x\" {}\n", "blocks \"component\" are not known"},
      {"state_store \"x\" {}\n", "blocks \"state_store\" are not known"},
      {"action \"own_restart\" {}\n", "a block \"action\" takes 2 names, not 1"},
      {"action \"x_y\" \"z\" {}\naction \"x_y\" \"z\" {}\n", "is declared at main.tf:1 already"},
      {"output \"a\" {\n  type = strng\n}\n", "the type of \"a\" cannot be read"},
      {"module \"m\" {\n  version = var.x\n}\n", "the module \"m\" has no source"},
      {"terraform {\n  required_providers {\n    a = { source = \"a_/b\" }\n  }\n}\n",
       "begin and end it"},
      {"terraform {\n  required_providers {\n    a = { source = \"a/b_c\" }\n  }\n}\n",
       "clients do not take \"_\" in provider types"},
      {"terraform {\n  required_providers {\n    a = { source = var.x }\n  }\n}\n",
       "is not a literal"},
  };
  for (const auto& [text, warning] : kRows) {
    const std::string warnings = Warnings(ReadTexts({{"main.tf", text}}));
    EXPECT_TRUE(warnings.contains(warning)) << text << warnings;
  }
}

TEST(ReaderTest, ATypeWithoutAProvidersNameNeedsNone) {
  const ModuleContents contents =
      ReadTexts({{"main.tf", "resource \"_x\" \"y\" {}\nresource \"null_x\" \"y\" {}\n"}});
  ASSERT_EQ(contents.root.resources.size(), 2U);
  ASSERT_EQ(contents.root.requirements.size(), 1U);
  EXPECT_EQ(contents.root.requirements[0].name, "null");
}

TEST(ReaderTest, ReadsNeeds) {
  ModuleContents contents =
      ReadTexts({{"main.tf", R"(
terraform {
  required_version = ">= 1.5"
  experiments      = [module_variable_optional_attrs]
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = "~> 5.0"
      configuration_aliases = [aws.east, aws.west]
    }
    own  = { source = "koya.example.com/acme/own" }
    null = "~> 3"
    tf   = { source = "terraform.io/builtin/terraform" }
  }
  backend "s3" {}
}
provider "aws" {
  alias    = "by_region"
  for_each = var.regions
}
resource "random_id" "r" {}
module "a" {
  source  = "acme/vpc/aws//modules/x"
  version = "~> 1.2"
  count   = 2
  providers = { aws = aws.east, aws.two = aws.west }
}
module "b" { source = "./modules/b" }
module "c" { source = "git::https://example.com/x.git//sub/y?ref=v1" }
module "d" { source = "https://example.com/x.zip" }
module "e" { source = var.x }
module "f" { source = "../outside" }
)"},
                 {"modules/b/main.tf", "module \"b\" { source = \"../../\" }"},
                 {".terraform.lock.hcl", R"(
provider "registry.example.org/hashicorp/aws" {
  version = "5.9.0"
  hashes  = ["h1:x"]
}
)"}});
  std::string needs;
  for (const Requirement& each : contents.root.requirements) {
    needs += fmt::format("{} {} \"{}\" [{}] {} {}\n", each.name, each.address, each.constraint,
                         fmt::join(each.aliases, ","), each.locked, each.implied);
  }
  EXPECT_EQ(needs,
            "aws registry.example.org/hashicorp/aws \"~> 5.0\" [aws.east,aws.west] 5.9.0 false\n"
            "own koya.example.com/acme/own \"\" []  false\n"
            "null registry.example.org/hashicorp/null \"~> 3\" []  false\n"
            "tf  \"\" []  false\n"
            "random registry.example.org/hashicorp/random \"\" []  true\n");
  EXPECT_EQ(contents.root.required_version, ">= 1.5");
  EXPECT_EQ(contents.root.experiments,
            (std::vector<std::string>{"module_variable_optional_attrs"}));
  EXPECT_EQ(contents.root.backend, "s3");
  std::string calls;
  for (const ModuleCall& each : contents.root.calls) {
    calls += fmt::format("{} {} {} {} \"{}\" {}\n", each.name, each.kind, each.address,
                         each.subfolder, each.constraint, each.providers.size());
  }
  EXPECT_EQ(calls,
            "a registry registry.example.org/acme/vpc/aws modules/x \"~> 1.2\" 2\n"
            "b local modules/b  \"\" 0\n"
            "c git  sub/y \"\" 0\n"
            "d url   \"\" 0\n"
            "e    \"\" 0\n"
            "f local   \"\" 0\n");
  std::string warnings = Warnings(contents);
  for (std::string_view words :
       {"main.tf:15: a backend in a module", "main.tf:32: the module \"f\" lies outside",
        "in a circle: the root → modules/b → the root"}) {
    EXPECT_NE(warnings.find(words), std::string::npos) << words << "\n" << warnings;
  }
  EXPECT_FALSE(warnings.contains("main.tf:31"));
}

TEST(ReaderTest, ReadsWhichClientsAModuleTakes) {
  struct ClientRow {
    std::string_view file;
    std::string_view text;
    std::string_view required_version;
    std::string_view required_opentofu;
    std::string_view warning;  // "": none
  };
  const std::vector<ClientRow> kRows = {
      {"main.tf", "language {\n  compatible_with {\n    opentofu = \">= 1.12\"\n  }\n}\n", "",
       ">= 1.12", ""},
      {"main.tf.json", R"({"language": {"compatible_with": {"opentofu": ">= 1.12"}}})", "",
       ">= 1.12", ""},
      {"main.tf", "language {\n  compatible_with {\n    opentofu = \"=> 1\"\n  }\n}\n", "", "=> 1",
       "main.tf:3: version constraint"},
      {"main.tf", "language {\n  compatible_with {\n    other = \">= 1\"\n  }\n}\n", "", "", ""},
      {"main.tf", "terraform {\n  compatible_with {\n    opentofu = \">= 1\"\n  }\n}\n", "", "",
       ""},
      // The clients' own dialect.
      {"main.tf", "terraform {\n  required_version = \">= v1.3.0\"\n}\n", ">= v1.3.0", "", ""},
      {"main.tf", "terraform {\n  required_version = \">= V1.3.0\"\n}\n", ">= V1.3.0", "",
       "main.tf:2: version constraint"},
  };
  for (const ClientRow& each : kRows) {
    const ModuleContents contents = ReadTexts({{std::string(each.file), std::string(each.text)}});
    EXPECT_EQ(contents.root.required_version, each.required_version) << each.text;
    EXPECT_EQ(contents.root.required_opentofu, each.required_opentofu) << each.text;
    EXPECT_TRUE(each.warning.empty() ? contents.warnings.empty()
                                     : Warnings(contents).starts_with(each.warning))
        << each.text << Warnings(contents);
  }
}

TEST(ReaderTest, ReadsTheTypesOfOutputs) {
  const ModuleContents contents = ReadTexts(
      {{"main.tf",
        "output \"a\" {\n  type = list(string)\n}\noutput \"b\" {\n  type = strng\n}\n"}});
  ASSERT_EQ(contents.root.outputs.size(), 2U);
  EXPECT_EQ(contents.root.outputs[0].type, "list(string)");
  EXPECT_TRUE(Warnings(contents).starts_with("main.tf:5: the type of \"b\" cannot be read"))
      << Warnings(contents);
}

TEST(ReaderTest, ACallOutOfTheArchiveIsNoCircle) {
  struct CallRow {
    std::string folder;
    std::string_view source;
    std::string_view warnings;
  };
  const std::vector<CallRow> kRows = {
      {"", "../shared", "main.tf:1: the module \"s\" lies outside of the archive: \"../shared\"\n"},
      {"modules/a/", "../../../shared",
       "modules/a/main.tf:1: the module \"s\" lies outside of the archive: \"../../../shared\"\n"},
      {"modules/a/", "../../",
       "modules/a/main.tf:1: modules call one another in a circle: the root → modules/a → the "
       "root\n"},
  };
  for (const CallRow& each : kRows) {
    const std::string call = fmt::format("module \"s\" {{\n  source = \"{}\"\n}}\n", each.source);
    Texts texts = {{each.folder + "main.tf", call}};
    if (!each.folder.empty()) texts["main.tf"] = "module \"a\" {\n  source = \"./modules/a\"\n}\n";
    EXPECT_EQ(Warnings(ReadTexts(texts)), each.warnings) << each.source;
  }
}

TEST(ReaderTest, ChoosesAndMergesFiles) {
  ModuleContents contents = ReadTexts({
      {"a.tf", "variable \"from_tf\" {}"},
      {"a.tofu", "variable \"from_tofu\" {}"},
      {"b.tf.json", R"({"variable": {"from_json": {"type": "string", "default": "x"}},
        "output": {"o": {"value": "${var.from_json}"}}})"},
      {"c.tf",
       "variable \"v\" {\n  type = string\n  default = 1\n}\nlocals {\n  l = 1\n}\n"
       "terraform {\n  required_providers {\n    aws = { version = \"1.0\" }\n"
       "    b   = { version = \"1.0\" }\n  }\n}\n"},
      {"c_override.tf",
       "variable \"v\" {\n  default = 2\n}\nlocals {\n  l = 2\n}\nterraform {\n"
       "  required_version = \">= 1\"\n  required_providers {\n"
       "    aws = { version = \"2.0\" }\n  }\n}\n"},
      {"override.tf.json", R"({"variable": {"v": {"sensitive": true}, "none": {}}})"},
      {".hidden.tf", "variable \"hidden\" {}"},
      {"x.tf~", "variable \"copy\" {}"},
  });
  std::string inputs;
  for (const Input& each : contents.root.inputs) {
    inputs += fmt::format("{} {} {} {} {}\n", each.name, each.type, each.default_json,
                          each.sensitive, each.place.ToString());
  }
  EXPECT_EQ(inputs,
            "from_tofu   false a.tofu:1\n"
            "from_json string \"x\" false b.tf.json:1\n"
            "v string 2 true c.tf:1\n");
  EXPECT_EQ(contents.root.outputs[0].value, "var.from_json");
  EXPECT_EQ(contents.root.outputs[0].references, (std::vector<std::string>{"var.from_json"}));
  EXPECT_EQ(contents.root.requirements[0].constraint, "2.0");
  EXPECT_EQ(contents.root.requirements[1].constraint, "1.0");
  EXPECT_EQ(contents.root.required_version, ">= 1");
  EXPECT_EQ(Warnings(contents),
            "override.tf.json:1: there is no variable \"none\" that this file could override\n");
}

TEST(ReaderTest, ReadsFoldersTestsAndDocuments) {
  ModuleContents contents = ReadTexts(
      {
          {"main.tf", "module \"w\" { source = \"./wrappers/w\" }"},
          {"modules/b/main.tf", "variable \"x\" {}"},
          {"modules/a/main.tf", ""},
          {"modules/a/README.md", "# A"},
          {"modules/a/examples/e/main.tf", ""},
          {"modules/a/b/c/main.tf", ""},
          {"modules/notes/x.txt", ""},
          {"examples/full/main.tf", "backend {}\nterraform {\n  backend \"s3\" {}\n}\n"},
          {"wrappers/w/main.tf", "module \"gone\" { source = \"../gone\" }"},
          {".terraform/modules/x/main.tf", "variable \"no\" {}"},
          {"tests/a.tftest.hcl", "mock_provider \"aws\" {}\nrun \"one\" {}\nrun \"two\" {}\n"},
          {"b.tftest.json", R"({"run": {"three": {}}})"},
          {"c.tftest.hcl", "run \"hidden\" {}"},
          {"c.tofutest.hcl", "run \"shown\" {}"},
          {"modules/a/d.tftest.hcl", "run \"elsewhere\" {}"},
          {"readme.txt", "no"},
          {"README.md", "# モジュール\n\nこれは\n<!-- BEGIN_TF_DOCS -->\n"},
          {"ChangeLog.md", "# Changes\n\n## [1.2.0] - 2026-01-01\n\n* one\n\n## 1.1.0\n\n* two\n"},
          {"LICENSE",
           "MIT License\n\nCopyright\n\nPermission is hereby granted, free of charge, to "
           "any person. The above copyright notice and this permission notice shall be "
           "included"},
          {"picture.png", std::string(1000, 'x')},
      },
      "1.2.0");
  auto paths = [](const std::vector<ModulePart>& parts) {
    std::string out;
    for (const ModulePart& each : parts) out += each.path + " ";
    return out;
  };
  EXPECT_EQ(paths(contents.submodules), "modules/a modules/a/b/c modules/b ");
  EXPECT_EQ(paths(contents.examples), "examples/full ");
  EXPECT_EQ(contents.submodules[0].readme.text, "# A");
  EXPECT_EQ(contents.submodules[2].inputs[0].place.ToString(), "modules/b/main.tf:1");
  ASSERT_EQ(contents.tests.size(), 3U);
  EXPECT_EQ(contents.tests[0].runs, (std::vector<std::string>{"three"}));
  EXPECT_EQ(contents.tests[1].runs, (std::vector<std::string>{"shown"}));
  EXPECT_EQ(contents.tests[2].runs, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(contents.tests[2].mocks, (std::vector<std::string>{"aws"}));
  EXPECT_EQ(contents.root.readme.file, "README.md");
  EXPECT_EQ(contents.root.readme.language, "ja");
  EXPECT_TRUE(contents.root.readme.has_generated_docs);
  EXPECT_EQ(contents.changelog, (Changelog{"ChangeLog.md", "* one"}));
  EXPECT_EQ(contents.licence.spdx, "MIT");
  EXPECT_EQ(contents.licence.file, "LICENSE");
  EXPECT_EQ(contents.file_count, 20U);
  EXPECT_EQ(contents.files.size(), 20U);
  EXPECT_GT(contents.bytes, 1000U);
  std::string warnings = Warnings(contents);
  EXPECT_NE(warnings.find("wrappers/w/main.tf:1: the module \"gone\" calls \"../gone\""),
            std::string::npos)
      << warnings;
  EXPECT_EQ(warnings.find("a backend in a module"), std::string::npos) << warnings;
  EXPECT_NE(warnings.find("blocks \"backend\" are not known"), std::string::npos) << warnings;
}

TEST(ReaderTest, NoCodePointIsUnreadable) {
  ModuleContents contents = ReadTexts({{"bad.tf", "variable \"a\" { \xFF }"},
                                       {"good.tf", "variable \"b\" {}"},
                                       {"README.md", "x\xFFy"}});
  ASSERT_EQ(contents.root.inputs.size(), 1U);
  EXPECT_EQ(contents.root.readme.text, "x\xEF\xBF\xBDy");
  EXPECT_EQ(Warnings(contents), "bad.tf:1: column 1: it is not UTF-8\n");
}

TEST(ReaderTest, TellsWhatIsWrongInDeclarations) {
  ModuleContents contents = ReadTexts({{"main.tf",
                                        "variable \"a\" {\n  type = lst(string)\n}\n"
                                        "variable \"a\" {}\nvariable \"b\" \"c\" {}\n"
                                        "resource \"x\" {}\nthing \"y\" {}\nz = 1\n"
                                        "terraform {\n  required_version = \"=> 1\"\n}\n"}});
  EXPECT_EQ(contents.root.inputs.size(), 1U);
  std::string warnings = Warnings(contents);
  for (std::string_view words :
       {"main.tf:2: the type of \"a\" cannot be read",
        "main.tf:4: variable a is declared at main.tf:1",
        "main.tf:5: a block \"variable\" takes 1 name, not 2",
        "main.tf:6: a block \"resource\" takes 2 names, not 1",
        "main.tf:7: blocks \"thing\" are not known", "main.tf:8: \"z\" stands outside",
        "main.tf:10: version constraint"}) {
    EXPECT_NE(warnings.find(words), std::string::npos) << words << "\n" << warnings;
  }
}

// What clients refuse, each with nothing said of it before; and beside it what they take.
TEST(ReaderTest, WarnsOfWhatClientsRefuse) {
  struct Row {
    std::string_view file;
    std::string text;
    std::string_view warning;  // "": none
  };
  const std::string nul(1, '\0');
  for (const Row& row : {
           Row{"a.tf", "output \"o\" {\n  value = \"x%{ if true }y\"\n}\n",
               "a.tf:2: column 13: the \"%{ if }\" that begins here has no \"%{ endif }\""},
           Row{"a.tf", "output \"o\" {\n  value = <<E\nx\n%{ for x in [1] }y\nE\n}\n",
               "a.tf:4: column 1: the \"%{ for }\" that begins here has no \"%{ endfor }\""},
           Row{"a.tf", "output \"o\" {\n  value = \"x%{ endif }\"\n}\n",
               "a.tf:2: column 13: \"%{ endif }\" stands where nothing is open for it"},
           Row{"a.tf", "output \"o\" {\n  value = \"%{ while x }\"\n}\n",
               "a.tf:2: column 12: a \"%{\" that begins here is none of"},
           Row{"a.tf",
               "output \"o\" {\n  value = \"%{ if a ~}x%{~ else }%{ for b in c }y%{ endfor }"
               "%{ endif }%%{ if }\"\n}\n",
               ""},
           Row{"a.tf", "variable \"a" + nul + "b\" {}\n", "a.tf:1: \"a\\x00b\" is no name for"},
           Row{"a.tf.json", R"({"output": {"a b": {"value": 1}}})",
               "a.tf.json:1: \"a b\" is no name for a block \"output\""},
           Row{"a.tf", "resource \"a_b\" \"3x\" {}\n", "a.tf:1: \"3x\" is no name for"},
           Row{"a.tf", "provider \"_a\" {}\n", "a.tf:1: \"_a\" is no name for"},
           Row{"a.tf", "resource \"_a\" \"größe-1\" {\n  provider = a\n}\n", ""},
           Row{"a.tf.json", "[{}, 1]",
               "a.tf.json:1: column 6: a configuration in JSON is an object, or a list of objects"},
           Row{"a.tf.json", "[[{}]]",
               "a.tf.json:1: column 2: a configuration in JSON is an object"},
           Row{"a.tf.json", "[null]",
               "a.tf.json:1: column 2: a configuration in JSON is an object"},
           Row{"a.tf.json", R"([{"variable": {"a": {}}}, {}])", ""},
           Row{"a.tf", "locals {\n  a = {\n    inner {\n      b = 1\n    }\n  }\n}\n",
               "a.tf:3: column 11: \"{\" stands where \"=\" should"},
           Row{"a.tf", "locals {\n  a = {\n    b c\n  }\n}\n",
               "a.tf:3: column 7: \"c\" stands where \"=\" should"},
           Row{"a.tf", "locals {\n  a = {\n    b.c = 1\n    (var.x) = 2\n  }\n}\n", ""},
       }) {
    const std::string warnings = Warnings(ReadTexts({{std::string(row.file), row.text}}));
    EXPECT_EQ(warnings.empty(), row.warning.empty()) << row.text << warnings;
    EXPECT_TRUE(warnings.starts_with(row.warning)) << row.text << warnings;
  }
}

TEST(ReaderTest, TheProviderThatClientsHaveHasNoAddress) {
  for (std::string_view required :
       {"{}", "{ version = \"1.2.0\" }", "{ source = \"terraform.io/builtin/terraform\" }"}) {
    const ModuleContents contents = ReadTexts(
        {{"main.tf", fmt::format("terraform {{\n  required_providers {{\n    terraform = {}\n"
                                 "  }}\n}}\nresource \"terraform_data\" \"x\" {{}}\n",
                                 required)}});
    ASSERT_EQ(contents.root.requirements.size(), 1U) << required;
    EXPECT_EQ(contents.root.requirements[0].address, "") << required;
  }
}

TEST(ReaderTest, WarnsOfProvidersThatAreGivenSettingsOnly) {
  for (std::string_view body : {"", "alias = \"b\"", "alias = \"b\"\n  for_each = { x = 1 }"}) {
    const std::string text = fmt::format("provider \"a\" {{\n  {}\n}}\n", body);
    EXPECT_EQ(Warnings(ReadTexts({{"main.tf", text}})), "") << body;
  }
  for (std::string_view body :
       {"region = \"x\"", "version = \"1.0\"", "features {}", "alias = \"b\"\n  region = \"x\""}) {
    const std::string text = fmt::format("provider \"a\" {{\n  {}\n}}\n", body);
    EXPECT_TRUE(Warnings(ReadTexts({{"modules/m/main.tf", text}, {"main.tf", ""}}))
                    .starts_with("modules/m/main.tf:1: the provider \"a\" is configured"))
        << body;
    EXPECT_EQ(Warnings(ReadTexts({{"examples/e/main.tf", text}, {"main.tf", ""}})), "") << body;
  }
}

TEST(ReaderTest, EqualWarningsOfManyFoldersAreOneLine) {
  auto warnings = [](int folders) {
    Texts texts{{"main.tf", ""}};
    for (int i = 0; i < folders; ++i) texts[fmt::format("modules/m{}/main.tf", i)] = "thing {}\n";
    return Warnings(ReadTexts(texts));
  };
  const std::string_view what = "blocks \"thing\" are not known, and not shown";
  EXPECT_EQ(warnings(2),
            fmt::format("modules/m0/main.tf:1: {0}\nmodules/m1/main.tf:1: {0}\n", what));
  EXPECT_EQ(warnings(9), fmt::format("modules/m0/main.tf:1: {} (and at 8 more places)\n", what));
}

TEST(ReaderTest, ListsSubmodulesOfSubmodules) {
  const ModuleContents contents = ReadTexts({{"main.tf", ""},
                                             {"modules/a/main.tf", ""},
                                             {"modules/a/modules/b/main.tf", "variable \"x\" {}"},
                                             {"modules/a/examples/e/main.tf", ""},
                                             {"modules/a/tests/modules/t/main.tf", ""},
                                             {"examples/e/main.tf", ""},
                                             {"examples/e/modules/own/main.tf", ""}});
  std::vector<std::string> paths;
  for (const ModulePart& each : contents.submodules) paths.push_back(each.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"modules/a", "modules/a/modules/b"}));
  EXPECT_EQ(contents.submodules[1].inputs.size(), 1U);
  ASSERT_EQ(contents.examples.size(), 1U);
  EXPECT_EQ(contents.examples[0].path, "examples/e");
}

TEST(ReaderTest, BoundsWhateverItIsGiven) {
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += fmt::format("variable \"v{}\" {{}}\n", i);
  ModuleContents contents = ReadTexts({{"many.tf", many}});
  EXPECT_EQ(contents.root.inputs.size(), 100'000U);

  std::string twice;
  for (int i = 0; i < 5'000; ++i) twice += "variable \"v\" {}\n";
  contents = ReadTexts({{"twice.tf", twice}});
  EXPECT_EQ(contents.root.inputs.size(), 1U);
  EXPECT_EQ(contents.warnings.size(), kMaxWarnings);
  EXPECT_EQ(contents.warnings.size() + contents.warnings_left_out, 4'999U);

  Texts folders;
  for (int i = 0; i < 600; ++i) folders[fmt::format("modules/m{}/main.tf", i)] = "";
  contents = ReadTexts(folders);
  EXPECT_EQ(contents.submodules.size(), 500U);
  EXPECT_NE(Warnings(contents).find("up to 500 folders"), std::string::npos);

  std::string overrides;
  for (int i = 0; i < 5'000; ++i) overrides += "variable \"v\" {\n  default = 1\n}\n";
  contents = ReadTexts({{"twice.tf", twice}, {"override.tf", overrides}});
  EXPECT_NE(Warnings(contents).find("override files was left out"), std::string::npos)
      << contents.warnings_left_out;

  ReadOptions options = TestOptions();
  options.budget = {.parts = 100, .bytes = 1'000};
  contents = ReadModule(FilesFrom({{"a.tf", std::string(900, ' ')},
                                   {"b.tf", std::string(900, ' ')},
                                   {"README.md", std::string(3 << 20, 'x')}}),
                        options);
  EXPECT_EQ(Warnings(contents),
            fmt::format("README.md: it has {} bytes: only the beginning is shown\n"
                        "b.tf: it was not read: there is too much configuration\n",
                        3 << 20));
  FileSet large;
  large["main.tf"] = {.size = 50 << 20};
  contents = ReadModule(large, TestOptions());
  EXPECT_EQ(Warnings(contents), "main.tf: it has 52428800 bytes and was not read\n");
}

TEST(ReaderTest, KnowsWhichFilesItWants) {
  for (std::string_view path :
       {"main.tf", "a.tofu", "a.tf.json", "a.tofu.json", "modules/x/main.tf", "deep/er/x.tf",
        "README", "readme.markdown", "modules/x/Readme.md", "CHANGELOG.md", "HISTORY.txt",
        "LICENSE", "Licence.md", "COPYING", ".terraform.lock.hcl", "tests/x.tftest.hcl",
        "x.tofutest.json", "#main.tf", "modules/x/#more.tf.json"}) {
    EXPECT_TRUE(WantsFile(path)) << path;
  }
  for (std::string_view path : {"",
                                "main.tf.bak",
                                ".tf",
                                "tf",
                                "x.hcl",
                                "terraform.tfvars",
                                "x.tfstate",
                                "README.png",
                                "readmeplease",
                                "modules/x/LICENSE",
                                "modules/x/CHANGELOG.md",
                                ".git/config.tf",
                                ".terraform/modules/a/main.tf",
                                "a/.cache/main.tf",
                                "x/.terraform.lock.hcl",
                                "main.tf~",
                                "#main.tf#",
                                "image.png",
                                "x.tfquery.hcl",
                                "x.tfcomponent.hcl",
                                "x.tfstack.hcl",
                                "x.tfdeploy.hcl",
                                "x.tfmigrate.hcl"}) {
    EXPECT_FALSE(WantsFile(path)) << path;
  }
}

}  // namespace
}  // namespace koya::inspect
