// One API call: the exchange, who is calling, and the use cases a handler may ask.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "api/services.h"
#include "auth/principal.h"
#include "base/task.h"
#include "domain/visibility.h"
#include "http/server/router.h"
#include "service/reading.h"

namespace koya {
class ModuleAddress;
class ProviderAddress;
class Version;
}  // namespace koya

namespace koya::api {

// What the patterns of routes call the parts of a path.
inline constexpr std::array<std::string_view, 15> kPathNames{
    "arch", "file",      "hostname", "id",   "key_id", "kind", "language", "member",
    "name", "namespace", "os",       "path", "system", "type", "version"};

// One of them: another does not compile.
class PathName {
 public:
  consteval PathName(const char* text) : text_(text) {
    if (std::ranges::find(kPathNames, text_) == kPathNames.end()) throw "no route has such a name";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// Which of a pattern's {names} this is. REQUIRES: it has it.
std::size_t PositionOf(std::string_view pattern, PathName name);

struct Call {
  http::Exchange& exchange;
  Services& services;
  auth::Principal principal;  // a stranger, or whoever presented a token
  std::string_view pattern;   // the route's
  // Of what is asked for. What is not public is not to be kept for others.
  Visibility visibility = Visibility::kPublic;
  // What it takes of what readers share.
  service::Reading reading = BeginReading();

  const http::Request& request() const { return exchange.request; }
  // The part of the path that stands where the pattern has {name}. REQUIRES: it has.
  std::string_view path(PathName name) const;
  // What of a listing the caller may know of.
  ReadableNamespaces Readable() const;
  // The address that {namespace}, {name} and {system} are. Fails: kNotFound: on reading, an address
  // that cannot exist does not exist.
  Result<ModuleAddress> ModuleFromPath() const;
  // The same of a provider: {namespace} and {type}.
  Result<ProviderAddress> ProviderFromPath() const;
  // {version}, read leniently. Fails: kNotFound.
  Result<Version> VersionFromPath() const;
  // For the client that sent the request.
  service::Reading BeginReading() const;
};

}  // namespace koya::api
