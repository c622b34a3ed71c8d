// The first administrator of a registry: made by whoever holds the set-up token, which the server
// makes when there is nobody who may do everything. No password exists before somebody chose it.
// Threads: any.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/task.h"

namespace koya {
class AccountCatalog;
struct AccountRecord;
struct Actor;
class Clock;
class SetupCatalog;
}  // namespace koya

namespace koya::service {

struct Browser;
class PasswordWork;
class SignInThrottle;

class FirstRun {
 public:
  static constexpr std::chrono::hours kLife{1};

  // Everything given must outlive this.
  FirstRun(SetupCatalog& setup, AccountCatalog& accounts, PasswordWork& work,
           SignInThrottle& throttle, const Clock& clock)
      : setup_(setup), accounts_(accounts), work_(work), throttle_(throttle), clock_(clock) {}

  // A new token, "koya_…", in place of any before; nullopt: somebody may do everything already.
  // One server of those that share a catalog calls this: the one that has the lease "setup".
  Task<std::optional<std::string>> MakeToken();
  // Whether somebody may do everything: then there is nothing to set up.
  Task<bool> IsDone();
  // Makes the administrator; the token is gone then. Fails: kUnauthenticated: not the token, or it
  // has expired; kThrottled, by the browser's address; kInvalid: name or password; kConflict: there
  // is somebody who may do everything already, or the name is taken; kUnavailable.
  Task<AccountRecord> SetUp(Browser browser, std::string token, std::string user,
                            std::string password);

 private:
  // Fails: as SetUp.
  Task<void> Make(Actor by, std::string token, AccountRecord administrator, std::string password);

  SetupCatalog& setup_;
  AccountCatalog& accounts_;
  PasswordWork& work_;
  SignInThrottle& throttle_;
  const Clock& clock_;
};

}  // namespace koya::service
