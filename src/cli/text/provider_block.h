// Generates the configuration that uses a provider.
#pragma once

#include <string>
#include <string_view>

#include "domain/provider_address.h"
#include "http/url.h"

namespace koya::cli {

// terraform {
//   required_providers {
//     demo = {
//       source  = "registry.example.com/acme/demo"
//       version = "1.2.0"
//     }
//   }
// }
std::string ProviderBlock(std::string_view host, const ProviderAddress& address,
                          std::string_view version);

// The host in the source address that the server sent ("registry.example.com/acme/demo"), by which
// clients reach it; if it sent none, the host that this command used.
std::string ProviderHost(std::string_view source, const http::Url& server);

}  // namespace koya::cli
