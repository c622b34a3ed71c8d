#include "service/common/version_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/run_task.h"
#include "catalog/number_catalog.h"
#include "domain/search_record.h"

namespace koya::service {
namespace {

// Has these, and counts how often it is asked.
class FakeNumbers final : public NumberCatalog {
 public:
  void Add(std::string subject, std::string_view version) {
    numbers_.push_back({std::move(subject), *Version::Parse(version), "ci"});
  }
  Task<std::vector<PublishedNumber>> ListNumbers(std::vector<ModuleAddress> modules,
                                                 std::vector<ProviderAddress> providers) override {
    ++asked;
    of = modules.size() + providers.size();
    co_return numbers_;
  }

  int asked = 0;
  std::size_t of = 0;

 private:
  std::vector<PublishedNumber> numbers_;
};

SearchHit HitOfModule(std::string address, std::string version) {
  SearchHit hit;
  hit.address = std::move(address);
  hit.version = std::move(version);
  return hit;
}

SearchHit HitOfProvider(std::string address, std::string version) {
  SearchHit hit = HitOfModule(std::move(address), std::move(version));
  hit.subject_kind = SearchKind::kProvider;
  return hit;
}

class VersionsBeforeTest : public ::testing::Test {
 protected:
  // "1.0.0", "none", or "unknown" for each.
  std::vector<std::string> Find(std::vector<SearchHit> hits) {
    auto found = RunTask(before_.FindVersions(std::move(hits)));
    EXPECT_TRUE(found);
    std::vector<std::string> texts;
    for (const VersionBefore& each : found.value()) {
      EXPECT_EQ(each.publisher, each.is_known ? "ci" : "");
      const std::string known = each.version ? each.version->ToString() : "none";
      texts.push_back(each.is_known ? known : "unknown");
    }
    return texts;
  }

  FakeNumbers numbers_;
  VersionsBefore before_{numbers_};
};
using Texts = std::vector<std::string>;

TEST_F(VersionsBeforeTest, AreFoundForAllWithOneQuestion) {
  for (const char* version : {"1.9.0", "1.10.0", "2.0.0", "2.1.0-rc.1"}) {
    numbers_.Add("module:acme/vpc/aws", version);
  }
  numbers_.Add("module:acme/new/aws", "0.1.0");
  numbers_.Add("provider:acme/demo", "0.1.0");
  numbers_.Add("provider:acme/demo", "0.1.1");
  EXPECT_EQ(Find({HitOfModule("Acme/VPC/aws", "2.0.0"), HitOfModule("acme/new/aws", "0.1.0"),
                  HitOfProvider("acme/demo", "0.1.1"), HitOfModule("acme/vpc/aws", "1.10.0")}),
            (Texts{"1.10.0", "none", "0.1.0", "1.9.0"}));
  EXPECT_EQ(numbers_.asked, 1);
  EXPECT_EQ(numbers_.of, 4U);
}

TEST_F(VersionsBeforeTest, OfAReleaseIsTheReleaseBefore) {
  for (const char* version : {"1.0.0", "2.0.0-rc.1", "2.0.0-rc.2", "2.0.0"}) {
    numbers_.Add("module:acme/vpc/aws", version);
  }
  numbers_.Add("module:acme/young/aws", "1.0.0-rc.1");
  numbers_.Add("module:acme/young/aws", "1.0.0");
  EXPECT_EQ(
      Find({HitOfModule("acme/vpc/aws", "2.0.0"), HitOfModule("acme/vpc/aws", "2.0.0-rc.2"),
            HitOfModule("acme/vpc/aws", "2.0.0-rc.1"), HitOfModule("acme/young/aws", "1.0.0")}),
      (Texts{"1.0.0", "2.0.0-rc.1", "1.0.0", "none"}));
}

TEST_F(VersionsBeforeTest, WhatCannotBeToldIsNotGuessed) {
  numbers_.Add("module:acme/vpc/aws", "1.0.0");
  SearchHit mirrored = HitOfModule("registry.example.org/acme/vpc/aws", "1.0.0");
  mirrored.host = "registry.example.org";
  EXPECT_EQ(Find({HitOfModule("acme/vpc/aws", "1.1.0"), HitOfModule("acme/gone/aws", "1.0.0"),
                  mirrored, HitOfModule("acme/vpc/aws", "latest"), HitOfModule("acme", "1.0.0"),
                  HitOfProvider("acme", "1.0.0")}),
            (Texts{"unknown", "unknown", "unknown", "unknown", "unknown", "unknown"}));
  EXPECT_EQ(numbers_.of, 2U);
}

TEST_F(VersionsBeforeTest, NobodyIsAskedForNothing) {
  EXPECT_EQ(Find({}), Texts{});
  EXPECT_EQ(Find({HitOfModule("acme", "1.0.0")}), Texts{"unknown"});
  EXPECT_EQ(numbers_.asked, 0);
}

}  // namespace
}  // namespace koya::service
