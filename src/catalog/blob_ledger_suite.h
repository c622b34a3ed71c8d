// What every ledger of a remote store's objects must do. A backend is a type with
//
//   std::string SkipReason()              // of a backend that may be absent
//   BlobLedger& ledger()
//   void Age(std::chrono::seconds by)     // makes everything in it so much older
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog_suite_base.h"
#include "domain/blob_object.h"
#include "domain/digest.h"

namespace koya {

class BlobLedger;

using std::chrono::seconds;

// An object that holds the bytes that `content` stands for.
inline BlobObject Object(std::string name, const std::string& content) {
  return {.name = std::move(name), .digest = Digest::Of(content), .size = content.size()};
}

// How tests call a ledger. Whatever is not asked to fail must not.
class LedgerUser {
 public:
  explicit LedgerUser(BlobLedger& ledger) : ledger_(ledger) {}

  // The name of the object that is stored already, or "".
  std::string Arrive(const std::string& name, const std::string& content = "content") {
    auto stored = RunTask(ledger_.Arrive(Object(name, content)));
    EXPECT_TRUE(stored) << stored.error().message << stored.error().detail;
    if (!stored || !*stored) return "";
    EXPECT_EQ((*stored)->digest, Digest::Of(content));
    EXPECT_EQ((*stored)->size, content.size());
    return (*stored)->name;
  }
  // The name of the object that holds the bytes now, or the kind of failure.
  std::string Settle(const std::string& name) {
    auto settled = RunTask(ledger_.Settle(name));
    if (settled) return settled->name;
    EXPECT_NE(settled.error().message.find("repeat"), std::string::npos)
        << settled.error().message << settled.error().detail;
    return std::string(ErrorKindName(settled.error().kind));
  }
  void Store(const std::string& name, const std::string& content = "content") {
    EXPECT_EQ(Arrive(name, content), "");
    EXPECT_EQ(Settle(name), name);
  }
  std::string Find(const std::string& content = "content") {
    auto found = RunTask(ledger_.FindStored(Digest::Of(content)));
    return found ? found->name : std::string(ErrorKindName(found.error().kind));
  }
  void Lose(const std::string& name) { EXPECT_TRUE(RunTask(ledger_.Lose(name))); }
  void Regain(const std::string& name) { EXPECT_TRUE(RunTask(ledger_.Regain(name))); }
  // Whether the object that it is read from was lost.
  bool IsLost(const std::string& content = "content") {
    auto found = RunTask(ledger_.FindStored(Digest::Of(content)));
    return found && found->lost;
  }
  void Forget(const std::string& name) { EXPECT_TRUE(RunTask(ledger_.Forget(name))); }
  std::vector<Digest> LeaveAll(std::vector<Digest> digests, seconds grace) {
    auto left = RunTask(ledger_.Leave(std::move(digests), grace));
    EXPECT_TRUE(left) << left.error().message << left.error().detail;
    return left ? *left : std::vector<Digest>();
  }
  bool Leave(const std::string& content, seconds grace) {
    return LeaveAll({Digest::Of(content)}, grace) == std::vector{Digest::Of(content)};
  }
  std::uint64_t GiveUp(seconds grace) { return RunTask(ledger_.GiveUpArrivals(grace)).value(); }
  Texts Leaving(seconds trash_for = seconds(-1000), std::size_t limit = 100) {
    return NamesOf(RunTask(ledger_.ListLeaving(trash_for, limit)));
  }
  Texts Stored(std::optional<Digest> after = std::nullopt, std::size_t limit = 100) {
    return NamesOf(RunTask(ledger_.ListStored(after, limit)));
  }

 private:
  static Texts NamesOf(const Result<std::vector<BlobObject>>& objects) {
    Texts names;
    EXPECT_TRUE(objects) << objects.error().message << objects.error().detail;
    if (!objects) return names;
    for (const BlobObject& object : *objects) names.push_back(object.name);
    return names;
  }

  BlobLedger& ledger_;
};

template <class Backend>
class BlobLedgerSuite : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string reason = backend_.SkipReason(); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
    user_.emplace(backend_.ledger());
  }
  LedgerUser& user() { return *user_; }
  void Age(seconds by) { backend_.Age(by); }
  BlobLedger& ledger() { return backend_.ledger(); }

 private:
  Backend backend_;
  std::optional<LedgerUser> user_;
};
TYPED_TEST_SUITE_P(BlobLedgerSuite);

