// Tells whoever keeps something derived from the catalog that a topic changed.
//
// The catalog tells of each change that is made through it before whoever made it goes on, so that
// a publish shows at once on this server; nobody who writes has to think of it. Changes made
// elsewhere (another server on the same database) arrive through Run(). Each is announced once.
// Listeners are added while the server is being put together and are called on any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "catalog/change_log.h"

namespace koya::service {

class ChangeFeed {
 public:
  // Given a topic ("module:acme/vpc/aws"), or "" when anything may have changed.
  using Listener = std::function<void(std::string_view topic)>;

  // From now on the catalog of `log`, which outlives this, tells its changes here.
  explicit ChangeFeed(ChangeLog& log);
  ~ChangeFeed();
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;

  // REQUIRES: before Run() and Announce().
  void AddListener(Listener listener) { listeners_.push_back(std::move(listener)); }

  void Announce(std::string_view topic);

  // Begins at the log's present end. Fails: as the catalog.
  Task<void> Start();
  // What is told of each outage, once: that the catalog does not answer, and that it does again.
  struct Outage {
    std::function<void(const Error&)> begins;
    std::function<void()> is_over;
    // Whether other servers' changes are heard at once, when that changed; it begins as true.
    std::function<void(bool hears)> hearing;
  };
  // Hands on changes until Stop(). When the catalog answers again after an outage, and is not the
  // same run of the same database server, every listener hears "": what is kept may show what the
  // other one never had. On the same one the log says all that was missed.
  Awaitable<void> Run(Outage outage);
  // When the catalog last answered, which is asked twice a second or more often. Any thread.
  std::chrono::steady_clock::time_point ConfirmedAt() const { return confirmed_at_; }
  // For how long the catalog has not answered, once that is known: 0 while it does, or nobody
  // follows. Any thread.
  std::chrono::nanoseconds SilentFor() const;
  // Until when (TimeSinceBoot) everything that had been committed, by whomever, has been announced;
  // 0 before the first time that Run() reads. Any thread.
  std::chrono::nanoseconds SeenUntil() const { return seen_until_; }
  // Run() ends within a second or so. Any thread.
  void Stop() { stopping_ = true; }

 private:
  // Of changes that were made here, and just committed.
  void HearOwn(const std::vector<Change>& changes);
  void Hear(const Change& change);
  // Returns until when (TimeSinceBoot) what was committed has been announced. Fails: as waiting
  // did.
  Task<std::chrono::nanoseconds> CatchUp(Status waited);
  // Whether the database is another than before.
  Awaitable<bool> HasChangedServer();

  ChangeLog& log_;
  std::vector<Listener> listeners_;
  std::atomic<std::chrono::steady_clock::time_point> confirmed_at_;
  std::atomic<std::chrono::nanoseconds> seen_until_{};
  std::string server_run_;                     // of who answered last; Start() and Run() only
  std::mutex mutex_;                           // of what follows
  ChangePosition seen_;                        // how far the log was read
  std::map<std::int64_t, std::string> ahead_;  // announced, and not yet seen in the log; by mark
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> following_ = false;
  std::atomic<bool> reachable_ = true;  // as of the last answer, or its absence
};

}  // namespace koya::service
