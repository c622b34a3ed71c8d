#include "cli/text/module_block.h"

#include <fmt/format.h>

namespace koya::cli {

std::string ModuleBlock(std::string_view host, const ModuleAddress& address,
                        std::string_view version) {
  // A label must not begin with a digit, though a module's name may.
  bool digit = address.name().front() >= '0' && address.name().front() <= '9';
  return fmt::format("module \"{}{}\" {{\n  source  = \"{}/{}\"\n  version = \"{}\"\n}}",
                     digit ? "_" : "", address.name(), host, address.ToString(), version);
}

std::string HostWarning(std::string_view host) {
  if (host.find('.') != host.npos) return {};
  return fmt::format(
      "koya: clients refuse the module host \"{}\", because it has no dot: use an "
      "address such as 127.0.0.1, or a full name",
      host);
}

}  // namespace koya::cli
