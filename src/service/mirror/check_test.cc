// Stored bytes of other registries that are damaged or missing, and their repair.
#include "service/mirror/check.h"

#include <filesystem>

#include "catalog/audit_catalog.h"
#include "service/common/blob_io.h"
#include "service/mirror/inventory_fake.h"

namespace koya::service {
namespace {

using CheckTest = InventoryTest;

TEST_F(CheckTest, DamagedBytesGoAtOnceAndComeBackFromUpstream) {
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  EXPECT_EQ(Check(Id(Demo(kPulled)))->state, State::kOk);
  Damage(Digest::Of(Zip()));
  topics_.clear();
  auto report = Check(Id(Demo(kPulled)));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->state, State::kDamaged);
  EXPECT_FALSE(report->repaired);
  EXPECT_EQ(topics_, (std::vector<std::string>{"mirror:registry.example.org/acme/demo", ""}))
      << "nobody keeps them open";
  EXPECT_FALSE(Find(Demo(kPulled)).packages[0].held);
  EXPECT_EQ(RunTask(blobs_->Open(Digest::Of(Zip()))).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(Check(Id(Demo(kPulled)))->state, State::kNotHeld);

  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  Damage(Digest::Of(Zip()));
  auto repaired = Check(Id(Demo(kPulled)), true);
  ASSERT_TRUE(repaired) << repaired.error().message;
  EXPECT_EQ(repaired->state, State::kDamaged);
  EXPECT_TRUE(repaired->repaired) << repaired->problem;
  EXPECT_EQ(Check(Id(Demo(kPulled)))->state, State::kOk);
}

TEST_F(CheckTest, WhatIsMissingIsToldAndMended) {
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  std::filesystem::remove(FileOf(Digest::Of(Zip())));
  auto report = Check(Id(Demo(kPulled)), true);
  EXPECT_EQ(report->state, State::kMissing);
  EXPECT_TRUE(report->repaired) << report->problem;
}

TEST_F(CheckTest, DamagedBytesThatAPublishOrADraftNeedsStay) {
  const Digest zip = Digest::Of(Zip());
  Draft(zip);
  for (bool missing : {false, true}) {
    ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
    missing ? Lose(zip) : Damage(zip);
    auto report = Check(Id(Demo(kPulled)));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->state, missing ? State::kMissing : State::kDamaged);
    EXPECT_FALSE(Find(Demo(kPulled)).packages[0].held) << "the mirror serves it no more";
    EXPECT_EQ(IsStored(zip), !missing);
  }
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  Damage(zip);
  EXPECT_TRUE(Check(Id(Demo(kPulled)), true)->repaired) << "in place";
  EXPECT_EQ(Check(Id(Demo(kPulled)))->state, State::kOk);

  const std::string archive = koya::Zip({{.name = "main.tf", .content = "# " + Zip()}});
  ASSERT_TRUE(ImportModule(archive));
  PublishModule(Digest::Of(archive));
  Damage(Digest::Of(archive));
  EXPECT_EQ(RunTask(mirror_->check.Module(kChecker, Vpc(), {}))->state, State::kDamaged);
  EXPECT_TRUE(IsStored(Digest::Of(archive)));
}

TEST_F(CheckTest, DamagedDocumentsThatADraftNeedsStay) {
  UpstreamProvider provider = Demo(kPulled);
  Version version = *Version::Parse("1.0.0");
  ASSERT_TRUE(RunTask(mirror_->providers.FindRelease(provider, version, std::nullopt)));
  const Digest sums = Find(provider).sums->digest;
  auto check = [&](bool repair) {
    return *RunTask(mirror_->check.Documents(provider, version, {.repair = repair}));
  };
  Damage(sums);
  EXPECT_EQ(check(false).state, State::kDamaged);
  EXPECT_FALSE(IsStored(sums)) << "nobody else needs it, and it comes back when it is asked for";
  EXPECT_TRUE(check(true).repaired);
  Draft(sums);
  Damage(sums);
  EXPECT_EQ(check(false).state, State::kDamaged);
  EXPECT_TRUE(IsStored(sums));
  EXPECT_TRUE(check(true).repaired) << "in place";
  EXPECT_EQ(check(false).state, State::kOk);
}

TEST_F(CheckTest, DocumentsThatTheStoreCannotTakeNowAreNotThoseOfAnotherRelease) {
  UpstreamProvider provider = Demo(kPulled);
  Version version = *Version::Parse("1.0.0");
  ASSERT_TRUE(RunTask(mirror_->providers.FindRelease(provider, version, std::nullopt)));
  auto check = [&] {
    return *RunTask(mirror_->check.Documents(provider, version, {.repair = true}));
  };
  Lose(Find(provider).sums->digest);
  blobs_->away = true;
  const CheckReport report = check();
  EXPECT_EQ(report.state, State::kMissing);
  EXPECT_FALSE(report.repaired);
  EXPECT_TRUE(report.problem.contains("as soon as the store can be reached")) << report.problem;
  blobs_->away = false;
  EXPECT_TRUE(check().repaired);
  mirror_->pools.Stop();  // does not wait for pending uploads
}

TEST_F(CheckTest, BytesThatCameBackDuringACheckStay) {
  const Digest zip = Digest::Of(Zip());
  for (bool missing : {false, true}) {
    ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
    missing ? Lose(zip) : Damage(zip);
    // Hashing takes an hour, and soon after it began another caller stored the bytes.
    blobs_->by = [&] {
      ASSERT_TRUE(RunTask(StoreText(*blobs_, Zip())));
      Age(zip, std::chrono::minutes(59));
      clock_.now += 3600;
    };
    auto report = Check(Id(Demo(kPulled)));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->state, missing ? State::kMissing : State::kDamaged);
    EXPECT_TRUE(IsStored(zip)) << missing;
  }
}

