#include "blobs/s3/responses.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/text.h"
#include "blobs/s3/xml.h"

namespace koya::s3 {
namespace {

constexpr std::size_t kLongestId = 2048;  // of an upload; AWS's have some 150 bytes

Failure Babble(std::string_view what, std::string_view why) {
  return FailUnavailable(
      "the object store's response to {} makes no sense: {}; is a proxy or "
      "another program at blobs.s3.endpoint?",
      what, why);
}

// The document, whose root must have this name.
Result<XmlElement> ParseRoot(std::string_view what, std::string_view body, std::string_view root) {
  auto parsed = XmlElement::Parse(body);
  if (!parsed) return Babble(what, parsed.error().message);
  if (parsed->name != root) {
    return Babble(what, fmt::format("it is <{}> and not <{}>", Printable(parsed->name, 60), root));
  }
  return parsed;
}

std::optional<std::uint64_t> ListedSize(std::string_view text) {
  std::uint64_t size = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return size;
}

StoreError ErrorIn(const XmlElement& element) {
  return {.code = Printable(element.TextOf("Code"), 80),
          .message = Printable(element.TextOf("Message"), 300),
          .region = Printable(element.TextOf("Region"), 64),
          .endpoint = Printable(element.TextOf("Endpoint"), 200)};
}

}  // namespace

StoreError ParseStoreError(std::string_view body) {
  auto parsed = XmlElement::Parse(body);
  if (!parsed) return {};
  if (parsed->name == "Error") return ErrorIn(*parsed);
  // The token service wraps its own.
  const XmlElement* wrapped =
      parsed->name == "ErrorResponse" ? parsed->FindChild("Error") : nullptr;
  return wrapped == nullptr ? StoreError() : ErrorIn(*wrapped);
}

Result<std::string> ParseUploadId(std::string_view body) {
  constexpr std::string_view kWhat = "InitiateMultipartUpload";
  ASSIGN_OR_RETURN(XmlElement root, ParseRoot(kWhat, body, "InitiateMultipartUploadResult"));
  std::string_view id = root.TextOf("UploadId");
  if (id.empty() || id.size() > kLongestId) return Babble(kWhat, "it has no upload ID");
  return std::string(id);
}

Result<StoreError> ParseCompletion(std::string_view body) {
  constexpr std::string_view kWhat = "CompleteMultipartUpload";
  auto parsed = XmlElement::Parse(body);
  if (!parsed) return Babble(kWhat, parsed.error().message);
  if (parsed->name == "CompleteMultipartUploadResult") return StoreError();
  StoreError error = ParseStoreError(body);
  if (error.code.empty()) return Babble(kWhat, "it reports neither success nor an error");
  return error;
}

Result<KeyPage> ParseListing(std::string_view body) {
  constexpr std::string_view kWhat = "ListObjectsV2";
  ASSIGN_OR_RETURN(XmlElement root, ParseRoot(kWhat, body, "ListBucketResult"));
  KeyPage page{.truncated = root.TextOf("IsTruncated") == "true",
               .next_token = std::string(root.TextOf("NextContinuationToken"))};
  for (const XmlElement& each : root.children) {
    if (each.name != "Contents") continue;
    auto size = ListedSize(each.TextOf("Size"));
    std::string_view key = each.TextOf("Key");
    if (!size || key.empty()) return Babble(kWhat, "an object has no key or size");
    page.keys.push_back({.key = std::string(key), .size = *size});
  }
  return page;
}

Result<UploadPage> ParseUploads(std::string_view body) {
  constexpr std::string_view kWhat = "ListMultipartUploads";
  ASSIGN_OR_RETURN(XmlElement root, ParseRoot(kWhat, body, "ListMultipartUploadsResult"));
  UploadPage page{.truncated = root.TextOf("IsTruncated") == "true",
                  .next_key = std::string(root.TextOf("NextKeyMarker")),
                  .next_upload_id = std::string(root.TextOf("NextUploadIdMarker"))};
  for (const XmlElement& each : root.children) {
    if (each.name != "Upload") continue;
    std::string_view key = each.TextOf("Key");
    std::string_view id = each.TextOf("UploadId");
    if (key.empty() || id.empty() || id.size() > kLongestId) {
      return Babble(kWhat, "an upload has no key or id");
    }
    page.uploads.push_back({.key = std::string(key), .upload_id = std::string(id)});
  }
  return page;
}

}  // namespace koya::s3
