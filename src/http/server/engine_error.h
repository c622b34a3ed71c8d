// Responses of the engine itself, for requests that no handler can answer. The creator of the
// server provides their form.
#pragma once

#include <functional>
#include <string_view>

#include "http/server/message.h"

namespace koya::http {

struct EngineError {
  unsigned status = 500;  // 400, 405, 408, 413, 414, 429, 431, 500, 503, …
  std::string_view message;
  // The request, as far as it could be read. For a head that is too long: its method, and of its
  // fields Accept and Accept-Language, if they are near enough. For data that is not HTTP: nothing.
  const Request& request;
  std::string_view target;  // as sent; for a head that is too long, its beginning; "": unknown
};

// Renders a response: its body and the fields that describe the body. The engine sets the status,
// forbids caching, and adds the fields that the status requires (Allow, Retry-After). Runs on an
// event loop: must be thread-safe, must not block, and should not throw.
using ErrorAnswer = std::function<Response(const EngineError&)>;

}  // namespace koya::http
