#include "domain/namespace_name.h"

#include <algorithm>

#include "domain/module_address.h"
#include "domain/provider_address.h"

namespace koya {

Result<std::string> ParseNamespaceName(std::string_view text) {
  Result<ModuleAddress> module = ModuleAddress::FromParts(text, "any", "any");
  if (module) return module->ns();
  // Whatever ASCII a provider's namespace may have, a module's may: its rule is the one to tell.
  bool ascii =
      std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return std::unexpected(std::move(module).error());
  return NormalizeProviderPart("namespace", text);
}

}  // namespace koya
