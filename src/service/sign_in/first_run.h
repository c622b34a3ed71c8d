// Creates the first administrator of a registry for the holder of the set-up token, which the
// server creates while there is no administrator. No password exists until the administrator
// chooses one.
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

  // All arguments must outlive this. `said`: the visibility of new namespaces, as DefaultVisibility
  // has it; null: settings decide it.
  FirstRun(SetupCatalog& setup, AccountCatalog& accounts, PasswordWork& work,
           SignInThrottle& throttle, const Clock& clock, std::atomic<Visibility>* said = nullptr)
      : setup_(setup),
        accounts_(accounts),
        work_(work),
        throttle_(throttle),
        clock_(clock),
        said_(said) {}

  // Creates a token, "koya_…", that replaces any before; nullopt: there is an administrator
  // already. Only one server of those that share a catalog calls this: the one that has the lease
  // "setup".
  Task<std::optional<std::string>> MakeToken();
  // Returns whether there is an administrator: then there is nothing to set up.
  Task<bool> IsDone();
  // Creates the administrator and consumes the token. Fails: kUnauthenticated: a wrong or expired
  // token; kThrottled, by the browser's address; kInvalid: name or password; kConflict: there is an
  // administrator already, or the name is taken; kUnavailable. `new_namespaces`: who may read them;
  // nullopt: not chosen. Settings take precedence over it.
  Task<AccountRecord> SetUp(Browser browser, std::string token, std::string user,
                            std::string password, std::optional<Visibility> new_namespaces);
  // True if the choice for new namespaces has an effect.
  bool AsksVisibility() const { return said_ != nullptr; }
  // Applies the stored choice for new namespaces, made here or on another server. Fails: as the
  // catalog.
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