TEST_F(CheckTest, WhatCannotBeMendedSaysWhy) {
  ASSERT_TRUE(Import(Id(), Zip()));
  Damage(Digest::Of(Zip()));
  auto report = Check(Id(), true);
  EXPECT_FALSE(report->repaired);
  EXPECT_TRUE(report->problem.contains("import it again")) << report->problem;
  ASSERT_TRUE(Import(Id(), Zip())) << "which is possible";
  EXPECT_EQ(Check(Id())->state, State::kOk);

  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  Damage(Digest::Of(Zip()));
  upstream_.spoil = true;
  report = Check(Id(Demo(kPulled)), true);
  EXPECT_FALSE(report->repaired);
  EXPECT_TRUE(report->problem.contains("has changed upstream")) << report->problem;
  EXPECT_FALSE(Check(Id(Demo(), "9.9.9")));
}

TEST_F(CheckTest, WhatACheckLetsGoOfIsInTheAuditLogAndWhatItMendsIsNot) {
  ASSERT_TRUE(Import(Id(Demo(kPulled)), Zip()));
  EXPECT_EQ(Check(Id(Demo(kPulled)))->state, State::kOk);
  EXPECT_EQ(Changes().size(), 1U);
  Damage(Digest::Of(Zip()));
  EXPECT_TRUE(Check(Id(Demo(kPulled)), true)->repaired);
  Lose(Digest::Of(Zip()));
  EXPECT_FALSE(Check(Id(Demo(kPulled)))->repaired);
  const std::string change =
      "mirror.remove provider:registry.example.org/acme/demo@1.0.0 by user:checker";
  const std::vector<std::string> changes = Changes();
  EXPECT_EQ(std::vector(changes.begin() + 1, changes.end()), std::vector(2, change));
  const auto records = RunTask(catalog_.audit().ListAudit({.action = "mirror.remove"}, 10));
  ASSERT_EQ(records->size(), 2U);
  EXPECT_EQ(records->at(1).entry.after, R"({"reason":"damaged"})");
  EXPECT_EQ(records->at(0).entry.after, R"({"reason":"missing"})");
}

TEST_F(CheckTest, DocumentsAreCheckedAndMendedToo) {
  UpstreamProvider provider = Demo(kPulled);
  Version version = *Version::Parse("1.0.0");
  ASSERT_TRUE(RunTask(mirror_->providers.FindRelease(provider, version, std::nullopt)));
  auto check = [&](bool repair) {
    return *RunTask(mirror_->check.Documents(provider, version, {.repair = repair}));
  };
  EXPECT_EQ(check(false).state, State::kOk);
  Damage(Find(provider).sums->digest);
  EXPECT_EQ(RunTask(mirror_->inventory.ReadDocuments(provider, version)).error().kind,
            ErrorKind::kCorrupt);
  CheckReport report = check(true);
  EXPECT_EQ(report.state, State::kDamaged);
  EXPECT_TRUE(report.repaired) << report.problem;
  EXPECT_EQ(check(false).state, State::kOk);
  ASSERT_TRUE(Import(Id(), Zip()));
  EXPECT_EQ(RunTask(mirror_->check.Documents(Demo(), version, {}))->state, State::kNotHeld);
}

}  // namespace
}  // namespace koya::service
