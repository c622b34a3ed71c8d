// Two readers of one archive: what the product accepts, a second reader that behaves as the
// clients' does (archive/client_agreement_fake.h) must see in the same way; and what the product
// packs itself, clients can read. The first byte chooses the kind: a .tar.gz, a tar that is put
// into an uncompressed gzip with its checksums made right, or a zip.
#include <cstdint>
#include <string>
#include <string_view>

#include "archive/client_agreement_fake.h"
#include "archive/provider_package.h"
#include "module_invariants.h"
#include "stored_gzip.h"

namespace koya::fuzz {
namespace {

void CheckRepack(int descriptor, std::string_view bytes) {
  std::string out;
  ByteSink sink = [&out](std::span<const std::byte> part) -> Status {
    out.append(reinterpret_cast<const char*>(part.data()), part.size());
    return {};
  };
  if (!RepackForeignModule(descriptor, bytes.size(), "", kLimits, sink)) return;
  UniqueFd packed = FileOf(out);
  ArchiveLimits loose = kLimits;
  loose.ratio = 100'000;
  auto ours = ReadAsProduct(PackedFile(packed.get(), out.size()), ArchiveKind::kTarGz, loose);
  Must(ours.has_value() && ours == ReadTarGzAsClient(out));
}

void Check(std::string_view bytes, bool zip) {
  UniqueFd file = FileOf(bytes);
  Must(Disagreement(file.get(), bytes, kLimits).empty());
  CheckRepack(file.get(), bytes);
  if (!zip) return;
  auto provider = InspectProviderPackage(file.get(), bytes.size(), "demo", kLimits);
  if (provider && provider->problems.empty()) Must(ReadZipAsClient(bytes).has_value());
}

}  // namespace
}  // namespace koya::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      koya::fuzz::Check(body, false);
      break;
    case 1:
      koya::fuzz::Check(body, true);
      break;
    default:
      koya::fuzz::Check(koya::fuzz::GzipStored(koya::fuzz::WithTarChecksums(body)), false);
  }
  return 0;
}
