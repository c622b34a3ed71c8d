// Errors and plain JSON as HTTP answers. The one place where an ErrorKind becomes a status.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "http/server/message.h"

namespace koya::http {
struct EngineError;
}

namespace koya::api {

unsigned StatusFor(ErrorKind kind);

// {"errors":[message]} with the kind's status; the detail goes to the log.
http::Response ErrorReply(const Error& error);

http::Response JsonReply(unsigned status, std::string body);

// The engine's own errors, in the same form. An http::ErrorAnswer.
http::Response EngineErrorReply(const http::EngineError& error);

}  // namespace koya::api
