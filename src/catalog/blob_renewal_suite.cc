// What every catalog with a ledger must do: whatever records a reference to bytes renews their
// object, and records nothing when they are gone. See blob_renewal_suite_base.h.
#include <algorithm>
#include <optional>
#include <vector>

#include "catalog/blob_renewal_suite_base.h"

namespace koya {

TEST_P(BlobRenewalSuite, NothingIsRecordedOfBytesThatAreNotStored) {
  for (const ReferenceKind& kind : AllReferenceKinds()) {
    for (const Digest& missing : kind.digests) {
      SCOPED_TRACE(kind.name + " without " + missing.ToString());
      RenewalCase one(kind, GetParam()());
      one.StoreAllBut(missing);
      one.ExpectRefused();
      const BlobObject object{.name = "late", .digest = missing, .size = 1};
      ASSERT_TRUE(RunTask(one.backend.ledger().Arrive(object)));
      one.ExpectRefused();  // it has not arrived
      ASSERT_TRUE(RunTask(one.backend.ledger().CompleteUpload("late")));
      Status again = kind.record(one.backend.catalog());
      EXPECT_TRUE(again) << again.error().message << again.error().detail;
      EXPECT_EQ(one.Unreferenced(), 0u);
    }
  }
}

TEST_P(BlobRenewalSuite, NothingIsRecordedOfBytesThatAreLeavingOrLost) {
  for (const ReferenceKind& kind : AllReferenceKinds()) {
    SCOPED_TRACE(kind.name);
    RenewalCase one(kind, GetParam()());
    one.StoreAllBut(std::nullopt);
    one.backend.Age(seconds(100));
    EXPECT_EQ(one.user.LeaveAll({kind.digests.back()}, seconds(50)),
              std::vector{kind.digests.back()});
    one.ExpectRefused();
    RenewalCase other(kind, GetParam()());
    other.StoreAllBut(std::nullopt);
    other.user.Lose(kind.digests.front().hex());
    other.ExpectRefused();
  }
}

TEST_P(BlobRenewalSuite, WhatIsRecordedIsRenewedAndStaysUntilItIsRemoved) {
  for (const ReferenceKind& kind : AllReferenceKinds()) {
    SCOPED_TRACE(kind.name);
    RenewalCase one(kind, GetParam()());
    one.StoreAllBut(std::nullopt);
    one.backend.Age(seconds(100));
    Status status = kind.record(one.backend.catalog());
    ASSERT_TRUE(status) << status.error().message << status.error().detail;
    one.backend.Age(seconds(1000));
    EXPECT_EQ(one.LeaveOld(), std::vector<Digest>{}) << "it is referred to";
    one.user.Lose(kind.digests.front().hex());
    one.backend.Age(seconds(1000));
    EXPECT_EQ(one.LeaveOld(), std::vector<Digest>{}) << "lost or not";
    if (!kind.remove) continue;
    kind.remove(one.backend.catalog());
    EXPECT_EQ(one.user.LeaveAll(kind.digests, seconds(5000)), std::vector<Digest>{});
    std::vector<Digest> all = kind.digests;
    std::ranges::sort(all);
    EXPECT_EQ(one.LeaveOld(), all);
  }
}

// It was removed again at once: its age alone keeps it.
TEST_P(BlobRenewalSuite, TheAgeOfWhatIsRecordedBeginsAnew) {
  for (const ReferenceKind& kind : AllReferenceKinds()) {
    if (!kind.remove) continue;
    SCOPED_TRACE(kind.name);
    RenewalCase one(kind, GetParam()());
    one.StoreAllBut(std::nullopt);
    one.backend.Age(seconds(100));
    ASSERT_TRUE(kind.record(one.backend.catalog()));
    kind.remove(one.backend.catalog());
    EXPECT_EQ(one.LeaveOld(), std::vector<Digest>{});
  }
}

// Recorded references need no renewal: the result is the same.
TEST_P(BlobRenewalSuite, WhatRecordsNothingNewIsNotRefused) {
  const ReferenceKind kinds[] = {ModuleKind(), ReleaseKind(), PinKind()};
  for (const ReferenceKind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    RenewalCase one(kind, GetParam()());
    one.StoreAllBut(std::nullopt);
    ASSERT_TRUE(kind.record(one.backend.catalog()));
    one.user.Lose(kind.digests.front().hex());
    Status again = kind.record(one.backend.catalog());
    EXPECT_TRUE(again) << again.error().message << again.error().detail;
  }
}

TEST_P(BlobRenewalSuite, AReleaseOfADraftRenewsWhatTheDraftHeld) {
  const ReferenceKind kind = ReleaseKind();
  RenewalCase one(kind, GetParam()());
  one.StoreAllBut(std::nullopt);
  Catalog& catalog = one.backend.catalog();
  DraftRecord draft = SampleDraft("draft");
  ASSERT_TRUE(RunTask(catalog.AddDraft(draft, 5)));
  DraftFile file = SampleFile("a file");
  file.digest = kind.digests.front();
  ASSERT_TRUE(RunTask(catalog.PutDraftFile("draft", file, kSuiteNow + 100, 5)));
  one.backend.Age(seconds(100));
  EXPECT_EQ(one.LeaveOld().size(), kind.digests.size() - 1) << "the draft keeps one";
  auto read = RunTask(catalog.FindDraft("draft", 0));
  ASSERT_TRUE(read);
  auto refused = RunTask(catalog.AddRelease(Tester(), SampleRelease("acme/demo", "1.0.0"), *read));
  EXPECT_EQ(CatalogErrorOf(refused), ErrorKind::kUnavailable);
  EXPECT_TRUE(RunTask(catalog.FindDraft("draft", 0))) << "it is there still";
}

}  // namespace koya
