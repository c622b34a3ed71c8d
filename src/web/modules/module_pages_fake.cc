#include "web/modules/module_pages_fake.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "web/sample_parts_fake.h"

namespace koya::web {
namespace {

using inspect::Input;
using inspect::ModulePart;

constexpr UnixSeconds kNovember = 1794960000;  // 2026-11-18
constexpr UnixSeconds kSampleDay = 86400;

// What authors wrote, or one text in place of all of it.
struct AuthorTexts {
  std::string all;
  std::string operator()(std::string own) const { return all.empty() ? own : all; }
};

Version SampleVersion(std::string_view text) { return *Version::Parse(text); }

ModuleVersionRecord SampleRecord(std::string_view version, int days_ago, const AuthorTexts& texts) {
  return {.address = *ModuleAddress::Parse("platform/network/aws"),
          .version = SampleVersion(version),
          .kind = ArchiveKind::kTarGz,
          .digest = Digest::Of(version),
          .size = 96'412,
          .upload_digest = Digest::Of(version),
          .description = texts("VPC, subnets, NAT and flow logs for one account, with the address "
                               "plan our network team keeps."),
          .published_at = kNovember - days_ago * kSampleDay,
          .published_by = texts("ci-platform"),
          .provenance = R"({"repository":"kumo/network"})"};
}

Input SampleInput(std::string name, std::string type, std::string description,
                  std::string default_text = {}) {
  Input input;
  input.name = std::move(name);
  input.type = std::move(type);
  input.description = std::move(description);
  input.required = default_text.empty();
  input.default_text = std::move(default_text);
  input.place = {"variables.tf", 12};
  return input;
}

std::vector<Input> SampleInputs(const AuthorTexts& texts) {
  std::vector<Input> inputs;
  inputs.push_back(SampleInput("name", "string",
                               texts("Short name for the account and stage. It becomes the prefix "
                                     "of every resource name.")));
  inputs.back().validations = {{"can(regex(\"^[a-z]\", var.name))",
                                texts("Must be 3 to 24 lower-case letters, digits or hyphens.")},
                               {"length(var.name) < 25", ""}};
  inputs.push_back(SampleInput("cidr_block", "string",
                               texts("Address range of the VPC. Ask for one in `#network` or read "
                                     "it from `kumo_inventory_range`.")));
  inputs.push_back(SampleInput("zones", "list(string)",
                               texts("Availability zones to build in, in the order subnets are "
                                     "numbered.")));
  inputs.push_back(SampleInput("nat_mode", "string",
                               texts("How private subnets reach the internet: `per_zone`, "
                                     "`shared` or `none`."),
                               "\"per_zone\""));
  inputs.push_back(SampleInput(
      "extra_routes",
      "map(object({ destination = string, target = string, tiers = optional(set(string), "
      "[\"private\"]), rules = optional(list(object({ port = number }))) }))",
      texts("Routes on top of the ones the module makes.\n\n- one a line\n- **keyed** by a name"),
      "{}"));
  inputs.push_back(
      SampleInput("peer_secret", "string", texts("Shared secret for the on-site tunnel."), "null"));
  inputs.back().sensitive = true;
  inputs.back().ephemeral = true;
  inputs.push_back(
      SampleInput("enable_nat", "bool", texts("Whether to build NAT at all."), "true"));
  inputs.back().deprecated = texts("Set `nat_mode` instead. This input goes away in 5.0.");
  inputs.back().nullable = false;
  std::string lines = "{\n";
  for (int i = 0; i < 20; ++i) lines += fmt::format("  key_{} = \"{}\"\n", i, texts("value"));
  inputs.push_back(SampleInput("tags", "map(string)", texts("Tags for everything."), lines + "}"));
  inputs.push_back(SampleInput("bits", "number", "", "8"));
  inputs.push_back(SampleInput("hidden", "string", "", "\"\""));
  inputs.back().hidden = true;
  return inputs;
}

void AddResources(ModulePart& root, const AuthorTexts& texts) {
  for (const char* type : {"aws_vpc", "aws_subnet", "aws_nat_gateway", "aws_flow_log"}) {
    inspect::Resource resource;
    resource.mode = "managed";
    resource.type = type;
    resource.name = "this";
    resource.provider = "aws";
    resource.place = {"main.tf", 40};
    root.resources.push_back(resource);
  }
  root.resources[1].repetition.for_each = "var.zones";
  root.resources[0].prevent_destroy = "true";
  inspect::Resource data = root.resources[0];
  data.mode = "data";
  data.type = "kumo_inventory_range";
  data.provider = "kumo";
  data.prevent_destroy.clear();
  root.resources.push_back(data);
  data.mode = "ephemeral";
  data.name = "once";
  root.resources.push_back(data);
  root.refactorings = {
      {.kind = "moved", .from = "aws_eip.nat", .to = "aws_eip.gateway", .place = {"moved.tf", 1}},
      {.kind = "removed", .from = "aws_instance.nat", .place = {"moved.tf", 6}},
      {.kind = "import", .to = "aws_vpc.this", .id = "vpc-1", .place = {"moved.tf", 12}}};
  root.checks = {{.name = "routes",
                  .assertions = {{"length(var.zones) > 1", texts("One zone is no redundancy.")}},
                  .place = {"checks.tf", 1}}};
}

void AddNeeds(ModulePart& root) {
  root.required_version = ">= 1.8";
  root.requirements = {{.name = "aws",
                        .source = "hashicorp/aws",
                        .address = "registry.opentofu.org/hashicorp/aws",
                        .constraint = ">= 6.4, < 7.0",
                        .locked = "6.8.1",
                        .place = {"versions.tf", 5}},
                       {.name = "kumo",
                        .source = "registry.kumo.example/kumo/inventory",
                        .address = "registry.kumo.example/kumo/inventory",
                        .constraint = "~> 2.1"},
                       {.name = "terraform", .implied = true}};
  root.calls = {{.name = "subnets",
                 .source = "./modules/subnets",
                 .kind = "local",
                 .address = "modules/subnets",
                 .place = {"main.tf", 20}},
                {.name = "labels",
                 .source = "registry.kumo.example/platform/labels/null",
                 .kind = "registry",
                 .address = "registry.kumo.example/platform/labels/null",
                 .constraint = "~> 1.0"},
                {.name = "elsewhere", .source = "git::https://git.example/x.git", .kind = "git"}};
}

inspect::Output SampleOutput(std::string name, std::string description, std::string value) {
  inspect::Output output;
  output.name = std::move(name);
  output.description = std::move(description);
  output.value = std::move(value);
  output.place = {"outputs.tf", 3};
  return output;
}

ModulePart SampleFolder(std::string path, const AuthorTexts& texts) {
  ModulePart part;
  part.path = std::move(path);
  part.header = texts("Subnets of one tier, in every zone.");
  part.inputs = {SampleInput("tier", "string", texts("Which tier."))};
  part.outputs = {SampleOutput("ids", texts("The subnets."), "aws_subnet.this[*].id")};
  part.requirements = {
      {.name = "aws", .source = "hashicorp/aws", .address = "registry.opentofu.org/hashicorp/aws"}};
  part.files = {part.path + "/main.tf"};
  return part;
}

std::string SampleReadme() {
  return "# Network for one account\n\nBuilds a VPC with three tiers of subnets in every zone you "
         "name. Addresses come from the plan the network team keeps.\n\n- Public, private and "
         "isolated tiers\n- NAT for each zone by default\n- Flow logs to the shared log "
         "account\n\n## A small example\n\n```hcl\nmodule \"network\" {\n  source  = "
         "\"registry.kumo.example/platform/network/aws\"\n  version = \"~> 4.2\"\n\n  name     = "
         "\"orders-prod\"\n  nat_mode = \"shared\" # one gateway is enough here\n}\n```\n\n## "
         "Before you move from 3.x\n\nVersion 4 renamed the gateway addresses. See "
         "[the notes](docs/moving.md).\n";
}

inspect::ModuleContents SampleContents(const AuthorTexts& texts) {
  inspect::ModuleContents contents;
  ModulePart& root = contents.root;
  root.files = {"main.tf", "outputs.tf", "variables.tf"};
  root.inputs = SampleInputs(texts);
  root.outputs = {SampleOutput("vpc_id", texts("The VPC."), "aws_vpc.this.id"),
                  SampleOutput("nat_public_ips", texts("Addresses that others see."),
                               "[for each in aws_nat_gateway.this : each.public_ip]")};
  root.outputs[1].sensitive = true;
  root.outputs[1].deprecated = texts("Use `addresses`.");
  root.outputs[1].preconditions = {{"true", texts("NAT is on.")}};
  AddResources(root, texts);
  AddNeeds(root);
  root.readme = {.file = "README.md", .text = texts(SampleReadme()), .language = "en"};
  contents.submodules = {SampleFolder("modules/subnets", texts)};
  contents.examples = {SampleFolder("examples/complete", texts)};
  contents.licence = {.spdx = texts("Apache-2.0"), .file = "LICENSE", .evidence = ""};
  for (const char* path : {"LICENSE", "README.md", "docs/moving.md", "examples/complete/main.tf",
                           "main.tf", "modules/subnets/main.tf", "outputs.tf", "variables.tf"}) {
    contents.files.push_back({path, 1204});
  }
  contents.file_count = contents.files.size();
  contents.bytes = 41'000;
  return contents;
}

VersionStep SampleStep() {
  return {.before = "4.1.3",
          .needed = "minor",
          .given = "minor",
          .agrees = true,
          .wanted = "",
          .inputs = {2, 2, 0, 0},
          .outputs = {1, 0, 0, 0},
          .resources = {1, 1, 0, 1},
          .breaking = 0,
          .to_read = 2};
}

ModuleChangesForm SampleChanges(const AuthorTexts& texts) {
  ModuleChangesForm form{.from = "4.1.3", .to = "4.2.0", .problem = "", .compared = true};
  form.step = SampleStep();
  for (const char* section : {"inputs", "outputs", "resources", "submodules", "files"}) {
    for (const auto& [kind, severity] :
         {std::pair("added", "compatible"), std::pair("changed", "read"),
          std::pair("removed", "breaking"), std::pair("moved", "safe")}) {
      form.changes.push_back({.section = section,
                              .kind = kind,
                              .what = texts("input \"nat_mode\""),
                              .where = "variables.tf:12",
                              .severity = severity,
                              .text = texts("Its default changed from \"shared\" to \"per_zone\"."),
                              .folder = "",
                              .item = "input",
                              .name = texts("nat_mode"),
                              .code = "default_changed",
                              .arguments = {texts("\"shared\""), texts("\"per_zone\"")}});
    }
  }
  form.changes.push_back({.section = "internal",
                          .kind = "removed",
                          .what = "modules/nat",
                          .where = "modules/nat/main.tf:1",
                          .severity = "safe",
                          .text = "The submodule is gone: callers that use it are refused.",
                          .folder = "",
                          .item = "",
                          .name = "modules/nat",
                          .code = "submodule_gone",
                          .arguments = {}});
  return form;
}

class PageList {
 public:
  PageList(const PageFrame& frame, const AuthorTexts& texts, const SampleModule& sample)
      : frame_(frame), texts_(texts), sample_(sample), page_(sample.Page(0, true)) {}

