// What is asked of an object store, and how an attempt can end: the two labels of every count.
#pragma once

#include <cstddef>
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

// How one attempt ended, by what is to be done about it.
enum class Trouble {
  kNone,
  kMissing,        // 404 of an object: an answer, not a fault
  kMissingUpload,  // 404 of an upload in parts
  kSlowStart,      // no first byte: at once on a new connection, once
  kLater,          // busy, broken off, too slow: later again
  kSkewed,         // our clock: mended by the store's
  kExpired,        // our credentials: mended by newer ones
  kFull,           // no room left
  kFinal,          // somebody has to mend something
  kLeftAlone,      // not sent: the store has failed too often
  kGivenUp,        // by ourselves: nobody waits any more, or the sink failed
};
inline constexpr std::size_t kTroubles = 11;

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

constexpr std::string_view NameOf(Trouble trouble) {
  switch (trouble) {
    case Trouble::kNone:
      return "ok";
    case Trouble::kMissing:
      return "missing";
    case Trouble::kMissingUpload:
      return "missing_upload";
    case Trouble::kSlowStart:
      return "slow_start";
    case Trouble::kLater:
      return "later";
    case Trouble::kSkewed:
      return "skewed_clock";
    case Trouble::kExpired:
      return "expired";
    case Trouble::kFull:
      return "full";
    case Trouble::kFinal:
      return "final";
    case Trouble::kLeftAlone:
      return "left_alone";
    case Trouble::kGivenUp:
      return "given_up";
  }
  return "";
}

}  // namespace koya::s3
