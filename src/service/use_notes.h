// Notes that something was used, beside the answers: nobody waits for a note.
//
// A note is a statistic: whatever becomes of it, the thing itself is served. Uses are remembered
// here and written together, in few transactions, by whoever owns the background. A catalog that
// takes no notes (a full disk, a database that is locked) is told of in the log, once a minute;
// what was to be noted then is forgotten.
// Bounds: kMostPending uses of each kind wait to be written; those beyond are not noted.
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "domain/use.h"

namespace koya {
class Catalog;
class Digest;
class Logger;
struct Use;
}  // namespace koya

namespace koya::service {

class UseNotes {
 public:
  static constexpr std::size_t kMostPending = 10'000;

  // Everything given must outlive this.
  UseNotes(Catalog& catalog, Logger& log) : catalog_(catalog), log_(log) {}

  // Of a token or a session, by its secret; of a blob that is held. Of several uses of one thing
  // the last counts. `from`: the address that sent the token; "": not known.
  void NoteToken(const Digest& secret, UnixSeconds at, std::string_view from = {}) {
    Remember(tokens_, {secret, at, std::string(from.substr(0, kLongestAddress))});
  }
  void NoteSession(const Digest& secret, UnixSeconds at) { Remember(sessions_, {secret, at}); }
  void NoteHeld(const Digest& digest, UnixSeconds at) { Remember(held_, {digest, at}); }

  // Writes what was noted until now. To be called every second or so, and at the end; by one at a
  // time, or what was noted first may win. As long as the catalog takes.
  Awaitable<void> Write();

 private:
  static constexpr std::size_t kLongestAddress = 64;  // bytes; the longest of IPv6 has fewer
  using Pending = std::map<Digest, Use>;
  using Touch = Task<void> (*)(Catalog& catalog, std::vector<Use> uses);
  void Remember(Pending& pending, Use use);
  Pending Take(Pending& pending);
  Awaitable<void> WriteAll(Pending pending, Touch touch);
  void Settle(const Status& noted, UnixSeconds now);

  Catalog& catalog_;
  Logger& log_;
  std::mutex mutex_;  // of what follows
  Pending tokens_;
  Pending sessions_;
  Pending held_;
  std::atomic<UnixSeconds> quiet_until_ = 0;
};

}  // namespace koya::service
