#include "service/providers/signing_keys.h"
#include "base/manual_clock_fake.h"
#include "service/common/change_feed.h"

#include <gtest/gtest.h>

#include "auth/principal.h"
#include "base/offload.h"
#include "base/run_task.h"
#include "base/text.h"
#include "catalog/audit_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "domain/audit_record.h"
#include "signing/openpgp.h"
#include "signing/sealer.h"

namespace koya::service {
namespace {

class SigningKeysTest : public ::testing::Test {
 protected:
  SigningKeysTest() {
    changes_ = std::make_unique<ChangeFeed>(catalog_);
    changes_->AddListener([this](std::string_view topic) { topics_.emplace_back(topic); });
    keys_ = std::make_unique<SigningKeys>(catalog_, sealer_, pool_, clock_);
  }

  signing::GeneratedKey Make(const std::string& user) {
    return signing::GenerateKey(user, clock_.now).value();
  }
  Result<std::vector<SigningKeys::Added>> Add(std::string text) {
    return RunTask(keys_->Add(admin_, "acme", std::move(text)));
  }
  std::vector<SigningKeyRecord> List() { return RunTask(keys_->List("acme")).value(); }
  bool Verifies(const std::string& document, const SignedDocument& made) {
    auto key = RunTask(keys_->FindKey("acme", made.key_fingerprint));
    std::vector<std::string> armors{key.value().armor};
    auto checked = signing::CheckSignatures(document, made.signature, armors, clock_.now);
    return checked && checked->front().state == signing::CheckedSignature::State::kGood;
  }

  ManualClock clock_;
  WorkerPool pool_{1};
  signing::Sealer sealer_{"a secret of the tests"};
  TestCatalog catalog_;
  std::unique_ptr<ChangeFeed> changes_;
  std::unique_ptr<SigningKeys> keys_;
  std::vector<std::string> topics_;
  auth::Principal admin_{.name = "admin", .scope = Scope::kAdmin, .namespaces = {}};
  auth::Principal author_{.name = "ci", .scope = Scope::kPublish, .namespaces = {}};
};

ErrorKind ErrorKindOf(const auto& result) {
  EXPECT_FALSE(result.has_value());
  return result ? ErrorKind::kInternal : result.error().kind;
}

TEST_F(SigningKeysTest, KeepsEveryKeyOfAnArmoredText) {
  signing::GeneratedKey one = Make("One <one@example.com>");
  signing::GeneratedKey two = Make("Two <two@example.com>");
  auto added = Add(one.public_key.armor + "\nand another:\n" + two.public_key.armor);
  ASSERT_TRUE(added) << added.error().message;
  ASSERT_EQ(added->size(), 2U);
  EXPECT_TRUE(added->front().created);
  EXPECT_EQ(topics_, (std::vector<std::string>{"namespace:acme", "", ""}))
      << "its record, and one for each key";
  std::vector<SigningKeyRecord> keys = List();
  ASSERT_EQ(keys.size(), 2U);
  const SigningKeyRecord& first = added->front().key;
  EXPECT_EQ(first.fingerprint, one.public_key.fingerprint);
  EXPECT_EQ(first.user_ids, std::vector<std::string>{"One <one@example.com>"});
  EXPECT_EQ(first.algorithm, "Ed25519");
  EXPECT_EQ(first.added_by, "admin");
  EXPECT_EQ(first.sealed_secret, "");
  auto again = Add(one.public_key.armor);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->front().created);
  EXPECT_EQ(List().size(), 2U);
}

TEST_F(SigningKeysTest, RefusesWhatIsNoPublicKey) {
  for (const char* text : {"", "hello", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nxyz\n"}) {
    EXPECT_EQ(ErrorKindOf(Add(text)), ErrorKind::kInvalid) << text;
  }
  EXPECT_EQ(List().size(), 0U);
}

// Of 2024-01-01: the primary key never ends, its signing subkey did after 365 days.
constexpr const char* kExpiredSubkey = R"(-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEZZIAgBYJKwYBBAHaRw8BAQdA9gCi+OvsdCh4EMTL2BAZbzI/twuClNL9a7MU
xrOYAEq0E09sZCA8b2xkQGtleXMudGVzdD6IkAQTFggAOBYhBGmIWl+XDEqq3MP5
EvWse3cTfcrZBQJlkgCAAhsBBQsJCAcCBhUKCQgLAgQWAgMBAh4BAheAAAoJEPWs
e3cTfcrZSTQA/j0JbuV833tDE+WqLc/hrySeLrUCOsOkHodhNXWxLuj0AP4qtltU
HyXMj3GPbBGYq/x3/gUs90X6fpUm7VIhP5I9BrgzBGWSAIAWCSsGAQQB2kcPAQEH
QEFl3rYfVq9NAbrY0dN3oYJ3FkcgdJvRnZwLm6A5V3aviPUEGBYIACYWIQRpiFpf
lwxKqtzD+RL1rHt3E33K2QUCZZIAgAIbAgUJAeEzgACBCRD1rHt3E33K2XYgBBkW
CAAdFiEEHL2DUZKG2Eq7dWDiuh0OUG1DivgFAmWSAIAACgkQuh0OUG1DiviyegEA
yoVfUYUxHv64ZPfWozlCx47KMAZpwKq3RFO3qTJoYtcA/3A1rXu+0/NzMhhoxETS
0JeODVA9Auk6Npj1di/JNFAHfXwA/1BiTEj05V72nmlvzLfd9vcBOZ1huercc9Vn
hhL4dKZZAQC0ygcgy480ow9Fu5jI/u92QXGq6SQJX0Q/63ucRChLBQ==
=PtCC
-----END PGP PUBLIC KEY BLOCK-----
)";

TEST_F(SigningKeysTest, SaysWhichSubkeyExpiredAndWhatToDo) {
  auto refused = Add(kExpiredSubkey);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid);
  for (const char* words : {"F5AC7B77137DCAD9",
                            "1CBD83519286D84ABB7560E2BA1D0E506D438AF8 expired "
                            "on 2024-12-31T00:00:00Z",
                            "gpg --quick-set-expire 69885A5F"}) {
    EXPECT_TRUE(refused.error().message.contains(words)) << words << "\n"
                                                         << refused.error().message;
  }
}

