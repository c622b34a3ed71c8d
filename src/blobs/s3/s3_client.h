// The client of an S3-compatible object store: AWS, radosgw, MinIO, R2, Garage and their like.
//
// What it needs of the store: an object appears whole or not at all, and one whose name is new can
// be read once it was acknowledged. It copies nothing, sets no conditions, and compares no ETags.
// Names are relative to the prefix of blobs.url.
//
// Threads: any method from any coroutine on any thread. It has 8 threads for small operations and
// 16 for bytes, apart, so that no transfer keeps a question waiting; waits between tries happen on
// them too. While the store is left alone (the breaker: a second after 5 failures in a row),
// methods fail at once, without a thread.
//
// Errors of the ObjectClient methods are kNotFound, kStorageFull and kUnavailable, in words for
// people who know nothing of the store; what it said, and the setting to mend, is in `detail`.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/exchange_clock.h"
#include "base/result.h"
#include "base/task.h"
#include "blobs/s3/address.h"
#include "blobs/s3/credential_sources.h"
#include "blobs/s3/object_client.h"
#include "blobs/s3/observations.h"

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
  std::string public_endpoint = {};  // what clients reach; "": the endpoint
  std::string user_agent = "koya";
  std::uint64_t whole_bytes = 16ULL << 20;  // up to here in one request, beyond in parts
};

// What tests replace.
struct S3Surroundings {
  std::unique_ptr<ExchangeClock> clock;  // null: the system's
  // access_key_file, region and ca_file come from S3Options.
  s3::CredentialOptions credentials = {};
};

class S3Client final : public ObjectClient {
 public:
  // Reads the settings; nothing is sent. Fails: kInvalid, naming the setting and the mend.
  static Result<std::unique_ptr<S3Client>> Make(S3Options options);
  static Result<std::unique_ptr<S3Client>> Make(S3Options options, S3Surroundings surroundings);
  // Ends what is under way and waits for it.
  ~S3Client() override;

  Task<void> Put(std::string name, ObjectBody body) override;
  Task<void> Get(std::string name, ObjectRest rest, ObjectSink sink, std::stop_token stop) override;
  Task<std::uint64_t> SizeOf(std::string name, ObjectPatience patience) override;
  Task<void> Delete(std::string name) override;
  Task<void> AbortUploads(std::string name) override;
  Task<std::vector<ObjectInfo>> List(std::string prefix, std::string after) override;
  Task<std::string> PresignGet(std::string name, std::chrono::seconds ttl) override;

  // Whether the store can be reached and knows the bucket, the region, the keys and their rights
  // to list and to read `marker`, which need not be there. With kLook it lists only when reading is
  // refused: listing costs most, and says why. Its errors are in words for the operator, and name
  // the setting and what to do. Fails: kUnavailable, kInvalid.
  Task<void> Check(std::string marker, ObjectPatience patience = ObjectPatience::kClient);

  // What the store last refused a write with, in the same words: not of one that is only away.
  // nullopt once a write succeeded.
  std::optional<Error> write_trouble() const;

  // From now on everything fails with kUnavailable, and what is under way ends.
  void Stop();

  // Counts since the start; read at any time.
  const s3::Observations& observations() const;
  // How many tries the budget has left, of RetryBudget::kMost.
  double retry_budget() const;
  // "s3://BUCKET/PREFIX", for messages.
  std::string where() const;

 private:
  struct Impl;
  explicit S3Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
