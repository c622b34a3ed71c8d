// One API call: the exchange, the caller, and the use cases that a handler may call.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "api/common/services.h"
#include "auth/principal.h"
#include "base/task.h"
#include "domain/visibility.h"
#include "http/server/router.h"
#include "service/common/reading.h"

namespace koya {
class ModuleAddress;
class ProviderAddress;
class Version;
}  // namespace koya

namespace koya::api {

// The names of path parameters in route patterns.
inline constexpr std::array<std::string_view, 15> kPathNames{
    "arch", "file",      "hostname", "id",   "key_id", "kind", "language", "member",
    "name", "namespace", "os",       "path", "system", "type", "version"};

// One of kPathNames: another name does not compile.
class PathName {
 public:
  consteval PathName(const char* text) : text_(text) {
    if (std::ranges::find(kPathNames, text_) == kPathNames.end()) throw "no route has such a name";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// The position of `name` among the {names} of a pattern. REQUIRES: the pattern has it.
std::size_t PositionOf(std::string_view pattern, PathName name);

struct Call {
  http::Exchange& exchange;
  Services& services;
  auth::Principal principal;  // anonymous, or the caller that presented a token
  std::string_view pattern;   // the route's
  // Visibility of the requested thing. A response that is not public must not be cached for other
  // callers.
  Visibility visibility = Visibility::kPublic;
  // The share of readers' memory and threads that this call takes.
  service::Reading reading = BeginReading();

  const http::Request& request() const { return exchange.request; }
  // The part of the path that stands for {name} in the pattern. REQUIRES: the pattern has it.
  std::string_view path(PathName name) const;
  // The namespaces whose entries the caller may see in a listing.
  ReadableNamespaces Readable() const;
  // The module address in {namespace}, {name} and {system}. Fails: kNotFound: on reading, an
  // address that cannot exist does not exist.
  Result<ModuleAddress> ModuleFromPath() const;
  // The provider address in {namespace} and {type}. Fails: likewise.
  Result<ProviderAddress> ProviderFromPath() const;
  // {version}, parsed leniently. Fails: kNotFound.
  Result<Version> VersionFromPath() const;
  // A new reading for the client that sent the request.
  service::Reading BeginReading() const;
};

}  // namespace koya::api