TEST_F(SigningKeysTest, KeysOfImportsVerifyAndSignNothingNew) {
  const std::string imported = Make("Old").public_key.armor;
  const std::string used = Make("Used").public_key.armor;
  ASSERT_TRUE(Add(used));
  for (const std::string& armor : {imported, used, std::string(kExpiredSubkey)}) {
    auto added = RunTask(keys_->Add(admin_, "acme", armor, SigningKeys::Use::kVerify));
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_EQ(added->front().created, armor != used);
    EXPECT_EQ(added->front().key.removed_at.has_value(), armor != used) << "one in use stays so";
  }
  EXPECT_EQ(List().size(), 3U);
  ASSERT_TRUE(Add(imported)) << "an owner may let it sign, later";
  EXPECT_FALSE(RunTask(keys_->FindKey("acme", List().front().fingerprint))->removed_at);
  EXPECT_EQ(ErrorKindOf(RunTask(keys_->Add(author_, "acme", imported, SigningKeys::Use::kVerify))),
            ErrorKind::kForbidden);
  EXPECT_EQ(ErrorKindOf(RunTask(keys_->Add(admin_, "acme", "none", SigningKeys::Use::kVerify))),
            ErrorKind::kInvalid);
}

TEST_F(SigningKeysTest, ChangesNeedAnAdministrator) {
  std::string armor = Make("One").public_key.armor;
  EXPECT_EQ(ErrorKindOf(RunTask(keys_->Add(author_, "acme", armor))), ErrorKind::kForbidden);
  EXPECT_EQ(ErrorKindOf(RunTask(keys_->Remove(author_, "acme", "0123456789ABCDEF"))),
            ErrorKind::kForbidden);
  EXPECT_EQ(ErrorKindOf(RunTask(keys_->Rotate(author_, "acme"))), ErrorKind::kForbidden);
  auth::Principal elsewhere{.name = "b", .scope = Scope::kAdmin, .namespaces = {"other"}};
  EXPECT_EQ(ErrorKindOf(RunTask(keys_->Add(elsewhere, "acme", armor))), ErrorKind::kForbidden);
  EXPECT_EQ(ErrorKindOf(RunTask(keys_->Sign(elsewhere, "acme", "text"))), ErrorKind::kForbidden);
}

