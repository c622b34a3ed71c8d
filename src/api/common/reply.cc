#include "api/common/reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "base/result.h"
#include "http/server/message.h"
#include "web/site/manual.h"
#include "wire/error_document.h"

namespace koya::api {
namespace {

// What the engine refuses before a handler sees it, by the engine's own status.
ErrorKind KindOf(unsigned status) {
  switch (status) {
    case 408:
      return ErrorKind::kTimeout;
    case 413:
    case 414:
    case 431:
      return ErrorKind::kTooLarge;
    case 429:
      return ErrorKind::kThrottled;
    case 503:
      return ErrorKind::kUnavailable;
    default:
      return status < 500 || status == 501 || status == 505 ? ErrorKind::kInvalid
                                                            : ErrorKind::kInternal;
  }
}

}  // namespace

unsigned StatusFor(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalid:
      return 400;
    case ErrorKind::kRefused:
      return 422;
    case ErrorKind::kUnauthenticated:
      return 401;
    case ErrorKind::kForbidden:
    case ErrorKind::kTokenUsed:
      return 403;
    case ErrorKind::kNotFound:
      return 404;
    case ErrorKind::kGone:
      return 410;
    case ErrorKind::kConflict:
      return 409;
    case ErrorKind::kTooLarge:
      return 413;
    case ErrorKind::kThrottled:
      return 429;
    case ErrorKind::kTimeout:
      return 408;
    case ErrorKind::kStorageFull:
      return 507;
    case ErrorKind::kUnavailable:
      return 503;
    case ErrorKind::kBadUpstream:
      return 502;
    case ErrorKind::kUpstreamTimeout:
      return 504;
    case ErrorKind::kCorrupt:
    case ErrorKind::kInternal:
      return 500;
  }
  return 500;
}

http::Response ErrorsReply(ErrorKind kind, std::span<const std::string> sentences) {
  const unsigned status = StatusFor(kind);
  return JsonReply(status, wire::EncodeErrors(sentences, kind, status));
}

http::Response ErrorReply(const Error& error) {
  http::Response reply = ErrorsReply(error.kind, std::span(&error.message, 1));
  if (error.kind == ErrorKind::kUnauthenticated) {
    reply.fields.emplace_back("WWW-Authenticate", "Bearer realm=\"koya\"");
  }
  if (error.kind == ErrorKind::kUnavailable || error.kind == ErrorKind::kThrottled) {
    unsigned seconds = std::max(error.retry_after, 1U);
    reply.fields.emplace_back("Retry-After", std::to_string(seconds));
  }
  reply.limit = error.limit;
  reply.log_detail = error.detail.empty()
                         ? fmt::format("{}: {}", ErrorKindName(error.kind), error.message)
                         : fmt::format("{}: {}", ErrorKindName(error.kind), error.detail);
  return reply;
}

http::Response JsonReply(unsigned status, std::string body) {
  http::Response reply = http::Response::Json(status, std::move(body));
  reply.fields.emplace_back("Cache-Control", "no-store");
  return reply;
}

http::Response EngineErrorReply(const http::EngineError& error) {
  const std::string message(error.message);
  return http::Response::Json(
      error.status, wire::EncodeErrors(std::span(&message, 1), KindOf(error.status), error.status));
}

std::string ServerTimingText(std::string_view part, std::chrono::nanoseconds took) {
  return fmt::format("{};dur={:.1f}", part,
                     std::chrono::duration<double, std::milli>(took).count());
}

const std::vector<ErrorCode>& ErrorCodes() {
  static const std::vector<ErrorCode> kCodes = [] {
    std::vector<ErrorCode> codes;
    const web::ManualText* texts = web::FindManualText("errors");
    // kInternal is the last one.
    for (int each = 0; each <= static_cast<int>(ErrorKind::kInternal); ++each) {
      const auto kind = static_cast<ErrorKind>(each);
      const std::string_view name = ErrorKindName(kind);
      codes.push_back({.name = name,
                       .status = StatusFor(kind),
                       .text = web::ManualSection(*texts, name).value_or("")});
    }
    return codes;
  }();
  return kCodes;
}

const ErrorCode* FindErrorCode(std::string_view name) {
  const std::vector<ErrorCode>& codes = ErrorCodes();
  const auto found = std::ranges::find(codes, name, &ErrorCode::name);
  return found == codes.end() ? nullptr : &*found;
}

}  // namespace koya::api