  std::vector<SamplePage> Make() {
    AddTabs();
    AddStates();
    AddForms();
    AddFiles();
    AddAbsences();
    return std::move(pages_);
  }

 private:
  void Add(std::string name, std::string html) {
    pages_.push_back({"module-" + std::move(name), std::move(html)});
  }

  void AddTabs() {
    ModulePage page = page_;
    page.provenance = {{"sha", texts_("9c41e07aa0b1c2d3e4f5")},
                       {"ref", texts_("refs/heads/main")},
                       {"repository", texts_("kumo/network")},
                       {"workflow", texts_("release.yml")},
                       {"iss", texts_("https://token.actions.example")}};
    page.added_in = {{"extra_routes", "4.2.0"}};
    page.default_since = {{"nat_mode", "4.2.0"}};
    page.outputs_added_in = {{"nat_public_ips", "4.2.0"}};
    page.source = {"https://github.com/kumo/network/tree/9c41e07",
                   texts_("kumo/network @ 9c41e07")};
    page.owners.owners = {{texts_("mika.tanaka@kumo.example"), GranteeKind::kUser}};
    Add("readme", RenderModuleReadme(frame_, page));
    Add("inputs", RenderModuleInputs(frame_, page, {}));
    Add("inputs-filtered",
        RenderModuleInputs(frame_, page, {texts_("nat"), ModuleFilterForm::Order::kName}));
    Add("outputs", RenderModuleOutputs(frame_, page, {}));
    Add("resources", RenderModuleResources(frame_, page));
    Add("dependencies",
        RenderModuleDependencies(
            frame_, page,
            {.providers = {{"/-/mirror/explain?address=x", "", ShownVerdict::kAllowed, "", true},
                           {"/providers/kumo/inventory", "2.3.1"},
                           {"", "", ShownVerdict::kDenied, texts_("*/acme-labs/*")}},
             .modules = {{"/modules/platform/network/aws/latest/submodules/"
                          "subnets",
                          ""},
                         {"/modules/platform/labels/null", ""}}}));
    Add("submodules", RenderModuleFolders(frame_, page, ModuleFolderKind::kSubmodule));
    Add("examples", RenderModuleFolders(frame_, page, ModuleFolderKind::kExample));
    Add("submodule",
        RenderModuleFolder(frame_, page,
                           {ModuleFolderKind::kSubmodule, &sample_.contents.submodules[0], {}}));
    Add("example",
        RenderModuleFolder(frame_, page,
                           {ModuleFolderKind::kExample,
                            &sample_.contents.examples[0],
                            {{"examples/complete/main.tf", texts_("module \"x\" {\n}\n"), true}}}));
    ModuleVersionsForm versions;
    versions.fetches = {{"4.2.0", 1204}, {"4.1.3", 97}};
    Add("versions", RenderModuleVersions(frame_, page, versions));
    ModulePage owned = page;
    owned.rights = {.may_deprecate = true, .may_withdraw = true};
    Add("versions-owner", RenderModuleVersions(frame_, owned, versions));
    Add("readme-owner", RenderModuleReadme(frame_, owned));
  }

