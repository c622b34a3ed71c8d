// What every ledger of a remote store's objects must do. See blob_ledger_suite_base.h.
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

}  // namespace koya
