#include "service/sign_in/first_run.h"

#include <utility>

#include "auth/password.h"
#include "auth/token.h"
#include "base/secrets.h"
#include "base/text.h"
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

Status CheckSiteName(std::string_view name) {
  constexpr std::size_t kLongest = 200;
  if (name.size() <= kLongest && IsPlainText(name) && name.find_first_of("\n\t") == name.npos)
    return {};
  return FailInvalid("the registry's name must be at most {} bytes of text on one line", kLongest);
}

Task<bool> FirstRun::IsDone() { return accounts_.HasAdministrator(); }

Task<void> FirstRun::LearnChoices() {
  ASSIGN_OR_CO_RETURN(const SetupChoices choices, co_await setup_.FindChoices());
  Apply(choices);
  co_return Status();
}

void FirstRun::Apply(const SetupChoices& choices) {
  if (choices.new_namespaces && said_ != nullptr) said_->store(*choices.new_namespaces);
  {
    std::lock_guard lock(mutex_);
    if (site_name_ == choices.site_name) return;
    site_name_ = choices.site_name;
  }
  if (on_named_) on_named_();
}

std::string FirstRun::SiteName() const {
  std::lock_guard lock(mutex_);
  return site_name_;
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
                                    std::string password, SetupChoices choices) {
  const WipeAtEnd wipe(password);
  ASSIGN_OR_CO_RETURN(bool done, co_await IsDone());
  if (done) {
    co_return FailConflict(
        "this registry already has an administrator: sign in, or ask one for an account");
  }
  CO_RETURN_IF_ERROR(CheckAccountName(AccountKind::kUser, user));
  CO_RETURN_IF_ERROR(auth::CheckNewPassword(password, user));
  CO_RETURN_IF_ERROR(CheckSiteName(choices.site_name));
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
  Status made =
      co_await Make(std::move(by), std::move(token), administrator, std::move(password), choices);
  if (made) {
    Apply(choices);
    throttle_.Succeeded(attempt);
    co_return administrator;
  }
  if (made.error().kind != ErrorKind::kUnauthenticated) throttle_.TakeBack(attempt);
  co_return Failure(std::move(made).error());
}

Task<void> FirstRun::Make(Actor by, std::string token, AccountRecord administrator,
                          std::string password, SetupChoices choices) {
  const WipeAtEnd wipe(password);
  ASSIGN_OR_CO_RETURN(std::string hash, co_await work_.Hash(std::move(password)));
  const Digest secret = auth::TokenSecret(token);
  Status made = co_await setup_.SetUp(std::move(by), secret, std::move(administrator),
                                      std::move(hash), std::move(choices), clock_.Now());
  if (!made) co_return AsRefusedSetup(std::move(made).error());
  co_return Status();
}

}  // namespace koya::service