TYPED_TEST_P(BlobLedgerSuite, BytesAreStoredOnceTheyAreSettled) {
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

TYPED_TEST_P(BlobLedgerSuite, WhatIsStoredIsNotSentAgain) {
  this->user().Store("one");
  EXPECT_EQ(this->user().Arrive("two"), "one");
  EXPECT_EQ(this->user().Settle("two"), "not_found") << "it never was to arrive";
  EXPECT_EQ(this->user().Arrive("two", "other content"), "") << "the name is free";
  EXPECT_EQ(this->user().Find(), "one");
}

TYPED_TEST_P(BlobLedgerSuite, OfTwoUploadsTheQuickerHoldsTheBytes) {
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

TYPED_TEST_P(BlobLedgerSuite, AnUploadThatWasGivenUpIsNotStored) {
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

TYPED_TEST_P(BlobLedgerSuite, ANameIsNeverGivenTwice) {
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

TYPED_TEST_P(BlobLedgerSuite, OnlyWhatIsOldLeaves) {
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

TYPED_TEST_P(BlobLedgerSuite, WhatHasLeftDoesNotComeBackButItsBytesMay) {
  this->user().Store("one");
  this->Age(seconds(100));
  EXPECT_TRUE(this->user().Leave("content", seconds(50)));
  EXPECT_EQ(this->user().Settle("one"), "not_found");
  EXPECT_EQ(this->user().Arrive("two"), "") << "they are to be sent again";
  EXPECT_EQ(this->user().Settle("two"), "two");
  EXPECT_EQ(this->user().Find(), "two");
  EXPECT_EQ(this->user().Leaving(), Texts{"one"});
}

TYPED_TEST_P(BlobLedgerSuite, WhatIsLostIsReadWhereItWasUntilItIsThereAgain) {
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

TYPED_TEST_P(BlobLedgerSuite, WhatWasLostAndIsThereAgainIsStored) {
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

TYPED_TEST_P(BlobLedgerSuite, WhatOthersHoldByNowIsNotRegained) {
  this->user().Store("one");
  this->user().Lose("one");
  this->user().Store("two");  // which one is leaving for
  this->user().Regain("one");
  EXPECT_EQ(this->user().Find(), "two");
  EXPECT_EQ(this->user().Leaving(), Texts{"one"});
}

TYPED_TEST_P(BlobLedgerSuite, OnlyWhatIsLostIsRegained) {
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

TYPED_TEST_P(BlobLedgerSuite, OnlyWhatIsStoredCanBeLost) {
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

TYPED_TEST_P(BlobLedgerSuite, WhatIsLostLeavesToo) {
  this->user().Store("one");
  this->user().Lose("one");
  EXPECT_FALSE(this->user().Leave("content", seconds(50)));
  this->Age(seconds(100));
  EXPECT_TRUE(this->user().Leave("content", seconds(50)));
  EXPECT_EQ(this->user().Find(), "not_found");
  EXPECT_EQ(this->user().Leaving(), Texts{"one"});
}

TYPED_TEST_P(BlobLedgerSuite, TheOldestOfTheTrashComesFirst) {
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

TYPED_TEST_P(BlobLedgerSuite, OnlyWhatIsLeavingIsForgotten) {
  this->user().Store("one");
  EXPECT_EQ(this->user().Arrive("two", "two"), "");
  this->user().Store("three", "three");
  this->user().Lose("three");
  for (const char* name : {"one", "two", "three", "nobody knows it"}) this->user().Forget(name);
  EXPECT_EQ(this->user().Find(), "one");
  EXPECT_EQ(this->user().Settle("two"), "two");
  EXPECT_EQ(this->user().Find("three"), "three");
}

TYPED_TEST_P(BlobLedgerSuite, WhatIsStoredIsListedByDigestInPages) {
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

// All of them together; whoever asks is told one name, and every other object leaves.
TYPED_TEST_P(BlobLedgerSuite, OfManyThatSettleAtOnceOneHoldsTheBytes) {
  for (int round = 0; round < 5; ++round) {
    const std::string content = "content " + std::to_string(round);
    auto name_of = [&content](int i) { return content + " of " + std::to_string(i); };
    for (int i = 0; i < 8; ++i) EXPECT_EQ(this->user().Arrive(name_of(i), content), "");
    Racers racers;
    std::vector<Result<BlobObject>> settled;
    for (int i = 0; i < 8; ++i) racers.Add(this->ledger().Settle(name_of(i)), &settled);
    racers.Run();
    for (const Result<BlobObject>& each : settled) {
      ASSERT_TRUE(each) << each.error().message << each.error().detail;
      EXPECT_EQ(each->name, this->user().Find(content));
    }
    EXPECT_EQ(this->user().Leaving(seconds(-1000), 1000).size(), 7u * (round + 1));
  }
  EXPECT_EQ(this->user().Stored().size(), 5u);
}

REGISTER_TYPED_TEST_SUITE_P(BlobLedgerSuite, BytesAreStoredOnceTheyAreSettled,
                            WhatIsStoredIsNotSentAgain, OfTwoUploadsTheQuickerHoldsTheBytes,
                            AnUploadThatWasGivenUpIsNotStored, ANameIsNeverGivenTwice,
                            OnlyWhatIsOldLeaves, WhatHasLeftDoesNotComeBackButItsBytesMay,
                            WhatIsLostIsReadWhereItWasUntilItIsThereAgain,
                            WhatWasLostAndIsThereAgainIsStored, WhatOthersHoldByNowIsNotRegained,
                            OnlyWhatIsLostIsRegained, OnlyWhatIsStoredCanBeLost,
                            WhatIsLostLeavesToo, TheOldestOfTheTrashComesFirst,
                            OnlyWhatIsLeavingIsForgotten, WhatIsStoredIsListedByDigestInPages,
                            OfManyThatSettleAtOnceOneHoldsTheBytes);

}  // namespace koya
