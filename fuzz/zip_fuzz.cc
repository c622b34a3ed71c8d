// Zip archives of modules, as they are.
#include <cstdint>
#include <string_view>

#include "module_invariants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view archive(reinterpret_cast<const char*>(data), size);
  koya::fuzz::CheckModule(archive);
  koya::fuzz::CheckForeignModule(archive, size % 2 == 0 ? "" : "*");
  return 0;
}
