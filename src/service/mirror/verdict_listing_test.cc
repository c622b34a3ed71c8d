#include "service/mirror/verdict_listing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/run_task.h"
#include "catalog/upstream_catalog.h"
#include "service/mirror/inventory_fake.h"

namespace koya::service {
namespace {

using KeptAddresses = std::vector<std::string>;

class JudgedListingTest : public InventoryTest {
 protected:
  JudgedListingTest() {
    Pin(kPulled, "acme");
    Pin(kPulled, "denied");
    Pin(kPulled, "other");
    Pin(kOther, "acme");
  }
  void Pin(std::string_view host, std::string_view ns) {
    UpstreamPackage package{.platform = *Platform::Parse("linux_amd64"),
                            .filename = "terraform-provider-demo_1.0.0_linux_amd64.zip",
                            .digest = Digest::Of(std::string(host) + std::string(ns)),
                            .hashes = {}};
    UpstreamRelease release{.provider = Demo(host, ns),
                            .version = *Version::Parse("1.0.0"),
                            .protocols = {},
                            .sums = {},
                            .signature = {},
                            .keys = "",
                            .packages = {std::move(package)},
                            .seen_at = clock_.now};
    ASSERT_TRUE(RunTask(catalog_.upstream_releases().PinRelease(std::move(release), false)));
  }
  KeptAddresses Browse(std::optional<StoredState> state,
                       PageRequest page = {.offset = 0, .limit = 50}, UpstreamFilter filter = {}) {
    KeptAddresses addresses;
    auto found = RunTask(
        BrowseVerdicts(mirror_->context, StoredSort::kProviders, std::move(filter), state, page));
    EXPECT_TRUE(found) << found.error().message;
    if (!found) return addresses;
    EXPECT_FALSE(found->is_cut);
    for (const VerdictSummary& each : found->page.items) {
      addresses.push_back(each.summary.host.ascii() + "/" + each.summary.address);
      EXPECT_EQ(each.verdict.counted_as.address, addresses.back());
    }
    if (found->page.more) addresses.emplace_back("…");
    return addresses;
  }
};

TEST_F(JudgedListingTest, WithoutAStateEverythingIsListed) {
  EXPECT_EQ(Browse({}),
            (KeptAddresses{"registry.example.net/acme/demo", "registry.example.org/acme/demo",
                           "registry.example.org/denied/demo", "registry.example.org/other/demo"}));
  EXPECT_EQ(Browse({}, {.offset = 1, .limit = 1}),
            (KeptAddresses{"registry.example.org/acme/demo", "…"}));
}

TEST_F(JudgedListingTest, OfOneStateThoseAloneAreListed) {
  EXPECT_EQ(Browse(StoredState::kAllowed),
            (KeptAddresses{"registry.example.org/acme/demo", "registry.example.org/other/demo"}));
  EXPECT_EQ(Browse(StoredState::kDenied), KeptAddresses{"registry.example.org/denied/demo"});
  EXPECT_EQ(Browse(StoredState::kStoredOnly), KeptAddresses{"registry.example.net/acme/demo"});
  EXPECT_EQ(Browse(StoredState::kNotListed), KeptAddresses{});
  mirror_->policy =
      PullPolicy::Make({"*/acme/*"}, {"*/denied/*"}, {*HostName::Parse(kPulled)}).value();
  EXPECT_EQ(Browse(StoredState::kAllowed), KeptAddresses{"registry.example.org/acme/demo"});
  EXPECT_EQ(Browse(StoredState::kNotListed), KeptAddresses{"registry.example.org/other/demo"});
}

TEST_F(JudgedListingTest, PagesAreOfWhatFits) {
  EXPECT_EQ(Browse(StoredState::kAllowed, {.offset = 0, .limit = 1}),
            (KeptAddresses{"registry.example.org/acme/demo", "…"}));
  EXPECT_EQ(Browse(StoredState::kAllowed, {.offset = 1, .limit = 1}),
            KeptAddresses{"registry.example.org/other/demo"});
  EXPECT_EQ(Browse(StoredState::kAllowed, {.offset = 2, .limit = 1}), KeptAddresses{});
  EXPECT_EQ(Browse(StoredState::kAllowed, {.offset = ~std::uint64_t{0}, .limit = 50}),
            KeptAddresses{});
  EXPECT_EQ(Browse(StoredState::kAllowed, {.offset = 0, .limit = 50}, {.query = "other"}),
            KeptAddresses{"registry.example.org/other/demo"});
}

TEST_F(JudgedListingTest, ModulesHaveTheirOwnRules) {
  ASSERT_TRUE(ImportModule(koya::Zip({{.name = "main.tf", .content = "# a module"}})));
  auto found = RunTask(BrowseVerdicts(mirror_->context, StoredSort::kModules, {},
                                      StoredState::kStoredOnly, {.offset = 0, .limit = 50}));
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->page.items.size(), 1U);
  EXPECT_EQ(found->page.items[0].verdict.counted_as.kind, UsageKind::kMirroredModule);
  EXPECT_EQ(found->page.items[0].verdict.counted_as.address, "registry.example.net/acme/vpc/aws");
}

}  // namespace
}  // namespace koya::service
