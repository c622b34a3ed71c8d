// JSON documents: the first byte chooses the decoder; what it accepts survives encoding and
// decoding once more.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wire/discovery.h"
#include "wire/error_document.h"
#include "wire/modules.h"
#include "wire/tokens.h"

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
  switch (data[0] % 8) {
    case 0:
      RoundTrip(body, wire::DecodeDiscovery, wire::EncodeDiscovery);
      break;
    case 1:
      RoundTrip(body, wire::DecodeModuleVersions, wire::EncodeModuleVersions);
      break;
    case 2:
      RoundTrip(body, wire::DecodeModuleDetails, wire::EncodeModuleDetails);
      break;
    case 3:
      RoundTrip(body, wire::DecodeModuleList, wire::EncodeModuleList);
      break;
    case 4:
      RoundTrip(body, wire::DecodePublishedModule, wire::EncodePublishedModule);
      break;
    case 5:
      RoundTrip(body, wire::DecodeTokenRequest, wire::EncodeTokenRequest);
      break;
    case 6:
      (void)wire::DecodeTokenList(body);
      break;
    default:
      (void)wire::DecodeErrors(body);
      (void)wire::DecodeWithdrawal(body);
      (void)wire::DecodeModuleLocation(body);
  }
  return 0;
}
