// What every ledger of a remote store's objects must do; and every catalog with a ledger: whatever
// records a reference to bytes renews their object, and records nothing when they are gone. See
// blob_ledger_suite_base.h.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "catalog/blob_ledger_suite_base.h"

namespace koya {

TEST_P(BlobLedgerSuite, BytesAreStoredOnceTheyAreSettled) {
  EXPECT_EQ(this->user().Find(), "not_found");
  EXPECT_EQ(this->user().Arrive("one"), "");
  EXPECT_EQ(this->user().Find(), "not_found") << "nobody knows whether they are whole";
  EXPECT_EQ(this->user().Stored(), Texts{});
  EXPECT_EQ(this->user().Settle("one"), "one");
  EXPECT_EQ(this->user().Find(), "one");
  auto found = RunTask(this->ledger().FindStored(Digest::Of("content")));
  EXPECT_EQ(found, Object("one", "content"));
  EXPECT_EQ(this->user().Settle("one"), "one") << "whoever did not hear of it asks again";
  EXPECT_EQ(this->user().Leaving(), Texts{});
}

TEST_P(BlobLedgerSuite, WhatIsStoredIsNotSentAgain) {
  this->user().Store("one");
  EXPECT_EQ(this->user().Arrive("two"), "one");
  EXPECT_EQ(this->user().Settle("two"), "not_found") << "it never was to arrive";
  EXPECT_EQ(this->user().Arrive("two", "other content"), "") << "the name is free";
  EXPECT_EQ(this->user().Find(), "one");
}

TEST_P(BlobLedgerSuite, OfTwoUploadsTheQuickerHoldsTheBytes) {
  EXPECT_EQ(this->user().Arrive("one"), "");
  EXPECT_EQ(this->user().Arrive("two"), "");
  EXPECT_EQ(this->user().Settle("two"), "two");
  this->Age(seconds(100));
  EXPECT_EQ(this->user().Settle("one"), "two");
  EXPECT_EQ(this->user().Find(), "two");
  EXPECT_EQ(this->user().Leaving(), Texts{"one"});
  EXPECT_FALSE(this->user().Leave("content", seconds(50))) << "its age begins anew";
  EXPECT_EQ(this->user().Settle("one"), "not_found");
}

TEST_P(BlobLedgerSuite, AnUploadThatWasGivenUpIsNotStored) {
  EXPECT_EQ(this->user().Arrive("one"), "");
  this->user().Store("other", "other content");
  EXPECT_EQ(this->user().GiveUp(seconds(50)), 0u);
  this->Age(seconds(100));
  EXPECT_EQ(this->user().Arrive("young"), "");
  EXPECT_EQ(this->user().GiveUp(seconds(200)), 0u);
  EXPECT_EQ(this->user().GiveUp(seconds(50)), 1u);
  EXPECT_EQ(this->user().GiveUp(seconds(50)), 0u);
  EXPECT_EQ(this->user().Leaving(), Texts{"one"});
  EXPECT_EQ(this->user().Settle("one"), "not_found");
  EXPECT_EQ(this->user().Find(), "not_found");
  EXPECT_EQ(this->user().Settle("nobody knows it"), "not_found");
  EXPECT_EQ(this->user().Settle("young"), "young");
  EXPECT_EQ(this->user().Settle("one"), "not_found") << "also when they came otherwise";
  EXPECT_EQ(this->user().Stored().size(), 2u);
}

TEST_P(BlobLedgerSuite, ANameIsNeverGivenTwice) {
  EXPECT_EQ(this->user().Arrive("one"), "");
  auto refused = [this](const std::string& name) {
    return CatalogErrorOf(RunTask(this->ledger().Arrive(Object(name, "more content")))) ==
           ErrorKind::kInternal;
  };
  EXPECT_TRUE(refused("one"));
  EXPECT_EQ(this->user().Settle("one"), "one");
  EXPECT_TRUE(refused("one"));
  this->Age(seconds(100));
  EXPECT_TRUE(this->user().Leave("content", seconds(50)));
  EXPECT_TRUE(refused("one"));
  EXPECT_EQ(this->user().Find("more content"), "not_found");
}

TEST_P(BlobLedgerSuite, OnlyWhatIsOldLeaves) {
  this->user().Store("one");
  this->user().Store("two", "two");
  EXPECT_EQ(this->user().Arrive("three", "three"), "");
  EXPECT_FALSE(this->user().Leave("content", seconds(50)));
  this->Age(seconds(100));
  EXPECT_EQ(this->user().Arrive("again", "two"), "two");
  EXPECT_FALSE(this->user().Leave("content", seconds(200)));
  EXPECT_FALSE(this->user().Leave("nobody has it", seconds(50)));
  const Digest one = Digest::Of("content"), two = Digest::Of("two"), three = Digest::Of("three");
  EXPECT_EQ(this->user().FindOlder({two, one, three}, seconds(50)), std::vector{one});
  EXPECT_EQ(this->user().FindOlder({two, one, three}, seconds(200)), std::vector<Digest>{});
  EXPECT_EQ(this->user().FindOlder({}, seconds(50)), std::vector<Digest>{});
  EXPECT_EQ(this->user().LeaveAll({}, seconds(50)), std::vector<Digest>{});
  EXPECT_EQ(this->user().LeaveAll({one, two, three, one}, seconds(50)), std::vector{one})
      << "two was asked for lately, three has not arrived";
  EXPECT_EQ(this->user().LeaveAll({one, two, three}, seconds(50)), std::vector<Digest>{});
  EXPECT_EQ(this->user().Find(), "not_found");
  EXPECT_EQ(this->user().Find("two"), "two");
  EXPECT_EQ(this->user().Leaving(), Texts{"one"});
}

TEST_P(BlobLedgerSuite, WhatHasLeftDoesNotComeBackButItsBytesMay) {
  this->user().Store("one");
  this->Age(seconds(100));
  EXPECT_TRUE(this->user().Leave("content", seconds(50)));
  EXPECT_EQ(this->user().Settle("one"), "not_found");
  EXPECT_EQ(this->user().Arrive("two"), "") << "they are to be sent again";
  EXPECT_EQ(this->user().Settle("two"), "two");
  EXPECT_EQ(this->user().Find(), "two");
  EXPECT_EQ(this->user().Leaving(), Texts{"one"});
}

TEST_P(BlobLedgerSuite, WhatIsLostIsReadWhereItWasUntilItIsThereAgain) {
  this->user().Store("one");
  this->user().Lose("one");
  this->user().Lose("one");
  EXPECT_EQ(this->user().Find(), "one") << "it may have come back";
  EXPECT_EQ(this->user().Stored(), Texts{"one"});
  EXPECT_EQ(this->user().Settle("one"), "not_found");
  EXPECT_EQ(this->user().Arrive("two"), "");
  EXPECT_EQ(this->user().Find(), "one");
  EXPECT_EQ(this->user().Settle("two"), "two");
  EXPECT_EQ(this->user().Find(), "two");
  EXPECT_EQ(this->user().Stored(), Texts{"two"});
  EXPECT_EQ(this->user().Leaving(), Texts{"one"});
}

TEST_P(BlobLedgerSuite, WhatWasLostAndIsThereAgainIsStored) {
  this->user().Store("one");
  EXPECT_FALSE(this->user().IsLost());
  this->user().Lose("one");
  EXPECT_TRUE(this->user().IsLost());
  this->Age(seconds(100));
  this->user().Regain("one");
  EXPECT_FALSE(this->user().IsLost());
  EXPECT_EQ(this->user().Arrive("two"), "one") << "nothing needs to be sent";
  EXPECT_FALSE(this->user().Leave("content", seconds(50))) << "its age began anew";
  EXPECT_EQ(this->user().Leaving(), Texts{});
}

TEST_P(BlobLedgerSuite, WhatOthersHoldByNowIsNotRegained) {
  this->user().Store("one");
  this->user().Lose("one");
  this->user().Store("two");  // which one is leaving for
  this->user().Regain("one");
  EXPECT_EQ(this->user().Find(), "two");
  EXPECT_EQ(this->user().Leaving(), Texts{"one"});
}

TEST_P(BlobLedgerSuite, OnlyWhatIsLostIsRegained) {
  EXPECT_EQ(this->user().Arrive("arriving"), "");
  this->user().Regain("arriving");
  this->user().Regain("nobody knows it");
  EXPECT_EQ(this->user().Find(), "not_found");
  this->user().Store("one", "one");
  this->Age(seconds(100));
  this->user().Regain("one");
  EXPECT_TRUE(this->user().Leave("one", seconds(50))) << "its age is what it was";
  this->user().Regain("one");
  EXPECT_EQ(this->user().Find("one"), "not_found");
}

TEST_P(BlobLedgerSuite, OnlyWhatIsStoredCanBeLost) {
  EXPECT_EQ(this->user().Arrive("arriving"), "");
  this->user().Lose("arriving");
  this->user().Lose("nobody knows it");
  EXPECT_EQ(this->user().Settle("arriving"), "arriving");
  this->user().Store("one", "one");
  this->Age(seconds(100));
  EXPECT_TRUE(this->user().Leave("one", seconds(50)));
  this->user().Lose("one");
  EXPECT_EQ(this->user().Find("one"), "not_found");
}

TEST_P(BlobLedgerSuite, WhatIsLostLeavesToo) {
  this->user().Store("one");
  this->user().Lose("one");
  EXPECT_FALSE(this->user().Leave("content", seconds(50)));
  this->Age(seconds(100));
  EXPECT_TRUE(this->user().Leave("content", seconds(50)));
  EXPECT_EQ(this->user().Find(), "not_found");
  EXPECT_EQ(this->user().Leaving(), Texts{"one"});
}

TEST_P(BlobLedgerSuite, TheOldestOfTheTrashComesFirst) {
  for (const char* name : {"a", "b", "c"}) {
    this->user().Store(name, name);
    this->Age(seconds(100));
  }
  for (const char* name : {"c", "a", "b"}) {
    EXPECT_TRUE(this->user().Leave(name, seconds(50)));
    this->Age(seconds(100));
  }
  EXPECT_EQ(this->user().Leaving(), (Texts{"c", "a", "b"}));
  EXPECT_EQ(this->user().Leaving(seconds(150)), (Texts{"c", "a"}));
  EXPECT_EQ(this->user().Leaving(seconds(150), 1), Texts{"c"});
  EXPECT_EQ(this->user().Leaving(seconds(1000)), Texts{});
  this->user().Forget("a");
  EXPECT_EQ(this->user().Leaving(), (Texts{"c", "b"}));
}

TEST_P(BlobLedgerSuite, OnlyWhatIsLeavingIsForgotten) {
  this->user().Store("one");
  EXPECT_EQ(this->user().Arrive("two", "two"), "");
  this->user().Store("three", "three");
  this->user().Lose("three");
  for (const char* name : {"one", "two", "three", "nobody knows it"}) this->user().Forget(name);
  EXPECT_EQ(this->user().Find(), "one");
  EXPECT_EQ(this->user().Settle("two"), "two");
  EXPECT_EQ(this->user().Find("three"), "three");
}

TEST_P(BlobLedgerSuite, AnObjectIsUnknownWithoutARowWhateverItsState) {
  const auto unknown = [this](Texts names) {
    auto found = RunTask(this->ledger().FindUnknown(std::move(names)));
    EXPECT_TRUE(found);
    return found.value_or(Texts{});
  };
  EXPECT_EQ(unknown({}), Texts{});
  this->user().Store("stored");
  EXPECT_EQ(this->user().Arrive("arriving", "other"), "");
  this->user().Store("lost", "third");
  this->user().Lose("lost");
  this->user().Store("leaving", "fourth");
  this->Age(seconds(100));
  EXPECT_TRUE(this->user().Leave("fourth", seconds(50)));
  EXPECT_EQ(unknown({"stored", "arriving", "nobody's", "lost", "leaving", "store"}),
            (Texts{"nobody's", "store"}));
  this->user().Forget("leaving");
  EXPECT_EQ(unknown({"leaving"}), Texts{"leaving"});
}

TEST_P(BlobLedgerSuite, WhatIsStoredIsListedByDigestInPages) {
  std::vector<Digest> digests;
  for (int i = 0; i < 7; ++i) {
    const std::string name = "object " + std::to_string(i);
    this->user().Store(name, name);
    digests.push_back(Digest::Of(name));
  }
  std::ranges::sort(digests);
  this->user().Lose("object 3");
  EXPECT_EQ(this->user().Arrive("arriving", "arriving"), "");
  std::vector<Digest> listed;
  while (true) {
    std::optional<Digest> after;
    if (!listed.empty()) after = listed.back();
    auto page = RunTask(this->ledger().ListStored(after, 2));
    ASSERT_TRUE(page) << page.error().message << page.error().detail;
    if (page->empty()) break;
    EXPECT_LE(page->size(), 2u);
    for (const BlobObject& object : *page) listed.push_back(object.digest);
  }
  EXPECT_EQ(listed, digests);
}

// All of them concurrently: every call returns the same name, and every other object leaves.
TEST_P(BlobLedgerSuite, OfManyThatSettleAtOnceOneHoldsTheBytes) {
  for (int round = 0; round < 5; ++round) {
    const std::string content = "content " + std::to_string(round);
    auto name_of = [&content](int i) { return content + " of " + std::to_string(i); };
    for (int i = 0; i < 8; ++i) EXPECT_EQ(this->user().Arrive(name_of(i), content), "");
    Racers racers;
    std::vector<Result<BlobObject>> settled;
    for (int i = 0; i < 8; ++i) racers.Add(this->ledger().CompleteUpload(name_of(i)), &settled);
    racers.Run();
    for (const Result<BlobObject>& each : settled) {
      ASSERT_TRUE(each) << each.error().message << each.error().detail;
      EXPECT_EQ(each->name, this->user().Find(content));
    }
    EXPECT_EQ(this->user().Leaving(seconds(-1000), 1000).size(), 7u * (round + 1));
  }
  EXPECT_EQ(this->user().Stored().size(), 5u);
}

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
