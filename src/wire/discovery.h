// What a server says of itself: the remote service discovery document, /.well-known/terraform.json,
// and the programs that it hands out, /-/cli/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// A service id and its base URL. Koya announces root-relative URLs with a trailing slash, the only
// form that every client and tool accepts.
struct Service {
  std::string id;
  std::string url;
  friend bool operator==(const Service&, const Service&) = default;
};

// `login`: the result of EncodeLoginService(); "": no login is offered.
std::string EncodeDiscovery(const std::vector<Service>& services, std::string_view login = {});

// The services whose value is a string; others (login.v1 is an object, see wire/sign_in.h) are
// skipped. Fails: kInvalid when `body` is not a JSON object.
Result<std::vector<Service>> DecodeDiscovery(std::string_view body);

// An archive of koya that a server hands out.
struct ClientProgram {
  std::string os;
  std::string arch;  // "amd64", as in platforms of providers
  std::string url;
  std::string sha256;      // of the archive, in hex digits
  std::uint64_t size = 0;  // bytes
};
struct ClientPrograms {
  std::string version;                   // of the server, and of its programs
  std::vector<ClientProgram> platforms;  // none: the server does not run from a release
};

}  // namespace koya::wire
