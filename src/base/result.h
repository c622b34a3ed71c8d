// Result<T>: a value or an Error, which is the only error type of the code base, and the macros
// that propagate errors. The compiler rejects a call whose Status is ignored; clang-tidy rejects
// one whose Result is.
//
//   ASSIGN_OR_RETURN(Version version, Version::Parse(text));        // in a function
//   ASSIGN_OR_CO_RETURN(Blob blob, co_await blobs.Open(digest));    // in a coroutine
//   RETURN_IF_ERROR(Check(x));   CO_RETURN_IF_ERROR(co_await Store(x));
//
// An Error says what a caller can do about a failure (its kind), the text for the user (message:
// the fault, its place, the remedy) and facts for the log only (detail). Values are regular and
// thread-compatible. Kinds are not HTTP statuses: api/ maps them in one switch.
#pragma once

#include <fmt/core.h>

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace koya {

enum class ErrorKind {
  kInvalid,          // the request itself is malformed: an address, a version, a setting
  kRefused,          // well-formed, but its content is not acceptable: a bad archive
  kUnauthenticated,  // no usable credential; logging in would help
  kForbidden,        // a valid credential without the needed scope
  kTokenUsed,        // a single-use credential that was already used: another one would do
  kNotFound,         // does not exist, or the caller may not know that it does
  kGone,             // was here and was withdrawn: the message says when, why and its replacement
  kConflict,         // contradicts stored data: a version never changes
  kTooLarge,         // over a stated limit
  kThrottled,        // rate limited: may be retried after retry_after
  kTimeout,          // the peer was too slow
  kStorageFull,      // the disk or quota is full; nothing was stored
  kUnavailable,      // a dependency is down or busy; a retry may help
  kBadUpstream,      // another registry sent an unusable response, or denied the request
  kUpstreamTimeout,  // another registry was too slow
  kCorrupt,          // stored bytes are not as expected
  kInternal,         // a bug, or a failure without a remedy
};

// The name of a limit on external input: a setting ("limits.archive_ratio"), or, for a limit that
// cannot be set, "fixed." and a name. A literal, so that the set of names is fixed at compile time.
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
  // For kUnavailable and kThrottled: seconds after which a retry makes sense; 0: unknown.
  unsigned retry_after = 0;
  LimitName limit{};  // the limit that was reached, if any; counted where the error is handled
  // The HTTP status, if the failure is a server's response. 0: no server responded.
  unsigned status = 0;

  // Returns this error with `context` prepended to its detail: "open blob: …".
  Error During(std::string_view context) && {
    detail = detail.empty() ? std::string(context) : std::string(context) + ": " + detail;
    return std::move(*this);
  }

  friend bool operator==(const Error&, const Error&) = default;
};

using Failure = std::unexpected<Error>;

[[nodiscard]] inline Failure Fail(ErrorKind kind, std::string message, std::string detail = {}) {
  return Failure(Error{kind, std::move(message), std::move(detail)});
}

// Failures of the usual kinds, with a message: FailNotFound("{} has no version {}", address,
// version).
#define KOYA_FAILURE(Kind)                                                                     \
  template <class... Arguments>                                                                \
  [[nodiscard]] Failure Fail##Kind(fmt::format_string<Arguments...> text,                      \
                                   Arguments&&... arguments) {                                 \
    return Fail(ErrorKind::k##Kind, fmt::format(text, std::forward<Arguments>(arguments)...)); \
  }
KOYA_FAILURE(Invalid)
KOYA_FAILURE(Refused)
KOYA_FAILURE(Unauthenticated)
KOYA_FAILURE(Forbidden)
KOYA_FAILURE(NotFound)
KOYA_FAILURE(Conflict)
KOYA_FAILURE(Unavailable)
KOYA_FAILURE(BadUpstream)
KOYA_FAILURE(Corrupt)
KOYA_FAILURE(Internal)
#undef KOYA_FAILURE

// A failure caused by a limit. The message states the limit.
[[nodiscard]] inline Failure FailLimit(ErrorKind kind, LimitName limit, std::string message,
                                       std::string detail = {}) {
  return Failure(Error{kind, std::move(message), std::move(detail), 0, limit, 0});
}

// The kind's stable name, for logs and error documents: "not_found".
std::string_view ErrorKindName(ErrorKind kind);
std::optional<ErrorKind> ParseErrorKind(std::string_view name);

// Turns an errno of operation `what` into an Error: ENOSPC and EDQUOT are kStorageFull, EMFILE and
// ENFILE kUnavailable with the limit's name, the rest kInternal. The path stays in the detail.
[[nodiscard]] Error ErrnoError(std::string_view what, int error_number);

template <class T>
using Result = std::expected<T, Error>;
using Status [[clang::warn_unused_result]] = Result<void>;

}  // namespace koya

#define KOYA_CONCAT_INNER(a, b) a##b
#define KOYA_CONCAT(a, b) KOYA_CONCAT_INNER(a, b)

#define KOYA_ASSIGN_OR(tmp, decl, expr, ret)             \
  auto tmp = (expr);                                     \
  if (!tmp) ret std::unexpected(std::move(tmp).error()); \
  decl = *std::move(tmp)

#define ASSIGN_OR_RETURN(decl, ...) \
  KOYA_ASSIGN_OR(KOYA_CONCAT(koya_tmp_, __LINE__), decl, (__VA_ARGS__), return)
#define ASSIGN_OR_CO_RETURN(decl, ...) \
  KOYA_ASSIGN_OR(KOYA_CONCAT(koya_tmp_, __LINE__), decl, (__VA_ARGS__), co_return)

#define KOYA_IF_ERROR(tmp, expr, ret) \
  if (auto tmp = (expr); !tmp) ret std::unexpected(std::move(tmp).error())

#define RETURN_IF_ERROR(...) KOYA_IF_ERROR(KOYA_CONCAT(koya_tmp_, __LINE__), (__VA_ARGS__), return)
#define CO_RETURN_IF_ERROR(...) \
  KOYA_IF_ERROR(KOYA_CONCAT(koya_tmp_, __LINE__), (__VA_ARGS__), co_return)
