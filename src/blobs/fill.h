// A single-flight fetch of a blob from another store or registry: one transfer, many readers
// meanwhile.
//
// Readers get bytes as they arrive, except the last byte, which is handed out only after the whole
// blob has been verified: a client that has received everything has received the right bytes, and
// one that was sent wrong bytes never sees their end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/condition.h"
#include "base/task.h"
#include "domain/digest.h"

namespace koya {

class Blob;

// Threads: the filling side is one thread at a time; readers are coroutines on any thread. Always
// owned by shared pointers: the blobs that it hands out share it.
class Fill : public std::enable_shared_from_this<Fill> {
 public:
  struct Arrival {
    Digest digest;                      // expected digest of the bytes
    std::shared_ptr<const void> owner;  // keeps the descriptor open
    int descriptor = -1;                // reads the bytes so far
    // Announced length. When it is absent or 0, readers wait for the end.
    std::optional<std::uint64_t> length;
    // True for a fetch from our own store, which takes a moment: no range is complete before the
    // whole blob is verified. False for another registry, which may take minutes: a client that
    // requests a range gets it at once, and verifies the assembled parts itself.
    bool parts_wait = false;
  };
  struct Opened {
    Digest digest;
    std::shared_ptr<Blob> blob;
  };

  // ---- the filling side

  // Starts an announced transfer. Called at most once, without locks, by the first reader that
  // waits for bytes; must not throw or block.
  using Begin = std::function<void(std::shared_ptr<Fill>)>;

  // The transfer has started; or, with `begin`, starts when the first reader waits for bytes: a
  // reader that only needs the size causes no transfer. `begin` owns everything it uses, except
  // this fill.
  void Start(Arrival arrival, Begin begin = {});
  // `bytes` bytes are readable through the descriptor.
  void Grow(std::uint64_t bytes);
  // All bytes have arrived and are verified.
  void Succeed();
  // The blob is already on this machine and nothing is transferred. Replaces all calls above.
  void Serve(Opened whole);
  // The filling side is done. The last call; allowed before Start. After a failure the fill never
  // becomes complete.
  void End(Status how = {});

  // ---- the reading side

  // Waits until the length is known and the first bytes may be handed out. The blob's growth() is
  // this fill. Fails: as the fill; with `late` at the deadline, while the fill goes on.
  Task<Opened> Open(std::chrono::steady_clock::time_point deadline, Error late);
  // Waits until the length is known, but not for bytes. Fails: as the fill.
  Task<Opened> OpenAnnounced();
  // Starts the transfer if it has not started. Does not wait.
  void Demand();
  // Waits until bytes beyond `offset` may be handed out; returns the end of those bytes. Fails: as
  // the fill; kInternal beyond the end.
  Task<std::uint64_t> WaitBeyond(std::uint64_t offset);
  // Whether a reader of a range waits for the whole blob before its last byte.
  bool parts_wait();
  // Waits until the fill is over and its bytes are cached if they could be. Fails: as the fill.
  Task<void> WaitForEnd();

 private:
  // Both REQUIRE: the lock is held.
  std::uint64_t Offered() const;
  Opened OpenedNow();

  Condition changed_;  // its mutex guards the rest
  std::optional<Arrival> arrival_;
  Begin begin_;  // empty once the transfer has begun
  std::optional<Opened> here_;
  std::uint64_t bytes_ = 0;
  bool whole_ = false;
  bool over_ = false;
  std::optional<Error> failure_;
};

// Waits until all bytes of a blob, which may still be arriving, can be read through its descriptor.
// Fails: as its growth.
Task<void> WaitUntilWhole(std::shared_ptr<Blob> blob);

// Running fills by key: requests for the same key share one fill.
class FillBoard {
 public:
  // Returns the fill for `key`. `begin` is called when there is none yet, to start it on another
  // thread. `begin` must make sure that Leave(key) is called in the end, whatever happens.
  std::shared_ptr<Fill> Join(const std::string& key,
                             const std::function<void(std::shared_ptr<Fill>)>& begin);
  // Ends the fill: a reader that sees its end and asks again starts another one (or finds the
  // stored blob).
  void EndFill(const std::string& key, Status how = {});
  std::size_t size() const;
  // Number of finished fills. A caller that looked in a cache before it joins does not need to look
  // again while this number is unchanged.
  std::uint64_t ended() const { return ended_; }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Fill>> fills_;
  std::atomic<std::uint64_t> ended_ = 0;
};

}  // namespace koya
