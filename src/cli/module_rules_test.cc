#include "cli/module_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace koya::cli {
namespace {

constexpr std::string_view kNamedRule = R"(namespace = "acme"
[[module]]
tag    = "{name}-v{version}"
folder = "modules/{name}"
module = "{name}/aws"
)";

// The whole outcome on one line: "1.2.0: modules/vpc=acme/vpc/aws", or the error.
std::string Line(const Result<TaggedModules>& tagged) {
  if (!tagged) return tagged.error().message;
  std::string line = tagged->version.ToString() + ":";
  for (const RepositoryModule& each : tagged->modules) {
    line += " " + (each.folder.empty() ? "." : each.folder) + "=" + each.address.ToString();
    for (const std::string& with : each.with) line += "+" + with;
  }
  return line;
}

struct TagCase {
  std::string_view rules;
  std::string tag;
  std::vector<std::string> folders;
  std::string outcome;  // a part of Line()
  std::string system = {};
  std::string repository = "infra";
};

std::string OutcomeOf(const TagCase& of) {
  const Result<ModuleRules> rules = ParseModuleRules(of.rules, "koya.toml");
  if (!rules) return rules.error().message;
  const Repository repository{of.repository, of.folders};
  return Line(ModuleFinder(repository, *rules, "acme", of.system).OfTag(of.tag));
}

void ExpectEach(const std::vector<TagCase>& cases) {
  for (const TagCase& each : cases) {
    const std::string outcome = OutcomeOf(each);
    EXPECT_TRUE(outcome.contains(each.outcome)) << each.tag << ": " << outcome;
  }
}

std::string Rule(std::string_view tag, std::string_view folder, std::string_view more = {}) {
  return "[[module]]\ntag = \"" + std::string(tag) + "\"\nfolder = \"" + std::string(folder) +
         "\"\n" + std::string(more);
}

TEST(ModuleRules, FindsWhatATagMeansByARule) {
  const std::string path = Rule("modules/{path}/v{version}", "modules/{path}");
  const std::string at = Rule("{name}@{version}", "{system}/{name}");
  const std::string both = Rule("{system}-{name}/{version}", "{system}/terraform-{name}");
  const std::string with =
      Rule("{name}-{version}", "m/{name}", "with = [\"m/common\", \"./lib/\"]");
  const std::string wide = Rule("v{version}", "modules/{name}", "module = \"{name}/aws\"");
  const std::string deep = Rule("{version}", "modules/{path}", "module = \"{name}/aws\"");
  const std::string top = Rule("v{version}", ".", "module = \"all/aws\"");
  ExpectEach({
      {kNamedRule, "vpc-v1.2.0", {"modules/vpc"}, "1.2.0: modules/vpc=acme/vpc/aws"},
      {kNamedRule, "my-vpc-v1.2.0-rc.1", {"modules/my-vpc"}, "1.2.0-rc.1: modules/my-vpc="},
      {path,
       "modules/aws/vpc/v2.0.0",
       {"modules/aws/vpc"},
       "2.0.0: modules/aws/vpc=acme/vpc/gcp",
       "gcp"},
      {path, "modules/terraform-aws-vpc/v2.0.0", {"modules/terraform-aws-vpc"}, "=acme/vpc/aws"},
      {at, "vpc@v1.0.0", {"aws/db", "aws/vpc"}, "1.0.0: aws/vpc=acme/vpc/aws", "gcp"},
      {both, "aws-vpc/1.0.0", {"aws/terraform-vpc"}, "=acme/vpc/aws"},
      {with, "vpc-1.0.0", {"m/common", "m/vpc"}, "=acme/vpc/aws+m/common+lib", "aws"},
      {wide,
       "v1.0.0",
       {"", "modules/a", "modules/b", "modules/b/examples/x"},
       "1.0.0: modules/a=acme/a/aws modules/b=acme/b/aws"},
      {deep,
       "1.0.0",
       {"modules/a", "modules/a/examples/x", "modules/n/b", "modules/n/b/modules/c"},
       "1.0.0: modules/a=acme/a/aws modules/n/b=acme/b/aws"},
      {top, "v1.0.0", {}, "1.0.0: .=acme/all/aws"},
      // Two readings, of which one has a folder.
      {Rule("{name}-{version}", "{name}", "module = \"x/aws\""),
       "a-1.0.0-1.0.0",
       {"a"},
       "1.0.0-1.0.0: a="},
      {Rule("{name}-{version}", "{name}", "module = \"x/aws\""),
       "a-1.0.0-1.0.0",
       {"a-1.0.0"},
       "1.0.0: a-1.0.0="},
  });
}