  void AddStates() {
    Add("old", RenderModuleReadme(frame_, sample_.Page(2)));
    Add("deprecated", RenderModuleReadme(frame_, sample_.Page(4)));
    Add("prerelease", RenderModuleReadme(frame_, sample_.Page(0)));
    ModulePage unread = page_;
    unread.contents = nullptr;
    Add("unread", RenderModuleReadme(frame_, unread));
    inspect::ModuleContents bare = sample_.contents;
    bare.root.readme = {};
    bare.warnings = {{texts_("a string is not closed"), {"main.tf", 3}},
                     {texts_("the module sets a backend"), {}}};
    ModulePage without = page_;
    without.contents = &bare;
    Add("without_readme", RenderModuleReadme(frame_, without));
    const inspect::ModuleContents nothing;
    without.contents = &nothing;
    Add("empty", RenderModuleInputs(frame_, without, {}));
    Add("empty-resources", RenderModuleResources(frame_, without));
    Add("empty-dependencies", RenderModuleDependencies(frame_, without, {}));
    Add("empty-examples", RenderModuleFolders(frame_, without, ModuleFolderKind::kExample));
  }

  void AddForms() {
    Add("changes", RenderModuleChanges(frame_, page_, SampleChanges(texts_)));
    ModuleChangesForm source{.from = "4.1.3", .to = "4.2.0"};
    source.source = std::make_shared<const wire::SourceDiff>(
        wire::SourceDiff{.from = "4.1.3",
                         .to = "4.2.0",
                         .files = {{.path = texts_("main.tf"),
                                    .status = "changed",
                                    .added = 2,
                                    .removed = 1,
                                    .hunks = {{1,
                                               1,
                                               {{" ", texts_("# A network.")},
                                                {"-", texts_("a = 1")},
                                                {"+", texts_("a = 2")},
                                                {"+", ""},
                                                {"\\", " No newline at end of file"}}}}},
                                   {.path = texts_("logo.png"), .status = "added", .binary = true},
                                   {.path = texts_("gone.tf"), .status = "removed", .cut = true}},
                         .cut = true});
    Add("source", RenderModuleSource(frame_, page_, source));
    source.source = std::make_shared<const wire::SourceDiff>();
    Add("source-same", RenderModuleSource(frame_, page_, source));
    ModuleChangesForm wrong{.from = texts_("x"),
                            .to = texts_("4.2.0"),
                            .problem = texts_("\"x\" isn't a version"),
                            .compared = false};
    Add("changes-wrong", RenderModuleChanges(frame_, page_, wrong));
    Add("changes-first", RenderModuleChanges(frame_, page_, {}));
    Add("source-wrong", RenderModuleSource(frame_, page_, wrong));
    Add("usage", RenderModuleUsage(frame_, page_, {}));
    ModuleUsageForm typed{.values = {{"name", texts_("orders \"prod\"")},
                                     {"zones", texts_("[\"a\",\"b\"]")},
                                     {"bits", texts_("\"x\"")},
                                     {"extra_routes", texts_("{")},
                                     {"enable_nat", "false"}},
                          .filled = true};
    Add("usage-filled", RenderModuleUsage(frame_, page_, typed));
    UsedByPage used = SampleUsedBy(texts_);
    Add("used_by", RenderModuleUsedBy(frame_, page_, used));
    used.used = {};
    Add("used_by-off", RenderModuleUsedBy(frame_, page_, used));
    ModuleVersionsForm filtered;
    filtered.constraint = texts_("~> x");
    filtered.problem = texts_("\"x\" isn't a version");
    filtered.by_date = true;
    Add("versions-wrong", RenderModuleVersions(frame_, page_, filtered));
    filtered.allowed = *VersionConstraint::Parse("> 9.0");
    Add("versions-none", RenderModuleVersions(frame_, page_, filtered));
  }

