// The remote service discovery document, /.well-known/terraform.json.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

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

}  // namespace koya::wire
