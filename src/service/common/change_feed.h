// Notifies listeners that hold data derived from the catalog when a topic changes.
//
// Changes made through this server's catalog are announced before the call that makes them returns,
// so a publish is visible on this server at once, without any effort by the code that writes.
// Changes made elsewhere (another server on the same database) arrive through Run(). Each change is
// announced once. Add listeners while the server is set up; they are called on any thread.
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

  // Subscribes to the changes made through the catalog of `log`, which must outlive this.
  explicit ChangeFeed(ChangeLog& log);
  ~ChangeFeed();
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;

  // REQUIRES: before Run() and Announce().
  void AddListener(Listener listener) { listeners_.push_back(std::move(listener)); }

  void Announce(std::string_view topic);

  // Starts at the current end of the log. Fails: as the catalog.
  Task<void> Start();
  // Callbacks, each called once per outage: the catalog does not answer; it answers again.
  struct Outage {
    std::function<void(const Error&)> begins;
    std::function<void()> is_over;
    // Called when it changes whether other servers' changes arrive at once; initially they do.
    std::function<void(bool hears)> hearing;
  };
  // Delivers changes until Stop(). When the catalog answers after an outage from a different run of
  // the database server, every listener gets "": cached data may show changes that this run never
  // had. On the same run the log has all missed changes.
  Awaitable<void> Run(Outage outage);
  // When the catalog last answered; it is queried at least twice a second. Any thread.
  std::chrono::steady_clock::time_point ConfirmedAt() const { return confirmed_at_; }
  // For how long the catalog has been unreachable, once that is known; 0 while it answers, or while
  // Run() is not active. Any thread.
  std::chrono::nanoseconds SilentFor() const;
  // The moment (TimeSinceBoot) before which every committed change, of any server, has been
  // announced; 0 before the first read of Run(). Any thread.
  std::chrono::nanoseconds SeenUntil() const { return seen_until_; }
  // Ends Run() within about a second. Any thread.
  void Stop() { stopping_ = true; }

 private:
  // Handles changes that were made here and just committed.
  void HearOwn(const std::vector<Change>& changes);
  void Hear(const Change& change);
  // Returns the moment (TimeSinceBoot) before which every committed change has been announced.
  // Fails: as `waited`.
  Task<std::chrono::nanoseconds> CatchUp(Status waited);
  // Whether the database server is a different run than before.
  Awaitable<bool> HasChangedServer();

  ChangeLog& log_;
  std::vector<Listener> listeners_;
  std::atomic<std::chrono::steady_clock::time_point> confirmed_at_;
  std::atomic<std::chrono::nanoseconds> seen_until_{};
  std::string server_run_;                     // of the last answer; used by Start() and Run() only
  std::mutex mutex_;                           // guards the fields below
  ChangePosition seen_;                        // how far the log was read
  std::map<std::int64_t, std::string> ahead_;  // announced, not yet seen in the log; by sequence
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> following_ = false;
  std::atomic<bool> reachable_ = true;  // as of the last answer or timeout
};

}  // namespace koya::service
