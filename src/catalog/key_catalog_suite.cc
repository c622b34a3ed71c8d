// What every catalog must do: signing keys. See catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <vector>

#include "catalog/catalog_samples_fake.h"
#include "catalog/key_catalog.h"
#include "domain/signing_key_record.h"

namespace koya {
namespace {

class KeyCatalogSuite : public CatalogSuiteBase {
 protected:
  bool Add(const SigningKeyRecord& key) {
    Result<bool> added = RunTask(keys().AddKey(Tester(), key));
    EXPECT_TRUE(added) << added.error().message << added.error().detail;
    return added.value_or(false);
  }
  Result<SigningKeyRecord> Find(std::string ns, std::string fingerprint) {
    return RunTask(keys().FindKey(std::move(ns), std::move(fingerprint)));
  }
  Status Remove(std::string ns, std::string fingerprint, UnixSeconds at = kSuiteNow + 50) {
    return RunTask(keys().RemoveKey(Tester(), std::move(ns), std::move(fingerprint), at));
  }
  Status Replace(const SigningKeyRecord& key, std::string replaces) {
    return RunTask(keys().ReplaceServerKey(Tester(), key, std::move(replaces)));
  }
  Texts List(std::string ns) {
    Texts fingerprints;
    auto keys = RunTask(this->keys().ListKeys(std::move(ns)));
    EXPECT_TRUE(keys) << keys.error().message << keys.error().detail;
    for (const SigningKeyRecord& key : *keys) {
      fingerprints.push_back((key.removed_at ? "removed " : "") + key.fingerprint);
    }
    return fingerprints;
  }
};
INSTANTIATE_CATALOG_SUITE(KeyCatalogSuite);

TEST_P(KeyCatalogSuite, KeepsEveryFieldOfAKey) {
  SigningKeyRecord key = SampleServerKey("größe", "AA");
  key.armor = "-----BEGIN…\r\n\r\n%41{{key}} :name 'quoted'\n";
  key.user_ids = {
      "", "two\nlines", "100% %0A", "J\xfcrgen (Latin-1)", "豆腐 <a@b>", std::string("\0\x7f\t", 3),
      ""};
  key.expires_at = 9'000'000'000;
  key.removed_at = kSuiteNow + 1;
  key.added_by = "ops \"1\"";
  EXPECT_TRUE(this->Add(key));
  SigningKeyRecord plain = SampleKey("größe", "BB");
  plain.user_ids = {};
  EXPECT_TRUE(this->Add(plain));
  auto found = this->Find("größe", "AA");
  ASSERT_TRUE(found) << found.error().message << found.error().detail;
  EXPECT_EQ(*found, key);
  auto all = RunTask(keys().ListKeys("größe"));
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, (std::vector{plain, key}));
}

TEST_P(KeyCatalogSuite, AKeyAddedAgainIsRenewed) {
  EXPECT_TRUE(this->Add(SampleKey("acme", "AA")));
  SigningKeyRecord newer = SampleKey("acme", "AA");
  newer.key_id = "OTHER";
  newer.armor = "newer";
  newer.user_ids = {"a", "b"};
  newer.algorithm = "RSA 4096";
  newer.created_at += 5;
  newer.expires_at = kSuiteNow + 1000;
  newer.added_at = kSuiteNow + 9;
  newer.added_by = "someone else";
  EXPECT_FALSE(this->Add(newer));
  EXPECT_EQ(*this->Find("acme", "AA"), newer);
  ASSERT_TRUE(this->Remove("acme", "AA"));
  EXPECT_FALSE(this->Add(newer)) << "a removed one is not new";
  EXPECT_EQ(*this->Find("acme", "AA"), newer) << "and is in use again";
  EXPECT_TRUE(this->Add(SampleKey("beta", "AA"))) << "another namespace";
  EXPECT_EQ(this->Find("acme", "AA")->armor, "newer");
}

TEST_P(KeyCatalogSuite, ARenewedServerKeyKeepsItsSecret) {
  ASSERT_TRUE(this->Replace(SampleServerKey("acme", "AA"), ""));
  SigningKeyRecord copy = SampleKey("acme", "AA");
  copy.armor = "as its owner has it";
  EXPECT_FALSE(this->Add(copy));
  auto found = this->Find("acme", "AA");
  EXPECT_EQ(found->armor, "as its owner has it");
  EXPECT_EQ(found->sealed_secret, "c2VhbGVk");
  EXPECT_TRUE(found->server_made);
  // And the reverse: a key does not become the server's.
  EXPECT_TRUE(this->Add(SampleKey("acme", "BB")));
  EXPECT_FALSE(this->Add(SampleServerKey("acme", "BB")));
  EXPECT_EQ(this->Find("acme", "BB")->sealed_secret, "");
  EXPECT_FALSE(this->Find("acme", "BB")->server_made);
}

TEST_P(KeyCatalogSuite, ListsKeysInUseFirstThenByTimeOfAddition) {
  UnixSeconds at = kSuiteNow;
  for (const char* fingerprint : {"CC", "BB", "DD", "AA"}) {
    SigningKeyRecord key = SampleKey("acme", fingerprint);
    key.added_at = at++;
    this->Add(key);
  }
  this->Add(SampleKey("beta", "EE"));
  EXPECT_EQ(this->List("acme"), (Texts{"CC", "BB", "DD", "AA"}));
  ASSERT_TRUE(this->Remove("acme", "DD", 1));
  ASSERT_TRUE(this->Remove("acme", "CC", 2));
  EXPECT_EQ(this->List("acme"), (Texts{"BB", "AA", "removed CC", "removed DD"}));
  EXPECT_EQ(this->List("nobody"), Texts{});
  EXPECT_EQ(this->List("\xff"), Texts{});
}

TEST_P(KeyCatalogSuite, UnknownKeysAreNotFound) {
  this->Add(SampleKey("acme", "AA"));
  const std::pair<std::string, std::string> kCases[] = {
      {"acme", "BB"}, {"acme", "aa"},   {"acme", ""},
      {"beta", "AA"}, {"acme", "\xff"}, {std::string("acme\0", 5), "AA"}};
  for (const auto& [ns, fingerprint] : kCases) {
    this->ExpectFails(this->Find(ns, fingerprint), ErrorKind::kNotFound, "has no key");
    this->ExpectFails(this->Remove(ns, fingerprint), ErrorKind::kNotFound, "list its keys");
  }
  EXPECT_EQ(this->List("acme"), Texts{"AA"});
}

TEST_P(KeyCatalogSuite, ARemovedKeyIsKeptWithoutItsSecret) {
  SigningKeyRecord key = SampleServerKey("acme", "AA");
  ASSERT_TRUE(this->Replace(key, ""));
  this->Add(SampleKey("acme", "BB"));
  ASSERT_TRUE(this->Remove("acme", "AA", kSuiteNow + 7));
  key.removed_at = kSuiteNow + 7;
  key.sealed_secret = "";
  EXPECT_EQ(*this->Find("acme", "AA"), key) << "old releases name it";
  this->ExpectFails(this->Remove("acme", "AA", 9), ErrorKind::kNotFound, "acme has no key AA");
  EXPECT_EQ(this->Find("acme", "AA")->removed_at, kSuiteNow + 7);
  EXPECT_FALSE(this->Find("acme", "BB")->removed_at);
}

TEST_P(KeyCatalogSuite, AServerKeyIsReplacedByWhoeverKnowsIt) {
  constexpr ErrorKind kConflict = ErrorKind::kConflict;
  const std::string_view kFaster =
      "another server has just created a new signing key for the namespace acme";
  this->Add(SampleKey("acme", "AUTHOR"));
  this->ExpectFails(this->Replace(SampleServerKey("acme", "AA"), "AUTHOR"), kConflict, kFaster);
  SigningKeyRecord first = SampleServerKey("acme", "AA");
  first.server_made = false;  // it is, whatever the record says
  ASSERT_TRUE(this->Replace(first, ""));
  EXPECT_TRUE(this->Find("acme", "AA")->server_made);
  for (const char* stale : {"", "ZZ", "AUTHOR", "aa"}) {
    this->ExpectFails(this->Replace(SampleServerKey("acme", "BB"), stale), kConflict, kFaster);
  }
  ASSERT_TRUE(this->Replace(SampleServerKey("beta", "AA"), "")) << "another namespace";
  SigningKeyRecord second = SampleServerKey("acme", "BB");
  second.added_at = kSuiteNow + 20;
  ASSERT_TRUE(this->Replace(second, "AA"));
  EXPECT_EQ(*this->Find("acme", "BB"), second);
  EXPECT_EQ(this->Find("acme", "AA")->removed_at, kSuiteNow + 20);
  EXPECT_EQ(this->Find("acme", "AA")->sealed_secret, "");
  EXPECT_FALSE(this->Find("beta", "AA")->removed_at);
  EXPECT_EQ(this->List("acme"), (Texts{"AUTHOR", "BB", "removed AA"}));
  this->ExpectFails(this->Replace(SampleServerKey("acme", "AUTHOR"), "BB"), kConflict, kFaster);
  EXPECT_FALSE(this->Find("acme", "BB")->removed_at) << "nothing changed";
  ASSERT_TRUE(this->Remove("acme", "BB"));
  this->ExpectFails(this->Replace(SampleServerKey("acme", "CC"), "BB"), kConflict, kFaster);
  EXPECT_TRUE(this->Replace(SampleServerKey("acme", "CC"), ""));
}

TEST_P(KeyCatalogSuite, AServerKeyThatLostItsSecretIsNotInUse) {
  ASSERT_TRUE(this->Replace(SampleServerKey("acme", "AA"), ""));
  ASSERT_TRUE(this->Replace(SampleServerKey("acme", "BB"), "AA"));
  EXPECT_FALSE(this->Add(SampleKey("acme", "AA"))) << "its public key, by hand";
  EXPECT_FALSE(this->Find("acme", "AA")->removed_at);
  EXPECT_TRUE(this->Replace(SampleServerKey("acme", "CC"), "BB"));
  EXPECT_EQ(this->List("acme"), (Texts{"AA", "CC", "removed BB"}));
}

TEST_P(KeyCatalogSuite, WhatCannotBeKeptIsRefused) {
  for (auto field :
       {&SigningKeyRecord::ns, &SigningKeyRecord::fingerprint, &SigningKeyRecord::key_id,
        &SigningKeyRecord::armor, &SigningKeyRecord::algorithm, &SigningKeyRecord::added_by,
        &SigningKeyRecord::sealed_secret}) {
    for (const std::string& bad : {std::string("\xff"), std::string(1, '\0')}) {
      SigningKeyRecord key = SampleKey("acme", "AA");
      key.*field = bad;
      this->ExpectFails(RunTask(keys().AddKey(Tester(), key)), ErrorKind::kInvalid,
                        "must be UTF-8 text without NUL");
      this->ExpectFails(this->Replace(key, ""), ErrorKind::kInvalid, "fix it");
    }
  }
  EXPECT_EQ(this->List("acme"), Texts{});
}

TEST_P(KeyCatalogSuite, AChangedKeyMayChangeEverything) {
  this->Add(SampleKey("acme", "AA"));
  EXPECT_EQ(this->TopicsSince({}), Texts{""});
  this->Add(SampleKey("acme", "AA"));
  EXPECT_EQ(this->TopicsSince({}), Texts{""}) << "it is the same";
  SigningKeyRecord longer = SampleKey("acme", "AA");
  longer.expires_at = kSuiteNow + 1000;
  this->Add(longer);
  EXPECT_EQ(this->TopicsSince({}), Texts(2, ""));
  ASSERT_TRUE(this->Remove("acme", "AA"));
  EXPECT_EQ(this->TopicsSince({}), Texts(3, ""));
  ASSERT_TRUE(this->Replace(SampleServerKey("acme", "BB"), ""));
  EXPECT_EQ(this->TopicsSince({}), Texts(4, ""));
  EXPECT_FALSE(this->Remove("acme", "AA"));
  EXPECT_FALSE(this->Replace(SampleServerKey("acme", "CC"), ""));
  EXPECT_EQ(this->TopicsSince({}), Texts(4, ""));
}

TEST_P(KeyCatalogSuite, ASealedSecretIsReplacedByWhoeverKnowsIt) {
  ASSERT_TRUE(this->Replace(SampleServerKey("beta", "BB"), ""));
  ASSERT_TRUE(this->Replace(SampleServerKey("acme", "AA"), ""));
  this->Add(SampleKey("acme", "AUTHOR"));
  auto listed = RunTask(keys().ListSealedKeys());
  ASSERT_TRUE(listed) << listed.error().message << listed.error().detail;
  ASSERT_EQ(listed->size(), 2U) << "an author's key has no secret here";
  const SigningKeyRecord key = listed->front();
  EXPECT_EQ(key, SampleServerKey("acme", "AA"));
  EXPECT_EQ(listed->back().ns, "beta");

  const Texts topics = this->TopicsSince({});
  auto reseal = [&](const std::string& text) {
    return RunTask(keys().ResealKey(Tester(), key, text));
  };
  ASSERT_TRUE(reseal("another"));
  SigningKeyRecord expected = key;
  expected.sealed_secret = "another";
  EXPECT_EQ(*this->Find("acme", "AA"), expected);
  EXPECT_EQ(*this->Find("beta", "BB"), SampleServerKey("beta", "BB"));
  EXPECT_EQ(this->TopicsSince({}), topics) << "no document shows it";
  this->ExpectFails(reseal("third"), ErrorKind::kConflict, "meanwhile");
  this->ExpectFails(reseal("\xff"), ErrorKind::kInvalid, "fix it");
  ASSERT_TRUE(this->Remove("acme", "AA"));
  this->ExpectFails(reseal("fourth"), ErrorKind::kConflict, "meanwhile");
  EXPECT_EQ(RunTask(keys().ListSealedKeys())->size(), 1U);
}

TEST_P(KeyCatalogSuite, KeysInUseThatEndAreListedByTheirEnd) {
  auto add = [this](const char* ns, const char* fingerprint, std::optional<UnixSeconds> end) {
    SigningKeyRecord key = SampleKey(ns, fingerprint);
    key.key_id = std::string("id of ") + fingerprint;
    key.expires_at = end;
    this->Add(key);
  };
  add("beta", "LAST", kSuiteNow + 20);
  add("beta", "TOO LATE", kSuiteNow + 21);
  add("beta", "FIRST", kSuiteNow - 10);
  add("acme", "FIRST", kSuiteNow - 10);
  add("acme", "TOO EARLY", kSuiteNow - 11);
  add("acme", "NEVER", std::nullopt);
  add("acme", "REMOVED", kSuiteNow);
  ASSERT_TRUE(this->Remove("acme", "REMOVED"));
  auto ending = RunTask(keys().ListEndingKeys(kSuiteNow - 10, kSuiteNow + 20));
  ASSERT_TRUE(ending) << ending.error().message << ending.error().detail;
  EXPECT_EQ(
      *ending,
      (std::vector{EndingKey{.ns = "acme", .key_id = "id of FIRST", .expires_at = kSuiteNow - 10},
                   EndingKey{.ns = "beta", .key_id = "id of FIRST", .expires_at = kSuiteNow - 10},
                   EndingKey{.ns = "beta", .key_id = "id of LAST", .expires_at = kSuiteNow + 20}}));
  EXPECT_TRUE(RunTask(keys().ListEndingKeys(kSuiteNow + 22, kSuiteNow + 99))->empty());
}

TEST_P(KeyCatalogSuite, OfRacingServersOneMakesTheKey) {
  std::string in_use;
  for (int round = 0; round < 3; ++round) {
    Racers racers;
    std::vector<Result<void>> replaced;
    for (int i = 0; i < 20; ++i) {
      auto key = SampleServerKey("acme", "R" + std::to_string(round) + "N" + std::to_string(i));
      racers.Add(this->keys().ReplaceServerKey(Tester(), key, in_use), &replaced);
    }
    racers.Run();
    EXPECT_EQ(std::ranges::count_if(replaced, &Status::has_value), 1);
    for (const Status& status : replaced) {
      if (!status) EXPECT_EQ(status.error().kind, ErrorKind::kConflict) << status.error().detail;
    }
    const Texts keys = this->List("acme");
    ASSERT_EQ(keys.size(), round + 1u);
    in_use = keys[0];
    EXPECT_EQ(std::ranges::count_if(keys, [](const auto& k) { return !k.starts_with("removed"); }),
              1);
  }
}

TEST_P(KeyCatalogSuite, RacingAdditionsAndRemovalsAgree) {
  Racers racers;
  std::vector<Result<bool>> added;
  std::vector<Result<void>> removed;
  for (int i = 0; i < 30; ++i) {
    racers.Add(keys().AddKey(Tester(), SampleKey("acme", "AA")), &added);
    if (i % 5 == 4) racers.Add(keys().RemoveKey(Tester(), "acme", "AA", 5), &removed);
    if (i % 5 == 4) {
      racers.Add(keys().ReplaceServerKey(Tester(), SampleServerKey("acme", "BB"), "AA"), &removed);
    }
  }
  racers.Run();
  EXPECT_EQ(std::ranges::count_if(added, [](const auto& r) { return r && *r; }), 1);
  EXPECT_EQ(std::ranges::count_if(added, [](const auto& r) { return r && !*r; }), 29);
  for (const Status& status : removed) {
    if (status) continue;
    EXPECT_TRUE(status.error().kind == ErrorKind::kNotFound ||
                status.error().kind == ErrorKind::kConflict)
        << status.error().detail;
  }
  EXPECT_EQ(this->List("acme").size(), 1u);
}

}  // namespace
}  // namespace koya
