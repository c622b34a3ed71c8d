#include "service/operate/notifications.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/manual_clock_fake.h"
#include "base/offload.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/key_catalog.h"
#include "catalog/token_catalog.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/access/token_cache.h"
#include "service/access/tokens.h"
#include "service/common/last_used_tracker.h"
#include "service/providers/signing_keys.h"
#include "signing/sealer.h"

namespace koya::service {
namespace {

using auth::Principal;
using Texts = std::vector<std::string>;

constexpr UnixSeconds kDayInSeconds = 86'400;

AccountRecord AccountNamed(const std::string& name, bool admin = false) {
  return {.id = "id-" + name,
          .kind = AccountKind::kUser,
          .name = name,
          .admin = admin,
          .created_at = 1,
          .created_by = "test",
          .disabled_at = std::nullopt};
}

// As a session has them.
Principal SessionOf(const AccountRecord& account, std::vector<GrantedRole> roles = {}) {
  return {.name = account.name,
          .scope = Scope::kAdmin,
          .namespaces = {},
          .account = std::make_shared<const AccountRights>(
              AccountRights{.account = account, .roles = std::move(roles)})};
}

class WaitingTest : public ::testing::Test {
 protected:
  WaitingTest() {
    for (const AccountRecord& account : {ann_, ben_, root_}) {
      EXPECT_TRUE(RunTask(catalog_.accounts().AddAccount(Actor::Server(), account)));
    }
  }

  // `days` from now.
  void AddToken(const std::string& name, const AccountRecord& account, std::optional<int> days) {
    TokenRecord token{.name = name,
                      .secret = Digest::Of(name),
                      .scope = Scope::kPublish,
                      .namespaces = {},
                      .account_id = account.id,
                      .created_at = 1,
                      .created_by = "test",
                      .expires_at = std::nullopt,
                      .last_used_at = std::nullopt};
    if (days) token.expires_at = clock_.Now() + *days * kDayInSeconds;
    EXPECT_TRUE(RunTask(catalog_.tokens().AddToken(Actor::Server(), token)));
  }
  void AddKey(const std::string& ns, const std::string& id, std::optional<int> days) {
    SigningKeyRecord key{.ns = ns,
                         .fingerprint = id,
                         .key_id = id,
                         .armor = "armor",
                         .user_ids = {},
                         .algorithm = "Ed25519",
                         .created_at = 1,
                         .expires_at = std::nullopt,
                         .added_at = 1,
                         .added_by = "test",
                         .removed_at = std::nullopt,
                         .sealed_secret = ""};
    if (days) key.expires_at = clock_.Now() + *days * kDayInSeconds;
    EXPECT_TRUE(RunTask(catalog_.keys().AddKey(Actor::Server(), key)));
  }

  // Their names, and the ids of keys; "more" where there are.
  Texts WaitFor(const Principal& by) {
    Result<ExpiryReminders> things = RunTask(waiting_.FindReminders(by));
    EXPECT_TRUE(things) << things.error().message;
    Texts texts;
    for (const TokenRecord& token : things->tokens) texts.push_back(token.name);
    if (things->has_more_tokens) texts.emplace_back("more");
    for (const EndingKey& key : things->keys) texts.push_back(key.ns + " " + key.key_id);
    if (things->has_more_keys) texts.emplace_back("more");
    return texts;
  }

  const AccountRecord ann_ = AccountNamed("ann");
  const AccountRecord ben_ = AccountNamed("ben");
  const AccountRecord root_ = AccountNamed("root", true);
  ManualClock clock_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  WorkerPool pool_{1};
  signing::Sealer sealer_{"a secret of the tests"};
  TestCatalog catalog_;
  LastUsedTracker uses_{catalog_, log_};
  TokenCache cache_{TimeSinceBoot};
  Tokens tokens_{catalog_, catalog_, cache_, clock_, uses_};
  SigningKeys keys_{catalog_, sealer_, pool_, clock_};
  Waiting waiting_{tokens_, keys_, clock_};
};

TEST_F(WaitingTest, NothingWaitsWhereNothingEnds) {
  AddToken("lasts", ann_, std::nullopt);
  AddKey("acme", "LASTS", std::nullopt);
  EXPECT_EQ(WaitFor(SessionOf(ann_, {{"acme", Role::kOwner}})), Texts{});
  EXPECT_EQ(WaitFor(Principal()), Texts{}) << "a stranger";
}

TEST_F(WaitingTest, OwnTokensWaitThatEndSoonOrHaveEndedLately) {
  for (int days : {-8, -7, -1, 0, 1, 14, 15, 400}) {
    AddToken(std::to_string(days), ann_, days);
  }
  AddToken("bens", ben_, 1);
  EXPECT_EQ(WaitFor(SessionOf(ann_)), (Texts{"-7", "-1", "0", "1", "14"}));
  EXPECT_EQ(WaitFor(SessionOf(ben_)), Texts{"bens"});
  EXPECT_EQ(WaitFor(SessionOf(root_)), Texts{}) << "administrators, too, are told of their own";
  EXPECT_EQ(WaitFor(Principal::Operator()), Texts{});
}

TEST_F(WaitingTest, KeysWaitForTheOwnersOfTheirNamespaces) {
  for (int days : {-8, -7, 0, 30, 31}) AddKey("acme", std::to_string(days), days);
  AddKey("beta", "B", 2);
  EXPECT_EQ(WaitFor(SessionOf(ann_, {{"acme", Role::kOwner}})),
            (Texts{"acme -7", "acme 0", "acme 30"}));
  EXPECT_EQ(WaitFor(SessionOf(ann_, {{"acme", Role::kPublisher}, {"beta", Role::kOwner}})),
            Texts{"beta B"});
  EXPECT_EQ(WaitFor(SessionOf(ann_, {{"acme", Role::kPublisher}})), Texts{});
  EXPECT_EQ(WaitFor(SessionOf(ann_, {{"other", Role::kOwner}})), Texts{});
  EXPECT_EQ(WaitFor(SessionOf(ann_)), Texts{});
  EXPECT_EQ(WaitFor(SessionOf(root_)), (Texts{"acme -7", "acme 0", "beta B", "acme 30"}));
}

TEST_F(WaitingTest, AKeyThatWasRemovedWaitsForNobody) {
  AddKey("acme", "GONE", 1);
  ASSERT_TRUE(RunTask(catalog_.keys().RemoveKey(Actor::Server(), "acme", "GONE", clock_.Now())));
  EXPECT_EQ(WaitFor(SessionOf(root_)), Texts{});
}

TEST_F(WaitingTest, OfManyTheFirstAreToldAndThatThereAreMore) {
  for (int i = 1; i <= 6; ++i) {
    AddToken("t" + std::to_string(i), root_, i);
    AddKey("acme", "K" + std::to_string(i), i);
  }
  EXPECT_EQ(WaitFor(SessionOf(root_)), (Texts{"t1", "t2", "t3", "t4", "t5", "more", "acme K1",
                                              "acme K2", "acme K3", "acme K4", "acme K5", "more"}));
}

TEST_F(WaitingTest, ATokenThatGivesMoreThanIsHeldIsNotShown) {
  AddToken("all", ann_, 1);
  Principal narrow = SessionOf(ann_);
  narrow.scope = Scope::kRead;
  EXPECT_EQ(WaitFor(narrow), Texts{});
}

}  // namespace
}  // namespace koya::service
