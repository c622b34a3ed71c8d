// The answers that the engine itself gives, when no handler can: whoever makes the server says what
// they look like.
#pragma once

#include <functional>
#include <string_view>

#include "http/server/message.h"

namespace koya::http {

struct EngineError {
  unsigned status = 500;  // 400, 405, 408, 413, 414, 429, 431, 500, 503, …
  std::string_view message;
  // As far as it could be read. Of a head that is too long: its method, and of its fields Accept
  // and Accept-Language, if they are near enough. Of what is no HTTP: nothing.
  const Request& request;
  std::string_view target;  // as sent; of a head that is too long, its beginning; "": unknown
};

// Renders an answer: its body and the fields that describe that. The engine sets the status, says
// that nobody may keep it, and adds what the status asks for (Allow, Retry-After). Runs on an event
// loop: must be thread-safe, must not wait, and should not throw.
using ErrorAnswer = std::function<Response(const EngineError&)>;

}  // namespace koya::http
