// Responses of an object store: parses their XML, and classifies them: whether to retry, and the
// error text for the operator who has to fix the cause. Pure functions: any thread.
//
// Sources: "Error Responses" of the Amazon S3 API Reference, and the deviating responses of
// radosgw, MinIO and R2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "blobs/s3/request.h"
#include "http/client/client.h"

namespace koya::s3 {

// Each Parse function below fails with kUnavailable when the text is malformed: a garbled response
// of a store or a proxy is retryable.

// <Error>. Stores omit any of its elements.
struct StoreError {
  std::string code;     // "NoSuchKey"; "" when the response was no <Error>
  std::string message;  // the store's: made printable, truncated
  std::string region;   // the correct one, if the store names it
  std::string endpoint;
};

// Never fails: a body that is not an <Error> yields a StoreError without a code.
StoreError ParseStoreError(std::string_view body);

// Of InitiateMultipartUpload.
Result<std::string> ParseUploadId(std::string_view body);

// Of CompleteMultipartUpload: a 200 may contain an <Error>, which is returned; a StoreError without
// a code is success.
Result<StoreError> ParseCompletion(std::string_view body);

struct ListedKey {
  std::string key;
  std::uint64_t size = 0;
};
struct KeyPage {
  std::vector<ListedKey> keys;
  bool truncated = false;
  std::string next_token;  // asks for the next page
};
// Of ListObjectsV2.
Result<KeyPage> ParseListing(std::string_view body);

struct ListedUpload {
  std::string key;
  std::string upload_id;
};
struct UploadPage {
  std::vector<ListedUpload> uploads;
  bool truncated = false;
  std::string next_key;        // where the next page begins
  std::string next_upload_id;  // the same
};
// Of ListMultipartUploads.
Result<UploadPage> ParseUploads(std::string_view body);

// Outcome of one attempt, classified by how to handle it: the label `class` of every metric.
enum class FailureClass {
  kNone,
  kMissing,        // 404 of an object: an answer, not a fault
  kMissingUpload,  // 404 of an upload in parts
  kSlowStart,      // no first byte: retry once, at once, on a new connection
  kRetryable,      // busy, broken off, too slow: retry later
  kSkewed,         // our clock is off: corrected by the store's
  kExpired,        // our credentials expired: fetch new ones
  kFull,           // no room left
  kPermanent,      // permanent: needs a fix by the operator
  kCircuitOpen,    // not sent: the circuit breaker is open
  kCancelled,      // by us: no caller waits, or the sink failed
};
inline constexpr std::size_t kFailureClasses = 11;

constexpr std::string_view NameOf(FailureClass trouble) {
  switch (trouble) {
    case FailureClass::kNone:
      return "ok";
    case FailureClass::kMissing:
      return "missing";
    case FailureClass::kMissingUpload:
      return "missing_upload";
    case FailureClass::kSlowStart:
      return "slow_start";
    case FailureClass::kRetryable:
      return "retryable";
    case FailureClass::kSkewed:
      return "skewed_clock";
    case FailureClass::kExpired:
      return "expired";
    case FailureClass::kFull:
      return "full";
    case FailureClass::kPermanent:
      return "permanent";
    case FailureClass::kCircuitOpen:
      return "circuit_open";
    case FailureClass::kCancelled:
      return "canceled";
  }
  return "";
}

// `said` is the parsed body of `answer`. A HEAD has no body: only the status, and the difference
// between its Date and `now`, classify it.
FailureClass ClassifyResponse(const http::ClientResponse& answer, const StoreError& said,
                              bool is_head, UnixSeconds now);

// Classifies an attempt without a response.
FailureClass ClassifyBreak(const Error& error);

struct Refusal {
  Operation operation;
  const Address& address;
  const http::ClientResponse& answer;
  const StoreError& said;
  std::string source;  // of the credentials
};
// Builds the error for a response with this trouble: for the operator, naming the setting and the
// fix.
Error ErrorOf(FailureClass trouble, const Refusal& refusal);

}  // namespace koya::s3
