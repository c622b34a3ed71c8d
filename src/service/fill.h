// A blob that is arriving from elsewhere: one fetches it, many read it meanwhile.
//
// Readers get bytes as they come, all but the last, which is handed out only once the whole has
// been verified: a client that has received everything has received the right bytes, and one that
// was given wrong bytes never sees their end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/condition.h"
#include "base/task.h"

namespace koya::service {

// Threads: the filling side is one thread; readers are coroutines anywhere.
class Fill {
 public:
  // ---- the filling side

  // The transfer has begun. `descriptor` stays readable as long as `owner` lives. Without a length,
  // or with none but 0, readers wait for the end.
  void Start(std::shared_ptr<const void> owner, int descriptor,
             std::optional<std::uint64_t> length);
  // So many bytes are readable through the descriptor.
  void Grow(std::uint64_t bytes);
  // All bytes are there, and are the right ones.
  void Succeed();
  // It will never be whole. Also before Start.
  void Fail(Error error);

  // ---- the reading side

  struct Started {
    std::shared_ptr<const void> owner;
    int descriptor = -1;
    std::uint64_t length = 0;
  };
  // Waits until the length is known. Fails: as the fill.
  Task<Started> WaitForStart();
  // Waits until bytes beyond `offset` may be handed out; returns where those end. Fails: as the
  // fill; kInternal beyond the end.
  Task<std::uint64_t> WaitBeyond(std::uint64_t offset);
  // Waits for the end. Fails: as the fill.
  Task<void> WaitForEnd();

 private:
  std::uint64_t Offered() const;  // under the lock

  Condition changed_;  // its mutex guards the rest
  std::shared_ptr<const void> owner_;
  int descriptor_ = -1;
  std::optional<std::uint64_t> length_;
  std::uint64_t bytes_ = 0;
  bool whole_ = false;
  std::optional<Error> failure_;
};

// The fills under way, by what they fetch: whoever asks for the same thing shares one.
class FillBoard {
 public:
  // The fill for `key`; `begin` is called when there is none yet, to set it going on some other
  // thread. It must see to it that Leave(key) is called in the end, whatever happens.
  std::shared_ptr<Fill> Join(const std::string& key,
                             const std::function<void(std::shared_ptr<Fill>)>& begin);
  // The fill is over: the next who asks begins another (or finds what it stored).
  void Leave(const std::string& key);
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Fill>> fills_;
};

}  // namespace koya::service
