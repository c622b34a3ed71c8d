// Generates the configuration that uses a module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/module_address.h"

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

}  // namespace koya::cli
