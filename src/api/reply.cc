#include "api/reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "http/server/engine_error.h"
#include "wire/error_document.h"

namespace koya::api {

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

http::Response ErrorReply(const Error& error) {
  http::Response reply = JsonReply(StatusFor(error.kind), wire::EncodeError(error.message));
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
  return http::Response::Json(error.status, wire::EncodeError(error.message));
}

}  // namespace koya::api