  void AddFiles() {
    Add("files", RenderModuleFiles(frame_, page_, {}));
    Add("files-folder", RenderModuleFiles(frame_, page_, {.path = "examples/complete"}));
    Add("file", RenderModuleFiles(frame_, page_,
                                  {.path = "examples/complete/main.tf",
                                   .is_file = true,
                                   .is_text = true,
                                   .cut = true,
                                   .text = texts_("# c\nlocals {\n  a = <<EOT\nx\ny\nEOT\n}\n"),
                                   .size = 4000}));
    Add("file-binary",
        RenderModuleFiles(frame_, page_, {.path = "a.bin", .is_file = true, .size = 12}));
  }

  void AddAbsences() {
    ModuleAbsence absence{.address = sample_.versions[0].address,
                          .version = "4.0.1",
                          .withdrawal = std::nullopt,
                          .newest = "4.2.0",
                          .newest_of_major = "3.9.2"};
    Add("missing", RenderModuleAbsence(frame_, absence));
    absence.withdrawal = Withdrawal{.at = kNovember,
                                    .by = "mika",
                                    .reason = texts_("deletes the wrong route table; use 4.0.6")};
    Add("withdrawn", RenderModuleAbsence(frame_, absence));
    absence.newest.clear();
    absence.newest_of_major.clear();
    Add("gone", RenderModuleAbsence(frame_, absence));
  }

