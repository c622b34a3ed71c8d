// For tests: a real, running object store, if the environment names one:
//   KOYA_TEST_S3=http://ACCESS_KEY:SECRET_KEY@HOST:PORT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "blobs/s3/s3_client.h"

namespace koya::s3 {

struct LiveStore {
  std::string endpoint;
  std::string access_key;
  std::string secret_key;

  // nullopt: KOYA_TEST_S3 is not set, or no such URL.
  static std::optional<LiveStore> Find();
  // Makes the bucket unless it is there.
  Status MakeBucket(const std::string& bucket) const;
  // With parts of 5 MiB, and everything larger in parts.
  S3Options Options(const std::string& bucket, const std::string& prefix) const;
  Result<std::unique_ptr<S3Client>> Connect(S3Options options) const;
};

}  // namespace koya::s3
