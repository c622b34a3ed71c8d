#include "base/result.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace koya {

std::string_view ErrorKindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalid:
      return "invalid";
    case ErrorKind::kRefused:
      return "refused";
    case ErrorKind::kUnauthenticated:
      return "unauthenticated";
    case ErrorKind::kForbidden:
      return "forbidden";
    case ErrorKind::kTokenUsed:
      return "token_used";
    case ErrorKind::kNotFound:
      return "not_found";
    case ErrorKind::kGone:
      return "gone";
    case ErrorKind::kConflict:
      return "conflict";
    case ErrorKind::kTooLarge:
      return "too_large";
    case ErrorKind::kThrottled:
      return "throttled";
    case ErrorKind::kTimeout:
      return "timeout";
    case ErrorKind::kStorageFull:
      return "storage_full";
    case ErrorKind::kUnavailable:
      return "unavailable";
    case ErrorKind::kBadUpstream:
      return "bad_upstream";
    case ErrorKind::kUpstreamTimeout:
      return "upstream_timeout";
    case ErrorKind::kCorrupt:
      return "corrupt";
    case ErrorKind::kInternal:
      return "internal";
  }
  return "internal";
}

std::optional<ErrorKind> ParseErrorKind(std::string_view name) {
  // kInternal is the last one.
  for (int each = 0; each <= static_cast<int>(ErrorKind::kInternal); ++each) {
    const auto kind = static_cast<ErrorKind>(each);
    if (ErrorKindName(kind) == name) return kind;
  }
  return std::nullopt;
}

Error ErrnoError(std::string_view what, int error_number) {
  std::string detail = fmt::format("{}: {}", what, std::generic_category().message(error_number));
  if (error_number == ENOSPC || error_number == EDQUOT) {
    return {ErrorKind::kStorageFull,
            "the server's disk is full: nothing was stored; free space there, then try again",
            std::move(detail)};
  }
  if (error_number == EMFILE || error_number == ENFILE) {
    return {ErrorKind::kUnavailable,
            "the server has too many files and connections open: try again later; its operator "
            "can give it more descriptors (LimitNOFILE, ulimit -n)",
            std::move(detail),
            2,
            "fixed.file_descriptors",
            0};
  }
  return {ErrorKind::kInternal, "the server could not use its storage; see its log",
          std::move(detail)};
}

}  // namespace koya
