// A client of an S3-compatible object store: AWS, radosgw, MinIO, R2, Garage and similar ones.
//
// Requirements on the store: an object appears completely or not at all, and an object with a new
// name is readable once its upload is acknowledged. The client copies no objects, sends no
// conditional requests, and compares no ETags. Names are relative to the prefix of blobs.url.
//
// Threads: any method from any coroutine on any thread. It has 8 threads for small operations and
// 16 separate ones for bytes, so that no transfer delays a small operation; waits between retries
// also happen on these threads. While the circuit breaker is open (a second after 5 failures in a
// row), methods fail at once, without a thread.
//
// Errors of the ObjectClient methods are kNotFound, kStorageFull and kUnavailable, worded for users
// who do not know the store; `detail` has the store's own message and the setting to fix.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "blobs/s3/credentials.h"
#include "blobs/s3/object_client.h"
#include "blobs/s3/request.h"
#include "blobs/s3/retry.h"

namespace koya {

// The settings blobs.s3.* under the same names.
struct S3Options {
  s3::AddressText address;
  std::string access_key_file = {};
  std::string ca_file = {};      // "": the system's
  std::string sse = {};          // "", "AES256" or "aws:kms"
  std::string sse_kms_key = {};  // with "aws:kms" only
  std::uint64_t part_bytes = 16ULL << 20;
  unsigned parallel_parts = 4;
  std::chrono::milliseconds connect_timeout{3'000};
  std::chrono::milliseconds first_byte_timeout{2'000};
  std::chrono::milliseconds stall_timeout{10'000};
  std::chrono::milliseconds complete_timeout{60'000};
  std::string public_endpoint = {};  // the one that clients reach; "": the endpoint
  std::string user_agent = "koya";
  std::uint64_t whole_bytes = 16ULL << 20;  // larger objects are uploaded in parts
};

// Replacements for tests.
struct S3TestHooks {
  std::unique_ptr<ExchangeClock> clock;  // null: the system's
  // access_key_file, region and ca_file come from S3Options.
  s3::CredentialOptions credentials = {};
};

class S3Client final : public ObjectClient {
 public:
  // Reads the settings; sends nothing. Fails: kInvalid, naming the setting and the fix.
  static Result<std::unique_ptr<S3Client>> Make(S3Options options);
  static Result<std::unique_ptr<S3Client>> Make(S3Options options, S3TestHooks surroundings);
  // Aborts running operations and waits for their end.
  ~S3Client() override;

  Task<void> Put(std::string name, ObjectBody body) override;
  Task<void> Get(std::string name, ObjectRest rest, ObjectSink sink, std::stop_token stop) override;
  Task<std::uint64_t> SizeOf(std::string name, RetryTimeout patience) override;
  Task<void> Delete(std::string name) override;
  Task<void> AbortUploads(std::string name) override;
  Task<std::vector<ObjectInfo>> List(std::string prefix, std::string after) override;
  Task<std::string> PresignGet(std::string name, std::chrono::seconds ttl) override;

  // Checks that the store can be reached and accepts the bucket, the region, the keys and their
  // permission to list and to read `marker`, which may be missing. With kLook it lists only when
  // reading is denied: listing costs most, and shows the reason. Errors are worded for the
  // operator, and name the setting and the fix. Fails: kUnavailable, kInvalid.
  Task<void> Check(std::string marker, RetryTimeout patience = RetryTimeout::kClient);

  // The error with which the store last denied a write, worded as by Check; not set while the store
  // is merely unreachable. nullopt after a write has succeeded.
  std::optional<Error> write_trouble() const;

  // Aborts running operations; all later ones fail with kUnavailable.
  void Stop();

  // Counters since the start; readable at any time.
  const s3::StoreMetrics& observations() const;
  // Retries left in the budget, of RetryBudget::kMost.
  double retry_budget() const;
  // "s3://BUCKET/PREFIX", for messages.
  std::string where() const;

 private:
  struct Impl;
  explicit S3Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
