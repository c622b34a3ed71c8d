// A blob that is arriving from elsewhere: one fetches it, many read it meanwhile.
//
// Readers get bytes as they come, all but the last, which is handed out only once the whole has
// been verified: a client that has received everything has received the right bytes, and one that
// was given wrong bytes never sees their end.
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

// Threads: the filling side is one thread at a time; readers are coroutines anywhere. Always owned
// by shared pointers: the blobs that it hands out share it.
class Fill : public std::enable_shared_from_this<Fill> {
 public:
  struct Arrival {
    Digest digest;                      // of the bytes as they must be
    std::shared_ptr<const void> owner;  // keeps the descriptor open
    int descriptor = -1;                // of the bytes so far
    // As announced. Without one, or with none but 0, readers wait for the end.
    std::optional<std::uint64_t> length;
    // Of what comes from our own store, which is here in a moment, nobody gets all of a part before
    // the whole is known to be right. Another registry may take minutes: who asks for a part of
    // that has it at once, and checks what the parts make.
    bool parts_wait = false;
  };
  struct Opened {
    Digest digest;
    std::shared_ptr<Blob> blob;
  };

  // ---- the filling side

  // Begins a transfer that was announced. Called at most once, without locks, by whoever is the
  // first to wait for bytes; must not throw, nor wait.
  using Begin = std::function<void(std::shared_ptr<Fill>)>;

  // The transfer has begun; or, with `begin`, will as soon as somebody waits for bytes: who only
  // asks for the size moves none. `begin` owns what it uses, but not this fill.
  void Start(Arrival arrival, Begin begin = {});
  // So many bytes are readable through the descriptor.
  void Grow(std::uint64_t bytes);
  // All bytes are there, and are the right ones.
  void Succeed();
  // Nothing has to arrive: it is here already. In place of all the above.
  void Serve(Opened whole);
  // The filling side is done. Last. After a failure it will never be whole; also before Start.
  void End(Status how = {});

  // ---- the reading side

  // Waits until the length is known and the first bytes may be handed out. The blob's growth() is
  // this fill. Fails: as the fill; with `late` at the deadline, while the fill goes on.
  Task<Opened> Open(std::chrono::steady_clock::time_point deadline, Error late);
  // Waits until the length is known, and for no bytes. Fails: as the fill.
  Task<Opened> OpenAnnounced();
  // Begins the transfer if it has not begun; waits for nothing.
  void Demand();
  // Waits until bytes beyond `offset` may be handed out; returns where those end. Fails: as the
  // fill; kInternal beyond the end.
  Task<std::uint64_t> WaitBeyond(std::uint64_t offset);
  // Whether whoever reads a part waits for the whole before its last byte.
  bool parts_wait();
  // Waits until the fill is over: what could be kept of it is kept. Fails: as the fill.
  Task<void> WaitForEnd();

 private:
  // Both under the lock.
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

// Waits until all bytes of a blob that may be arriving can be read through its descriptor. Fails:
// as its growth.
Task<void> WaitUntilWhole(std::shared_ptr<Blob> blob);

// The fills under way, by what they fetch: whoever asks for the same thing shares one.
class FillBoard {
 public:
  // The fill for `key`; `begin` is called when there is none yet, to set it going on some other
  // thread. It must see to it that Leave(key) is called in the end, whatever happens.
  std::shared_ptr<Fill> Join(const std::string& key,
                             const std::function<void(std::shared_ptr<Fill>)>& begin);
  // Ends the fill: whoever learns of its end and asks again begins another (or finds what it
  // stored).
  void Leave(const std::string& key, Status how = {});
  std::size_t size() const;
  // How many fills are over. Who looked for something elsewhere before joining, and finds this
  // unchanged since, need not look again.
  std::uint64_t ended() const { return ended_; }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Fill>> fills_;
  std::atomic<std::uint64_t> ended_ = 0;
};

}  // namespace koya
