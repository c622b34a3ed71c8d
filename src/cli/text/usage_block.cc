#include "cli/text/usage_block.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace koya::cli {
namespace {

std::string Block(std::string_view name, std::string_view source, std::string_view version) {
  // A label must not begin with a digit, though a module's name may.
  const bool digit = !name.empty() && name.front() >= '0' && name.front() <= '9';
  return fmt::format("module \"{}{}\" {{\n  source  = \"{}\"\n  version = \"{}\"\n}}",
                     digit ? "_" : "", name, source, version);
}

}  // namespace

std::string ModuleBlock(std::string_view host, const ModuleAddress& address,
                        std::string_view version, const std::vector<std::string>& folders) {
  constexpr std::size_t kMostBlocks = 10;
  const std::string source = fmt::format("{}/{}", host, address.ToString());
  if (folders.empty()) return Block(address.name(), source, version);
  std::string text;
  for (std::size_t i = 0; i < std::min(folders.size(), kMostBlocks); ++i) {
    const std::string folder = Printable(folders[i], 400);
    text += (i == 0 ? "" : "\n\n") +
            Block(folder.substr(folder.rfind('/') + 1), source + "//" + folder, version);
  }
  if (folders.size() <= kMostBlocks) return text;
  return fmt::format("{}\n\n# and {} more submodules", text, folders.size() - kMostBlocks);
}

std::string HostWarning(std::string_view host) {
  if (host.find('.') != host.npos) return {};
  return fmt::format(
      "koya: clients reject the module host \"{}\", because it has no dot: use an address such as "
      "127.0.0.1, or a full name",
      host);
}

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
