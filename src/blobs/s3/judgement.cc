#include "blobs/s3/judgement.h"

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

// A refusal without words: the clock and the credentials are what can be mended from here.
Trouble JudgeSilence(const http::ClientResponse& answer, UnixSeconds now) {
  auto date = http::ParseHttpDate(answer.Get("date").value_or(""));
  if (date && std::abs(*date - now) > kSuspectSkew) return Trouble::kSkewed;
  return answer.status == 400 ? Trouble::kExpired : Trouble::kFinal;
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
        "blobs.s3.region is \"{}\", and the bucket \"{}\" is in another one: write "
        "blobs.s3.region = \"{}\"",
        refusal.address.region(), refusal.address.bucket(), region);
  }
  std::string there = refusal.said.endpoint.empty()
                          ? std::string()
                          : fmt::format(" (it names \"{}\")", refusal.said.endpoint);
  return fmt::format(
      "{} says that the bucket \"{}\" is elsewhere{}: mend blobs.s3.region or blobs.s3.endpoint",
      refusal.address.host(), refusal.address.bucket(), there);
}

std::string MendOf(const Refusal& refusal) {
  const std::string& code = refusal.said.code;
  if (IsWrongRegion(refusal)) return WrongRegionWords(refusal);
  if (code == "NoSuchBucket") {
    return fmt::format("{} has no bucket \"{}\": create it, or mend blobs.url or blobs.s3.endpoint",
                       refusal.address.host(), refusal.address.bucket());
  }
  if (code == "InvalidAccessKeyId" || code == "InvalidClientTokenId" || code == "InvalidToken") {
    return fmt::format("{} does not know the access key: mend {}", refusal.address.host(),
                       refusal.source);
  }
  if (code == "SignatureDoesNotMatch") {
    return fmt::format(
        "{} says that the secret key is another one: mend {}; or something between us and the "
        "store changes requests",
        refusal.address.host(), refusal.source);
  }
  if (code == "AccessDenied" || refusal.answer.status == 401 || refusal.answer.status == 403) {
    return fmt::format(
        "{} denies us {} in {}: the key of {} needs the rights to get, put, delete and list "
        "objects, and to abort and list uploads",
        refusal.address.host(), NameOf(refusal.operation), refusal.address.ToString(),
        refusal.source);
  }
  return fmt::format("{} cannot do {} in {}: is it an S3-compatible store? mend blobs.s3.endpoint",
                     refusal.address.host(), NameOf(refusal.operation), refusal.address.ToString());
}

// What the store said itself, for the log.
std::string SaidBy(const Refusal& refusal) {
  std::string_view id = refusal.answer.Get("x-amz-request-id").value_or("");
  return fmt::format("{} was answered {} {}: {} (request {})", NameOf(refusal.operation),
                     refusal.answer.status, refusal.said.code, refusal.said.message,
                     Printable(id, 80));
}

}  // namespace

Trouble Judge(const http::ClientResponse& answer, const StoreError& said, bool is_head,
              UnixSeconds now) {
  const unsigned status = answer.status;
  if (status / 100 == 2) return Trouble::kNone;
  if (status == 507 || IsOneOf(said.code, kFullCodes)) return Trouble::kFull;
  if (said.code == "RequestTimeTooSkewed") return Trouble::kSkewed;
  if (IsOneOf(said.code, kExpiredCodes)) return Trouble::kExpired;
  if (said.code == "NoSuchUpload") return Trouble::kMissingUpload;
  if (status == 404) return IsOneOf(said.code, kMissingCodes) ? Trouble::kMissing : Trouble::kFinal;
  if (status == 408 || status == 429 || IsOneOf(said.code, kLaterCodes)) return Trouble::kLater;
  if (status == 501) return Trouble::kFinal;
  if (status >= 500) return Trouble::kLater;
  if (is_head && (status == 400 || status == 403)) return JudgeSilence(answer, now);
  return Trouble::kFinal;
}

Trouble JudgeBreak(const Error& error) {
  if (http::IsFirstByteTimeout(error)) return Trouble::kSlowStart;
  if (error.kind == ErrorKind::kInvalid || error.kind == ErrorKind::kTooLarge) {
    return Trouble::kFinal;
  }
  return Trouble::kLater;
}

Error ErrorOf(Trouble trouble, const Refusal& refusal) {
  Error error{ErrorKind::kUnavailable, {}, SaidBy(refusal)};
  switch (trouble) {
    case Trouble::kMissing:
      error.kind = ErrorKind::kNotFound;
      error.message = "the object store has no such object";
      break;
    case Trouble::kMissingUpload:
      error.message = "the object store has forgotten the upload; upload it again";
      break;
    case Trouble::kFull:
      error.kind = ErrorKind::kStorageFull;
      error.message = fmt::format("{} is full, or its quota for {} is used up: give it more room",
                                  refusal.address.host(), refusal.address.ToString());
      break;
    // What asking again does not change: a setting, or this machine.
    case Trouble::kSkewed:
      error.kind = ErrorKind::kInvalid;
      error.message = fmt::format(
          "{} says that this machine's clock is wrong, and stays with it: set the clock",
          refusal.address.host());
      break;
    case Trouble::kExpired:
      error.kind = ErrorKind::kInvalid;
      error.message =
          fmt::format("{} says that the credentials have ended, newer ones too: mend {}",
                      refusal.address.host(), refusal.source);
      break;
    case Trouble::kFinal:
      error.kind = ErrorKind::kInvalid;
      error.message = MendOf(refusal);
      break;
    default:
      error.message =
          fmt::format("{} answers {}: it is busy or broken; look at its own log if that stays so",
                      refusal.address.host(), refusal.answer.status);
      error.retry_after = 1;
  }
  return error;
}

}  // namespace koya::s3
