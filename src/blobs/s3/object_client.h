// What a store of objects is asked for: whole objects under names that are never used twice, so
// that every operation may be repeated.
//
// Retries, credentials and the wire are the client's matter; what a blob is, and which objects hold
// one, is not (S3BlobStore). Threads: any method from any coroutine on any thread; blocking happens
// on the client's own pools. Fails, besides what a method names: kUnavailable (the store cannot be
// reached, or refuses; tried as often as makes sense), kStorageFull, kTimeout.
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

// A file to be sent: read with pread, as often as it takes.
struct ObjectBody {
  int descriptor = -1;  // the caller's, open until the call is over
  std::uint64_t size = 0;
  Digest digest;  // of all of it
};

struct ObjectInfo {
  std::string name;
  std::uint64_t size = 0;
};

// Takes an object's bytes in order, on a thread of the client; a failure ends the transfer. Pieces
// have kObjectPiece bytes at most; the first, and those after which the store is waited for, fewer.
using ObjectSink = std::function<Status(std::span<const std::byte>)>;
inline constexpr std::size_t kObjectPiece = 256 << 10;

// How long somebody waits.
enum class ObjectPatience {
  kClient,      // a client of ours waits for the answer: 8 s of retries
  kBackground,  // nothing waits for it: 60 s
  kLook,        // a regular look at the store: 2 s, so that a silent one is soon seen
};

// What of an object is read.
struct ObjectRest {
  std::uint64_t offset = 0;
  // How long the whole object should be. An answer of another length is asked for once more before
  // its bytes count: stores and proxies say errors with 200. nullopt: it is not known.
  std::optional<std::uint64_t> size = {};
};

class ObjectClient {
 public:
  virtual ~ObjectClient() = default;
  // Stores the file under `name`: whole when this succeeds, whole or not at all when it fails.
  virtual Task<void> Put(std::string name, ObjectBody body) = 0;
  // Sends the bytes from `rest.offset` to the end into `sink`. A transfer that breaks goes on where
  // it was. Fails: kNotFound: there is no such object; as `sink`; kUnavailable once `stop` is
  // requested.
  virtual Task<void> Get(std::string name, ObjectRest rest, ObjectSink sink,
                         std::stop_token stop) = 0;
  // The object's size. Fails: kNotFound.
  virtual Task<std::uint64_t> SizeOf(std::string name, ObjectPatience patience) = 0;
  // One that is not there is a success.
  virtual Task<void> Delete(std::string name) = 0;
  // Ends uploads in parts to exactly this name that were never completed.
  virtual Task<void> AbortUploads(std::string name) = 0;
  // Objects whose names begin with `prefix`, those after `after` ("": from the first), in bytewise
  // order, 1,000 at most. The end is where a page is empty.
  virtual Task<std::vector<ObjectInfo>> List(std::string prefix, std::string after) = 0;
  // A URL that reads the object without credentials for `ttl`, or as long as ours are good. Fails:
  // kUnavailable: no credentials can be had.
  virtual Task<std::string> PresignGet(std::string name, std::chrono::seconds ttl) = 0;
};

}  // namespace koya