TEST(ModuleRules, TheFirstRuleThatFitsCounts) {
  const std::string two = Rule("{name}-v{version}", "old/{name}", "module = \"{name}/old\"\n") +
                          Rule("{name}-v{version}", "new/{name}", "module = \"{name}/new\"");
  ExpectEach({
      {two, "a-v1.0.0", {"new/a", "old/a"}, "1.0.0: old/a=acme/a/old"},
      {two, "b-v1.0.0", {"new/b", "old/a"}, "1.0.0: new/b=acme/b/new"},
      {two, "c-v1.0.0", {"new/b"}, "looked for \"old/c\" (koya.toml:1), \"new/c\" (koya.toml:5)"},
  });
}

TEST(ModuleRules, RejectsTagsThatMeanNothingOrTwoThings) {
  const std::string any = Rule("{name}-{version}", "{name}", "module = \"{name}/aws\"");
  const std::string same = Rule("v{version}", "{path}", "module = \"{name}/aws\"");
  ExpectEach({
      {kNamedRule, "vpc-v1.2", {"modules/vpc"}, "does not end in a semantic version"},
      {kNamedRule, "vpc-v01.2.0", {"modules/vpc"}, "no rule of koya.toml has such a tag"},
      {kNamedRule, "", {"modules/vpc"}, "does not end in a semantic version"},
      {kNamedRule, std::string(300, 'a') + "-v1.0.0", {}, "does not end in a semantic version"},
      {kNamedRule, "vpc/v1.2.0", {"modules/vpc"}, "no rule of koya.toml has such a tag"},
      {kNamedRule, "a/vpc-v1.2.0", {"modules/a/vpc"}, "no rule of koya.toml has such a tag"},
      {kNamedRule, "db-v1.2.0", {"modules/vpc"}, "looked for \"modules/db\" (koya.toml:2)"},
      {any, "a-1.0.0-1.0.0", {"a", "a-1.0.0"}, "\"a\" at 1.0.0-1.0.0, and \"a-1.0.0\" at 1.0.0"},
      {Rule("{name}/{version}", "{system}/{name}"),
       "vpc/1.0.0",
       {"aws/vpc", "gcp/vpc"},
       "\"aws/vpc\" at 1.0.0, and \"gcp/vpc\" at 1.0.0"},
      {same, "v1.0.0", {"aws/vpc", "old/vpc"}, "both are the module acme/vpc/aws"},
      {Rule("{name}-{version}", "{name}"), "vpc-1.0.0", {"vpc"}, "pass --system"},
      {any, "v_-1.0.0", {"v_"}, "\"v_\": "},
      {Rule("{system}-{version}", "{system}", "module = \"all/{system}\""),
       "AWS-1.0.0",
       {"AWS"},
       "\"AWS\": "},
  });
}

TEST(ModuleRules, ReadsTagsWithoutRules) {
  const std::vector<std::string> folders{"examples/network", "modules/db", "modules/network",
                                         "modules/network/modules/x", "terraform-aws-lb"};
  ExpectEach({
      {"", "network-v1.2.0", folders, "1.2.0: modules/network=acme/network/aws", "aws"},
      {"", "modules/network/v1.2.0", folders, "1.2.0: modules/network=", "aws"},
      {"", "network@1.2.0", folders, "1.2.0: modules/network=", "aws"},
      {"", "modules/network/modules/x/v1.2.0", folders, "1.2.0: modules/network/modules/x=", "aws"},
      {"", "terraform-aws-lb-v1.0.0", folders, "1.0.0: terraform-aws-lb=acme/lb/aws"},
      {"", "v1.2.0", {""}, "1.2.0: .=acme/vpc-net/aws", "", "terraform-aws-vpc-net"},
      {"", "1.2.0", {""}, "1.2.0: .=acme/vpc/aws", "", "terraform-aws-vpc"},
      {"namespace = \"acme\"", "db-1.2.0", folders, "1.2.0: modules/db=", "aws"},
      {"", "v1.2.0", folders, "looked for a repository called terraform-SYSTEM-NAME", "aws"},
      {"", "v1.2.0", {""}, "looked for a repository called", "aws", "terraform-aws"},
      {"", "x-v1.2.0", folders, "looked for \"x\" and \"…/x\"", "aws"},
      {"", "x1.2.0", folders, "write a rule for it in koya.toml", "aws"},
      {"", "network-v1.2.0", {"network", "modules/network"}, "can mean two modules", "aws"},
      {"", "network-v1.2.0", folders, "pass --system"},
      {"", "network-v1.2.0", folders, "\"modules/network\": ", "AWS"},
      {"", "a-1.0.0-1.0.0", {"a", "m/a-1.0.0"}, "\"a\" at 1.0.0-1.0.0", "aws"},
  });
}

