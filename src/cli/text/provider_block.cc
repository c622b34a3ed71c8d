#include "cli/text/provider_block.h"

#include <fmt/format.h>

#include <algorithm>

namespace koya::cli {

std::string ProviderBlock(std::string_view host, const ProviderAddress& address,
                          std::string_view version) {
  return fmt::format(
      "terraform {{\n  required_providers {{\n    {} = {{\n      source  = \"{}/{}\"\n"
      "      version = \"{}\"\n    }}\n  }}\n}}",
      ProviderLocalName(address.type()), host, address.ToString(), version);
}

std::string ProviderHost(std::string_view source, const http::Url& server) {
  bool full = std::ranges::count(source, '/') == 2 && !source.starts_with('/');
  return full ? std::string(source.substr(0, source.find('/'))) : server.Authority();
}

}  // namespace koya::cli
