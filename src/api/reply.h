// Errors and plain JSON as HTTP answers. The one place where an ErrorKind becomes a status, and an
// error a document.
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
// The same, of all that is wrong at once.
http::Response ErrorsReply(ErrorKind kind, std::span<const std::string> sentences);

http::Response JsonReply(unsigned status, std::string body);

// The engine's own errors, in the same form. An http::ErrorAnswer.
http::Response EngineErrorReply(const http::EngineError& error);

}  // namespace koya::api
