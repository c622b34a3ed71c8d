// What every catalog must do: leases. See catalog_suite_base.h.
#include <chrono>
#include <string>
#include <vector>

#include "catalog/catalog_suite_base.h"
#include "catalog/lease_catalog.h"
#include "domain/lease_record.h"

namespace koya {
namespace {

class LeaseCatalogSuite : public CatalogSuiteBase {
 protected:
  // A life of less than nothing has run out at once.
  bool Take(const std::string& name, const std::string& holder, int life = 100) {
    LeaseRecord lease{.name = name, .holder = holder, .address = "at " + holder, .until = 0};
    auto taken = RunTask(leases().TakeLease(lease, std::chrono::seconds(life)));
    EXPECT_TRUE(taken) << taken.error().message << taken.error().detail;
    return taken && *taken;
  }
  bool TakeOver(const std::string& name, const std::string& holder, const std::string& from) {
    LeaseRecord lease{.name = name, .holder = holder, .address = "at " + holder, .until = 0};
    auto taken = RunTask(leases().TakeLeaseOver(lease, from, std::chrono::seconds(100)));
    EXPECT_TRUE(taken) << taken.error().message << taken.error().detail;
    return taken && *taken;
  }
  std::string Holder(const std::string& name) {
    auto lease = RunTask(leases().FindLease(name)).value();
    return lease ? lease->holder + " " + lease->address : "nobody";
  }
  Texts Keep(const std::string& holder) {
    return RunTask(leases().KeepLeases(holder, std::chrono::seconds(100))).value();
  }
  void GiveBack(const std::string& name, const std::string& holder) {
    EXPECT_TRUE(RunTask(leases().GiveLeaseBack(name, holder)));
  }
  Texts List() {
    Texts leases;
    for (const LeaseRecord& lease : RunTask(this->leases().ListLeases()).value()) {
      leases.push_back(lease.name + ": " + lease.holder);
    }
    return leases;
  }
};
INSTANTIATE_CATALOG_SUITE(LeaseCatalogSuite);

TEST_P(LeaseCatalogSuite, ALeaseIsOnesUntilItIsGivenBack) {
  EXPECT_TRUE(this->Take("gc", "one"));
  EXPECT_TRUE(this->Take("gc", "one")) << "again";
  EXPECT_FALSE(this->Take("gc", "two"));
  EXPECT_TRUE(this->Take("chain", "two"));
  EXPECT_EQ(this->List(), (Texts{"chain: two", "gc: one"}));
  this->GiveBack("gc", "two");  // it is not theirs
  EXPECT_FALSE(this->Take("gc", "two"));
  this->GiveBack("gc", "one");
  EXPECT_EQ(this->List(), Texts{"chain: two"});
  EXPECT_TRUE(this->Take("gc", "two"));
}

TEST_P(LeaseCatalogSuite, ALeaseThatRanOutIsAnybodys) {
  EXPECT_TRUE(this->Take("gc", "one", -1));
  EXPECT_EQ(this->List(), Texts{});
  EXPECT_EQ(this->Keep("one"), Texts{}) << "it is lost";
  EXPECT_TRUE(this->Take("gc", "two"));
  EXPECT_FALSE(this->Take("gc", "one"));
}

TEST_P(LeaseCatalogSuite, AllOfAHoldersAreKeptAtOnce) {
  for (const char* name : {"b", "a"}) EXPECT_TRUE(this->Take(name, "one", 1));
  EXPECT_TRUE(this->Take("c", "two"));
  EXPECT_EQ(this->Keep("one"), (Texts{"a", "b"}));
  EXPECT_EQ(this->Keep("nobody"), Texts{});
  auto leases = RunTask(this->leases().ListLeases());
  ASSERT_TRUE(leases);
  ASSERT_EQ(leases->size(), 3U);
  EXPECT_EQ(leases->front().address, "at one");
  const UnixSeconds now = SystemClock().Now();
  for (const LeaseRecord& lease : *leases) {
    EXPECT_GT(lease.until, now + 50) << lease.name;
    EXPECT_LE(lease.until, now + 101) << lease.name;
  }
}

TEST_P(LeaseCatalogSuite, OfManyWhoComeAtOnceOneGetsIt) {
  Racers racers;
  std::vector<Result<bool>> taken;
  for (int i = 0; i < 20; ++i) {
    LeaseRecord lease{.name = "gc", .holder = std::to_string(i), .address = "", .until = 0};
    racers.Add(leases().TakeLease(lease, std::chrono::seconds(100)), &taken);
  }
  racers.Run();
  int holders = 0;
  for (const Result<bool>& each : taken) {
    ASSERT_TRUE(each) << each.error().message << each.error().detail;
    holders += *each ? 1 : 0;
  }
  EXPECT_EQ(holders, 1);
}

TEST_P(LeaseCatalogSuite, WhoHasALeaseCanBeAsked) {
  EXPECT_EQ(this->Holder("fill"), "nobody");
  EXPECT_TRUE(this->Take("fill", "one"));
  EXPECT_TRUE(this->Take("gone", "one", -1));
  EXPECT_EQ(this->Holder("fill"), "one at one");
  EXPECT_EQ(this->Holder("gone"), "nobody");
}

TEST_P(LeaseCatalogSuite, ALeaseIsTakenOverFromThatHolderOnly) {
  EXPECT_FALSE(this->TakeOver("fill", "two", "one")) << "nobody has it";
  EXPECT_TRUE(this->Take("fill", "one"));
  EXPECT_TRUE(this->Take("gc", "one"));
  EXPECT_FALSE(this->TakeOver("fill", "two", "three"));
  EXPECT_EQ(this->Holder("fill"), "one at one");
  EXPECT_TRUE(this->TakeOver("fill", "two", "one"));
  EXPECT_EQ(this->Holder("fill"), "two at two");
  EXPECT_EQ(this->Holder("gc"), "one at one");
  EXPECT_FALSE(this->TakeOver("fill", "three", "one")) << "somebody was quicker";
  this->GiveBack("fill", "one");  // who was thought dead is not, and ends
  EXPECT_EQ(this->Keep("one"), Texts{"gc"});
  EXPECT_EQ(this->Holder("fill"), "two at two");
}

TEST_P(LeaseCatalogSuite, OfManyWhoTakeOverOneGetsIt) {
  EXPECT_TRUE(this->Take("fill", "dead"));
  Racers racers;
  std::vector<Result<bool>> taken;
  for (int i = 0; i < 20; ++i) {
    LeaseRecord lease{.name = "fill", .holder = std::to_string(i), .address = "", .until = 0};
    racers.Add(leases().TakeLeaseOver(lease, "dead", std::chrono::seconds(100)), &taken);
  }
  racers.Run();
  int holders = 0;
  for (const Result<bool>& each : taken) {
    ASSERT_TRUE(each) << each.error().message << each.error().detail;
    holders += *each ? 1 : 0;
  }
  EXPECT_EQ(holders, 1);
}

}  // namespace
}  // namespace koya
