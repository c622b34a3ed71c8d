// The XML of object stores: whatever is taken stays within its bounds, and none of the readers of
// answers does more than refuse.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "blobs/s3/response.h"
#include "blobs/s3/xml.h"

namespace {

using koya::s3::XmlElement;

// The number of elements; no text can be longer than the input.
std::size_t CountXml(const XmlElement& element, std::size_t depth, std::size_t bytes) {
  if (depth > XmlElement::kMaxDepth || element.text.size() > bytes) std::abort();
  if (element.name.contains(':') || element.name.contains('<')) std::abort();
  std::size_t count = 1;
  for (const XmlElement& child : element.children) count += CountXml(child, depth + 1, bytes);
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto root = XmlElement::Parse(text);
  if (!root && root.error().message.empty()) std::abort();
  if (root && CountXml(*root, 1, size) > XmlElement::kMaxElements) std::abort();
  const koya::s3::StoreError error = koya::s3::ParseStoreError(text);
  for (char c : error.code + error.message + error.region + error.endpoint) {
    if (c == '\n' || c == '\0') std::abort();  // these go into logs
  }
  const auto listing = koya::s3::ParseListing(text);
  const auto uploads = koya::s3::ParseUploads(text);
  const auto completion = koya::s3::ParseCompletion(text);
  const auto upload_id = koya::s3::ParseUploadId(text);
  if (upload_id && (!root || upload_id->empty())) std::abort();
  if (listing && uploads) std::abort();  // one document is not both
  if (completion && upload_id) std::abort();
  return 0;
}
