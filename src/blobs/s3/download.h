// Reads one object from an offset to its end, and resumes the transfer when it breaks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "blobs/s3/object_client.h"
#include "blobs/s3/request_sender.h"

namespace koya::s3 {

// Belongs to one thread, which Run blocks.
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

  Download(RequestSender& exchanger, What what) : exchanger_(exchanger), what_(std::move(what)) {}

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

  RequestSender& exchanger_;
  const What what_;
  std::uint64_t position_ = what_.rest.offset;
  std::uint64_t skip_ = 0;  // bytes of this response before position_
  std::optional<std::uint64_t> total_;
  bool doubted_ = false;     // a response did not have the object's expected size
  bool asks_again_ = false;  // the response of this attempt was the first such
};

}  // namespace koya::s3
