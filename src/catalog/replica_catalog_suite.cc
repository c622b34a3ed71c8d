// What every catalog must do: its installation, who serves from it, leases, and the time. See
// catalog_suite_base.h.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "catalog/audit_catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/catalog_suite_base.h"
#include "catalog/module_catalog.h"
#include "catalog/replica_catalog.h"
#include "domain/actor.h"
#include "domain/audit_record.h"
#include "domain/replica_record.h"

namespace koya {
namespace {

class DatabaseTimeSuite : public CatalogSuiteBase {};
INSTANTIATE_CATALOG_SUITE(DatabaseTimeSuite);

// The databases of these tests run on this machine.
TEST_P(DatabaseTimeSuite, TheTimeIsThePresentToTheMillisecond) {
  using std::chrono::milliseconds;
  auto here = [] {
    auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<milliseconds>(now);
  };
  for (int i = 0; i < 3; ++i) {
    const milliseconds before = here();
    auto there = RunTask(database_time().AskTime());
    const milliseconds after = here();
    ASSERT_TRUE(there) << there.error().message << there.error().detail;
    EXPECT_GE(*there, before - milliseconds(2));
    EXPECT_LE(*there, after + milliseconds(2));
  }
}

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

class ReplicaCatalogSuite : public CatalogSuiteBase {
 protected:
  static ReplicaRecord Replica(const std::string& id, const std::string& address) {
    return {.id = id,
            .address = address,
            .version = "1.2.3",
            .schema_step = 7,
            .feed_age = std::chrono::milliseconds(412),
            .clock_ahead = std::chrono::milliseconds(-2500),
            .settings = {{"policy.allow", std::string(64, 'a')},
                         {"policy.deny", std::string(64, 'd')}}};
  }
  Texts Keep(const ReplicaRecord& replica) {
    auto leases = RunTask(replicas().KeepReplica(replica, std::chrono::seconds(100)));
    EXPECT_TRUE(leases) << leases.error().message << leases.error().detail;
    return leases ? *leases : Texts{"failed"};
  }
  std::optional<StorageMismatch> KeepBlobsIn(const std::string& storage) {
    return RunTask(installation().KeepBlobsIn(storage)).value();
  }
  std::vector<ReplicaRecord> List() { return RunTask(replicas().ListReplicas()).value(); }
  void Take(const std::string& name, const std::string& holder) {
    LeaseRecord lease{.name = name, .holder = holder, .address = "", .until = 0};
    EXPECT_EQ(RunTask(leases().TakeLease(lease, std::chrono::seconds(1))), true);
  }
};
INSTANTIATE_CATALOG_SUITE(ReplicaCatalogSuite);

TEST_P(ReplicaCatalogSuite, WhoeverServesIsListedUntilItStops) {
  EXPECT_TRUE(this->List().empty());
  EXPECT_EQ(this->Keep(this->Replica("b", "host:2")), Texts{});
  EXPECT_EQ(this->Keep(this->Replica("a", "host:2")), Texts{});
  EXPECT_EQ(this->Keep(this->Replica("c", "host:1")), Texts{});
  std::vector<ReplicaRecord> found = this->List();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].id + found[1].id + found[2].id, "cab");
  ReplicaRecord expected = this->Replica("a", "host:2");
  const UnixSeconds now = SystemClock().Now();
  EXPECT_NEAR(found[1].seen_at, now, 50);
  EXPECT_NEAR(found[1].started_at, now, 50);
  expected.seen_at = found[1].seen_at;
  expected.started_at = found[1].started_at;
  EXPECT_EQ(found[1], expected);

  for (const char* gone : {"a", "a", "nobody"}) {
    EXPECT_TRUE(RunTask(replicas().RemoveReplica(gone)));
  }
  EXPECT_EQ(this->List().size(), 2U);
}

TEST_P(ReplicaCatalogSuite, WhatIsSaidAgainTakesThePlaceOfBefore) {
  this->Keep(this->Replica("a", "host:1"));
  ReplicaRecord later = this->Replica("a", "host:9");
  later.feed_age = std::chrono::minutes(3);
  later.clock_ahead = {};
  this->Keep(later);
  std::vector<ReplicaRecord> found = this->List();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].address, "host:9");
  EXPECT_EQ(found[0].feed_age, std::chrono::minutes(3));
  EXPECT_EQ(found[0].clock_ahead, std::chrono::milliseconds(0));
  EXPECT_LE(found[0].started_at, found[0].seen_at);
}

TEST_P(ReplicaCatalogSuite, ItsLeasesAreKeptWithIt) {
  for (const char* name : {"b", "a"}) this->Take(name, "one");
  this->Take("c", "two");
  EXPECT_EQ(this->Keep(this->Replica("one", "host:1")), (Texts{"a", "b"}));
  EXPECT_EQ(this->Keep(this->Replica("three", "host:3")), Texts{});
  for (const LeaseRecord& lease : RunTask(leases().ListLeases()).value()) {
    if (lease.holder == "one") EXPECT_GT(lease.until, SystemClock().Now() + 50) << lease.name;
  }
}

