// Attachments: the first byte chooses the kind; a rejection has a reason.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wire/attachment_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using enum koya::AttachmentKind;
  if (size == 0) return 0;
  constexpr std::array kKinds{kSigstoreBundle, kInTotoLines, kSpdx, kCycloneDx};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::array files{koya::Digest::Of("file")};
  const koya::Status status =
      koya::wire::CheckAttachment("x", kKinds[data[0] % kKinds.size()], text, files);
  if (!status && status.error().message.empty()) std::abort();
  return 0;
}
