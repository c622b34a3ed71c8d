// Documents that are rendered once and sent many times, and the locations of files in them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "auth/principal.h"
#include "base/clock.h"
#include "base/task.h"
#include "http/server/message.h"

namespace koya::http {
struct Exchange;
}

namespace koya::api {

struct Call;
struct Services;

// Locations of files on this server, as documents contain them: plain for public files, so that
// caches on the way can store the files; signed for the caller for all others.
class Links {
 public:
  // Plain locations.
  Links() = default;
  // Locations signed for the principal of `call`, as far as the visibility of the requested thing
  // needs it. The call must outlive them.
  static Links For(const Call& call);

  // `url`: an absolute URL of this server, which may have a query.
  std::string operator()(std::string url) const;

 private:
  const Services* services_ = nullptr;  // null: plain
  auth::CapabilityBearer bearer_;
  UnixSeconds expires_ = 0;
};

// A document before it is encoded. All its data has been read; `encode` only computes.
struct Rendering {
  std::function<std::string(const Links&)> encode;
  http::DocumentOptions options;
  std::string location{};  // of a file on this server, sent in X-Terraform-Get
  std::string topic;       // a change of it makes the document stale
  std::size_t weight = 1;  // how many records it shows: heavy ones are encoded on a worker
  bool claimed = false;    // memory for encoding was claimed together with that for the data
  bool stale = false;      // upstream failed: reading again would wait again
};

// Renders the document that `prepare` reads, and caches it for this request's path and `variant`.
// Failures are not cached. Only for routes whose `ready` has looked in the cache: this does not
// look again.
using Preparation = Task<Rendering> (*)(Call&);
Task<http::Response> CachedDocument(Call& call, std::string_view variant, Preparation prepare);
// The same for a document with locations of files on this server. If it is not public, every reader
// gets their own document: its data is cached, and the locations are signed for each request.
Task<http::Response> CachedLinks(Call& call, std::string_view variant, Preparation prepare);

// The cached document for this request's path and `variant`.
std::optional<http::Response> KeptDocument(const http::Exchange& exchange, Services& services,
                                           std::string_view variant);
// For routes whose document has one variant.
std::optional<http::Response> KeptDocument(const http::Exchange& exchange, Services& services);

}  // namespace koya::api
