#include "domain/namespace_name.h"

#include <algorithm>

#include "domain/module_address.h"
#include "domain/provider_address.h"

namespace koya {

Result<std::string> ParseNamespaceName(std::string_view text) {
  Result<ModuleAddress> module = ModuleAddress::FromParts(text, "any", "any");
  if (module) return module->ns();
  // A module's namespace allows every ASCII character that a provider's does: report the module's
  // rule.
  bool ascii =
      std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return std::unexpected(std::move(module).error());
  return NormalizeProviderPart("namespace", text);
}

}  // namespace koya
