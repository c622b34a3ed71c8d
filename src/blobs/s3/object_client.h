// Interface of an object store client: whole objects under names that are never reused, so that
// every operation is safe to repeat.
//
// The client handles retries, credentials and the wire protocol; it does not know blobs, nor which
// objects hold one (S3BlobStore does). Threads: any method from any coroutine on any thread;
// blocking happens on the client's own pools. Fails, besides the errors that a method names:
// kUnavailable (the store cannot be reached, or denies the request; after all sensible retries),
// kStorageFull, kTimeout.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "domain/digest.h"

namespace koya {

// A file to upload: read with pread, as often as needed.
struct ObjectBody {
  int descriptor = -1;  // owned by the caller, open until the call ends
  std::uint64_t size = 0;
  Digest digest;  // of all of it
};

struct ObjectInfo {
  std::string name;
  std::uint64_t size = 0;
};

// Receives an object's bytes in order, on a thread of the client; a failure ends the transfer.
// Chunks have kObjectPiece bytes at most; the first one, and those that precede a wait for the
// store, have fewer.
using ObjectSink = std::function<Status(std::span<const std::byte>)>;
inline constexpr std::size_t kObjectPiece = 256 << 10;

// How long the caller is prepared to wait.
enum class RetryTimeout {
  kClient,      // a client of ours waits for the result: 8 s of retries
  kBackground,  // nothing waits for it: 60 s
  kLook,        // a regular health check of the store: 2 s, to detect a silent one soon
};

// The part of an object to read: from an offset to the end.
struct ObjectRest {
  std::uint64_t offset = 0;
  // Expected length of the whole object. A response of another length is requested once more before
  // its bytes count: stores and proxies send errors with 200. nullopt: not known.
  std::optional<std::uint64_t> size = {};
};

class ObjectClient {
 public:
  virtual ~ObjectClient() = default;
  // Stores the file under `name`: completely when this succeeds, completely or not at all when it
  // fails.
  virtual Task<void> Put(std::string name, ObjectBody body) = 0;
  // Passes the bytes from `rest.offset` to the end to `sink`. A broken transfer resumes where it
  // stopped. Fails: kNotFound: there is no such object; as `sink`; kUnavailable once `stop` is
  // requested.
  virtual Task<void> Get(std::string name, ObjectRest rest, ObjectSink sink,
                         std::stop_token stop) = 0;
  // The object's size. Fails: kNotFound.
  virtual Task<std::uint64_t> SizeOf(std::string name, RetryTimeout patience) = 0;
  // Succeeds when there is no such object.
  virtual Task<void> Delete(std::string name) = 0;
  // Aborts incomplete multipart uploads to exactly this name.
  virtual Task<void> AbortUploads(std::string name) = 0;
  // Lists objects whose names begin with `prefix`, those after `after` ("": from the first), in
  // bytewise order, 1,000 at most. An empty page is the end.
  virtual Task<std::vector<ObjectInfo>> List(std::string prefix, std::string after) = 0;
  // Returns a URL that reads the object without credentials for `ttl`, or until our credentials
  // expire. Fails: kUnavailable: no credentials available.
  virtual Task<std::string> PresignGet(std::string name, std::chrono::seconds ttl) = 0;
};

}  // namespace koya
