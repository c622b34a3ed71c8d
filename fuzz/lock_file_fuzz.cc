// Dependency lock files: an accepted one names each provider once, in full.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "hcl/lock_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto locked = koya::hcl::ParseLockFile(text);
  if (!locked) {
    if (locked.error().message.empty()) std::abort();
    return 0;
  }
  std::set<std::string> seen;
  for (const auto& provider : *locked) {
    if (!seen.insert(provider.source.ToString()).second) std::abort();
    if (!koya::Version::Parse(provider.version.ToString())) std::abort();
    for (const std::string& hash : provider.hashes) {
      if (hash.find(':') == std::string::npos) std::abort();
    }
  }
  return 0;
}
