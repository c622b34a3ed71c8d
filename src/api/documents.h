// Answers that are rendered once and sent many times.
#pragma once

#include <functional>
#include <string>

#include "api/call.h"

namespace koya::api {

// What a rendering yields: the document, and the topic whose change makes it stale.
struct Rendered {
  std::shared_ptr<const http::Document> document;
  std::string topic;
};

// The document kept for this request's path and `variant`, or else the one that `render` makes,
// which is then kept. Failures are not kept.
using Renderer = Task<Rendered> (*)(Call&);
Task<http::Response> CachedDocument(Call& call, std::string_view variant, Renderer render);

}  // namespace koya::api
