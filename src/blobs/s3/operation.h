// Operations on an object store and outcomes of an attempt: the two labels of every metric.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace koya::s3 {

enum class Operation {
  kPut,
  kCreateUpload,
  kUploadPart,
  kCompleteUpload,
  kAbortUpload,
  kListUploads,
  kGet,
  kHead,
  kList,
  kDelete,
};
inline constexpr std::size_t kOperations = 10;

// Outcome of one attempt, classified by how to handle it.
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

constexpr std::string_view NameOf(Operation operation) {
  switch (operation) {
    case Operation::kPut:
      return "put";
    case Operation::kCreateUpload:
      return "create_upload";
    case Operation::kUploadPart:
      return "upload_part";
    case Operation::kCompleteUpload:
      return "complete_upload";
    case Operation::kAbortUpload:
      return "abort_upload";
    case Operation::kListUploads:
      return "list_uploads";
    case Operation::kGet:
      return "get";
    case Operation::kHead:
      return "head";
    case Operation::kList:
      return "list";
    case Operation::kDelete:
      return "delete";
  }
  return "";
}

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

// Counters of the store client, for metrics: koya_store_… with the labels operation and class.
// Updated while the client runs. Thread-safe.
struct StoreMetrics {
  // Attempts, by how each ended.
  std::array<std::array<std::atomic<std::uint64_t>, kFailureClasses>, kOperations> attempts{};
  std::atomic<std::uint64_t> retries = 0;
  std::atomic<std::uint64_t> bytes_sent = 0;      // of parts and objects that arrived
  std::atomic<std::uint64_t> bytes_received = 0;  // given to sinks
  std::atomic<bool> circuit_open = false;         // the circuit breaker is open
  std::atomic<std::int64_t> clock_offset = 0;     // seconds that the store's clock is ahead

  std::atomic<std::uint64_t>& Of(Operation operation, FailureClass trouble) {
    return attempts.at(static_cast<std::size_t>(operation)).at(static_cast<std::size_t>(trouble));
  }
  std::uint64_t Count(Operation operation, FailureClass trouble) const {
    return attempts.at(static_cast<std::size_t>(operation)).at(static_cast<std::size_t>(trouble));
  }
};

}  // namespace koya::s3
