// Implements sign-in with a password that is stored here, and setting a password.
//
// No response reveals whether a user exists, neither by its words nor by its time
// (auth/password.h). Attempts are throttled per account and per address (throttle.h); a browser
// that a user has signed in with before carries a mark, which exempts it from waits for others'
// failures: an attacker who guesses at an account does not lock its owner out.
// Hashing runs on threads of its own (password_work.h).
// Threads: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/browser_tokens.h"
#include "base/task.h"
#include "service/sign_in/throttle.h"

namespace koya {
class PasswordCatalog;
struct PasswordRecord;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

struct Browser;
class PasswordWork;
class Sessions;
struct StartedSession;

class SignIn {
 public:
  // All arguments must outlive this. `device_secret` and `previous_secret`: server.secret and
  // server.secret_previous ("": none), from which keys are derived.
  SignIn(PasswordCatalog& catalog, Sessions& sessions, PasswordWork& work, SignInThrottle& throttle,
         const Clock& clock, std::string_view device_secret, std::string_view previous_secret = "")
      : catalog_(catalog),
        sessions_(sessions),
        work_(work),
        throttle_(throttle),
        clock_(clock),
        marks_(device_secret, previous_secret) {}

  // Signs a user in. The session has a new mark for the browser (auth/browser_tokens.h). A password
  // whose hash has another cost than today's is hashed again. Fails: kUnauthenticated, always in
  // the same words; kThrottled (retry_after); kUnavailable; kConflict: the password was right, but
  // was changed at that moment.
  Task<StartedSession> WithPassword(Browser browser, std::string user, std::string password);
  // The mark for a browser with which `user` has signed in by other means, such as a provider:
  // others' failures do not delay it when the user signs in with a password.
  std::string DeviceMarkFor(std::string_view user) const;

  // Sets the password of a user, for administrators; nullopt: the user has none from now on. Ends
  // the user's sessions. Fails: kForbidden, kNotFound, kInvalid (not a user name;
  // auth::CheckNewPassword), kUnavailable.
  Task<void> SetPassword(auth::Principal by, std::string user, std::optional<std::string> password);
  // Changes the caller's own password, which requires the old one; the calling session goes on.
  // Fails: kUnauthenticated (wrong old password), kThrottled, kInvalid, kUnavailable; kForbidden:
  // `by` is no user.
  Task<void> ChangePassword(auth::Principal by, Browser browser, std::string old_password,
                            std::string new_password);

 private:
  SignInThrottle::Attempt AttemptOf(const Browser& browser, std::string user) const;
  // Returns the user with that password; the attempt is counted. Fails: as WithPassword.
  Task<PasswordRecord> CheckPassword(SignInThrottle::Attempt attempt, std::string password);
  // The same, uncounted.
  Task<PasswordRecord> Verify(std::string user, std::string password);
  // Checks that the password has not changed since it was verified. Fails: kConflict.
  Task<void> CheckUnchanged(PasswordRecord judged);

  PasswordCatalog& catalog_;
  Sessions& sessions_;
  PasswordWork& work_;
  SignInThrottle& throttle_;
  const Clock& clock_;
  const auth::DeviceMarks marks_;
};

}  // namespace koya::service