TEST_P(ReplicaCatalogSuite, AnInstallationIsMadeOnceWhoeverComes) {
  Racers racers;
  std::vector<Result<Installation>> found;
  for (int i = 0; i < 20; ++i) {
    Installation made{.id = std::to_string(i), .secret_mark = "mark of " + std::to_string(i)};
    racers.Add(installation().AdoptInstallation(made), &found);
  }
  racers.Run();
  ASSERT_EQ(found.size(), 20U);
  for (const Result<Installation>& each : found) {
    ASSERT_TRUE(each) << each.error().message << each.error().detail;
    EXPECT_EQ(*each, *found.front());
    EXPECT_EQ(each->secret_mark, "mark of " + each->id);
  }
  EXPECT_EQ(RunTask(installation().AdoptInstallation({.id = "late", .secret_mark = "late"})),
            *found.front());
}

TEST_P(ReplicaCatalogSuite, ARegistryIsFrozenUntilThatEnds) {
  ExpectFails(RunTask(installation().SetFreeze(Tester(), true, "")), ErrorKind::kConflict,
              "no installation yet");
  EXPECT_EQ(RunTask(installation().FindFreeze()).value(), FreezeState());
  ASSERT_TRUE(RunTask(installation().AdoptInstallation({.id = "id", .secret_mark = "mark"})));
  EXPECT_EQ(RunTask(installation().FindFreeze()).value(), FreezeState());
  EXPECT_EQ(RunTask(installation().SetFreeze(Tester(), false, "it was not")).value(),
            FreezeState());
  const FreezeState frozen = RunTask(installation().SetFreeze(Tester(), true, "größe '")).value();
  EXPECT_GT(frozen.since, kSuiteNow);
  EXPECT_EQ(frozen.by, Tester().name);
  EXPECT_EQ(frozen.reason, "größe '");
  EXPECT_EQ(RunTask(installation().FindFreeze()).value(), frozen);
  const FreezeState again =
      RunTask(installation().SetFreeze({.name = "token:ci"}, true, "longer")).value();
  EXPECT_EQ(again, (FreezeState{.since = frozen.since, .by = "token:ci", .reason = "longer"}));
  EXPECT_FALSE(RunTask(installation().SetFreeze(Tester(), true, std::string("a\0b", 3))));
  EXPECT_EQ(RunTask(installation().SetFreeze(Tester(), false, "moved")).value(), FreezeState());
  EXPECT_EQ(RunTask(installation().FindFreeze()).value(), FreezeState());
  EXPECT_EQ(TopicsSince({}), Texts({"freeze", "freeze", "freeze"}));
  Texts actions;
  for (const AuditRecord& each : RunTask(audit().ListAudit({}, 10)).value()) {
    actions.push_back(each.entry.action + " " + each.entry.target + " " + each.entry.after);
  }
  EXPECT_EQ(actions, Texts({R"(server.unfreeze server {"reason":"moved"})",
                            R"(server.freeze server {"reason":"longer"})",
                            R"(server.freeze server {"reason":"größe '"})"}));
}

TEST_P(ReplicaCatalogSuite, ANewSchemaLacksNoMigration) {
  EXPECT_EQ(RunTask(replicas().ListMissingMigrations()).value(), Texts());
}

TEST_P(ReplicaCatalogSuite, AMarkIsReplacedByWhoKnowsTheOneOfNow) {
  EXPECT_EQ(RunTask(installation().MarkInstallation("old", "new")).error().kind,
            ErrorKind::kConflict);
  ASSERT_TRUE(RunTask(installation().AdoptInstallation({.id = "id", .secret_mark = "old"})));
  EXPECT_TRUE(RunTask(installation().MarkInstallation("old", "new")));
  EXPECT_EQ(RunTask(installation().MarkInstallation("old", "newer")).error().kind,
            ErrorKind::kConflict);
  EXPECT_EQ(RunTask(installation().AdoptInstallation({.id = "x", .secret_mark = "x"})),
            (Installation{.id = "id", .secret_mark = "new"}));
}

TEST_P(ReplicaCatalogSuite, BlobsAreKeptInOnePlaceAsSoonAsThereAreAny) {
  ASSERT_TRUE(RunTask(installation().AdoptInstallation({.id = "id", .secret_mark = "mark"})));
  for (const char* storage : {"folder", "s3://one", "s3://two/prefix", "s3://two/prefix"}) {
    EXPECT_EQ(this->KeepBlobsIn(storage), std::nullopt) << storage;
  }
  const ModuleVersionRecord published = Record("acme/vpc/aws", "1.0.0");
  ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), published)));
  EXPECT_EQ(this->KeepBlobsIn("s3://two/prefix"), std::nullopt);
  const StorageMismatch elsewhere{.storage = "s3://two/prefix",
                                  .example = published.digest.ToString()};
  for (const char* storage : {"folder", "s3://two", "s3://one"}) {
    EXPECT_EQ(this->KeepBlobsIn(storage), elsewhere) << storage;
  }
  EXPECT_EQ(this->KeepBlobsIn("s3://two/prefix"), std::nullopt);
}

}  // namespace

}  // namespace koya
