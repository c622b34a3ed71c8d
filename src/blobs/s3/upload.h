// Uploads one file under one name: in one request, or in equal parts, several in parallel.
//
// Holds no part in memory: each part is read twice, once to hash it and once to send it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/offload.h"
#include "base/result.h"
#include "blobs/s3/object_client.h"
#include "blobs/s3/operations.h"
#include "blobs/s3/retry.h"

namespace koya::s3 {

struct UploadOptions {
  std::uint64_t whole_bytes = 0;  // larger files are uploaded in parts
  std::uint64_t part_bytes = 0;
  unsigned parallel_parts = 1;
  std::chrono::milliseconds complete_timeout{0};
  Pairs encryption = {};  // the fields x-amz-server-side-encryption…
};

// Belongs to one thread, which Run blocks; free threads of `helpers` send parts too.
class Upload {
 public:
  struct What {
    std::string name;
    ObjectBody body;
    Wait wait;
  };

  Upload(RequestSender& sender, WorkerPool& helpers, const UploadOptions& options, What what)
      : sender_(sender), helpers_(helpers), options_(options), what_(std::move(what)) {}

  // On success the store shows the object with its size. Fails: kStorageFull, kUnavailable.
  Status Run();

 private:
  struct Parts;

  Retries NewRetries() const;
  StoreRequest AskFor(Operation operation, std::string method) const;
  Status SendWhole();
  Status SendInParts();
  Result<std::string> Create();
  Result<std::vector<std::string>> SendParts(const std::string& upload_id);
  void SendWhileThereAre(Parts& parts);
  Result<std::string> SendPart(const std::string& upload_id, std::uint64_t number,
                               std::uint64_t part_bytes);
  Status Complete(const std::string& upload_id, const std::vector<std::string>& tags);
  Outcome CompleteOnce(const StoreRequest& ask);

  RequestSender& sender_;
  WorkerPool& helpers_;
  const UploadOptions& options_;
  const What what_;
};

}  // namespace koya::s3
