#include "blobs/s3/error_classifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/text.h"
#include "http/client/retry_after.h"

namespace koya::s3 {
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
