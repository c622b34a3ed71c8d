// What a failure of libcurl means, in words of ours where they help more. Included by the client's
// own files only.
#pragma once

#include <curl/curl.h>

#include <string_view>

#include "http/client/client.h"
#include "http/url.h"

namespace koya::http {

// The detail of every failure of TLS begins so.
inline constexpr std::string_view kTlsDetail = "tls: ";

// `words` are libcurl's own.
Error Describe(CURLcode code, std::string_view words, const Url& url, const ClientOptions& options);

}  // namespace koya::http
