// Describes failures of libcurl, in our own words where they help more. Included by the client's
// own files only.
#pragma once

#include <curl/curl.h>

#include <string_view>

#include "http/client/client.h"
#include "http/url.h"

namespace koya::http {

// Prefix of the detail of every TLS failure.
inline constexpr std::string_view kTlsDetail = "tls: ";

// `words` are libcurl's own.
Error Describe(CURLcode code, std::string_view words, const Url& url, const ClientOptions& options);

}  // namespace koya::http