TEST_F(SigningKeysTest, AReservedNamespaceGetsNone) {
  signing::GeneratedKey one = Make("One <one@example.com>");
  auto added = RunTask(keys_->Add(admin_, "api", one.public_key.armor));
  EXPECT_EQ(ErrorKindOf(added), ErrorKind::kInvalid);
  EXPECT_EQ(ErrorKindOf(RunTask(keys_->Rotate(admin_, "api"))), ErrorKind::kInvalid);
}

TEST_F(SigningKeysTest, RemovesByAnyUsualSpelling) {
  struct Row {
    std::size_t digits;
    const char* prefix;
    bool lower;
  };
  for (Row row : {Row{40, "", false}, Row{16, "0x", false}, Row{8, "", true}}) {
    signing::PublicKey key = Make("One").public_key;
    ASSERT_TRUE(Add(key.armor));
    std::string id = key.fingerprint.substr(key.fingerprint.size() - row.digits);
    if (row.lower) id = AsciiLower(id);
    auto removed = RunTask(keys_->Remove(admin_, "acme", row.prefix + id));
    ASSERT_TRUE(removed) << removed.error().message;
    EXPECT_EQ(removed->fingerprint, key.fingerprint);
    EXPECT_EQ(ErrorKindOf(RunTask(keys_->Remove(admin_, "acme", id))), ErrorKind::kNotFound);
    EXPECT_TRUE(RunTask(keys_->FindKey("acme", key.fingerprint))->removed_at);  // for old releases
    clock_.now += 1;  // another key next time
  }
  for (const char* bad : {"", "1234567", "not hex at all", "0x"}) {
    EXPECT_EQ(ErrorKindOf(RunTask(keys_->Remove(admin_, "acme", bad))), ErrorKind::kInvalid) << bad;
  }
}

TEST_F(SigningKeysTest, SignsWithOneKeyMadeOnFirstUse) {
  auto first = RunTask(keys_->Sign(author_, "acme", "text"));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(Verifies("text", *first));
  EXPECT_FALSE(Verifies("other", *first));
  SigningKeys restarted(catalog_, sealer_, pool_, clock_);
  auto second = RunTask(restarted.Sign(author_, "acme", "more"));
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->key_fingerprint, first->key_fingerprint);
  std::vector<SigningKeyRecord> keys = List();
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_TRUE(keys[0].server_made);
  EXPECT_EQ(keys[0].user_ids, std::vector<std::string>{"acme (signed by Koya)"});
  auto other = RunTask(keys_->Sign(author_, "other", "text"));
  EXPECT_NE(other->key_fingerprint, first->key_fingerprint);
}

TEST_F(SigningKeysTest, ARotationLeavesTheOldKeyVerifying) {
  auto before = RunTask(keys_->Sign(author_, "acme", "text"));
  auto rotated = RunTask(keys_->Rotate(admin_, "acme"));
  ASSERT_TRUE(rotated) << rotated.error().message;
  auto after = RunTask(keys_->Sign(author_, "acme", "text"));
  EXPECT_EQ(after->key_fingerprint, rotated->fingerprint);
  EXPECT_NE(after->key_fingerprint, before->key_fingerprint);
  EXPECT_TRUE(Verifies("text", *before));
  EXPECT_TRUE(Verifies("text", *after));
  auto old = RunTask(keys_->FindKey("acme", before->key_fingerprint));
  EXPECT_TRUE(old->removed_at);
  EXPECT_EQ(old->sealed_secret, "");
}

