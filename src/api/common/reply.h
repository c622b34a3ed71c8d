// Errors and plain JSON as HTTP responses. The only place that maps an ErrorKind to a status, and
// an error to a document.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "http/server/message.h"

namespace koya::http {
struct EngineError;
}

namespace koya::api {

unsigned StatusFor(ErrorKind kind);

// {"errors":[message],"code":…,"status":…} with the kind's status; the detail goes to the log.
http::Response ErrorReply(const Error& error);
// The same, for several errors at once.
http::Response ErrorsReply(ErrorKind kind, std::span<const std::string> sentences);

http::Response JsonReply(unsigned status, std::string body);

// The engine's own errors, in the same form. An http::ErrorAnswer.
http::Response EngineErrorReply(const http::EngineError& error);

}  // namespace koya::api
