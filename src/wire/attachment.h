// Attachments of a version, as documents list them and as they are uploaded.
#pragma once

#include <cstdint>
#include <string>

#include "wire/endpoint.h"

namespace koya::wire {

struct Attachment {
  std::string name;    // "demo.sigstore.json"
  std::string url;     // absolute
  std::string sha256;  // 64 hex digits
  std::uint64_t size = 0;
  friend bool operator==(const Attachment&, const Attachment&) = default;
};

inline constexpr Endpoint<Bytes, Attachment, 5> kPutModuleAttachment{
    "PUT", "/api/v1/modules/{namespace}/{name}/{system}/{version}/attachments/{file}"};
inline constexpr Endpoint<Bytes, Attachment, 4> kPutProviderAttachment{
    "PUT", "/api/v1/providers/{namespace}/{type}/{version}/attachments/{file}"};

}  // namespace koya::wire