TEST(ModuleRules, FindsEveryModule) {
  const auto all = [](std::string_view text, std::vector<std::string> folders,
                      const std::string& name = "infra") {
    const Result<ModuleRules> rules = ParseModuleRules(text, "koya.toml");
    if (!rules) return rules.error().message;
    const Repository repository{name, std::move(folders)};
    const auto found = ModuleFinder(repository, *rules, "acme", "aws").All();
    if (!found) return found.error().message;
    std::string line;
    for (const RepositoryModule& each : *found)
      line += each.folder + "=" + each.address.name() + " ";
    return line;
  };
  EXPECT_EQ(all("", {"", "a", "a/examples/x", "a/modules/y", "m/b", "tests/c"}), "a=a m/b=b ");
  EXPECT_EQ(all("", {"", "modules/a"}, "terraform-aws-vpc"), "=vpc ");
  EXPECT_EQ(all(kNamedRule, {"", "modules/a", "modules/b", "other/c"}), "modules/a=a modules/b=b ");
  EXPECT_EQ(all("", {""}), "there is no module folder: none has .tf or .tofu files");
  EXPECT_EQ(all(kNamedRule, {"a"}), "there is no module folder that a rule of koya.toml names");
  EXPECT_TRUE(all("", {"a/vpc", "b/vpc"}).contains("both are the module"));
}

TEST(ModuleRules, RejectsOtherFilesWithTheirLine) {
  const struct {
    std::string text;
    std::string words;
  } cases[] = {
      {"namespace = \"acme\"\nmodule = [", "koya.toml:2: this is not TOML"},
      {"[server]\nlisten = \"x\"", "koya.toml:1: unknown key \"server\""},
      {"namespace = 1", "koya.toml:1: namespace is not a text"},
      {"module = \"x\"", "koya.toml:1: module is a list of rules"},
      {"\n[[module]]\nfolder = \"x\"", "koya.toml:2: the rule has no tag"},
      {"\n[[module]]\ntag = \"{version}\"", "koya.toml:2: the rule has no folder"},
      {Rule("{version}", "x", "modul = \"x\""), "koya.toml:4: unknown key \"modul\""},
      {Rule("{version}-x", "x"), "koya.toml:2: tag must end in {version}"},
      {Rule("{name}{version}", "x"), "koya.toml:2: tag: "},
      {Rule("{version}-{version}", "x"), "has {version} twice"},
      {Rule("{nome}-{version}", "x"), "unknown placeholder"},
      {Rule("{name-{version}", "x"), "unknown placeholder"},
      {Rule("{version}", "{name}/{name}"), "koya.toml:3: folder: "},
      {Rule("{version}", "{version}"), "koya.toml:3: folder cannot have {version}"},
      {Rule("{version}", "../x"), "koya.toml:3: \"../x\" is not a folder of the repository"},
      {Rule("{version}", "/x"), "koya.toml:3: \"/x\" is not a folder of the repository"},
      {Rule("{version}", "x", "module = \"acme/x/aws\""), "koya.toml:4: module is NAME/SYSTEM"},
      {Rule("{version}", "x", "module = \"x\""), "koya.toml:4: module is NAME/SYSTEM"},
      {Rule("{version}", "x", "module = \"{path}/aws\""), "koya.toml:4: module cannot have {path}"},
      {Rule("{version}", "x", "with = \"x\""), "koya.toml:4: with is not a list"},
      {Rule("{version}", "x", "with = [1]"), "koya.toml:4: with is not a list"},
      {Rule("{version}", "x", "with = [\"a/../b\"]"), "koya.toml:4: \"a/../b\" is not a folder"},
  };
  for (const auto& each : cases) {
    const Result<ModuleRules> rules = ParseModuleRules(each.text, "koya.toml");
    ASSERT_FALSE(rules) << each.text;
    EXPECT_TRUE(rules.error().message.contains(each.words)) << rules.error().message;
  }
}

}  // namespace
}  // namespace koya::cli
