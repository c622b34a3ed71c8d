// Answers that are rendered once and sent many times.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "http/server/message.h"

namespace koya::http {
struct Exchange;
}

namespace koya::api {

struct Call;
class Links;
struct Services;

// A document that is about to be made. What it needs has been read; `encode` only computes.
struct Rendering {
  std::function<std::string(const Links&)> encode;
  http::DocumentOptions options;
  std::string location{};  // of a file here, told in a field: X-Terraform-Get
  std::string topic;       // whose change makes the document stale
  std::size_t weight = 1;  // how many records it shows: heavy ones are encoded on a worker
  bool claimed = false;    // what it takes was claimed with what it is made of
  bool stale = false;      // upstream was asked in vain: to read again would be to wait again
};

// The document that `prepare` reads for, which is then kept for this request's path and `variant`.
// Failures are not kept. Only for routes whose `ready` has looked for it: nobody looks twice.
using Preparation = Task<Rendering> (*)(Call&);
Task<http::Response> CachedDocument(Call& call, std::string_view variant, Preparation prepare);
// The same of a document that tells locations of files here. Of what is not public, every reader
// gets one of their own: what it is made of is kept, and the signatures are made for each request.
Task<http::Response> CachedLinks(Call& call, std::string_view variant, Preparation prepare);

// The document kept for this request's path and `variant`.
std::optional<http::Response> KeptDocument(const http::Exchange& exchange, Services& services,
                                           std::string_view variant);
// For routes whose document has one variant.
std::optional<http::Response> KeptDocument(const http::Exchange& exchange, Services& services);

}  // namespace koya::api
