#include "domain/namespace_record.h"

#include <algorithm>

#include "base/text.h"
#include "domain/provider_address.h"

namespace koya {

std::string NamespaceKey(std::string_view ns) {
  bool ascii = std::ranges::all_of(ns, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return AsciiLower(ns);  // which is all that normalising does to it
  Result<std::string> key = NormalizeProviderNamespace(ns);
  return key ? *std::move(key) : AsciiLower(ns);
}

}  // namespace koya
