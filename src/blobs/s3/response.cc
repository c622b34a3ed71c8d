#include "blobs/s3/response.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>

#include "base/decimal.h"
#include "base/text.h"
#include "blobs/s3/xml.h"
#include "http/client/retry_after.h"

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
    auto size = ParseDecimal<std::uint64_t>(each.TextOf("Size"));
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

namespace {

// What stores allow is a quarter of an hour; a HEAD's refusal is put down to less.
constexpr UnixSeconds kSuspectSkew = 300;

constexpr auto kFullCodes =
    std::to_array<std::string_view>({"XMinioStorageFull", "QuotaExceeded",
                                     "XMinioAdminBucketQuotaExceeded", "InsufficientStorage"});
// Below 500, and yet worth another try.
constexpr auto kLaterCodes = std::to_array<std::string_view>(
    {"RequestTimeout", "SlowDown", "Throttling", "ThrottlingException", "OperationAborted",
     "BadDigest", "XAmzContentSHA256Mismatch", "IncompleteBody", "ServiceUnavailable",
     "InternalError", "Busy", "ConcurrentModification"});
constexpr auto kExpiredCodes = std::to_array<std::string_view>(
    {"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"});
constexpr auto kMissingCodes =
    std::to_array<std::string_view>({"", "NoSuchKey", "NotFound", "NoSuchVersion"});

bool IsOneOf(std::string_view code, std::span<const std::string_view> codes) {
  return std::ranges::find(codes, code) != codes.end();
}

// Classifies an error response without a body: only the clock and the credentials can be corrected
// from here.
FailureClass JudgeSilence(const http::ClientResponse& answer, UnixSeconds now) {
  auto date = http::ParseHttpDate(answer.Get("date").value_or(""));
  if (date && std::abs(*date - now) > kSuspectSkew) return FailureClass::kSkewed;
  return answer.status == 400 ? FailureClass::kExpired : FailureClass::kPermanent;
}

std::string RightRegion(const Refusal& refusal) {
  std::string_view field = refusal.answer.Get("x-amz-bucket-region").value_or("");
  return field.empty() ? refusal.said.region : Printable(field, 64);
}

bool IsWrongRegion(const Refusal& refusal) {
  return refusal.said.code == "AuthorizationHeaderMalformed" ||
         refusal.said.code == "IllegalLocationConstraintException" ||
         refusal.answer.status / 100 == 3;
}

std::string WrongRegionWords(const Refusal& refusal) {
  const std::string region = RightRegion(refusal);
  if (!region.empty() && region != refusal.address.region()) {
    return fmt::format(
        "blobs.s3.region is \"{}\", but the bucket \"{}\" is in another region: write "
        "blobs.s3.region = \"{}\"",
        refusal.address.region(), refusal.address.bucket(), region);
  }
  std::string there = refusal.said.endpoint.empty()
                          ? std::string()
                          : fmt::format(" (it names \"{}\")", refusal.said.endpoint);
  return fmt::format(
      "{} reports that the bucket \"{}\" is elsewhere{}: fix blobs.s3.region or blobs.s3.endpoint",
      refusal.address.host(), refusal.address.bucket(), there);
}

std::string FixOf(const Refusal& refusal) {
  const std::string& code = refusal.said.code;
  if (IsWrongRegion(refusal)) return WrongRegionWords(refusal);
  if (code == "NoSuchBucket") {
    return fmt::format("{} has no bucket \"{}\": create it, or fix blobs.url or blobs.s3.endpoint",
                       refusal.address.host(), refusal.address.bucket());
  }
  if (code == "InvalidAccessKeyId" || code == "InvalidClientTokenId" || code == "InvalidToken") {
    return fmt::format("{} does not know the access key: fix {}", refusal.address.host(),
                       refusal.source);
  }
  if (code == "SignatureDoesNotMatch") {
    return fmt::format(
        "{} rejects the signature: fix the secret key in {}; or a proxy in between changes "
        "requests",
        refusal.address.host(), refusal.source);
  }
  if (code == "AccessDenied" || refusal.answer.status == 401 || refusal.answer.status == 403) {
    return fmt::format(
        "{} denies {} in {}: the key of {} needs permission to get, put, delete and list objects, "
        "and to abort and list uploads",
        refusal.address.host(), NameOf(refusal.operation), refusal.address.ToString(),
        refusal.source);
  }
  return fmt::format("{} cannot do {} in {}: is it an S3-compatible store? fix blobs.s3.endpoint",
                     refusal.address.host(), NameOf(refusal.operation), refusal.address.ToString());
}

// What the store said itself, for the log.
std::string SaidBy(const Refusal& refusal) {
  std::string_view id = refusal.answer.Get("x-amz-request-id").value_or("");
  return fmt::format("{} failed with {} {}: {} (request {})", NameOf(refusal.operation),
                     refusal.answer.status, refusal.said.code, refusal.said.message,
                     Printable(id, 80));
}

}  // namespace