TEST_F(SigningKeysTest, APublishTokenDoesNotStandInForAnAuthorsKey) {
  ASSERT_TRUE(Add(Make("Author").public_key.armor));
  auto refused = RunTask(keys_->Sign(author_, "acme", "text"));
  EXPECT_EQ(ErrorKindOf(refused), ErrorKind::kForbidden);
  EXPECT_TRUE(refused.error().message.contains("koya key rotate acme"));
  EXPECT_EQ(List().size(), 1U);
  ASSERT_TRUE(RunTask(keys_->Sign(admin_, "acme", "text")));
  EXPECT_TRUE(RunTask(keys_->Sign(author_, "acme", "text")));  // an administrator allowed it
}

TEST_F(SigningKeysTest, AnotherServerSecretIsTold) {
  ASSERT_TRUE(RunTask(keys_->Sign(author_, "acme", "text")));
  signing::Sealer other("another secret here");
  SigningKeys elsewhere(catalog_, other, pool_, clock_);
  auto made = RunTask(elsewhere.Sign(author_, "acme", "text"));
  EXPECT_EQ(ErrorKindOf(made), ErrorKind::kCorrupt);
  EXPECT_TRUE(made.error().message.contains("server.secret")) << made.error().message;
}

TEST_F(SigningKeysTest, SecretsAreResealedWhenTheServersSecretIsReplaced) {
  SignedDocument first = RunTask(keys_->Sign(author_, "acme", "text")).value();
  ASSERT_TRUE(RunTask(keys_->Sign(author_, "beta", "text")));
  signing::Sealer both("a new secret, long", "a secret of the tests");
  SigningKeys between(catalog_, both, pool_, clock_);
  ASSERT_TRUE(RunTask(between.Sign(author_, "gamma", "text")));
  EXPECT_EQ(RunTask(between.Sign(author_, "acme", "text"))->key_fingerprint, first.key_fingerprint);

  auto resealed = RunTask(between.Reseal(admin_));
  ASSERT_TRUE(resealed) << resealed.error().message;
  EXPECT_EQ(resealed->renewed, 2U);
  EXPECT_EQ(resealed->current, 1U);
  EXPECT_TRUE(resealed->lost.empty());
  EXPECT_EQ(RunTask(between.Reseal(admin_))->current, 3U) << "asking again does no harm";
  const auto records = RunTask(catalog_.audit().ListAudit({.action = "key.reseal"}, 10));
  ASSERT_EQ(records->size(), resealed->renewed);
  EXPECT_EQ(records->front().entry.by, admin_.actor);

  signing::Sealer today("a new secret, long");
  SigningKeys after(catalog_, today, pool_, clock_);
  EXPECT_EQ(RunTask(after.Sign(author_, "acme", "text"))->signature, first.signature);
}

TEST_F(SigningKeysTest, SecretsThatNobodyCanOpenAreNamedAndLeftAsTheyAre) {
  SignedDocument made = RunTask(keys_->Sign(author_, "acme", "text")).value();
  signing::Sealer other("another secret here", "and one before it");
  SigningKeys elsewhere(catalog_, other, pool_, clock_);
  auto resealed = RunTask(elsewhere.Reseal(admin_));
  ASSERT_TRUE(resealed);
  EXPECT_EQ(resealed->lost, std::vector{"acme/" + made.key_fingerprint});
  EXPECT_EQ(resealed->renewed + resealed->current, 0U);
  EXPECT_TRUE(RunTask(keys_->Sign(author_, "acme", "text")));
}

TEST_F(SigningKeysTest, ResealingNeedsAnAdministratorOfAllNamespaces) {
  const auth::Principal team{.name = "t", .scope = Scope::kAdmin, .namespaces = {"acme"}};
  for (const auth::Principal& by : {author_, team}) {
    EXPECT_EQ(ErrorKindOf(RunTask(keys_->Reseal(by))), ErrorKind::kForbidden) << by.name;
  }
}

TEST_F(SigningKeysTest, ADamagedKeyIsNotTaken) {
  signing::GeneratedKey key = Make("One");
  key.public_key.armor.insert(key.public_key.armor.size() / 2, "!");
  EXPECT_EQ(ErrorKindOf(Add(key.public_key.armor)), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace koya::service
