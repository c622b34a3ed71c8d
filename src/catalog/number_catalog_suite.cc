// What every catalog must do: the versions of several modules and providers at once. See
// catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog_samples_fake.h"
#include "catalog/module_catalog.h"
#include "catalog/number_catalog.h"
#include "catalog/provider_suite_base.h"
#include "domain/provider_address.h"

namespace koya {
namespace {

class NumberCatalogSuite : public ProviderSuiteBase {
 protected:
  void AddModule(std::string_view address, std::string_view version) {
    auto added = RunTask(modules().AddVersion(Tester(), Record(address, version)));
    ASSERT_TRUE(added) << added.error().message << added.error().detail;
    ASSERT_EQ(added->what, AddOutcome::What::kAdded);
  }
  Status WithdrawModule(std::string_view address, std::string_view version) {
    Withdrawal withdrawal{.at = kSuiteNow + 5, .by = "admin", .reason = "broken"};
    return RunTask(modules().Withdraw(Tester(), Address(address), V(version), withdrawal));
  }
  // "module:acme/vpc/aws 1.0.0" for each, sorted.
  Texts Numbers(std::vector<std::string_view> modules, std::vector<std::string_view> providers) {
    std::vector<ModuleAddress> of_modules;
    for (std::string_view each : modules) of_modules.push_back(Address(each));
    std::vector<ProviderAddress> of_providers;
    for (std::string_view each : providers) of_providers.push_back(Provider(each));
    auto numbers = RunTask(this->numbers().ListNumbers(of_modules, of_providers));
    EXPECT_TRUE(numbers) << numbers.error().message << numbers.error().detail;
    Texts texts;
    if (!numbers) return texts;
    EXPECT_TRUE(std::ranges::is_sorted(*numbers, {}, &PublishedNumber::subject));
    for (const PublishedNumber& each : *numbers) {
      EXPECT_EQ(each.publisher, "ci");
      texts.push_back(each.subject + " " + each.version.ToString());
    }
    std::ranges::sort(texts);
    return texts;
  }
};
INSTANTIATE_CATALOG_SUITE(NumberCatalogSuite);

TEST_P(NumberCatalogSuite, ListsTheVersionsOfAllThatWereAskedFor) {
  this->AddKeyTo("acme");
  for (const char* version : {"1.0.0", "1.10.0", "2.0.0-rc.1+build"}) {
    this->AddModule("Acme/VPC/aws", version);
  }
  this->AddModule("acme/other/aws", "9.0.0");
  this->AddWhat("acme/demo", "0.1.0");
  this->AddWhat("acme/unasked", "3.0.0");
  EXPECT_EQ(this->Numbers({"ACME/vpc/aws"}, {"acme/demo"}),
            (Texts{"module:acme/vpc/aws 1.0.0", "module:acme/vpc/aws 1.10.0",
                   "module:acme/vpc/aws 2.0.0-rc.1+build", "provider:acme/demo 0.1.0"}));
  EXPECT_EQ(this->Numbers({}, {"acme/unasked"}), Texts{"provider:acme/unasked 3.0.0"});
  EXPECT_EQ(this->Numbers({"acme/other/aws"}, {}), Texts{"module:acme/other/aws 9.0.0"});
}

TEST_P(NumberCatalogSuite, WhatIsNotThereHasNone) {
  EXPECT_EQ(this->Numbers({}, {}), Texts{});
  EXPECT_EQ(this->Numbers({"acme/vpc/aws"}, {"acme/demo"}), Texts{});
  this->AddKeyTo("acme");
  this->AddModule("acme/vpc/aws", "1.0.0");
  this->AddModule("acme/vpc/aws", "1.1.0");
  this->AddWhat("acme/demo", "1.0.0");
  ASSERT_TRUE(this->WithdrawModule("acme/vpc/aws", "1.0.0"));
  ASSERT_TRUE(this->Withdraw("acme/demo", "1.0.0"));
  EXPECT_EQ(this->Numbers({"acme/vpc/aws"}, {"acme/demo"}), Texts{"module:acme/vpc/aws 1.1.0"});
}

}  // namespace
}  // namespace koya
