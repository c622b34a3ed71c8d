// Zip archives of modules, as they are.
#include <cstdint>
#include <string_view>

#include "module_invariants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  koya::fuzz::CheckModule(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
