// The small operations: sizes, lists, deletes. Each blocks until it is answered or Retries ends it.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "blobs/s3/exchanger.h"
#include "blobs/s3/object_client.h"

namespace koya::s3 {

struct Wait {
  ObjectPatience patience = ObjectPatience::kClient;
  std::chrono::milliseconds first_byte_timeout{0};
  std::stop_token stop = {};
};

std::chrono::milliseconds TimeOf(ObjectPatience patience);

// One attempt, without retries: how a HEAD of `name` ended, and the size that it showed.
struct Shown {
  Outcome outcome;
  std::uint64_t size = 0;  // when there was no trouble
};
Shown HeadOnce(Exchanger& exchanger, const std::string& name, const Wait& wait);

// Fails: kNotFound.
Result<std::uint64_t> SizeOf(Exchanger& exchanger, const std::string& name, const Wait& wait);
// Succeeds when `name`, which was acknowledged, is there and has `size` bytes. It may take a moment
// to appear.
Status Confirm(Exchanger& exchanger, const std::string& name, std::uint64_t size, const Wait& wait);
Status Delete(Exchanger& exchanger, const std::string& name, const Wait& wait);
// Of one page, at most `most` keys (1,000), by names.
Result<std::vector<ObjectInfo>> List(Exchanger& exchanger, const std::string& prefix,
                                     const std::string& after, unsigned most, const Wait& wait);
// One that is not there any more is a success.
Status AbortUpload(Exchanger& exchanger, const std::string& name, const std::string& upload_id,
                   const Wait& wait);
// All of exactly this name.
Status AbortUploads(Exchanger& exchanger, const std::string& name, const Wait& wait);

}  // namespace koya::s3
