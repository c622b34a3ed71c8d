// For tests of this folder: a SQLite catalog with users, and what signs them in.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "auth/token.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/access/tokens.h"
#include "service/common/change_feed.h"
#include "service/common/last_used_tracker.h"
#include "service/sign_in/browser.h"
#include "service/sign_in/first_run.h"
#include "service/sign_in/password_work.h"
#include "service/sign_in/sessions.h"
#include "service/sign_in/sign_in.h"
#include "service/sign_in/throttle.h"

namespace koya::service {

class SignInFixture : public ::testing::Test {
 protected:
  static constexpr const char* kPassword = "correct horse battery";

  void SetUp() override {
    changes_.AddListener([this](std::string_view topic) { cache_.Invalidate(topic); });
  }

  AccountRecord AddUser(const std::string& name, bool admin = false) {
    AccountRecord account{.id = auth::RandomId(),
                          .kind = AccountKind::kUser,
                          .name = name,
                          .admin = admin,
                          .created_at = clock_.Now(),
                          .created_by = "test",
                          .disabled_at = std::nullopt};
    EXPECT_TRUE(RunTask(catalog_.accounts().AddAccount(Actor::Server(), account)));
    return account;
  }
  // With kPassword.
  AccountRecord AddPerson(const std::string& name, bool admin = false) {
    AccountRecord account = AddUser(name, admin);
    Status set = RunTask(sign_in_.SetPassword(auth::Principal::Operator(), name, kPassword));
    EXPECT_TRUE(set) << set.error().message;
    return account;
  }
  void Disable(const std::string& name) {
    EXPECT_TRUE(RunTask(
        catalog_.accounts().SetDisabled(Actor::Server(), AccountKind::kUser, name, clock_.Now())));
  }
  StartedSession Start(const AccountRecord& account, Browser browser = {"192.0.2.1", "Test/1"}) {
    return RunTask(sessions_.Start(account, "password", std::move(browser))).value();
  }
  Result<SignedInUser> Find(const std::string& cookie) {
    return RunTask(sessions_.FindUser(cookie));
  }
  auth::Principal PrincipalOf(const AccountRecord& account) {
    return *Find(Start(account).cookie).value().principal;
  }

  ManualClock clock_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  TestCatalog catalog_;
  ChangeFeed changes_{catalog_};
  LastUsedTracker uses_{catalog_, log_};
  TokenCache cache_{TimeSinceBoot};
  Tokens tokens_{catalog_, catalog_, cache_, clock_, uses_};
  Sessions sessions_{catalog_, catalog_, cache_, clock_, uses_};
  PasswordWork work_{{.memory_kib = 64, .passes = 1}};
  SignInThrottle throttle_{clock_};
  SignIn sign_in_{catalog_, sessions_, work_, throttle_, clock_, "a secret of the server"};
};

}  // namespace koya::service