FailureClass ClassifyResponse(const http::ClientResponse& answer, const StoreError& said,
                              bool is_head, UnixSeconds now) {
  const unsigned status = answer.status;
  if (status / 100 == 2) return FailureClass::kNone;
  if (status == 507 || IsOneOf(said.code, kFullCodes)) return FailureClass::kFull;
  if (said.code == "RequestTimeTooSkewed") return FailureClass::kSkewed;
  if (IsOneOf(said.code, kExpiredCodes)) return FailureClass::kExpired;
  if (said.code == "NoSuchUpload") return FailureClass::kMissingUpload;
  if (status == 404)
    return IsOneOf(said.code, kMissingCodes) ? FailureClass::kMissing : FailureClass::kPermanent;
  if (status == 408 || status == 429 || IsOneOf(said.code, kLaterCodes))
    return FailureClass::kRetryable;
  if (status == 501) return FailureClass::kPermanent;
  if (status >= 500) return FailureClass::kRetryable;
  if (is_head && (status == 400 || status == 403)) return JudgeSilence(answer, now);
  return FailureClass::kPermanent;
}

FailureClass ClassifyBreak(const Error& error) {
  if (http::IsFirstByteTimeout(error)) return FailureClass::kSlowStart;
  if (error.kind == ErrorKind::kInvalid || error.kind == ErrorKind::kTooLarge) {
    return FailureClass::kPermanent;
  }
  return FailureClass::kRetryable;
}

Error ErrorOf(FailureClass trouble, const Refusal& refusal) {
  Error error{ErrorKind::kUnavailable, {}, SaidBy(refusal)};
  switch (trouble) {
    case FailureClass::kMissing:
      error.kind = ErrorKind::kNotFound;
      error.message = "the object store has no such object";
      break;
    case FailureClass::kMissingUpload:
      error.message = "the object store no longer has the upload; upload it again";
      break;
    case FailureClass::kFull:
      error.kind = ErrorKind::kStorageFull;
      error.message =
          fmt::format("{} is full, or its quota for {} is used up: raise the quota or add space",
                      refusal.address.host(), refusal.address.ToString());
      break;
    // What asking again does not change: a setting, or this machine.
    case FailureClass::kSkewed:
      error.kind = ErrorKind::kInvalid;
      error.message =
          fmt::format("{} keeps reporting that this machine's clock is wrong: set the clock",
                      refusal.address.host());
      break;
    case FailureClass::kExpired:
      error.kind = ErrorKind::kInvalid;
      error.message =
          fmt::format("{} reports that the credentials have expired, newer ones too: fix {}",
                      refusal.address.host(), refusal.source);
      break;
    case FailureClass::kPermanent:
      error.kind = ErrorKind::kInvalid;
      error.message = FixOf(refusal);
      break;
    default:
      error.message = fmt::format(
          "{} responds with {}: it is busy or broken; if this persists, look at its own log",
          refusal.address.host(), refusal.answer.status);
      error.retry_after = 1;
  }
  return error;
}

}  // namespace koya::s3
