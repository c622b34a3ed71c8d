// The first administrator of a registry: made by whoever holds the set-up token, which the server
// makes when there is nobody who may do everything. No password exists before somebody chose it.
// Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "base/task.h"
#include "domain/visibility.h"

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

  // Everything given must outlive this. `said`: what new namespaces are, as DefaultVisibility has
  // it; null: settings say so.
  FirstRun(SetupCatalog& setup, AccountCatalog& accounts, PasswordWork& work,
           SignInThrottle& throttle, const Clock& clock, std::atomic<Visibility>* said = nullptr)
      : setup_(setup),
        accounts_(accounts),
        work_(work),
        throttle_(throttle),
        clock_(clock),
        said_(said) {}

  // A new token, "koya_…", in place of any before; nullopt: somebody may do everything already.
  // One server of those that share a catalog calls this: the one that has the lease "setup".
  Task<std::optional<std::string>> MakeToken();
  // Whether somebody may do everything: then there is nothing to set up.
  Task<bool> IsDone();
  // Makes the administrator; the token is gone then. Fails: kUnauthenticated: not the token, or it
  // has expired; kThrottled, by the browser's address; kInvalid: name or password; kConflict: there
  // is somebody who may do everything already, or the name is taken; kUnavailable.
  // `new_namespaces`: who may read them; nullopt: nothing is said. Settings come before it.
  Task<AccountRecord> SetUp(Browser browser, std::string token, std::string user,
                            std::string password, std::optional<Visibility> new_namespaces);
  // Whether what is said of new namespaces counts.
  bool AsksVisibility() const { return said_ != nullptr; }
  // Takes up what was said here, or on another server. Fails: as the catalog.
  Task<void> LearnVisibility();

 private:
  // Fails: as SetUp.
  Task<void> Make(Actor by, std::string token, AccountRecord administrator, std::string password,
                  std::optional<Visibility> new_namespaces);

  SetupCatalog& setup_;
  AccountCatalog& accounts_;
  PasswordWork& work_;
  SignInThrottle& throttle_;
  const Clock& clock_;
  std::atomic<Visibility>* const said_;
};

}  // namespace koya::service
