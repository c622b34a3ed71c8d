// Tar archives of modules. The first byte chooses: the rest is a .tar.gz, or a tar that is put
// into an uncompressed gzip, so that mutations reach the tar reader.
#include <cstdint>
#include <string>
#include <string_view>

#include "module_invariants.h"
#include "stored_gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string archive = data[0] % 2 == 0
                                  ? std::string(body)
                                  : koya::fuzz::GzipStored(koya::fuzz::WithTarChecksums(body));
  koya::fuzz::CheckModule(archive);
  koya::fuzz::CheckForeignModule(archive, data[0] % 4 < 2 ? "" : "*");
  return 0;
}
