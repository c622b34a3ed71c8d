#include "service/sign_in/first_run.h"

#include <utility>

#include "auth/password.h"
#include "auth/token.h"
#include "base/secrets.h"
#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "domain/name_rules.h"
#include "service/sign_in/browser.h"
#include "service/sign_in/password_work.h"
#include "service/sign_in/throttle.h"

namespace koya::service {
namespace {

// Maps the catalog's error to the error for the holder of a token.
Failure AsRefusedSetup(Error error) {
  if (error.kind != ErrorKind::kNotFound) return Failure(std::move(error));
  return FailUnauthenticated(
      "the set-up token is wrong or has expired: the server's log says where the token is, "
      "and the server creates another when it expires or the server restarts");
}

}  // namespace

Task<bool> FirstRun::IsDone() { return accounts_.HasAdministrator(); }

Task<void> FirstRun::LearnVisibility() {
  if (said_ == nullptr) co_return Status();
  ASSIGN_OR_CO_RETURN(std::optional<Visibility> said, co_await setup_.FindDefaultVisibility());
  if (said) said_->store(*said);
  co_return Status();
}

Task<std::optional<std::string>> FirstRun::MakeToken() {
  ASSIGN_OR_CO_RETURN(bool done, co_await IsDone());
  if (done) co_return std::nullopt;
  auth::MintedToken minted = auth::MintToken();
  const UnixSeconds ends = clock_.Now() + std::chrono::seconds(kLife).count();
  CO_RETURN_IF_ERROR(co_await setup_.PutSetupToken(minted.secret, ends));
  co_return std::move(minted.text);
}

Task<AccountRecord> FirstRun::SetUp(Browser browser, std::string token, std::string user,
                                    std::string password,
                                    std::optional<Visibility> new_namespaces) {
  const WipeAtEnd wipe(password);
  ASSIGN_OR_CO_RETURN(bool done, co_await IsDone());
  if (done) {
    co_return FailConflict(
        "this registry already has an administrator: sign in, or ask one for an account");
  }
  CO_RETURN_IF_ERROR(CheckAccountName(AccountKind::kUser, user));
  CO_RETURN_IF_ERROR(auth::CheckNewPassword(password, user));
  const SignInThrottle::Attempt attempt{.account = {}, .address = browser.address, .device = {}};
  CO_RETURN_IF_ERROR(throttle_.Begin(attempt));
  AccountRecord administrator{.id = auth::RandomId(),
                              .kind = AccountKind::kUser,
                              .name = std::move(user),
                              .admin = true,
                              .created_at = clock_.Now(),
                              .created_by = "setup",
                              .disabled_at = std::nullopt};
  Actor by = browser.ActorNamed("");
  by.token = "set-up token";
  Status made = co_await Make(std::move(by), std::move(token), administrator, std::move(password),
                              new_namespaces);
  if (made) {
    if (new_namespaces && said_ != nullptr) said_->store(*new_namespaces);
    throttle_.Succeeded(attempt);
    co_return administrator;
  }
  if (made.error().kind != ErrorKind::kUnauthenticated) throttle_.TakeBack(attempt);
  co_return Failure(std::move(made).error());
}

Task<void> FirstRun::Make(Actor by, std::string token, AccountRecord administrator,
                          std::string password, std::optional<Visibility> new_namespaces) {
  const WipeAtEnd wipe(password);
  ASSIGN_OR_CO_RETURN(std::string hash, co_await work_.Hash(std::move(password)));
  const Digest secret = auth::TokenSecret(token);
  Status made = co_await setup_.SetUp(std::move(by), secret, std::move(administrator),
                                      std::move(hash), new_namespaces, clock_.Now());
  if (!made) co_return AsRefusedSetup(std::move(made).error());
  co_return Status();
}

}  // namespace koya::service
