// The one error value of the code base.
//
// An Error says what a caller can do about a failure (its kind), what to tell the user (message:
// what was wrong, where, what to do) and what belongs in the log only (detail). Values are regular
// and thread-compatible. Kinds are not HTTP statuses: api/ maps them in one switch.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace koya {

enum class ErrorKind {
  kInvalid,          // the request itself is malformed: an address, a version, a setting
  kRefused,          // well-formed, but its content may not be taken: a bad archive
  kUnauthenticated,  // no usable credential; logging in would help
  kForbidden,        // a valid credential without the needed scope
  kTokenUsed,        // a credential that is good once was used: another one would do
  kNotFound,         // does not exist, or the caller may not know that it does
  kGone,             // was here and was taken back: the message says when, why and what to use
  kConflict,         // contradicts what is stored: a version never changes
  kTooLarge,         // over a stated limit
  kThrottled,        // too often: once retry_after is over, it may be tried again
  kTimeout,          // the peer was too slow
  kStorageFull,      // the disk or quota is full; nothing was stored
  kUnavailable,      // a dependency is down or busy; trying again may help
  kBadUpstream,      // another registry answered what cannot be used, or refused us
  kUpstreamTimeout,  // another registry was too slow
  kCorrupt,          // stored bytes are not what they should be
  kInternal,         // a bug, or something nobody can act on
};

// The name of a bound on what comes from outside: a setting ("limits.archive_ratio"), or, for one
// that nobody can set, "fixed." and a name. A literal, so that their number is the program's own.
// docs/limits.md lists them all.
class LimitName {
 public:
  constexpr LimitName() = default;  // none
  consteval LimitName(const char* literal) : text_(literal) {}
  constexpr std::string_view text() const { return text_; }
  constexpr bool empty() const { return text_.empty(); }
  friend bool operator==(const LimitName&, const LimitName&) = default;

 private:
  std::string_view text_;
};

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;  // shown to the user
  std::string detail;   // for the log only: may name paths and peers, never secrets
  // For kUnavailable and kThrottled: seconds until trying again makes sense; 0: unknown.
  unsigned retry_after = 0;
  LimitName limit{};  // the bound that was reached, if one was; where it is handled, it counts
  // Of a failure that a server answered with: the answer's HTTP status. 0: no server answered.
  unsigned status = 0;

  // Returns this error with `context` put before its detail: "open blob: …".
  Error During(std::string_view context) && {
    detail = detail.empty() ? std::string(context) : std::string(context) + ": " + detail;
    return std::move(*this);
  }

  friend bool operator==(const Error&, const Error&) = default;
};

using Failure = std::unexpected<Error>;

inline Failure Fail(ErrorKind kind, std::string message, std::string detail = {}) {
  return Failure(Error{kind, std::move(message), std::move(detail)});
}

// The failure of whatever reached a bound. The message says how far one may go.
inline Failure FailLimit(ErrorKind kind, LimitName limit, std::string message,
                         std::string detail = {}) {
  return Failure(Error{kind, std::move(message), std::move(detail), 0, limit, 0});
}

// The kind's stable name, for logs and error documents: "not_found".
std::string_view ErrorKindName(ErrorKind kind);
std::optional<ErrorKind> ParseErrorKind(std::string_view name);

// Turns an errno of operation `what` into an Error: ENOSPC and EDQUOT are kStorageFull, EMFILE and
// ENFILE kUnavailable with the limit's name, the rest kInternal. The path stays in the detail.
Error ErrnoError(std::string_view what, int error_number);

}  // namespace koya
