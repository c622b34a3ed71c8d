#include "cli/import/plan.h"

#include <gtest/gtest.h>

namespace koya::cli {
namespace {

wire::ListedPackage Listed(std::string address, std::vector<std::string> versions) {
  wire::ListedPackage package{.is_module = std::ranges::count(address, '/') == 2,
                              .address = std::move(address)};
  for (std::string& each : versions) package.versions.push_back({.version = std::move(each)});
  return package;
}

std::string Refusals(const ImportPlan& plan) {
  std::string text;
  for (const RefusedImport& each : plan.refused) {
    text += each.address + " " + each.version + ": " + each.why + "\n";
  }
  return text;
}

TEST(AddressMap, FirstRuleThatFitsCounts) {
  AddressMap map;
  for (const char* rule : {"acme/vpc/aws=net/vpc/aws", "platform/*=acme/*", "old-*/demo=new-*/demo",
                           "a/*/aws=b/x-*/aws"}) {
    ASSERT_TRUE(map.Add(rule)) << rule;
  }
  const std::pair<const char*, const char*> expected[] = {
      {"acme/vpc/aws", "net/vpc/aws"},      {"platform/vpc/aws", "acme/vpc/aws"},
      {"platform/demo", "acme/demo"},       {"old-team/demo", "new-team/demo"},
      {"old-team/other", "old-team/other"}, {"a/vpc/aws", "b/x-vpc/aws"},
      {"a/vpc/azurerm", "a/vpc/azurerm"},   {"platform", "platform"}};
  for (const auto& [theirs, ours] : expected) EXPECT_EQ(map.Apply(theirs), ours) << theirs;
}

TEST(AddressMap, RulesThatCannotBeMeantAreRejected) {
  for (const char* rule :
       {"", "acme", "acme/*=net", "acme=net/*", "a*b/c=d*e/c", "/x=y/z", "a//b=c/d", "*/a=b/a"}) {
    AddressMap map;
    Status added = map.Add(rule);
    ASSERT_FALSE(added) << rule;
    EXPECT_TRUE(added.error().message.contains("'platform/*=acme/*'")) << added.error().message;
  }
}

TEST(ImportPlan, VersionsAscendAndEntriesOfOnePackageAreJoined) {
  std::vector<wire::ListedPackage> listed{Listed("acme/vpc/aws", {"1.10.0", "1.2.0"}),
                                          Listed("acme/demo", {"2.0.0-rc.1", "2.0.0"}),
                                          Listed("acme/vpc/aws", {"1.2.0", "1.3.0"})};
  const ImportPlan plan = PlanImport(JoinPackages(std::move(listed)), {});
  EXPECT_EQ(Refusals(plan), "");
  ASSERT_EQ(plan.packages.size(), 2U);
  std::string text;
  for (const PlannedPackage& package : plan.packages) {
    text += package.ours;
    for (const PlannedVersion& each : package.versions) text += " " + each.version.ToString();
    text += "\n";
  }
  EXPECT_EQ(text, "acme/vpc/aws 1.2.0 1.3.0 1.10.0\nacme/demo 2.0.0-rc.1 2.0.0\n");
}

struct Refusal {
  std::vector<wire::ListedPackage> listed;
  std::vector<std::string> words;  // of the reasons
  std::size_t packages = 0;        // that stay
};

TEST(ImportPlan, WhatTheTargetCannotHaveIsRefusedByName) {
  const Refusal refusals[] = {
      {{Listed("acme/vpc/aws", {"v1.0", "1.0.1"})}, {"acme/vpc/aws v1.0: ", "1.0.0"}, 1},
      {{Listed("acme/vpc/aws", {"1.0.0+a", "1.0.0+b"})},
       {"acme/vpc/aws 1.0.0+a: 1.0.0+a and 1.0.0+b differ only in build metadata",
        "acme/vpc/aws 1.0.0+b: "},
       1},
      {{Listed("Acme/vpc/aws", {"1.0.0"}), Listed("acme/vpc/aws", {"1.0.0"})},
       {"Acme/vpc/aws : Acme/vpc/aws and acme/vpc/aws would be one module", "acme/vpc/aws : "},
       0},
      {{Listed("Acme/demo", {"1.0.0"}), Listed("acme/demo", {"1.0.0"})}, {"one provider here"}, 0},
      {{Listed("mirror/vpc/aws", {"1.0.0"})}, {"mirror/vpc/aws : ", "reserved"}, 0},
      {{Listed("acme/v.p.c/aws", {"1.0.0"})}, {"acme/v.p.c/aws : "}, 0},
      {{Listed("acme/terraform-demo", {"1.0.0"})}, {"acme/terraform-demo : "}, 0},
  };
  for (const Refusal& each : refusals) {
    SCOPED_TRACE(each.listed.front().address);
    const ImportPlan plan = PlanImport(each.listed, {});
    EXPECT_EQ(plan.packages.size(), each.packages);
    for (const std::string& words : each.words) {
      EXPECT_TRUE(Refusals(plan).contains(words)) << Refusals(plan);
    }
  }
}

TEST(ImportPlan, MapMaySeparateWhatWouldClash) {
  AddressMap map;
  ASSERT_TRUE(map.Add("Acme/*=acme-old/*"));
  ImportPlan plan =
      PlanImport({Listed("Acme/vpc/aws", {"1.0.0"}), Listed("acme/vpc/aws", {"1.0.0"})}, map);
  EXPECT_EQ(plan.packages.size(), 2U);
  EXPECT_TRUE(plan.clashes.empty());
  ASSERT_TRUE(map.Add("acme/demo=acme/other"));
  plan = PlanImport({Listed("acme/demo", {"1.0.0"})}, map);
  EXPECT_TRUE(Refusals(plan).contains("type cannot change")) << Refusals(plan);
}

}  // namespace
}  // namespace koya::cli
