// The lines of configuration that use a module.
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
// With folders ("modules/dns") a block for each of the first ten of them, and how many there are
// more.
std::string ModuleBlock(std::string_view host, const ModuleAddress& address,
                        std::string_view version, const std::vector<std::string>& folders = {});

// Why clients would not take `host` in a module's source, and what to do; "" when they would.
std::string HostWarning(std::string_view host);

}  // namespace koya::cli
