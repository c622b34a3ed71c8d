// Creates the first administrator of a registry for the holder of the set-up token, which the
// server creates while there is no administrator. No password exists until the administrator
// chooses one.
// Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/task.h"
#include "domain/access.h"

namespace koya {
class AccountCatalog;
struct AccountRecord;
struct Actor;
class Clock;
class SetupCatalog;
struct SetupChoices;
}  // namespace koya

namespace koya::service {

struct Browser;
class PasswordWork;
class SignInThrottle;

// Fails: kInvalid: not a name for the registry, as the setting web.name takes it, or "".
Status CheckSiteName(std::string_view name);

class FirstRun {
 public:
  static constexpr std::chrono::hours kLife{1};

  // All arguments must outlive this. `said`: the visibility of new namespaces, as DefaultVisibility
  // has it; null: settings decide it. `on_named` is called when SiteName() changed.
  FirstRun(SetupCatalog& setup, AccountCatalog& accounts, PasswordWork& work,
           SignInThrottle& throttle, const Clock& clock, std::atomic<Visibility>* said = nullptr,
           std::function<void()> on_named = nullptr)
      : setup_(setup),
        accounts_(accounts),
        work_(work),
        throttle_(throttle),
        clock_(clock),
        said_(said),
        on_named_(std::move(on_named)) {}

  // Creates a token, "koya_…", that replaces any before; nullopt: there is an administrator
  // already. Only one server of those that share a catalog calls this: the one that has the lease
  // "setup".
  Task<std::optional<std::string>> MakeToken();
  // Returns whether there is an administrator: then there is nothing to set up.
  Task<bool> IsDone();
  // Creates the administrator and consumes the token. Fails: kUnauthenticated: a wrong or expired
  // token; kThrottled, by the browser's address; kInvalid: name or password; kConflict: there is an
  // administrator already, or the name is taken; kUnavailable.
  Task<AccountRecord> SetUp(Browser browser, std::string token, std::string user,
                            std::string password, SetupChoices choices);
  // True if the choice for new namespaces has an effect.
  bool AsksVisibility() const { return said_ != nullptr; }
  // Applies the stored choices, made here or on another server. Fails: as the catalog.
  Task<void> LearnChoices();
  // The name that the first administrator gave the registry; "": none.
  std::string SiteName() const;

 private:
  // Fails: as SetUp.
  Task<void> Make(Actor by, std::string token, AccountRecord administrator, std::string password,
                  SetupChoices choices);
  void Apply(const SetupChoices& choices);

  SetupCatalog& setup_;
  AccountCatalog& accounts_;
  PasswordWork& work_;
  SignInThrottle& throttle_;
  const Clock& clock_;
  std::atomic<Visibility>* const said_;
  const std::function<void()> on_named_;
  mutable std::mutex mutex_;
  std::string site_name_;  // guarded by mutex_
};

}  // namespace koya::service