  const PageFrame& frame_;
  const AuthorTexts& texts_;
  const SampleModule& sample_;
  ModulePage page_;
  std::vector<SamplePage> pages_;
};

}  // namespace

ModulePage SampleModule::Page(std::size_t version, bool by_latest) const {
  ModulePage page;
  page.host = "registry.kumo.example";
  page.versions = versions;
  page.withdrawn = withdrawn;
  page.contents = &contents;
  page.by_latest = by_latest;
  page.fetches = by_latest ? 1204 : 1;
  page.record = by_latest ? &page.newest() : &versions[version];
  return page;
}

SampleModule MakeSampleModule(const std::string& text) {
  const AuthorTexts texts{text};
  SampleModule sample;
  sample.contents = SampleContents(texts);
  sample.versions = {SampleRecord("5.0.0-rc.1", 1, texts), SampleRecord("4.2.0", 4, texts),
                     SampleRecord("4.1.3", 47, texts),     SampleRecord("4.0.6", 90, texts),
                     SampleRecord("3.9.2", 141, texts),    SampleRecord("0.1.0", 900, texts)};
  sample.versions[1].step = SampleStep();
  sample.versions[2].step = VersionStep{.before = "4.0.6",
                                        .needed = "major",
                                        .given = "minor",
                                        .agrees = false,
                                        .wanted = "5.0.0",
                                        .inputs = {0, 0, 1, 0},
                                        .outputs = {},
                                        .resources = {},
                                        .breaking = 1,
                                        .to_read = 0};
  sample.versions[4].deprecation = texts("3.x gets no fixes after 31 Dec 2026. Move to 4.x.");
  sample.versions[4].provenance.clear();
  sample.withdrawn = {
      {.version = SampleVersion("4.0.1"),
       .published_at = kNovember - 100 * kSampleDay,
       .withdrawal = {
           .at = kNovember, .by = "mika", .reason = texts("deletes the wrong route table")}}};
  return sample;
}

std::vector<SamplePage> ModuleSamplePages(const PageFrame& frame, const std::string& text) {
  const AuthorTexts texts{text};
  const SampleModule sample = MakeSampleModule(text);
  return PageList(frame, texts, sample).Make();
}

}  // namespace koya::web
