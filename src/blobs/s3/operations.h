// Small operations of an object store: sizes, lists, deletes. Each blocks until the response or
// until Retries gives up.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "blobs/s3/object_client.h"
#include "blobs/s3/request_sender.h"

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
Shown HeadOnce(RequestSender& exchanger, const std::string& name, const Wait& wait);

// Fails: kNotFound.
Result<std::uint64_t> SizeOf(RequestSender& exchanger, const std::string& name, const Wait& wait);
// Succeeds when `name`, which was acknowledged, exists and has `size` bytes. The object may take a
// moment to appear.
Status Confirm(RequestSender& exchanger, const std::string& name, std::uint64_t size,
               const Wait& wait);
Status Delete(RequestSender& exchanger, const std::string& name, const Wait& wait);
// Lists one page of at most `most` keys (1,000), by name.
Result<std::vector<ObjectInfo>> List(RequestSender& exchanger, const std::string& prefix,
                                     const std::string& after, unsigned most, const Wait& wait);
// Succeeds when the upload no longer exists.
Status AbortUpload(RequestSender& exchanger, const std::string& name, const std::string& upload_id,
                   const Wait& wait);
// Aborts all uploads of exactly this name.
Status AbortUploads(RequestSender& exchanger, const std::string& name, const Wait& wait);

}  // namespace koya::s3
