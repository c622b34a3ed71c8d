// Operations on an object store: sizes, lists, deletes, and reading one object. Each blocks until
// the response or until Retries gives up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "blobs/s3/object_client.h"
#include "blobs/s3/retry.h"

namespace koya::s3 {

struct Wait {
  RetryTimeout patience = RetryTimeout::kClient;
  std::chrono::milliseconds first_byte_timeout{0};
  std::stop_token stop = {};
};

std::chrono::milliseconds TimeOf(RetryTimeout patience);

// Outcome of a single HEAD of `name`, without retries, and the size it returned.
struct Shown {
  Outcome outcome;
  std::uint64_t size = 0;  // valid without trouble
};
Shown HeadOnce(RequestSender& sender, const std::string& name, const Wait& wait);

// Fails: kNotFound.
Result<std::uint64_t> SizeOf(RequestSender& sender, const std::string& name, const Wait& wait);
// Succeeds when `name`, which was acknowledged, exists and has `size` bytes. The object may take a
// moment to appear.
Status Confirm(RequestSender& sender, const std::string& name, std::uint64_t size,
               const Wait& wait);
Status Delete(RequestSender& sender, const std::string& name, const Wait& wait);
// Lists one page of at most `most` keys (1,000), by name.
Result<std::vector<ObjectInfo>> List(RequestSender& sender, const std::string& prefix,
                                     const std::string& after, unsigned most, const Wait& wait);
// Succeeds when the upload no longer exists.
Status AbortUpload(RequestSender& sender, const std::string& name, const std::string& upload_id,
                   const Wait& wait);
// Aborts all uploads of exactly this name.
Status AbortUploads(RequestSender& sender, const std::string& name, const Wait& wait);

// Reads one object from an offset to its end, and resumes the transfer when it breaks. Belongs to
// one thread, which Run blocks.
class Download {
 public:
  struct What {
    std::string name;
    ObjectRest rest = {};
    ObjectSink sink;
    std::chrono::milliseconds first_byte_timeout{0};
    std::stop_token stop = {};
  };
  // Maximum breaks of a transfer that makes progress in between.
  static constexpr unsigned kMostBreaks = 100;

  Download(RequestSender& sender, What what) : sender_(sender), what_(std::move(what)) {}

  // Fails: kNotFound; as the sink; kUnavailable.
  Status Run();

 private:
  StoreRequest NextRequest();
  Status TakeHead(const http::ClientResponse& head);
  Status TakeBytes(std::span<const std::byte> bytes);
  // Whether a 416 means that position_ is at the object's end.
  bool IsTheEnd(const http::ClientResponse& refusal);
  // Makes one attempt; its outcome depends on how far the transfer came.
  Outcome Attempt(const StoreRequest& ask);

  RequestSender& sender_;
  const What what_;
  std::uint64_t position_ = what_.rest.offset;
  std::uint64_t skip_ = 0;  // bytes of this response before position_
  std::optional<std::uint64_t> total_;
  bool doubted_ = false;     // a response did not have the object's expected size
  bool asks_again_ = false;  // the response of this attempt was the first such
};

}  // namespace koya::s3
