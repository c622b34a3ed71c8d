// Generates the configuration that uses a module or a provider.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "http/url.h"

namespace koya::cli {

// module "vpc" {
//   source  = "registry.example.com/acme/vpc/aws"
//   version = "1.2.0"
// }
// With folders ("modules/dns"): a block for each of the first ten, and the number of the others.
std::string ModuleBlock(std::string_view host, const ModuleAddress& address,
                        std::string_view version, const std::vector<std::string>& folders = {});

// Explains why clients would reject `host` in a module's source, and what to do; "" if they accept
// it.
std::string HostWarning(std::string_view host);

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
