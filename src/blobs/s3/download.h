// Reads one object from somewhere to its end, however often the transfer breaks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "blobs/s3/exchanger.h"
#include "blobs/s3/object_client.h"

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
  // How often a transfer may break that gets on in between.
  static constexpr unsigned kMostBreaks = 100;

  Download(Exchanger& exchanger, What what) : exchanger_(exchanger), what_(std::move(what)) {}

  // Fails: kNotFound; as the sink; kUnavailable.
  Status Run();

 private:
  Ask NextAsk();
  Status TakeHead(const http::ClientResponse& head);
  Status TakeBytes(std::span<const std::byte> bytes);
  // Whether a 416 means that position_ is the object's end.
  bool IsTheEnd(const http::ClientResponse& refusal);
  // What the attempt was good for, judged by how far it came.
  Outcome Attempt(const Ask& ask);

  Exchanger& exchanger_;
  const What what_;
  std::uint64_t position_ = what_.rest.offset;
  std::uint64_t skip_ = 0;  // bytes of this answer before position_
  std::optional<std::uint64_t> total_;
  bool doubted_ = false;     // an answer was not of the size that the object should have
  bool asks_again_ = false;  // this attempt's was the first such
};

}  // namespace koya::s3
