// Module addresses: whatever is accepted prints and parses back to itself.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "domain/module_address.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto address = koya::ModuleAddress::Parse(text);
  if (!address) {
    if (address.error().message.empty()) std::abort();  // a refusal without a reason
    return 0;
  }
  if (address->ToString() != text) std::abort();
  const auto again =
      koya::ModuleAddress::FromParts(address->ns(), address->name(), address->system());
  if (!again || *again != *address) std::abort();
  const auto folded = koya::ModuleAddress::Parse(address->Key());
  if (!folded || folded->Key() != address->Key()) std::abort();
  (void)koya::ReservedReason(*address);
  return 0;
}
