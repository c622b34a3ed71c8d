#include "service/sign_in/sign_in.h"

#include <utility>

#include "auth/password.h"
#include "base/secrets.h"
#include "catalog/sign_in_catalog.h"
#include "domain/name_rules.h"
#include "service/sign_in/browser.h"
#include "service/sign_in/password_work.h"
#include "service/sign_in/sessions.h"

namespace koya::service {

using Attempt = SignInThrottle::Attempt;

Attempt SignIn::AttemptOf(const Browser& browser, std::string user) const {
  std::optional<std::string> device = marks_.Read(browser.device, user, clock_.Now());
  return {.account = std::move(user),
          .address = browser.address,
          .device = std::move(device).value_or("")};
}

std::string SignIn::DeviceMarkFor(std::string_view user) const {
  return marks_.Make(user, clock_.Now());
}

Task<PasswordRecord> SignIn::Verify(std::string user, std::string password) {
  const WipeAtEnd wipe(password);
  // The record of a user without a password here. Names that no user can have are not looked up.
  PasswordRecord record;
  if (CheckAccountName(AccountKind::kUser, user)) {
    Result<PasswordRecord> found = co_await catalog_.FindPassword(std::move(user));
    if (found) {
      record = *std::move(found);
    } else if (found.error().kind != ErrorKind::kNotFound) {
      co_return found;
    }
  }
  if (record.account.disabled_at) record.hash = std::nullopt;
  CO_RETURN_IF_ERROR(co_await work_.Verify(record.hash, std::move(password)));
  co_return record;
}

Task<PasswordRecord> SignIn::CheckPassword(Attempt attempt, std::string password) {
  const WipeAtEnd wipe(password);
  CO_RETURN_IF_ERROR(throttle_.Begin(attempt));
  Result<PasswordRecord> judged = co_await Verify(attempt.account, std::move(password));
  if (judged) {
    throttle_.Succeeded(attempt);
  } else if (judged.error().kind != ErrorKind::kUnauthenticated) {
    throttle_.TakeBack(attempt);
  }
  co_return judged;
}

Task<void> SignIn::CheckUnchanged(PasswordRecord judged) {
  ASSIGN_OR_CO_RETURN(PasswordRecord now, co_await catalog_.FindPassword(judged.account.name));
  if (now.account.id == judged.account.id && now.hash == judged.hash) co_return Status();
  co_return FailConflict("the password was just changed: sign in again");
}

Task<StartedSession> SignIn::WithPassword(Browser browser, std::string user, std::string password) {
  const WipeAtEnd wipe(password);
  ASSIGN_OR_CO_RETURN(PasswordRecord record,
                      co_await CheckPassword(AttemptOf(browser, std::move(user)), password));
  ASSIGN_OR_CO_RETURN(StartedSession started,
                      co_await sessions_.Start(record.account, "password", browser));
  // A password change ends all existing sessions: this one may have been created after it.
  if (Status same = co_await CheckUnchanged(record); !same) {
    CO_RETURN_IF_ERROR(co_await sessions_.End(std::move(browser), std::move(started.cookie)));
    co_return Failure(std::move(same).error());
  }
  if (work_.NeedsRehash(*record.hash)) {
    Result<std::string> hash = co_await work_.Hash(std::move(password));
    // Whatever comes of it, they are signed in; the next time does it.
    if (hash) (void)co_await catalog_.RenewHash(record.account.name, *record.hash, *hash);
  }
  started.device = DeviceMarkFor(record.account.name);
  co_return started;
}

Task<void> SignIn::SetPassword(auth::Principal by, std::string user,
                               std::optional<std::string> password) {
  std::optional<WipeAtEnd> wipe;
  if (password) wipe.emplace(*password);
  CO_RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  CO_RETURN_IF_ERROR(by.RequireAllNamespaces());
  CO_RETURN_IF_ERROR(CheckAccountName(AccountKind::kUser, user));
  std::optional<std::string> hash;
  if (password) {
    CO_RETURN_IF_ERROR(auth::CheckNewPassword(*password, user));
    ASSIGN_OR_CO_RETURN(hash, co_await work_.Hash(*std::move(password)));
  }
  co_return co_await catalog_.SetPassword(std::move(by.actor), std::move(user), std::move(hash),
                                          "");
}

Task<void> SignIn::ChangePassword(auth::Principal by, Browser browser, std::string old_password,
                                  std::string new_password) {
  const WipeAtEnd wipe_old(old_password);
  const WipeAtEnd wipe_new(new_password);
  if (!by.account || by.account->account.kind != AccountKind::kUser) {
    co_return FailForbidden(
        "only a signed-in user can change their password: administrators set those of "
        "other users with koya user password NAME");
  }
  const AccountRecord account = by.account->account;
  CO_RETURN_IF_ERROR(auth::CheckNewPassword(new_password, account.name));
  Result<PasswordRecord> judged =
      co_await CheckPassword(AttemptOf(browser, account.name), std::move(old_password));
  const bool wrong = judged ? judged->account.id != account.id
                            : judged.error().kind == ErrorKind::kUnauthenticated;
  if (wrong) {
    co_return FailUnauthenticated("the old password is wrong: type it again");
  }
  if (!judged) co_return Failure(std::move(judged).error());
  std::string kept;
  if (by.bearer && by.bearer->kind == auth::CapabilityBearer::Kind::kSession) {
    ASSIGN_OR_CO_RETURN(SignedInUser visitor, co_await sessions_.FindBearer(*by.bearer));
    kept = std::move(visitor.session);
  }
  ASSIGN_OR_CO_RETURN(std::string hash, co_await work_.Hash(std::move(new_password)));
  co_return co_await catalog_.SetPassword(std::move(by.actor), account.name, std::move(hash),
                                          std::move(kept));
}

}  // namespace koya::service
