// Chooses the proxy of the environment for a request, as libcurl and Go's clients do.
#pragma once

#include <functional>
#include <string>

#include "http/url.h"

namespace koya::http {

// As getenv: null when the variable is not set.
using EnvironmentVariable = std::function<const char*(const char* name)>;

// The proxy for `url`, or "" for a direct connection. https_proxy or HTTPS_PROXY for https; only
// http_proxy in lower case for http (HTTP_PROXY may come from a request's field, where programs run
// as CGI); else all_proxy or ALL_PROXY. no_proxy or NO_PROXY lists hosts that are reached directly:
// "*", names with all names below them, addresses and ranges of them. Loopback always is. Pure
// except for `variable`.
std::string ProxyFor(const Url& url, const EnvironmentVariable& variable);

}  // namespace koya::http
