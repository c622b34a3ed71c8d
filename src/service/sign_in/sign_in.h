// Signing in with a password that is kept here, and setting one.
//
// Whether there is such a user shows in nothing: neither in words nor in time (auth/password.h).
// Attempts are throttled per account and per address (throttle.h); a browser that somebody has
// signed in with before carries a mark, by which it is not held up by the failures of others: who
// guesses at an account does not lock its owner out.
// Hashing runs on threads of its own (password_work.h).
// Threads: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/device_mark.h"
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
  // Everything given must outlive this. `device_secret` and `previous_secret`: server.secret and
  // server.secret_previous ("": there is none), of which keys are made.
  SignIn(PasswordCatalog& catalog, Sessions& sessions, PasswordWork& work, SignInThrottle& throttle,
         const Clock& clock, std::string_view device_secret, std::string_view previous_secret = "")
      : catalog_(catalog),
        sessions_(sessions),
        work_(work),
        throttle_(throttle),
        clock_(clock),
        marks_(device_secret, previous_secret) {}

  // The session has a new mark for the browser (auth/device_mark.h). A password whose hash is of
  // another cost than today's is hashed anew. Fails: kUnauthenticated, always in the same words;
  // kThrottled (retry_after); kUnavailable; kConflict: the password was right, and was changed at
  // that moment.
  Task<StartedSession> WithPassword(Browser browser, std::string user, std::string password);
  // The mark for a browser with which `user` has signed in otherwise, as with a provider: it is not
  // held up by others' failures when they use their password.
  std::string DeviceMarkFor(std::string_view user) const;

  // Sets the password of a user, for administrators; nullopt: there is none from now on. Ends
  // their sessions. Fails: kForbidden, kNotFound, kInvalid (no user's name;
  // auth::CheckNewPassword), kUnavailable.
  Task<void> SetPassword(auth::Principal by, std::string user, std::optional<std::string> password);
  // The same for oneself: whoever asks must know the old one; the session with which they ask goes
  // on. Fails: kUnauthenticated (it is not that), kThrottled, kInvalid, kUnavailable; kForbidden:
  // `by` is no user.
  Task<void> ChangePassword(auth::Principal by, Browser browser, std::string old_password,
                            std::string new_password);

 private:
  SignInThrottle::Attempt AttemptOf(const Browser& browser, std::string user) const;
  // The user whose password that is; the attempt is counted. Fails: as WithPassword.
  Task<PasswordRecord> Judge(SignInThrottle::Attempt attempt, std::string password);
  // The same, uncounted.
  Task<PasswordRecord> Verify(std::string user, std::string password);
  // Whether what was judged is still so. Fails: kConflict.
  Task<void> CheckUnchanged(PasswordRecord judged);

  PasswordCatalog& catalog_;
  Sessions& sessions_;
  PasswordWork& work_;
  SignInThrottle& throttle_;
  const Clock& clock_;
  const auth::DeviceMarks marks_;
};

}  // namespace koya::service
