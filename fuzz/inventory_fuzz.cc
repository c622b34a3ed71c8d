// Documents about the mirror's inventory, and those in a folder that is imported: whatever is
// accepted survives encoding and decoding once more. The first byte chooses the decoder.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wire/inventory.h"
#include "wire/mirror.h"
#include "wire/verify.h"

namespace {

namespace wire = koya::wire;

template <class Decode, class Encode>
void RoundTrip(std::string_view body, Decode decode, Encode encode) {
  const auto document = decode(body);
  if (!document) {
    if (document.error().message.empty()) std::abort();  // a refusal without a reason
    return;
  }
  const auto again = decode(encode(*document));
  if (!again || *again != *document) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6U) {  // '0' to '5' are 0 to 5
    case 0:
      RoundTrip(body, wire::Decode<wire::InventoryRelease>, wire::Encode<wire::InventoryRelease>);
      break;
    case 1:
      RoundTrip(body, wire::Decode<wire::InventoryModule>, wire::Encode<wire::InventoryModule>);
      break;
    case 2:
      RoundTrip(body, wire::Decode<wire::ReleaseDocuments>, wire::Encode<wire::ReleaseDocuments>);
      break;
    case 3:
      RoundTrip(body, wire::Decode<wire::KeysFile>, wire::EncodeKeysFile);
      break;
    case 4:
      RoundTrip(body, wire::Decode<wire::ModuleFile>, wire::EncodeModuleFile);
      break;
    default:
      (void)wire::Decode<wire::InventoryReleases>(body);
      (void)wire::Decode<wire::InventoryModules>(body);
      (void)wire::Decode<wire::CheckOutcome>(body);
      (void)wire::Decode<wire::VerifyRequest>(body);
      (void)wire::CheckExportMark(body);
  }
  return 0;
}
