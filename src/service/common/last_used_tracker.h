// Records the last use of tokens, sessions and stored blobs, off the request path: no request waits
// for it.
//
// The record is a statistic: the request succeeds whatever becomes of it. Uses are collected here
// and written together, in few transactions, by a background job. If the catalog cannot be written
// (a full disk, a locked database), the log says so once a minute, and the uses are dropped.
// Limits: kMostPending uses of each kind wait to be written; those beyond are dropped.
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

class LastUsedTracker {
 public:
  static constexpr std::size_t kMostPending = 10'000;

  // All arguments must outlive this.
  LastUsedTracker(Catalog& catalog, Logger& log) : catalog_(catalog), log_(log) {}

  // Record the use of a token or session, by its secret, or of a stored blob. The last of several
  // uses of one of them counts. `from`: the address that sent the token; "": unknown.
  void NoteToken(const Digest& secret, UnixSeconds at, std::string_view from = {}) {
    Remember(tokens_, {secret, at, std::string(from.substr(0, kLongestAddress))});
  }
  void NoteSession(const Digest& secret, UnixSeconds at) { Remember(sessions_, {secret, at}); }
  void TouchCached(const Digest& digest, UnixSeconds at) { Remember(held_, {digest, at}); }

  // Writes the uses collected so far. Call every second or so, and at shutdown; one call at a time,
  // or an older use may overwrite a newer one. Takes as long as the catalog takes.
  Awaitable<void> Write();

 private:
  static constexpr std::size_t kLongestAddress = 64;  // bytes; the longest of IPv6 has fewer
  using Pending = std::map<Digest, Use>;
  using Touch = Task<void> (*)(Catalog& catalog, std::vector<Use> uses);
  void Remember(Pending& pending, Use use);
  Pending TakePending(Pending& pending);
  Awaitable<void> WriteAll(Pending pending, Touch touch);
  void Settle(const Status& noted, UnixSeconds now);

  Catalog& catalog_;
  Logger& log_;
  std::mutex mutex_;  // guards the fields below
  Pending tokens_;
  Pending sessions_;
  Pending held_;
  std::atomic<UnixSeconds> quiet_until_ = 0;
};

}  // namespace koya::service
